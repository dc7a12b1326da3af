//! Cones of influence: the part of a system that some terms depend on.
//!
//! A term depends on its variables, a stream on what its definition reads, and a state variable
//! on what its next value reads. The constraints of model elements belong to every cone: they
//! decide which runs there are. Declared ranges, which no element owns, belong to the cones that
//! they touch, and bring along the other variables that they speak of. What is outside of a
//! cone cannot change the answer to a question about its roots, and is not told to a solver
//! (Clarke, Grumberg and Peled, *Model Checking*, 1999, section 13.1).

use std::collections::HashSet;

use system::{System, Term, Var, eq};

/// The part of a system that matters for some terms.
#[derive(Clone)]
pub struct Cone {
    /// What the cone is of.
    pub roots: Vec<Term>,
    /// All variables that matter.
    pub vars: HashSet<Var>,
    /// State variables with a next value, in order.
    pub states: Vec<(Var, Term, Term)>,
    pub init: Vec<Term>,
    pub constraints: Vec<Term>,
}

impl Cone {
    /// What the terms and the constraints depend on, with the definitions of streams among
    /// the constraints.
    pub fn of(system: &System, roots: impl IntoIterator<Item = Term>) -> Cone {
        let everything = match system.whole {
            true => system.vars.len() as u32,
            false => 0,
        };
        let defined_by = |var: Var| {
            let definition = system.var(var).def.iter();
            definition.flat_map(|def| def.term.vars()).collect()
        };
        let also = (0..everything).map(Var);
        let mut cone = Cone::reading(system, roots, also, Term::clone, defined_by);
        let mut reached: Vec<Var> = cone.vars.iter().copied().collect();
        reached.sort();
        let streams = reached.into_iter().filter_map(|var| {
            let declared = system.var(var);
            let stream = system::var(var, declared.sort.clone());
            Some(eq(&stream, &declared.def.as_ref()?.term))
        });
        cone.constraints = streams.chain(cone.constraints).collect();
        cone
    }

    /// The same without definitions of streams, for those who have these in another form:
    /// `read` says how terms of the system are read, and `defined_by` what the definition of
    /// a variable reads. The variables in `also` are roots, too.
    pub fn reading(
        system: &System,
        roots: impl IntoIterator<Item = Term>,
        also: impl IntoIterator<Item = Var>,
        mut read: impl FnMut(&Term) -> Term,
        mut defined_by: impl FnMut(Var) -> Vec<Var>,
    ) -> Cone {
        let (mut constraints, mut ranges) = (Vec::new(), Vec::new());
        for constraint in &system.constraints {
            let term = read(&constraint.term);
            match constraint.element {
                Some(_) => constraints.push(term),
                None => ranges.push((term.vars(), term)),
            }
        }
        let roots: Vec<Term> = roots.into_iter().map(|root| read(&root)).collect();
        let own = roots.iter().chain(&constraints).flat_map(Term::vars);
        let own = own.chain(also).collect();
        let vars = influence(own, ranges.iter().map(|(vars, _)| vars), |var| {
            let mut parts = defined_by(var);
            parts.extend(
                system
                    .var(var)
                    .next
                    .iter()
                    .flat_map(|next| read(next).vars()),
            );
            parts
        });
        let touched = |of: &[Var]| of.is_empty() || of.iter().any(|var| vars.contains(var));
        let ranges = ranges.into_iter().filter(|(of, _)| touched(of));
        constraints.extend(ranges.map(|(_, term)| term));
        let (mut states, mut init) = (Vec::new(), Vec::new());
        for (var, declared) in system.state_vars().filter(|(var, _)| vars.contains(var)) {
            let current = system::var(var, declared.sort.clone());
            init.extend(declared.init.iter().map(|value| eq(&current, &read(value))));
            if let Some(next) = &declared.next {
                states.push((var, current, read(next)));
            }
        }
        Cone {
            roots,
            vars,
            states,
            init,
            constraints,
        }
    }
}

/// The variables that some variables depend on, with themselves. A range, which is given by
/// its variables, has all of them matter if one does: it may relate them through functions.
pub fn influence<'r>(
    roots: Vec<Var>,
    ranges: impl Iterator<Item = &'r Vec<Var>> + Clone,
    mut depends_on: impl FnMut(Var) -> Vec<Var>,
) -> HashSet<Var> {
    let mut reached: HashSet<Var> = HashSet::new();
    let mut open = roots;
    while !open.is_empty() {
        while let Some(var) = open.pop() {
            if reached.insert(var) {
                open.extend(depends_on(var));
            }
        }
        for vars in ranges.clone() {
            if vars.iter().any(|var| reached.contains(var)) {
                open.extend(vars.iter().filter(|var| !reached.contains(var)));
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::{Constraint, Role, Sort, StateVar, boolean, le};

    fn int(at: u32) -> Term {
        system::var(Var(at), Sort::Int)
    }

    /// `x` follows `y`, `y` keeps its value, `z` is related to `y` by a range, `other` is apart.
    fn system() -> System {
        let mut x = StateVar::new("x", Sort::Int, Role::State);
        x.next = Some(int(1));
        let mut y = StateVar::new("y", Sort::Int, Role::State);
        y.init = Some(system::integer(0));
        y.next = Some(int(1));
        let range = Constraint {
            term: le(&int(1), &int(2)),
            element: None,
            range: None,
        };
        System {
            vars: vec![
                x,
                y,
                StateVar::new("z", Sort::Int, Role::Input),
                StateVar::new("other", Sort::Int, Role::Input),
            ],
            constraints: vec![range],
            ..System::default()
        }
    }

    fn vars(cone: &Cone) -> Vec<u32> {
        let mut vars: Vec<u32> = cone.vars.iter().map(|var| var.0).collect();
        vars.sort_unstable();
        vars
    }

    #[test]
    fn a_cone_follows_next_values_and_ranges() {
        let system = system();
        let cone = Cone::of(&system, [le(&int(0), &int(0))]);
        assert_eq!(vars(&cone), Vec::<u32>::new(), "the root is true");
        let cone = Cone::of(&system, [le(&int(0), &system::integer(3))]);
        assert_eq!(vars(&cone), [0, 1, 2]);
        assert_eq!(cone.states.len(), 2);
        assert_eq!((cone.init.len(), cone.constraints.len()), (1, 1));
    }

    #[test]
    fn everything_matters_in_a_system_that_is_not_sliced() {
        let whole = System {
            whole: true,
            ..system()
        };
        assert_eq!(vars(&Cone::of(&whole, [boolean(true)])), [0, 1, 2, 3]);
    }
}
