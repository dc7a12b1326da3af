//! Smaller proofs of the same properties.
//!
//! Evidence that engines find has what happened to be known: a k that some lemma
//! needed once, and lemmas of which few matter. Who reads or re-checks a proof
//! would like it small. There are two ways:
//!
//! - [`minimised`], for all who look at proofs: the smallest k for which the goals follow,
//!   with the lemmas in unsat cores ([`support`](crate::support())), of which each is left out
//!   in turn if the rest is inductive without it.
//! - [`Proof::minimise`], with the strategies that certificates can be asked for (Kind 2's
//!   `--certif_mink` and `--certif_mininvs`; Mebsout and Tinelli, *Proof Certificates for
//!   SMT-based Model Checkers for Infinite-state Systems*, FMCAD 2016, section on minimising).
//!   A smaller k is looked for with all lemmas, since fewer of them never allow a smaller k;
//!   then lemmas are left out.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use smt::{Answer, Moment, Solver, SolverContext};
use system::{System, Term, and, not};

use crate::certify;
use crate::compress::Compression;
use crate::cone::Cone;
use crate::evidence::Evidence;
use crate::lemma::Lemma;
use crate::support::{Support, support};
use crate::unroll::Unrolling;

/// Evidence for the goals that is not larger than this one: the goals, and the
/// conjuncts that they need. What takes longer than the time set for it is left as
/// it is.
pub fn minimised(
    context: &SolverContext,
    system: &Arc<System>,
    goals: &[Term],
    evidence: &Evidence,
    time: Duration,
) -> Evidence {
    let end = context.now() + time;
    let Some(own) = evidence.induction() else {
        return evidence.clone();
    };
    let smaller =
        |k, compression| smaller(context, system, goals, own.invariant, k, compression, &end);
    let plain = (1..=own.k).find_map(|k| Some((k, smaller(k, Compression::NONE)?)));
    if let Some((k, invariant)) = plain {
        return Evidence::Inductive { k, invariant };
    }
    let along_paths = own.simple_path.then(|| smaller(own.k, Compression::EQUAL));
    match along_paths.flatten() {
        Some(invariant) => Evidence::SimplePath {
            k: own.k,
            invariant,
        },
        None => evidence.clone(),
    }
}

/// The same for one k; nothing if the goals do not follow with it.
fn smaller(
    context: &SolverContext,
    system: &Arc<System>,
    goals: &[Term],
    invariant: &Term,
    k: usize,
    compression: Compression,
    end: &Moment,
) -> Option<Term> {
    let mut seen = HashSet::new();
    let mut goals: Vec<Term> = goals.iter().flat_map(Term::conjuncts).collect();
    goals.retain(|term| seen.insert(term.id()));
    let mut lemmas = invariant.conjuncts();
    lemmas.retain(|term| seen.insert(term.id()));
    let own = and(goals.iter().cloned());
    let stop = || end.is_past();
    let mut step = Support::new(context, system, &own, &lemmas, k, compression);
    step.limit_time(end.left());
    let everything: BTreeSet<usize> = (0..lemmas.len()).collect();
    let mut needed = step.needed(&goals, &everything, &stop)?;
    for at in needed.clone() {
        if !needed.contains(&at) {
            continue;
        }
        let mut fewer = needed.clone();
        fewer.remove(&at);
        if let Some(found) = step.needed(&goals, &fewer, &stop) {
            needed = found;
        }
    }
    let needed = needed.into_iter().map(|at| lemmas[at].clone());
    Some(and(goals.into_iter().chain(needed)))
}

/// How the smallest k is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MinimiseK {
    No,
    /// From 1 up.
    Forward,
    /// Down, until it fails.
    Backward,
    /// By halving.
    Dichotomy,
    /// One less first; by halving if that will do.
    FrontierDichotomy,
    /// Forward where k is small: its questions are the cheapest.
    Auto,
}

/// How lemmas are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MinimiseInvariants {
    /// What no core names.
    Easy,
    /// That, and then what no counterexample to induction asks for.
    Medium,
    MediumOnly,
    /// As before, but of what a counterexample violates only one is taken.
    Hard,
    HardOnly,
}

/// A conjunction of goals and lemmas that is k-inductive.
#[derive(Clone, Debug)]
pub struct Proof {
    pub k: usize,
    pub goals: Vec<Term>,
    pub lemmas: Vec<Term>,
}

/// Up to here the smallest k is looked for from below.
const SMALL: usize = 4;

impl Proof {
    fn all(&self) -> Term {
        and(self.goals.iter().chain(&self.lemmas).cloned())
    }

    /// Is it one?
    pub fn holds_up(
        &self,
        context: &SolverContext,
        system: &Arc<System>,
        stop: &dyn Fn() -> bool,
    ) -> bool {
        certify::inductive(
            context,
            system,
            &self.all(),
            self.k,
            Compression::NONE,
            stop,
        )
    }

    /// The proof with a smaller k and fewer lemmas, as far as they are found.
    pub fn minimise(
        &mut self,
        context: &SolverContext,
        system: &Arc<System>,
        (k, invariants): (MinimiseK, MinimiseInvariants),
        stop: &dyn Fn() -> bool,
    ) {
        self.minimise_k(context, system, k, stop);
        use MinimiseInvariants::*;
        if matches!(invariants, Easy | Medium | Hard) {
            self.trim(context, system, stop);
        }
        match invariants {
            Easy => {}
            Medium | MediumOnly => self.pick(context, system, false, stop),
            Hard | HardOnly => self.pick(context, system, true, stop),
        }
    }

    /// The first steps are known to be fine: what is asked is the step only.
    fn minimise_k(
        &mut self,
        context: &SolverContext,
        system: &Arc<System>,
        how: MinimiseK,
        stop: &dyn Fn() -> bool,
    ) {
        let all = self.all();
        let enough = |k: usize| certify::step(context, system, &all, k, Compression::NONE, stop);
        let highest = self.k;
        self.k = match how {
            MinimiseK::No => highest,
            MinimiseK::Auto if highest <= SMALL => upwards(highest, enough),
            MinimiseK::Forward => upwards(highest, enough),
            MinimiseK::Backward => {
                let enough = (1..highest).rev().take_while(|k| enough(*k));
                enough.last().unwrap_or(highest)
            }
            MinimiseK::Dichotomy => halving(highest, enough),
            MinimiseK::FrontierDichotomy | MinimiseK::Auto => {
                match highest > 1 && enough(highest - 1) {
                    true => halving(highest - 1, enough),
                    false => highest,
                }
            }
        };
    }

    /// Keeps the lemmas that the goals rest on, all the way down.
    fn trim(&mut self, context: &SolverContext, system: &Arc<System>, stop: &dyn Fn() -> bool) {
        let goals = and(self.goals.iter().cloned());
        let lemmas = Lemma::all(self.k, self.lemmas.iter().cloned());
        if let Some(needed) = support(context, system, &goals, self.k, &lemmas, stop) {
            self.lemmas = needed.into_iter().map(|lemma| lemma.term).collect();
        }
    }

    /// Starts from the goals, and adds lemmas that counterexamples to induction
    /// violate: all of those, or one at a time.
    fn pick(
        &mut self,
        context: &SolverContext,
        system: &Arc<System>,
        one: bool,
        stop: &dyn Fn() -> bool,
    ) {
        let cone = Cone::of(system, [self.all()]);
        let mut unrolling = Unrolling::new(context, system, cone, false);
        (0..self.k).for_each(|_| unrolling.extend());
        let mut kept: Vec<Term> = self.goals.clone();
        let mut rest = self.lemmas.clone();
        let mut asserted = 0;
        let mut proved = 0;
        while proved < kept.len() {
            for term in &kept[asserted..] {
                (0..self.k).for_each(|step| unrolling.solver.assert(term, step));
            }
            asserted = kept.len();
            let fails = unrolling.solver.literal();
            let violated = not(&kept[proved]);
            unrolling.solver.assert_if(fails, &violated, self.k);
            if stop() {
                return;
            }
            match unrolling.solver.check(&[fails]) {
                Answer::Unsat => {
                    proved += 1;
                    continue;
                }
                Answer::Unknown(_) => return,
                Answer::Sat => {}
            }
            let mut broken = |term: &Term| {
                let mut steps = 0..self.k;
                steps.any(|step| unrolling.solver.holds(term, step) == Some(false))
            };
            let mut added = Vec::new();
            rest.retain(|term| {
                let wanted = (!one || added.is_empty()) && broken(term);
                if wanted {
                    added.push(term.clone());
                }
                !wanted
            });
            if added.is_empty() {
                return;
            }
            kept.extend(added);
        }
        self.lemmas = kept.split_off(self.goals.len());
    }
}

fn upwards(highest: usize, enough: impl Fn(usize) -> bool) -> usize {
    (1..highest).find(|k| enough(*k)).unwrap_or(highest)
}

/// The highest is enough; more is never worse.
fn halving(highest: usize, enough: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (1, highest);
    while low < high {
        let middle = (low + high) / 2;
        match enough(middle) {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Role, Sort, StateVar, Var, add, eq, integer, ite, le};

    #[test]
    fn all_strategies_find_the_smallest() {
        for least in 1..9 {
            for highest in least..9 {
                assert_eq!(halving(highest, |k| k >= least), least);
                assert_eq!(upwards(highest, |k| k >= least), least);
            }
        }
    }

    /// Two counters that count together.
    fn twins() -> (Arc<System>, Term, Term) {
        let up = system::var(Var(2), Sort::Bool);
        let counter = |at: u32| {
            let own = system::var(Var(at), Sort::Int);
            let mut declared = StateVar::new("n", Sort::Int, Role::State);
            declared.init = Some(integer(0));
            declared.next = Some(ite(&up, &add([own.clone(), integer(1)]), &own));
            (declared, own)
        };
        let ((first, x), (second, y)) = (counter(0), counter(1));
        let up = StateVar::new("up", Sort::Bool, Role::Input);
        let system = System {
            vars: vec![first, second, up],
            ..System::default()
        };
        (Arc::new(system), x, y)
    }

    #[test]
    fn a_proof_keeps_what_it_needs() {
        let (system, x, y) = twins();
        let goal = not(&and([eq(&x, &integer(3)), eq(&y, &integer(4))]));
        let (alike, positive) = (eq(&x, &y), le(&integer(0), &x));
        let evidence = Evidence::Inductive {
            k: 3,
            invariant: and([positive, goal.clone(), alike.clone()]),
        };
        let time = Duration::from_secs(60);
        let small = minimised(
            &SolverContext::default(),
            &system,
            std::slice::from_ref(&goal),
            &evidence,
            time,
        );
        let Evidence::Inductive { k, invariant } = small else {
            panic!("{small:?}");
        };
        assert_eq!((k, invariant), (1, and([goal.clone(), alike])));
        // Without time it stays as it is, and so does what is no proof.
        let same = minimised(
            &SolverContext::default(),
            &system,
            std::slice::from_ref(&goal),
            &evidence,
            Duration::ZERO,
        );
        assert!(matches!(same, Evidence::Inductive { k: 3, .. }));
        let wrong = Evidence::Inductive {
            k: 1,
            invariant: goal.clone(),
        };
        let same = minimised(
            &SolverContext::default(),
            &system,
            std::slice::from_ref(&goal),
            &wrong,
            time,
        );
        assert!(matches!(same, Evidence::Inductive { invariant, .. } if invariant == goal));
    }
}
