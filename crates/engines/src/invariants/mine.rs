//! What a system offers to templates: variables, constants, conditions.
//!
//! Everything is listed in the order of its distance from the properties, so
//! that a template over the first few is about what matters most.

use std::collections::{HashMap, HashSet, VecDeque};

use num_bigint::BigInt;
use num_rational::BigRational;
use proof::Cone;
use system::{BvCompare, Kind, Sort, System, Term, Var, boolean, not};

use super::retract::Retraction;
use super::terms::Order;

/// The numbers in a system, with their neighbours, by sort.
#[derive(Default)]
pub(crate) struct Constants(HashMap<Sort, Vec<BigRational>>);

impl Constants {
    pub fn of(&self, sort: &Sort) -> &[BigRational] {
        self.0.get(sort).map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, term: &Term) {
        let value = match term.kind() {
            Kind::Int(value) => BigRational::from_integer(value.clone()),
            Kind::Real(value) => value.clone(),
            Kind::BitVec(_, value) => BigRational::from_integer(value.clone()),
            _ => return,
        };
        let known = self.0.entry(term.sort().clone()).or_default();
        if !known.contains(&value) {
            known.push(value);
        }
    }
}

/// A state variable.
#[derive(Clone)]
pub(crate) struct Memory {
    pub var: Var,
    pub term: Term,
    pub next: Term,
    /// While this flag is set the variable has no value that means anything.
    pub guard: Option<Term>,
    /// Constants that it may take.
    pub assigned: Vec<Term>,
}

pub(crate) struct Mined {
    /// The nearest first.
    pub memory: Vec<Memory>,
    pub constants: Constants,
    /// Conditions on the state, the nearest first.
    pub conditions: Vec<Term>,
    /// Sums and the like of the state that are compared somewhere.
    pub sums: Vec<Term>,
    /// Conditions of the properties on the present step.
    pub present: Vec<Term>,
    /// Numeric variables that are compared or added somewhere.
    pub related: HashSet<(Var, Var)>,
    /// How machine integers of a width are compared in the system.
    pub orders: HashMap<u32, HashSet<BvCompare>>,
}

/// How many conditions of the present step are kept.
const MAX_PRESENT: usize = 60;

impl Mined {
    /// What is near the roots comes first.
    pub fn new(system: &System, cone: &Cone, roots: &[Term], transition: bool) -> Mined {
        let memory = nearest(system, cone, roots);
        let states = memory.iter().map(|m| (m.var, m.next.clone()));
        let mut miner = Miner {
            flags: flags(cone).into_iter().map(|(flag, _)| flag).collect(),
            retraction: Retraction::new(system, states),
            conditions: true,
            seen: HashSet::new(),
            known: HashSet::new(),
            mined: Mined {
                memory: Vec::new(),
                constants: Constants::default(),
                conditions: Vec::new(),
                sums: Vec::new(),
                present: Vec::new(),
                related: HashSet::new(),
                orders: HashMap::new(),
            },
        };
        for root in roots {
            miner.walk(root, true);
        }
        miner.conditions = transition;
        for memory in &memory {
            miner.walk(&memory.next, false);
            if let Some(init) = &system.var(memory.var).init {
                miner.walk(init, false);
            }
        }
        for term in &cone.constraints {
            miner.walk(term, false);
        }
        let mut mined = miner.mined;
        mined.memory = memory;
        mined
    }

    /// Conditions and sums from elsewhere, behind those that were found here.
    pub fn lift(&mut self, terms: Vec<Term>) {
        let here: HashSet<Var> = self.memory.iter().map(|m| m.var).collect();
        for term in terms {
            if !evaluable(&term) || !term.vars().iter().all(|var| here.contains(var)) {
                continue;
            }
            let known = match term.sort() {
                Sort::Bool => &mut self.conditions,
                _ => &mut self.sums,
            };
            if !known.contains(&term) {
                known.push(term);
            }
        }
    }

    /// Conditions and sums.
    pub fn terms(&self) -> Vec<Term> {
        self.conditions.iter().chain(&self.sums).cloned().collect()
    }

    pub fn order(&self, sort: &Sort) -> Vec<Order> {
        let Sort::BitVec(width) = sort else {
            return vec![Order::Arithmetic];
        };
        let used = self.orders.get(width);
        let uses = |op| used.is_some_and(|used| used.contains(&op));
        let mut orders = Vec::new();
        if uses(BvCompare::Slt) || uses(BvCompare::Sle) {
            orders.push(Order::Signed);
        }
        if orders.is_empty() || uses(BvCompare::Ult) || uses(BvCompare::Ule) {
            orders.push(Order::Unsigned);
        }
        orders
    }

    pub fn are_related(&self, a: Var, b: Var) -> bool {
        self.related.contains(&(a.min(b), a.max(b)))
    }
}

/// Flags that are set until something has happened for the first time, each
/// with the condition that clears it; nothing for the first step itself.
fn flags(cone: &Cone) -> Vec<(Term, Vec<Term>)> {
    let is_set = |term: &Term| cone.init.contains(term);
    let flags = cone.states.iter().filter(|(_, term, _)| is_set(term));
    flags
        .filter_map(|(_, term, next)| match next.kind() {
            Kind::Bool(false) => Some((term.clone(), Vec::new())),
            Kind::And(all) => {
                let clears = all.iter().map(not).collect();
                Some((term.clone(), clears))
            }
            _ => None,
        })
        .collect()
}

/// The flag that guards a variable without a first value.
fn guard(flags: &[(Term, Vec<Term>)], own: &Term, next: &Term) -> Option<Term> {
    if let Kind::Ite(c, a, b) = next.kind() {
        let tick = match (a == own, b == own) {
            (true, _) => not(c),
            (_, true) => c.clone(),
            _ => boolean(true),
        };
        if let Some((flag, _)) = flags.iter().find(|(_, clears)| clears.contains(&tick)) {
            return Some(flag.clone());
        }
    }
    let first = flags.iter().find(|(_, clears)| clears.is_empty());
    first.map(|(flag, _)| flag.clone())
}

/// State variables by their distance from the properties; flags are left out.
fn nearest(system: &System, cone: &Cone, roots: &[Term]) -> Vec<Memory> {
    let flags = flags(cone);
    let nexts: HashMap<Var, (&Term, &Term)> = cone
        .states
        .iter()
        .map(|(var, term, next)| (*var, (term, next)))
        .collect();
    let mut queue: VecDeque<Var> = roots.iter().flat_map(|term| term.vars()).collect();
    // Constraints come last; they are about everything.
    let late = cone.constraints.iter().flat_map(|term| term.vars());
    let mut late: VecDeque<Var> = late.collect();
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    while let Some(var) = queue.pop_front().or_else(|| late.pop_front()) {
        let Some((term, next)) = nexts.get(&var).filter(|_| seen.insert(var)) else {
            continue;
        };
        queue.extend(next.vars());
        if flags.iter().any(|(flag, _)| flag == *term) {
            continue;
        }
        let init = &system.var(var).init;
        let guard = match init {
            Some(_) => None,
            None => guard(&flags, term, next),
        };
        found.push(Memory {
            var,
            term: (*term).clone(),
            next: (*next).clone(),
            guard,
            assigned: assigned(init.iter().chain([*next])),
        });
    }
    found
}

/// The literals among the branches of some values.
fn assigned<'t>(values: impl Iterator<Item = &'t Term>) -> Vec<Term> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut open: Vec<&Term> = values.collect();
    while let Some(term) = open.pop() {
        if !seen.insert(term.id()) {
            continue;
        }
        match term.kind() {
            Kind::Ite(_, a, b) => open.extend([a, b]),
            Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..) => found.push(term.clone()),
            _ => {}
        }
    }
    found.sort_by_key(Term::id);
    found
}

struct Miner<'a> {
    flags: HashSet<Term>,
    retraction: Retraction<'a>,
    /// Conditions are looked for, besides constants.
    conditions: bool,
    /// Terms that were walked.
    seen: HashSet<u64>,
    /// Conditions and sums that were found.
    known: HashSet<Term>,
    mined: Mined,
}

impl Miner<'_> {
    /// Breadth first: what is near comes first.
    fn walk(&mut self, root: &Term, of_property: bool) {
        let mut queue = VecDeque::from([root.clone()]);
        while let Some(term) = queue.pop_front() {
            if !self.seen.insert(term.id()) {
                continue;
            }
            self.visit(&term, of_property);
            term.for_each_part(|part| queue.push_back(part.clone()));
        }
    }

    fn visit(&mut self, term: &Term, of_property: bool) {
        self.mined.constants.add(term);
        if let Kind::BvCompare(op, a, _) = term.kind()
            && let Sort::BitVec(width) = a.sort()
        {
            self.mined.orders.entry(*width).or_default().insert(*op);
        }
        if !self.conditions {
            return;
        }
        if *term.sort() == Sort::Bool {
            self.condition(term, of_property);
        } else if matches!(term.kind(), Kind::Add(_)) {
            self.sum(term);
        }
    }

    fn condition(&mut self, term: &Term, of_property: bool) {
        if matches!(term.kind(), Kind::Bool(_) | Kind::Not(_)) {
            return;
        }
        let Some(own) = self.retraction.of(term) else {
            if of_property && self.mined.present.len() < MAX_PRESENT && evaluable(term) {
                self.mined.present.push(term.clone());
            }
            return;
        };
        if let Kind::Lt(a, b) | Kind::Le(a, b) | Kind::Eq(a, b) = own.kind() {
            self.relate(a, b);
        }
        let plain = match own.kind() {
            Kind::Not(inner) => inner.clone(),
            _ => own,
        };
        if matches!(plain.kind(), Kind::Var(_) | Kind::Bool(_)) || !evaluable(&plain) {
            return;
        }
        let vars = plain.vars();
        let flagged = |var: &Var| self.flags.contains(&system::var(*var, Sort::Bool));
        if !vars.iter().any(flagged) && self.known.insert(plain.clone()) {
            self.mined.conditions.push(plain);
        }
    }

    fn relate(&mut self, a: &Term, b: &Term) {
        if matches!(a.sort(), Sort::Bool) {
            return;
        }
        let vars: Vec<Var> = a.vars().into_iter().chain(b.vars()).collect();
        for x in &vars {
            for y in &vars {
                if x < y {
                    self.mined.related.insert((*x, *y));
                }
            }
        }
    }

    fn sum(&mut self, term: &Term) {
        let Some(own) = self.retraction.of(term) else {
            return;
        };
        let Kind::Add(parts) = own.kind() else { return };
        // A constant in a sum only shifts the bounds.
        let variable = parts.iter().filter(|part| !part.vars().is_empty());
        let own = system::add(variable.cloned());
        let zero = system::integer(BigInt::from(0));
        self.relate(&own, &zero);
        if own.vars().len() > 1 && evaluable(&own) && self.known.insert(own.clone()) {
            self.mined.sums.push(own);
        }
    }
}

/// Can values of the term be computed?
fn evaluable(term: &Term) -> bool {
    term.subterms().all(|term| {
        !matches!(
            term.kind(),
            Kind::Quantified(..)
                | Kind::Apply(..)
                | Kind::Select(..)
                | Kind::Store(..)
                | Kind::ConstArray(_)
                | Kind::Lambda(..)
                | Kind::Bound(_)
        )
    })
}
