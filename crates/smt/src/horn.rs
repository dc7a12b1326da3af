//! Safety as Horn clauses, for Spacer, Z3's fixedpoint engine.
//!
//! One relation holds the reachable states `x`:
//!
//! ```text
//! init(x)                                 → Reach(x)
//! Reach(x) ∧ C(x, i) ∧ x' = next(x, i)    → Reach(x')
//! Reach(x) ∧ C(x, i) ∧ bad(x, i)          → Bad
//! ```
//!
//! The constraints `C` guard the steps that leave a state, and the last one; a state that allows no
//! step cannot violate anything. Z3 has had bugs in the slicing and inlining of clauses, which are
//! therefore switched off, and the caller must check the answer.

use std::collections::BTreeSet;
use std::sync::Arc;

use system::{Role, System, Term, Var, and};
use z3::ast::{Ast, Bool, Dynamic, forall_const};
use z3::{Fixedpoint, FuncDecl, Params, SatResult};

use crate::context::SolverContext;
use crate::eliminate::avoid_egraphs;
use crate::embedded::measured;
use crate::read::{Reader, Unreadable};
use crate::solver::Limits;
use crate::translate::{Translator, sort};

/// Can a bad step be reached?
#[derive(Clone, Debug)]
pub struct Safety {
    /// State variables with their values at the next step.
    pub states: Vec<(Term, Term)>,
    pub init: Vec<Term>,
    /// Holds at every step.
    pub constraints: Vec<Term>,
    pub bad: Term,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fixpoint {
    /// An inductive invariant, of states only, that excludes bad steps.
    Safe(Term),
    /// A bad step is reached; at most so many steps come before it.
    Unsafe {
        depth: usize,
    },
    Unknown(String),
}

/// Whether Spacer generalises its lemmas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lemmas {
    /// Generalises each lemma to exclude as many states as it can.
    General,
    /// Keeps each lemma as it is: more lemmas, each found sooner.
    Plain,
}

/// Runs Spacer.
pub fn spacer(
    context: &SolverContext,
    system: &Arc<System>,
    question: &Safety,
    lemmas: Lemmas,
    limits: Limits,
) -> Fixpoint {
    let mut clauses = Clauses::new(system, question, 1, lemmas);
    clauses.start(question, 0);
    clauses.step(question, 0, 0, None);
    clauses.end(question, 0, None);
    match clauses.query(context, limits) {
        SatResult::Unsat => match clauses.solution(0) {
            Ok(invariant) => Fixpoint::Safe(invariant),
            Err(why) => Fixpoint::Unknown(format!("the invariant has {}", why.0)),
        },
        SatResult::Sat => Fixpoint::Unsafe {
            depth: clauses.levels(0),
        },
        SatResult::Unknown => Fixpoint::Unknown(clauses.engine.get_reason_unknown()),
    }
}

/// Sequence interpolants along a path through cubes: no bad step is reached
/// in a cube a step, and the solution of clauses without recursion says why,
///
/// ```text
/// init(x)                                           → I₀(x)
/// Iⱼ(x) ∧ cubeⱼ(x) ∧ C(x, i) ∧ x' = next(x, i)      → Iⱼ₊₁(x')
/// Iₙ(x) ∧ cubeₙ(x) ∧ C(x, i) ∧ bad(x, i)            → false
/// ```
///
/// `None` if the path is one of the system, or nothing was found.
pub fn interpolants(
    context: &SolverContext,
    system: &Arc<System>,
    question: &Safety,
    cubes: &[Term],
    limits: Limits,
) -> Option<Vec<Term>> {
    let last = cubes.len().checked_sub(1)?;
    let mut clauses = Clauses::new(system, question, cubes.len(), Lemmas::General);
    clauses.start(question, 0);
    for (at, cube) in cubes[..last].iter().enumerate() {
        clauses.step(question, at, at + 1, Some(cube));
    }
    clauses.end(question, last, Some(&cubes[last]));
    match clauses.query(context, limits) {
        SatResult::Unsat => (0..=last).map(|at| clauses.solution(at).ok()).collect(),
        _ => None,
    }
}

struct Clauses {
    translator: Translator,
    system: Arc<System>,
    engine: Fixedpoint,
    relations: Vec<FuncDecl>,
    bad: FuncDecl,
    /// The arguments of the relations: states and constants of the system.
    arguments: Vec<Term>,
    /// All variables of the question.
    vars: Vec<Term>,
}

impl Clauses {
    fn new(system: &Arc<System>, question: &Safety, relations: usize, lemmas: Lemmas) -> Clauses {
        let term = |var: Var| system::var(var, system.var(var).sort.clone());
        let vars: Vec<Var> = vars(question).into_iter().collect();
        let constants = vars
            .iter()
            .filter(|var| system.var(**var).role == Role::Constant);
        let states = question.states.iter().map(|(state, _)| state.clone());
        let arguments: Vec<Term> = states.chain(constants.map(|var| term(*var))).collect();
        let sorts: Vec<z3::Sort> = arguments.iter().map(|arg| sort(arg.sort())).collect();
        let sorts: Vec<&z3::Sort> = sorts.iter().collect();
        avoid_egraphs();
        let engine = Fixedpoint::new();
        engine.set_params(&parameters(lemmas));
        let relation = |name: String, sorts: &[&z3::Sort]| {
            let declared = FuncDecl::new(name, sorts, &z3::Sort::bool());
            engine.register_relation(&declared);
            declared
        };
        let bad = relation("bad".into(), &[]);
        let relations = (0..relations).map(|at| relation(format!("reach!{at}"), &sorts));
        Clauses {
            translator: Translator::new(system.clone()),
            system: system.clone(),
            relations: relations.collect(),
            bad,
            arguments,
            vars: vars.into_iter().map(term).collect(),
            engine,
        }
    }

    fn start(&mut self, question: &Safety, relation: usize) {
        let init = self.translator.boolean(&and(question.init.clone()), 0);
        let head = self.relation(relation, 0);
        self.rule(&[init], &head);
    }

    fn step(&mut self, question: &Safety, from: usize, to: usize, cube: Option<&Term>) {
        let mut body = self.leave(question, from, cube);
        for (state, next) in &question.states {
            let next = self.translator.term(next, 0);
            body.push(self.translator.term(state, 1).eq(&next));
        }
        let head = self.relation(to, 1);
        self.rule(&body, &head);
    }

    fn end(&mut self, question: &Safety, from: usize, cube: Option<&Term>) {
        let mut body = self.leave(question, from, cube);
        body.push(self.translator.boolean(&question.bad, 0));
        let head = self.bad.apply(&[]).as_bool().expect("a proposition");
        self.rule(&body, &head);
    }

    /// A state of the relation, and of the cube, that allows a step.
    fn leave(&mut self, question: &Safety, from: usize, cube: Option<&Term>) -> Vec<Bool> {
        let constraints = question.constraints.iter().chain(cube).cloned();
        let constraints = self.translator.boolean(&and(constraints), 0);
        vec![self.relation(from, 0), constraints]
    }

    /// The relation holds of the state at a step.
    fn relation(&mut self, relation: usize, step: usize) -> Bool {
        let args: Vec<Dynamic> = self
            .arguments
            .iter()
            .map(|arg| self.translator.term(arg, step))
            .collect();
        let args: Vec<&dyn Ast> = args.iter().map(|arg| arg as &dyn Ast).collect();
        let holds = self.relations[relation].apply(&args);
        holds.as_bool().expect("a relation")
    }

    /// For all values of all variables, the body implies the head.
    fn rule(&mut self, body: &[Bool], head: &Bool) {
        let mut bound: Vec<Dynamic> = Vec::new();
        for var in &self.vars {
            bound.push(self.translator.term(var, 0));
        }
        for state in &self.arguments {
            let next = self.translator.term(state, 1);
            if !bound.iter().any(|known| known.ast_eq(&next)) {
                bound.push(next);
            }
        }
        let bound: Vec<&dyn Ast> = bound.iter().map(|var| var as &dyn Ast).collect();
        let rule = forall_const(&bound, &[], &Bool::and(body).implies(head));
        self.engine.add_rule(&rule, None);
    }

    fn query(&self, context: &SolverContext, limits: Limits) -> SatResult {
        let limits = context.query_limits(limits);
        if let Some(time) = limits.time {
            let mut params = Params::new();
            let millis = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
            params.set_u32("timeout", millis.max(1));
            self.engine.set_params(&params);
        }
        let resources = limits.resources.unwrap_or(0);
        let query = || self.engine.query(&self.bad.apply(&[]));
        let (answer, spent) = measured(context, resources, query);
        // Spacer does not report its work. Where it was not measured, all of the limit is counted
        // if Spacer gave up, and half of it otherwise.
        let most = u64::from(resources);
        context.burn(match answer {
            SatResult::Unknown => most.max(spent.unwrap_or(0)),
            _ => spent.unwrap_or(most / 2),
        });
        answer
    }

    fn levels(&self, relation: usize) -> usize {
        self.engine.get_num_levels(&self.relations[relation]) as usize
    }

    /// The solution of a relation.
    fn solution(&self, relation: usize) -> Result<Term, Unreadable> {
        let cover = self.engine.get_cover_delta(-1, &self.relations[relation]);
        let cover = cover.ok_or_else(|| Unreadable("no formula".into()))?;
        let reader = Reader {
            system: &self.system,
            step: 0,
            arguments: &self.arguments,
            functions: &Default::default(),
        };
        reader.read(&cover.into())
    }
}

fn parameters(lemmas: Lemmas) -> Params {
    let mut params = Params::new();
    params.set_symbol("engine", "spacer");
    params.set_bool("xform.slice", false);
    params.set_bool("xform.inline_eager", false);
    params.set_bool("xform.inline_linear", false);
    let general = lemmas == Lemmas::General;
    params.set_bool("spacer.use_inductive_generalizer", general);
    // Signals are ours to handle.
    params.set_bool("ctrl_c", false);
    params
}

fn vars(question: &Safety) -> BTreeSet<Var> {
    let states = question
        .states
        .iter()
        .flat_map(|(state, next)| [state, next]);
    let parts = question.init.iter().chain(&question.constraints);
    states
        .chain(parts)
        .chain([&question.bad])
        .flat_map(|term| term.vars())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Answer, Solver, Z3};
    use system::{StateVar, add, eq, integer, le, lt, not};

    /// `x = 0 -> pre x + step`, where the step is an input.
    fn counter(
        bound: &dyn Fn(&Term) -> Term,
        bad: &dyn Fn(&Term) -> Term,
    ) -> (Arc<System>, Safety) {
        let (x, input) = (
            system::var(Var(0), system::Sort::Int),
            system::var(Var(1), system::Sort::Int),
        );
        let next = add([x.clone(), input.clone()]);
        let var = |role, init, next| StateVar {
            init,
            next,
            ..StateVar::new("x", system::Sort::Int, role)
        };
        let system = System {
            vars: vec![
                var(Role::State, Some(integer(0)), Some(next.clone())),
                var(Role::Input, None, None),
            ],
            ..System::default()
        };
        let question = Safety {
            states: vec![(x.clone(), next)],
            init: vec![eq(&x, &integer(0))],
            constraints: vec![bound(&input)],
            bad: bad(&x),
        };
        (Arc::new(system), question)
    }

    #[test]
    fn an_invariant_comes_back_over_our_variables() {
        let positive = |input: &Term| le(&integer(1), input);
        let negative = |x: &Term| lt(x, &integer(0));
        let (system, question) = counter(&positive, &negative);
        let Fixpoint::Safe(invariant) = spacer(
            &SolverContext::default(),
            &system,
            &question,
            Lemmas::General,
            Limits::default(),
        ) else {
            panic!("not safe");
        };
        assert_eq!(invariant.vars(), [Var(0)]);
    }

    #[test]
    fn a_bad_step_has_a_depth() {
        let one = |input: &Term| eq(input, &integer(1));
        let five = |x: &Term| not(&lt(x, &integer(5)));
        let (system, question) = counter(&one, &five);
        match spacer(
            &SolverContext::default(),
            &system,
            &question,
            Lemmas::General,
            Limits::default(),
        ) {
            Fixpoint::Unsafe { depth } => assert!(depth >= 5, "{depth}"),
            other => panic!("{other:?}"),
        }
    }

    /// 0, then 1, then 2 is not 3: each interpolant follows from the one
    /// before.
    #[test]
    fn interpolants_along_a_path() {
        let one = |input: &Term| eq(input, &integer(1));
        let three = |x: &Term| eq(x, &integer(3));
        let (system, question) = counter(&one, &three);
        let any = vec![system::boolean(true); 3];
        let found = interpolants(
            &SolverContext::default(),
            &system,
            &question,
            &any,
            Limits::default(),
        );
        let found = found.expect("interpolants");
        assert_eq!(found.len(), 3);
        let (x, next) = &question.states[0];
        let mut solver = Z3::new(&SolverContext::default(), system.clone());
        solver.assert(&found[2], 0);
        solver.assert(&three(x), 0);
        assert_eq!(solver.check(&[]), Answer::Unsat);
        let mut solver = Z3::new(&SolverContext::default(), system.clone());
        solver.assert(&found[1], 0);
        solver.assert(&question.constraints[0], 0);
        solver.assert_next(x, next, 0);
        solver.assert(&not(&found[2]), 1);
        assert_eq!(solver.check(&[]), Answer::Unsat);
        let longer = vec![system::boolean(true); 4];
        assert_eq!(
            interpolants(
                &SolverContext::default(),
                &system,
                &question,
                &longer,
                Limits::default()
            ),
            None
        );
    }

    /// A limit ends the query and leaves the context usable.
    #[test]
    fn resources_are_limited() {
        let any = |_: &Term| system::boolean(true);
        let hard = |x: &Term| eq(&system::mul(x, x), &integer(7));
        let (system, question) = counter(&any, &hard);
        let limits = Limits {
            resources: Some(1),
            ..Limits::default()
        };
        assert!(matches!(
            spacer(
                &SolverContext::default(),
                &system,
                &question,
                Lemmas::General,
                limits
            ),
            Fixpoint::Unknown(_)
        ));
        let one = |input: &Term| eq(input, &integer(1));
        let five = |x: &Term| eq(x, &integer(5));
        let (system, question) = counter(&one, &five);
        assert!(matches!(
            spacer(
                &SolverContext::default(),
                &system,
                &question,
                Lemmas::General,
                Limits::default()
            ),
            Fixpoint::Unsafe { .. }
        ));
    }
}
