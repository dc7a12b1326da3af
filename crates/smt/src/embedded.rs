//! Z3 in this process.
//!
//! Each thread has a Z3 context of its own. A solver belongs to the thread
//! that made it; what may go to other threads is the
//! [`Interrupter`](crate::Interrupter).

use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use system::{Sort, System, Term};
use z3::ast::{Ast, Bool, Dynamic};
use z3::{Model, Optimize, Params, SatResult, StatisticsValue};

use crate::clock::Clock;
use crate::context::SolverContext;
use crate::solver::{Answer, Limits, Literal, Scalar, Solver, SolverLimits};
use crate::translate::Translator;

/// A solver for the terms of one system.
pub struct Z3 {
    context: SolverContext,
    solver: z3::Solver,
    translator: Translator,
    literals: Vec<Bool>,
    model: Option<Model>,
    limits: Limits,
    /// The limits that were last set in Z3.
    set: SolverLimits,
}

/// The work limit of the first try of a query. Z3 starts a thread for every query with a time
/// limit, and setting a limit takes as long as a small query, so a query is first tried with this
/// limit and without timeout.
const QUICK_WORK: u32 = 20_000;

/// The overhead of a query, in addition to the work that Z3 counts.
const QUERY_OVERHEAD: u64 = 200;

impl Z3 {
    pub fn new(context: &SolverContext, system: Arc<System>) -> Z3 {
        let solver = z3::Solver::new();
        let mut params = Params::new();
        // The process handles signals itself.
        params.set_bool("ctrl_c", false);
        // A query that needs more memory than there is answers "unknown".
        params.set_u32("max_memory", max_memory());
        solver.set_params(&params);
        Z3 {
            context: context.clone(),
            solver,
            translator: Translator::new(system),
            literals: Vec::new(),
            model: None,
            limits: Limits::default(),
            set: SolverLimits::default(),
        }
    }

    fn params(&self, limits: SolverLimits) -> Params {
        let mut params = Params::new();
        let time = limits.time.map_or(u32::MAX, |time| {
            u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1)
        });
        params.set_u32("timeout", time);
        params.set_u32("rlimit", limits.resources.unwrap_or(0));
        params
    }

    /// Runs a query within the budget of the job.
    fn fuelled(&mut self, assumptions: &[Bool]) -> SatResult {
        if self.context.is_spent() {
            return SatResult::Unknown;
        }
        let limits = self.context.query_limits(self.limits);
        let clock = self.context.clock();
        if clock.meter().is_none() && !self.context.is_limited() {
            self.tell(limits);
            return self.solver.check_assumptions(assumptions);
        }
        let overhead = match clock {
            Clock::Work(_) | Clock::Guarded(_) => QUERY_OVERHEAD,
            Clock::Real | Clock::Counted(_) => 0,
        };
        let quick = SolverLimits {
            time: None,
            resources: limits.resources.map(|all| all.min(QUICK_WORK)),
        };
        let timed = limits.time.is_some() && limits.resources > Some(QUICK_WORK);
        let (answer, spent) = match timed {
            true => self.ask(quick, assumptions),
            false => self.ask(limits, assumptions),
        };
        self.context.burn(spent + overhead);
        match answer {
            SatResult::Unknown if timed && spent >= u64::from(QUICK_WORK) => {
                let (answer, spent) = self.ask(limits, assumptions);
                self.context.burn(spent);
                answer
            }
            answer => answer,
        }
    }

    /// Sets the limits of the next query, if they have changed.
    fn tell(&mut self, limits: SolverLimits) {
        if self.set != limits {
            self.set = limits;
            let params = self.params(limits);
            self.solver.set_params(&params);
        }
    }

    /// Runs a query with limits; returns also the work that it took.
    fn ask(&mut self, limits: SolverLimits, assumptions: &[Bool]) -> (SatResult, u64) {
        self.tell(limits);
        let before = self.work();
        let answer = self.solver.check_assumptions(assumptions);
        (answer, self.work().saturating_sub(before))
    }

    fn work(&self) -> u64 {
        work(&self.solver)
    }

    fn bool_of(&self, literal: Literal) -> &Bool {
        &self.literals[literal.0 as usize]
    }
}

impl Z3 {
    /// The term holds if all the literals do.
    pub fn assert_if_all(&mut self, guards: &[Literal], term: &Term, step: usize) {
        let term = self.translator.boolean(term, step);
        let guards: Vec<&Bool> = guards.iter().map(|guard| self.bool_of(*guard)).collect();
        self.solver.assert(Bool::and(&guards).implies(&term));
    }

    /// Do all terms hold at their steps in the model of the last check, and do state variables have
    /// their next values one step later? `None` if the model does not determine this.
    pub fn confirms<'t>(
        &mut self,
        terms: impl IntoIterator<Item = (&'t Term, usize)>,
        next: impl IntoIterator<Item = (&'t Term, &'t Term, usize)>,
    ) -> Option<bool> {
        let mut all: Vec<Bool> = Vec::new();
        for (term, step) in terms {
            all.push(self.translator.boolean(term, step));
        }
        for (state, next, step) in next {
            let next = self.translator.term(next, step);
            all.push(self.translator.term(state, step + 1).eq(&next));
        }
        self.model.as_ref()?.eval(&Bool::and(&all), true)?.as_bool()
    }
}

impl Solver for Z3 {
    fn push(&mut self) {
        self.solver.push();
    }

    fn pop(&mut self) {
        self.solver.pop(1);
    }

    fn assert(&mut self, term: &Term, step: usize) {
        let term = self.translator.boolean(term, step);
        self.solver.assert(&term);
    }

    fn assert_next(&mut self, state: &Term, next: &Term, step: usize) {
        let next = self.translator.term(next, step);
        let state = self.translator.term(state, step + 1);
        self.solver.assert(state.eq(&next));
    }

    fn assert_different(&mut self, terms: &[Term], i: usize, j: usize) {
        let different = terms.iter().map(|term| {
            let (a, b) = (self.translator.term(term, i), self.translator.term(term, j));
            a.eq(&b).not()
        });
        let different: Vec<Bool> = different.collect();
        self.solver.assert(Bool::or(&different));
    }

    fn assert_no_shortcut(
        &mut self,
        condition: &Term,
        states: &[(Term, Term)],
        i: usize,
        j: usize,
    ) {
        let condition = self.translator.between(condition, i, j);
        let condition = condition.as_bool().expect("a Boolean term");
        let mut escapes = vec![condition.not()];
        for (state, next) in states {
            let next = self.translator.between(next, i, j);
            let state = self.translator.term(state, j + 1);
            escapes.push(state.eq(&next).not());
        }
        self.solver.assert(Bool::or(&escapes));
    }

    fn literal(&mut self) -> Literal {
        let id = self.literals.len() as u32;
        self.literals.push(Bool::new_const(format!("l!{id}")));
        Literal(id)
    }

    fn assert_if(&mut self, guard: Literal, term: &Term, step: usize) {
        let term = self.translator.boolean(term, step);
        let implication = self.bool_of(guard).implies(&term);
        self.solver.assert(&implication);
    }

    fn retire(&mut self, literal: Literal) {
        let off = self.bool_of(literal).not();
        self.solver.assert(&off);
    }

    fn check(&mut self, assumptions: &[Literal]) -> Answer {
        self.model = None;
        let assumptions: Vec<Bool> = assumptions
            .iter()
            .map(|literal| self.bool_of(*literal).clone())
            .collect();
        match self.fuelled(&assumptions) {
            SatResult::Sat => {
                self.model = self.solver.get_model();
                Answer::Sat
            }
            SatResult::Unsat => Answer::Unsat,
            SatResult::Unknown => {
                let reason = self.solver.get_reason_unknown();
                Answer::Unknown(reason.unwrap_or_default())
            }
        }
    }

    fn check_soft(&mut self, assumptions: &[Literal], soft: &[(Literal, u32)]) -> Answer {
        self.model = None;
        let optimize = Optimize::new();
        let limits = self.context.query_limits(self.limits);
        optimize.set_params(&self.params(limits));
        let before = self.work();
        for assertion in self.solver.get_assertions() {
            optimize.assert(&assertion);
        }
        for (literal, weight) in soft {
            optimize.assert_soft(self.bool_of(*literal), *weight, None);
        }
        let assumptions: Vec<Bool> = assumptions
            .iter()
            .map(|literal| self.bool_of(*literal).clone())
            .collect();
        let answer = optimize.check(&assumptions);
        self.context
            .job
            .clock
            .count(self.work().saturating_sub(before));
        match answer {
            SatResult::Sat => {
                self.model = optimize.get_model();
                Answer::Sat
            }
            SatResult::Unsat => Answer::Unsat,
            SatResult::Unknown => {
                Answer::Unknown(optimize.get_reason_unknown().unwrap_or_default())
            }
        }
    }

    fn core(&mut self) -> Vec<Literal> {
        let core = self.solver.get_unsat_core();
        core.iter().filter_map(literal_of).collect()
    }

    fn value(&mut self, term: &Term, step: usize) -> Option<Scalar> {
        let translated = self.translator.term(term, step);
        let value = self.model.as_ref()?.eval(&translated, true)?;
        scalar(&value, term.sort())
    }

    fn value_between(&mut self, term: &Term, state: usize, inputs: usize) -> Option<Scalar> {
        let translated = self.translator.between(term, state, inputs);
        let value = self.model.as_ref()?.eval(&translated, true)?;
        scalar(&value, term.sort())
    }

    fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }
}

/// The work of all queries of the solver's thread so far.
fn work(solver: &z3::Solver) -> u64 {
    match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(units)) => units.into(),
        Some(StatisticsValue::Double(units)) => units as u64,
        None => 0,
    }
}

/// Does something beside the queries of solvers, with a limit of work, or none if that is 0, which
/// Z3 takes from the thread's context. Returns also the work that it took, if the job counts that.
pub(crate) fn measured<R>(
    context: &SolverContext,
    resources: u32,
    work_on: impl FnOnce() -> R,
) -> (R, Option<u64>) {
    let meter = context.clock().meter().map(|_| z3::Solver::new());
    let before = meter.as_ref().map(work);
    let mut z3 = z3::Context::thread_local();
    z3.update_param_value("rlimit", &resources.to_string());
    let result = work_on();
    z3.update_param_value("rlimit", "0");
    let spent = meter.zip(before);
    let spent = spent.map(|(meter, before)| work(&meter).saturating_sub(before));
    (result, spent)
}

/// The memory limit of Z3 in megabytes: most of the memory of the process.
fn max_memory() -> u32 {
    let limit = system::Limits::get().least();
    let megabytes = limit.map_or(DEFAULT_MEGABYTES, |bytes| bytes >> 20);
    u32::try_from(megabytes * 3 / 4).unwrap_or(u32::MAX)
}

/// The limit where the memory of the machine is not known.
const DEFAULT_MEGABYTES: u64 = 8192;

/// The literal that the proposition `l!3` stands for.
fn literal_of(term: &Bool) -> Option<Literal> {
    let name = term.safe_decl().ok()?.name();
    name.strip_prefix("l!")?.parse().ok().map(Literal)
}

/// A value that Z3 printed, exactly.
pub(crate) fn scalar(value: &Dynamic, sort: &Sort) -> Option<Scalar> {
    match sort {
        Sort::Bool => Some(Scalar::Bool(value.as_bool()?.as_bool()?)),
        Sort::Int => Some(Scalar::Int(rational(&value.to_string())?.to_integer())),
        Sort::Real => Some(Scalar::Real(rational(&value.to_string())?)),
        Sort::BitVec(_) => {
            let text = value.to_string();
            let (digits, radix) = match text.strip_prefix("#x") {
                Some(digits) => (digits, 16),
                None => (text.strip_prefix("#b")?, 2),
            };
            BigInt::parse_bytes(digits.as_bytes(), radix).map(Scalar::BitVec)
        }
        Sort::Array(_) => None,
    }
}

/// `5`, `(- 5)`, `2.0`, `(/ 1.0 3.0)`, `(- (/ 1.0 3.0))`; `None` for numbers
/// that are not rational.
fn rational(text: &str) -> Option<BigRational> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == '(' || c == ')')
        .filter(|word| !word.is_empty())
        .collect();
    let number = |word: &str| -> Option<BigRational> {
        let whole = word.strip_suffix(".0").unwrap_or(word);
        Some(BigRational::from_integer(whole.parse().ok()?))
    };
    match words.as_slice() {
        [a] => number(a),
        ["-", a] => Some(-number(a)?),
        ["/", a, b] => Some(number(a)? / number(b)?),
        ["/", "-", a, b] | ["-", "/", a, b] => Some(-(number(a)? / number(b)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use system::Var;

    fn system(sorts: &[Sort]) -> Arc<System> {
        Arc::new(System::of_inputs(sorts.iter().cloned()))
    }

    #[test]
    fn values_are_exact() {
        let system = system(&[Sort::Real, Sort::Int]);
        let mut solver = Z3::new(&SolverContext::default(), system);
        let x = system::var(Var(0), Sort::Real);
        let y = system::var(Var(1), Sort::Int);
        let third = system::real(BigRational::new((-1).into(), 3.into()));
        let big: BigInt = BigInt::from(-7) * BigInt::from(10).pow(30);
        solver.assert(&system::eq(&x, &third), 2);
        solver.assert(&system::eq(&y, &system::integer(big.clone())), 0);
        assert_eq!(solver.check(&[]), Answer::Sat);
        let third = BigRational::new((-1).into(), 3.into());
        assert_eq!(solver.value(&x, 2), Some(Scalar::Real(third)));
        assert_eq!(solver.value(&y, 0), Some(Scalar::Int(big)));
    }

    #[test]
    fn cores_name_the_assumptions() {
        let system = system(&[Sort::Int]);
        let mut solver = Z3::new(&SolverContext::default(), system);
        let x = system::var(Var(0), Sort::Int);
        let (a, b, c) = (solver.literal(), solver.literal(), solver.literal());
        solver.assert_if(a, &system::lt(&x, &system::integer(0)), 0);
        solver.assert_if(b, &system::lt(&system::integer(5), &x), 0);
        solver.assert_if(c, &system::lt(&x, &system::integer(9)), 0);
        assert_eq!(solver.check(&[b, c]), Answer::Sat);
        assert_eq!(solver.check(&[a, b, c]), Answer::Unsat);
        let mut core = solver.core();
        core.sort();
        assert_eq!(core, [a, b]);
    }

    /// The integer of an operation is that of a variable with the same bits.
    #[test]
    fn conversions_of_operations_are_those_of_their_bits() {
        use system::{BvOp, bv, bv_neg, bv_resize, bv_to_int, eq, int_to_bv, ite, not};
        let bits = Sort::BitVec(4);
        let system = system(&[
            bits.clone(),
            bits.clone(),
            Sort::Bool,
            Sort::Int,
            bits.clone(),
            Sort::BitVec(7),
            Sort::BitVec(2),
        ]);
        let (a, b) = (system::var(Var(0), bits.clone()), system::var(Var(1), bits));
        let (c, i) = (
            system::var(Var(2), Sort::Bool),
            system::var(Var(3), Sort::Int),
        );
        let five = system::bitvec(4, &5.into());
        let sum = bv(BvOp::Add, &a, &bv(BvOp::Mul, &five, &b));
        let quotient = |op, rest| {
            let product = bv(BvOp::Mul, &b, &bv(op, &a, &b));
            (bv(BvOp::Add, &bv(rest, &a, &b), &product), a.clone())
        };
        for signed in [false, true] {
            let terms = [
                sum.clone(),
                bv(BvOp::Sub, &a, &b),
                bv_neg(&a),
                ite(&c, &bv_neg(&sum), &int_to_bv(4, &i)),
                bv_resize(signed, 7, &sum),
                bv_resize(!signed, 7, &a),
                bv_resize(signed, 2, &sum),
            ];
            for term in terms {
                let same = match term.sort() {
                    Sort::BitVec(4) => Var(4),
                    Sort::BitVec(7) => Var(5),
                    _ => Var(6),
                };
                let same = system::var(same, term.sort().clone());
                let mut solver = Z3::new(&SolverContext::default(), system.clone());
                solver.assert(&eq(&same, &term), 0);
                let integers = eq(&bv_to_int(signed, &same), &bv_to_int(signed, &term));
                solver.assert(&not(&integers), 0);
                assert_eq!(solver.check(&[]), Answer::Unsat, "{signed} {term:?}");
            }
        }
        // The simplifications of division are valid.
        for (op, rest) in [(BvOp::Udiv, BvOp::Urem), (BvOp::Sdiv, BvOp::Srem)] {
            let (simplified, dividend) = quotient(op, rest);
            assert_eq!(simplified, dividend);
            let product = system::var(Var(4), Sort::BitVec(4));
            let mut solver = Z3::new(&SolverContext::default(), system.clone());
            solver.assert(&eq(&product, &bv(BvOp::Mul, &b, &bv(op, &a, &b))), 0);
            let whole = bv(BvOp::Add, &product, &bv(rest, &a, &b));
            solver.assert(&not(&eq(&whole, &a)), 0);
            assert_eq!(solver.check(&[]), Answer::Unsat);
        }
    }

    #[test]
    fn soft_literals_are_weighed() {
        let system = system(&[Sort::Int]);
        let mut solver = Z3::new(&SolverContext::default(), system);
        let x = system::var(Var(0), Sort::Int);
        let (a, b, c) = (solver.literal(), solver.literal(), solver.literal());
        solver.assert_if(a, &system::lt(&x, &system::integer(0)), 0);
        solver.assert_if(b, &system::lt(&system::integer(5), &x), 0);
        solver.assert_if(c, &system::lt(&system::integer(7), &x), 0);
        assert_eq!(
            solver.check_soft(&[], &[(a, 3), (b, 1), (c, 1)]),
            Answer::Sat
        );
        let negative = system::lt(&x, &system::integer(0));
        assert_eq!(solver.value(&negative, 0), Some(Scalar::Bool(true)));
        assert_eq!(
            solver.check_soft(&[], &[(a, 1), (b, 1), (c, 1)]),
            Answer::Sat
        );
        assert_eq!(solver.value(&negative, 0), Some(Scalar::Bool(false)));
        assert_eq!(solver.check_soft(&[a, c], &[(b, 1)]), Answer::Unsat);
    }
}
