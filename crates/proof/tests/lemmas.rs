//! Lemmas in terms of another system.

use std::sync::Arc;

use proof::{Lemma, Lemmas};
use system::{Role, Sort, StateVar, System, Term, Var, and, eq, le, var};

fn system(vars: &[(&str, Sort, Role)]) -> Arc<System> {
    let vars = vars.iter();
    let vars = vars.map(|(name, sort, role)| StateVar::new(name, sort.clone(), *role));
    Arc::new(System {
        vars: vars.collect(),
        ..System::default()
    })
}

fn own() -> Arc<System> {
    system(&[
        ("b", Sort::Bool, Role::State),
        ("n", Sort::Int, Role::State),
        ("sub.n", Sort::Int, Role::State),
        ("sub.n", Sort::Int, Role::State),
    ])
}

fn int(at: u32) -> Term {
    var(Var(at), Sort::Int)
}

#[test]
fn variables_are_found_by_name() {
    let other = system(&[
        ("sub.n", Sort::Int, Role::State),
        ("new", Sort::Real, Role::Input),
        ("n", Sort::Int, Role::State),
        ("sub.n", Sort::Int, Role::State),
        ("b", Sort::Bool, Role::State),
    ]);
    let first = le(&int(1), &int(2));
    let second = and([var(Var(0), Sort::Bool), eq(&int(2), &int(3))]);
    let lemmas = Lemmas::new(own(), vec![Lemma::new(1, first), Lemma::new(2, second)]);
    let expected = vec![
        Lemma::new(1, le(&int(2), &int(0))),
        Lemma::new(2, and([var(Var(4), Sort::Bool), eq(&int(0), &int(3))])),
    ];
    assert_eq!(lemmas.about(&other), expected);
}

#[test]
fn what_does_not_fit_is_dropped() {
    let lemmas = Lemmas::new(own(), Lemma::all(1, [le(&int(1), &int(2))]));
    let missing = system(&[("n", Sort::Int, Role::State)]);
    let other_sort = system(&[
        ("n", Sort::Real, Role::State),
        ("sub.n", Sort::Int, Role::State),
    ]);
    let other_role = system(&[
        ("n", Sort::Int, Role::Stream),
        ("sub.n", Sort::Int, Role::State),
    ]);
    for system in [missing, other_sort, other_role] {
        assert_eq!(lemmas.about(&system), Vec::new());
    }
}

#[test]
fn lemmas_of_the_same_system_stay_as_they_are() {
    let system = own();
    let all = Lemma::all(3, [le(&int(1), &int(3))]);
    let lemmas = Lemmas::new(system.clone(), all.clone());
    assert_eq!(lemmas.about(&system), all);
    assert_eq!(lemmas.about(&own()), all);
}
