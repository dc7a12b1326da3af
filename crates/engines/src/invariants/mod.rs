//! Invariant generation.
//!
//! Templates are instantiated on terms mined from the system (`mine`,
//! `template`), tried on random runs (`simulate`, `sample`), and what survives is
//! proved by k-induction in lock-step (`lockstep`); what is proved is shared at once.
//! The kinds of templates are domains: equivalences and implications of Boolean
//! terms (`graph`), bounds of numbers and of their differences and sums
//! (`bounds`), linear equalities (`affine`), enumerations and single facts
//! (`domain`).
//!
//! In a system all definitions are inlined, so that a one-state invariant is
//! one of the memory alone, and a two-state invariant relates the memory with
//! the values that it takes next. Small templates come first: those over the
//! variables nearest to the properties, and those that need no implications.
//! A template whose queries are too hard is given up, and so are larger ones
//! that contain it; limits are counted in units of the solver's work, not in
//! time.
//!
//! Systems are flat. Where it is known of which components one consists, these
//! come first: their invariants are found once, and proved wherever a component
//! occurs (`modular`).

mod affine;
mod bounds;
mod domain;
mod eval;
mod graph;
mod lockstep;
mod mine;
mod modular;
mod options;
mod retract;
mod sample;
mod simulate;
mod surroundings;
mod template;
mod terms;

use std::sync::Arc;

use proof::{Cone, GaveUp};
use smt::Scalar;
use system::{Sort, System, Term, Var};

use crate::job_board::JobBoard;
use crate::task::{Prover, Task};
use eval::State;
use lockstep::LockStep;
use mine::{Memory, Mined};
use simulate::Simulation;
use template::{Builder, Scope, Template};

pub use options::{INVGEN, InvariantOptions};

/// The numbers that a generator is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Numbers {
    /// None: Boolean terms.
    None,
    Int,
    Real,
    Machine,
}

/// One of the generators of invariants that can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Generator {
    pub numbers: Numbers,
    pub two_state: bool,
}

impl Generator {
    pub const fn new(numbers: Numbers, two_state: bool) -> Generator {
        Generator { numbers, two_state }
    }

    /// As `--enable` names it.
    pub fn flag(self) -> &'static str {
        match (self.numbers, self.two_state) {
            (Numbers::None, true) => "INVGEN",
            (Numbers::None, false) => "INVGENOS",
            (Numbers::Int, true) => "INVGENINT",
            (Numbers::Int, false) => "INVGENINTOS",
            (Numbers::Real, true) => "INVGENREAL",
            (Numbers::Real, false) => "INVGENREALOS",
            (Numbers::Machine, true) => "INVGENMACH",
            (Numbers::Machine, false) => "INVGENMACHOS",
        }
    }

    /// As in Kind 2, two-state invariants of numbers are not looked for by default.
    pub fn is_default(self) -> bool {
        self.numbers == Numbers::None || !self.two_state
    }

    pub fn short_name(self) -> &'static str {
        match (self.numbers, self.two_state) {
            (Numbers::None, true) => "invgents",
            (Numbers::None, false) => "invgenos",
            (Numbers::Int, true) => "invgenintts",
            (Numbers::Int, false) => "invgenintos",
            (Numbers::Real, true) => "invgenrealts",
            (Numbers::Real, false) => "invgenrealos",
            (Numbers::Machine, true) => "invgenmachts",
            (Numbers::Machine, false) => "invgenmachos",
        }
    }

    pub fn name(self) -> &'static str {
        match (self.numbers, self.two_state) {
            (Numbers::None, true) => "two state invariant generator (bool)",
            (Numbers::None, false) => "one state invariant generator (bool)",
            (Numbers::Int, true) => "two state invariant generator (int)",
            (Numbers::Int, false) => "one state invariant generator (int)",
            (Numbers::Real, true) => "two state invariant generator (real)",
            (Numbers::Real, false) => "one state invariant generator (real)",
            (Numbers::Machine, true) => "two state invariant generator (machine int)",
            (Numbers::Machine, false) => "one state invariant generator (machine int)",
        }
    }
}

/// The work that one query may take.
const RESOURCES: u32 = 2_000_000;
const RESOURCES_ALL_OUT: u32 = 100_000_000;

/// With fewer states than this from random runs a solver is asked for more.
const FEW_STATES: usize = 60;

/// How many state variables the templates are about, the small ones first.
const SIZES: [usize; 4] = [8, 24, 72, 216];

/// Implications and two states are for fewer variables, unless all is wanted.
const MAX_IMPLICATIONS: usize = 72;
const MAX_TWO_STATE: usize = 24;

/// Without anything new at so many depths in a row there is little hope.
const PATIENCE: usize = 3;

/// All generators together: they look at the same states, and their relations have terms in
/// common.
pub(crate) struct InvariantGeneration;

impl Prover for InvariantGeneration {
    fn run(&self, task: &Task, board: &JobBoard) {
        let system = &task.system;
        let (generators, options) = (&task.settings.generators(), &task.settings.invariants);
        let roots = task.properties.iter();
        let roots = roots.map(|id| system.property(*id).term.clone());
        let roots: Vec<Term> = roots.collect();
        let lifted = match options.top_only {
            true => Vec::new(),
            false => modular::run(system, board, generators, options),
        };
        search(system, board, &roots, lifted, generators, options);
    }
}

/// Looks for invariants of a system around some terms; gives back the terms that
/// candidates are made of, if they are of use to other systems.
fn search(
    system: &Arc<System>,
    board: &JobBoard,
    roots: &[Term],
    lifted: Vec<Term>,
    generators: &[Generator],
    options: &InvariantOptions,
) -> Vec<Term> {
    let cone = Cone::of(system, roots.iter().cloned());
    let mut mined = Mined::new(system, &cone, roots, options.mine_transition);
    mined.lift(lifted);
    let terms = match options.lift_candidates {
        true => mined.terms(),
        false => Vec::new(),
    };
    generate(system, board, roots, &mined, &cone, generators, options);
    terms
}

/// Proves candidates, for one k after the other.
fn generate(
    system: &Arc<System>,
    board: &JobBoard,
    roots: &[Term],
    mined: &Mined,
    cone: &Cone,
    generators: &[Generator],
    options: &InvariantOptions,
) {
    let mut simulation = Simulation::new(system, cone, &mined.constants);
    let (mut states, latches) = reachable(&mut simulation, board, mined);
    let builder = Builder {
        mined,
        latches: &latches,
        generators,
        options,
    };
    let resources = match options.all_out {
        true => RESOURCES_ALL_OUT,
        false => RESOURCES,
    };
    let can_simulate = states.len() >= FEW_STATES;
    if !can_simulate {
        let runs = sample::states(system, board, roots, &mut simulation, resources);
        states.extend(runs);
    }
    let mut search = InvariantSearch {
        lockstep: LockStep::new(system, board, roots, resources),
        board,
        simulation: can_simulate.then_some(simulation),
        states: &states,
        options,
    };
    let mut templates: Vec<(Scope, Option<Template>)> = scopes(mined.memory.len(), options)
        .into_iter()
        .map(|scope| (scope, None))
        .collect();
    let mut patience = PATIENCE;
    for k in 1.. {
        if patience == 0 || (options.max_depth > 0 && k > options.max_depth) {
            return;
        }
        search.lockstep.deepen(k);
        let mut found = 0;
        templates.retain_mut(|(scope, template)| {
            if board.stopped() {
                return false;
            }
            if template.is_none() {
                *template = builder.build(*scope).map(|new| search.simulated(new));
            }
            let Some(template) = template else {
                return false;
            };
            match search.generate(template, *scope, k) {
                Ok(count) => {
                    found += count;
                    true
                }
                Err(GaveUp) => false,
            }
        });
        if templates.is_empty() {
            return;
        }
        patience = match found {
            0 if !options.all_out => patience - 1,
            _ => PATIENCE,
        };
    }
}

/// The scopes of all templates, those that cost least first: templates of two
/// states come after those of one state over the next larger set.
fn scopes(variables: usize, options: &InvariantOptions) -> Vec<Scope> {
    let larger = SIZES.iter().skip(1).chain(std::iter::once(&usize::MAX));
    let mut scopes: Vec<(usize, Scope)> = Vec::new();
    for (at, (size, larger)) in SIZES.iter().zip(larger).enumerate() {
        if at > 0 && SIZES[at - 1] >= variables {
            break;
        }
        let all_out = options.all_out;
        let mut push = |cost: usize, two_state, implications| {
            let scope = Scope {
                variables: *size,
                implications,
                two_state,
            };
            scopes.push((cost, scope));
        };
        push(*size, false, false);
        if all_out || *size <= MAX_IMPLICATIONS {
            push(*size, false, true);
        }
        if all_out || *size <= MAX_TWO_STATE {
            push(*larger, true, true);
        }
    }
    scopes.sort_by_key(|(cost, scope)| (*cost, scope.two_state));
    scopes.into_iter().map(|(_, scope)| scope).collect()
}

/// States of random runs, and the latches that they show.
fn reachable(
    simulation: &mut Simulation,
    board: &JobBoard,
    mined: &Mined,
) -> (Vec<State>, Vec<Term>) {
    /// How many terms are evaluated in all.
    const WORK: usize = 500_000;
    const LENGTH: usize = 40;
    let count = (WORK / (LENGTH * simulation.size())).clamp(6, 60);
    let mut runs: Vec<Vec<State>> = Vec::new();
    let mut latches = Vec::new();
    for at in 0..count {
        if board.stopped() {
            break;
        }
        if at == count / 3 {
            latches = fallen_latches(mined, &runs);
            let vars: Vec<Var> = latches.iter().map(|m| m.var).collect();
            simulation.keep_up(&vars);
        }
        runs.push(simulation.run(LENGTH));
    }
    let latches = latches.iter().map(|m| m.term.clone()).collect();
    (runs.into_iter().flatten().collect(), latches)
}

/// Booleans near the properties that hold for a while, and then never again.
fn fallen_latches<'m>(mined: &'m Mined, runs: &[Vec<State>]) -> Vec<&'m Memory> {
    const MAX_LATCHES: usize = 2;
    const NEAR: usize = 12;
    let holds = |m: &Memory, state: &State| state.get(m.var) == Some(&Scalar::Bool(true));
    let is_latch = |m: &&Memory| {
        // The first state of a run is before anything was remembered.
        let later = runs.iter().map(|run| run.get(1..).unwrap_or_default());
        let rises = |run: &[State]| run.windows(2).any(|w| !holds(m, &w[0]) && holds(m, &w[1]));
        let falls = |run: &[State]| run.windows(2).any(|w| holds(m, &w[0]) && !holds(m, &w[1]));
        let starts = |run: &[State]| run.first().is_some_and(|first| !holds(m, first));
        let (mut can_fall, mut can_rise) = (false, false);
        for run in later {
            can_fall |= falls(run) || starts(run);
            can_rise |= rises(run);
        }
        can_fall && !can_rise
    };
    let near = mined.memory.iter().take(NEAR);
    let booleans = near.filter(|m| *m.term.sort() == Sort::Bool);
    booleans.filter(is_latch).take(MAX_LATCHES).collect()
}

/// The generation of invariants, with what templates are checked against.
struct InvariantSearch<'a> {
    lockstep: LockStep<'a>,
    board: &'a JobBoard,
    /// Nothing if random runs do not get far.
    simulation: Option<Simulation<'a>>,
    states: &'a [State],
    options: &'a InvariantOptions,
}

impl InvariantSearch<'_> {
    fn simulated(&self, mut template: Template) -> Template {
        self.states.iter().for_each(|state| template.observe(state));
        template.settle();
        template
    }

    /// Proves and shares what is k-inductive; gives back how much is new.
    fn generate(
        &mut self,
        template: &mut Template,
        scope: Scope,
        k: usize,
    ) -> Result<usize, GaveUp> {
        self.lockstep.refine_base(template)?;
        let simulation = self.simulation.as_mut();
        let mut proved = self
            .lockstep
            .inductive(template, simulation, scope.two_state)?;
        if !self.lockstep.base_holds(&proved)? {
            return Err(GaveUp);
        }
        self.lockstep.know(&proved);
        if self.options.prune_trivial {
            proved = self.lockstep.prune(proved)?;
        }
        let count = proved.len();
        self.board.add_lemmas(k, proved);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_templates_come_first() {
        let kinds: Vec<(usize, bool)> = scopes(30, &InvariantOptions::default())
            .iter()
            .map(|scope| (scope.variables, scope.two_state))
            .collect();
        let expected = [
            (8, false),
            (8, false),
            (24, false),
            (24, false),
            (8, true),
            (72, false),
            (72, false),
            (24, true),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(scopes(3, &InvariantOptions::default()).len(), 3);
    }
}
