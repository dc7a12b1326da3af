//! Terms of a reduced system as Lustre expressions.
//!
//! A term that is the value of a stream is written as the stream's name. A state variable is
//! written as `pre` of its next value: of a stream, if that is one, else of an expression. A state
//! variable whose next value depends on itself cannot be written so. For a contract, which sees
//! inputs and outputs only, there are ghosts: variables of the contract that have the value of a
//! stream or memory of the node.
//!
//! Types matter: enumerations are numbers in the system, and machine integers bits.

use std::collections::{BTreeSet, HashMap, HashSet};

use lang::{EnumId, Partial, Program};
use lower::Leaf;
use num_bigint::BigInt;
use num_traits::Signed;
use syntax::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use syntax::{Symbol, ast::Machine};
use system::{BvCompare, BvOp, Kind, Role, Sort, System, Term, Var};

use super::build;
use super::streams::Stream;

/// Longer expressions are not written: nobody can read them.
const MAX_SIZE: usize = 2000;

/// What the state variables in a term stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tense {
    /// Memory of the step before.
    Before,
    /// The next value of the memory, at the end of this step.
    Now,
}

pub(crate) struct LustreWriter<'a> {
    pub program: &'a Program,
    pub system: &'a System,
    /// The state variable that holds at the first step only.
    pub first: Option<Term>,
    /// The streams that have a name, by the numbers of their terms.
    pub streams: HashMap<u64, Stream>,
    /// The kind of leaf of each variable: Boolean, integer, enumeration and so on.
    pub leaves: HashMap<Var, Leaf>,
    /// The names of ghosts, by the ids of the terms that they stand for.
    pub ghosts: HashMap<u64, Symbol>,
    /// The ghosts that were used.
    pub used: BTreeSet<u64>,
    /// The names of values that are written once, by the ids of their terms and their types.
    pub shared: HashMap<(u64, Leaf), Symbol>,
    /// Values of enumerations are written as their numbers, and the reverse, where terms
    /// compute with them.
    pub numbers_enums: bool,
    /// Larger expressions are not written.
    pub max_size: usize,
    /// The ghost whose definition is being written.
    defined: Option<u64>,
    /// The state variables whose next values are being written, to find cycles.
    open: Vec<Var>,
    size: usize,
}

impl<'a> LustreWriter<'a> {
    pub fn new(program: &'a Program, system: &'a System) -> LustreWriter<'a> {
        LustreWriter {
            program,
            system,
            first: None,
            streams: HashMap::new(),
            leaves: HashMap::new(),
            ghosts: HashMap::new(),
            used: BTreeSet::new(),
            shared: HashMap::new(),
            numbers_enums: false,
            max_size: MAX_SIZE,
            defined: None,
            open: Vec::new(),
            size: 0,
        }
    }

    /// An invariant as an expression that holds at every step.
    pub fn invariant(&mut self, term: &Term) -> Option<Expr> {
        self.size = 0;
        let later = self.decided(term, false);
        let inputs = self.has(&later, Role::Input);
        let constrained = self.system.constraints.iter().any(|c| c.element.is_some());
        // An invariant of the memory at the next step is one of the streams at this step, if every
        // run has a next step: if nothing but types constrains it.
        if !inputs && !constrained && self.has(&later, Role::State) {
            return self.say(&later, Leaf::Bool, Tense::Now);
        }
        match self.makes_sense_at_first(term) {
            true => self.say(term, Leaf::Bool, Tense::Before),
            false => {
                let then = self.say(&later, Leaf::Bool, Tense::Before)?;
                let arrow = BinaryOp::Arrow;
                Some(build::binary(arrow, build::boolean(true), then))
            }
        }
    }

    /// Memory at the end of a step, as an expression of that step.
    pub fn states(&mut self, term: &Term) -> Option<Expr> {
        self.size = 0;
        let later = self.decided(term, false);
        self.say(&later, Leaf::Bool, Tense::Now)
    }

    /// A term whose state variables and first step have names.
    pub fn plain(&mut self, term: &Term, leaf: Leaf) -> Option<Expr> {
        self.size = 0;
        self.say(term, leaf, Tense::Before)
    }

    /// Is the term free of memory at the first step?
    fn makes_sense_at_first(&self, term: &Term) -> bool {
        !self.has(&self.decided(term, true), Role::State)
    }

    /// The value of a term at each step, if it has one at the first.
    fn value(&mut self, term: &Term) -> Option<Expr> {
        let leaf = self.leaf(term).or_else(|| {
            let number = *term.sort() == Sort::Int;
            number.then_some(Leaf::Int)
        })?;
        match self.makes_sense_at_first(term) {
            true => self.say(term, leaf, Tense::Before),
            false => None,
        }
    }

    /// The definition of a ghost.
    pub fn definition(&mut self, term: &Term) -> Option<Expr> {
        self.size = 0;
        self.defined = Some(term.id());
        let expr = self.value(term);
        self.defined = None;
        expr
    }

    /// The term at the first step, or at later ones.
    fn decided(&self, term: &Term, first: bool) -> Term {
        match &self.first {
            Some(flag) => {
                let value = system::boolean(first);
                system::substitute(term, &HashMap::from([(flag.clone(), value)]))
            }
            None => term.clone(),
        }
    }

    fn has(&self, term: &Term, role: Role) -> bool {
        let mut vars = term.vars().into_iter();
        vars.any(|var| self.system.var(var).role == role)
    }

    /// The type of leaf that a term has, if its parts determine it.
    pub fn leaf(&self, term: &Term) -> Option<Leaf> {
        match term.sort() {
            Sort::Bool => return Some(Leaf::Bool),
            Sort::Real => return Some(Leaf::Real),
            Sort::Array(_) => return None,
            Sort::Int | Sort::BitVec(_) => {}
        }
        let mut seen = HashSet::new();
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            if !seen.insert(term.id()) {
                continue;
            }
            if let Some(stream) = self.streams.get(&term.id()) {
                return Some(stream.leaf);
            }
            match term.kind() {
                Kind::Var(var) => return self.leaves.get(var).copied(),
                Kind::Int(_) | Kind::BitVec(..) => {}
                Kind::Ite(_, a, b) | Kind::Bv(_, a, b) => open.extend([b, a]),
                Kind::BvNot(a) | Kind::BvNeg(a) => open.push(a),
                _ if *term.sort() == Sort::Int => return Some(Leaf::Int),
                _ => return None,
            }
        }
        None
    }

    /// The type of leaf that two compared terms share.
    fn common(&self, comparison: &Term, a: &Term, b: &Term) -> Option<Leaf> {
        let known = self.leaf(a).or_else(|| self.leaf(b));
        known.or_else(|| match a.sort() {
            Sort::Int => Some(Leaf::Int),
            // Literals on both sides.
            Sort::BitVec(width) => {
                let signed = matches!(
                    comparison.kind(),
                    Kind::BvCompare(BvCompare::Slt | BvCompare::Sle, ..)
                );
                machine_of_width(*width, signed).map(Leaf::Machine)
            }
            _ => None,
        })
    }

    fn say(&mut self, term: &Term, leaf: Leaf, tense: Tense) -> Option<Expr> {
        self.size += 1;
        if self.size > self.max_size || term.is_quantified() {
            return None;
        }
        // The definition of a ghost uses its own name only under `pre`.
        let itself = self.defined.take_if(|id| *id == term.id()).is_some();
        if tense == Tense::Before
            && !itself
            && let Some(name) = self.called_as(term, leaf)
        {
            return Some(name);
        }
        if let Leaf::Enum(id) = leaf
            && self.numbers_enums
            && is_computed(term)
        {
            let number = self.say(term, Leaf::Int, tense)?;
            return Some(self.enum_of_number(id, number));
        }
        match term.kind() {
            Kind::Bool(value) => Some(build::boolean(*value)),
            Kind::Int(value) => match leaf {
                Leaf::Enum(id) => {
                    let values = &self.program.enumeration(id).values;
                    let at = usize::try_from(value).ok()?;
                    values.get(at).map(|value| build::name(*value))
                }
                Leaf::Int => Some(build::integer(value)),
                _ => None,
            },
            Kind::Real(value) => Some(build::real(value)),
            Kind::BitVec(_, value) => match leaf {
                Leaf::Machine(machine) => Some(build::machine(machine, value)),
                _ => None,
            },
            Kind::Var(var) => self.variable(*var, term, tense),
            Kind::Ite(c, a, b) if Some(c) == self.first.as_ref() => {
                let (a, b) = (self.decided(a, true), self.decided(b, false));
                let (a, b) = (self.say(&a, leaf, tense)?, self.say(&b, leaf, tense)?);
                Some(build::binary(BinaryOp::Arrow, a, b))
            }
            // The case for a divisor of zero is part of Lustre's operator.
            Kind::Ite(_, a, b) if is_by_zero(a, b) => self.arithmetic(b, leaf, tense),
            Kind::Ite(c, a, b) => {
                let c = self.say(c, Leaf::Bool, tense)?;
                let (a, b) = (self.say(a, leaf, tense)?, self.say(b, leaf, tense)?);
                Some(build::expr(ExprKind::If(c.into(), a.into(), b.into())))
            }
            Kind::Not(_) | Kind::And(_) | Kind::Or(_) => self.logic(term, tense),
            Kind::Eq(..) | Kind::Lt(..) | Kind::Le(..) | Kind::BvCompare(..) => {
                self.comparison(term, true, tense)
            }
            _ => self.arithmetic(term, leaf, tense),
        }
    }

    /// The name of a value.
    fn called(&mut self, term: &Term) -> Option<Expr> {
        if let Some(stream) = self.streams.get(&term.id()) {
            return Some(stream.name.clone());
        }
        let ghost = self.ghosts.get(&term.id())?;
        self.used.insert(term.id());
        Some(build::name(*ghost))
    }

    /// The name of a value where a type is expected.
    fn called_as(&mut self, term: &Term, leaf: Leaf) -> Option<Expr> {
        if let Some(name) = self.shared.get(&(term.id(), leaf)) {
            return Some(build::name(*name));
        }
        let name = self.called(term)?;
        match (self.streams.get(&term.id()), leaf) {
            (Some(stream), Leaf::Int) if self.numbers_enums => match stream.leaf {
                Leaf::Enum(id) => Some(self.number_of_enum(id, name)),
                _ => Some(name),
            },
            _ => Some(name),
        }
    }

    /// The position of a value in its enumeration.
    fn number_of_enum(&self, id: EnumId, value: Expr) -> Expr {
        let values = &self.program.enumeration(id).values;
        let last = build::integer(&BigInt::from(values.len() as u64 - 1));
        let others = values.iter().enumerate().rev().skip(1);
        others.fold(last, |otherwise, (at, name)| {
            let is_it = build::binary(BinaryOp::Eq, value.clone(), build::name(*name));
            let number = build::integer(&BigInt::from(at));
            build::expr(ExprKind::If(is_it.into(), number.into(), otherwise.into()))
        })
    }

    /// The value at a position of an enumeration.
    fn enum_of_number(&self, id: EnumId, number: Expr) -> Expr {
        let values = &self.program.enumeration(id).values;
        let last = build::name(values[values.len() - 1]);
        let others = values.iter().enumerate().rev().skip(1);
        others.fold(last, |otherwise, (at, name)| {
            let at = build::integer(&BigInt::from(at));
            let is_it = build::binary(BinaryOp::Eq, number.clone(), at);
            let name = build::name(*name);
            build::expr(ExprKind::If(is_it.into(), name.into(), otherwise.into()))
        })
    }

    /// The parts of a term with the types that they are written as.
    pub fn operands(&self, term: &Term, leaf: Leaf) -> Vec<(Term, Leaf)> {
        if matches!(leaf, Leaf::Enum(_)) && is_computed(term) {
            // Once for each comparison with a position.
            return vec![(term.clone(), Leaf::Int); 2];
        }
        let same =
            |parts: &[&Term], leaf| parts.iter().map(|part| ((*part).clone(), leaf)).collect();
        match term.kind() {
            Kind::Ite(_, a, b) if is_by_zero(a, b) => self.operands(b, leaf),
            Kind::Ite(c, a, b) => {
                let branches = [a, b].map(|branch| (branch.clone(), leaf));
                std::iter::once((c.clone(), Leaf::Bool))
                    .chain(branches)
                    .collect()
            }
            Kind::Eq(a, b) | Kind::Lt(a, b) | Kind::Le(a, b) | Kind::BvCompare(_, a, b) => {
                let ordered = !matches!(term.kind(), Kind::Eq(..));
                match self.common(term, a, b) {
                    Some(Leaf::Enum(_)) if ordered => same(&[a, b], Leaf::Int),
                    Some(leaf) => same(&[a, b], leaf),
                    None => Vec::new(),
                }
            }
            Kind::Add(parts) => {
                let parts = parts.iter().map(|part| match part.kind() {
                    // Subtracted.
                    Kind::Mul(factor, a) if is_negative(factor) => a,
                    Kind::Neg(a) => a,
                    _ => part,
                });
                same(&parts.collect::<Vec<_>>(), leaf)
            }
            Kind::Bv(BvOp::Shl | BvOp::Ashr | BvOp::Lshr, a, b) => {
                vec![(a.clone(), leaf), (b.clone(), shift_amount(leaf))]
            }
            Kind::ToReal(a) | Kind::IntToBv(_, a) => same(&[a], Leaf::Int),
            Kind::ToInt(a) => same(&[a], Leaf::Real),
            Kind::BvToInt { of, .. } | Kind::BvExtend { of, .. } | Kind::BvTruncate(_, of) => {
                let signed = match (term.kind(), leaf) {
                    (Kind::BvToInt { signed, .. } | Kind::BvExtend { signed, .. }, _) => *signed,
                    (_, Leaf::Machine(to)) => to.signed,
                    _ => false,
                };
                let machine = self.machine(of, signed);
                machine.map_or(Vec::new(), |machine| same(&[of], Leaf::Machine(machine)))
            }
            _ => {
                let mut parts = Vec::new();
                term.for_each_part(|part| parts.push((part.clone(), leaf)));
                parts
            }
        }
    }

    /// The type of a machine integer; if its parts do not determine it, with the sign given.
    fn machine(&self, of: &Term, signed: bool) -> Option<Machine> {
        match (self.leaf(of), of.sort()) {
            (Some(Leaf::Machine(machine)), _) => Some(machine),
            (None, Sort::BitVec(width)) => machine_of_width(*width, signed),
            _ => None,
        }
    }

    fn variable(&mut self, var: Var, term: &Term, tense: Tense) -> Option<Expr> {
        if Some(term) == self.first.as_ref() {
            let (yes, no) = (build::boolean(true), build::boolean(false));
            return Some(build::binary(BinaryOp::Arrow, yes, no));
        }
        match (self.system.var(var).role, tense) {
            (Role::State, Tense::Before) => {
                let remembered = self.remembered(var)?;
                Some(build::unary(UnaryOp::Pre, remembered))
            }
            (Role::State, Tense::Now) => self.remembered(var),
            _ => self.called(term),
        }
    }

    /// The stream behind a state variable.
    fn remembered(&mut self, var: Var) -> Option<Expr> {
        let next = self.system.var(var).next.clone()?;
        if let Some(name) = self.called(&next) {
            return Some(name);
        }
        if self.open.contains(&var) {
            return None;
        }
        self.open.push(var);
        let expr = self.value(&next);
        self.open.pop();
        expr
    }

    fn logic(&mut self, term: &Term, tense: Tense) -> Option<Expr> {
        if let Some((begin, rest)) = self.apart(term) {
            let rest = self.decided(&rest, false);
            let rest = self.say(&rest, Leaf::Bool, tense)?;
            return Some(build::binary(BinaryOp::Arrow, build::boolean(begin), rest));
        }
        let mut all = |parts: &[Term]| -> Option<Vec<Expr>> {
            let parts = parts.iter();
            parts
                .map(|part| self.say(part, Leaf::Bool, tense))
                .collect()
        };
        match term.kind() {
            Kind::And(parts) => build::joined(BinaryOp::And, all(parts)?),
            Kind::Or(parts) => {
                // Negated disjuncts become the condition of an implication.
                let denied = |part: &&Term| matches!(part.kind(), Kind::Not(_));
                let conditions: Vec<Term> = parts.iter().filter(denied).map(system::not).collect();
                let rest: Vec<Term> = parts.iter().filter(|p| !denied(p)).cloned().collect();
                if conditions.is_empty() || rest.is_empty() {
                    return build::joined(BinaryOp::Or, all(parts)?);
                }
                let condition = build::joined(BinaryOp::And, all(&conditions)?)?;
                let rest = build::joined(BinaryOp::Or, all(&rest)?)?;
                Some(build::binary(BinaryOp::Implies, condition, rest))
            }
            Kind::Not(a) => match a.kind() {
                Kind::Eq(..) | Kind::Lt(..) | Kind::Le(..) | Kind::BvCompare(..) => {
                    self.comparison(a, false, tense)
                }
                _ => Some(build::unary(UnaryOp::Not, self.say(a, Leaf::Bool, tense)?)),
            },
            _ => None,
        }
    }

    /// `first or r`, `not first and r`: the value at the first step, and r.
    fn apart(&self, term: &Term) -> Option<(bool, Term)> {
        let first = self.first.as_ref()?;
        let (parts, flag) = match term.kind() {
            Kind::Or(parts) => (parts, first.clone()),
            Kind::And(parts) => (parts, system::not(first)),
            _ => return None,
        };
        let at = parts.iter().position(|part| *part == flag)?;
        let others = || parts[..at].iter().chain(&parts[at + 1..]).cloned();
        Some(match term.kind() {
            Kind::Or(_) => (true, system::or(others())),
            _ => (false, system::and(others())),
        })
    }

    /// A comparison, or its opposite.
    fn comparison(&mut self, term: &Term, holds: bool, tense: Tense) -> Option<Expr> {
        let (a, b, op, opposite) = match term.kind() {
            Kind::Eq(a, b) => (a, b, BinaryOp::Eq, BinaryOp::Neq),
            Kind::Lt(a, b) => (a, b, BinaryOp::Lt, BinaryOp::Ge),
            Kind::Le(a, b) => (a, b, BinaryOp::Le, BinaryOp::Gt),
            Kind::BvCompare(BvCompare::Ult | BvCompare::Slt, a, b) => {
                (a, b, BinaryOp::Lt, BinaryOp::Ge)
            }
            Kind::BvCompare(BvCompare::Ule | BvCompare::Sle, a, b) => {
                (a, b, BinaryOp::Le, BinaryOp::Gt)
            }
            _ => return None,
        };
        let mut leaf = self.common(term, a, b)?;
        let ordered = !matches!(term.kind(), Kind::Eq(..));
        if ordered && self.numbers_enums && matches!(leaf, Leaf::Enum(_)) {
            leaf = Leaf::Int;
        }
        match (term.kind(), leaf) {
            (_, Leaf::Enum(_) | Leaf::Abstract) if ordered => return None,
            (Kind::BvCompare(op, ..), Leaf::Machine(Machine { signed, .. }))
                if signed != matches!(op, BvCompare::Slt | BvCompare::Sle) =>
            {
                return None;
            }
            _ => {}
        }
        let (a, b) = (self.say(a, leaf, tense)?, self.say(b, leaf, tense)?);
        Some(build::binary(if holds { op } else { opposite }, a, b))
    }

    fn arithmetic(&mut self, term: &Term, leaf: Leaf, tense: Tense) -> Option<Expr> {
        let (op, a, b) = match term.kind() {
            Kind::Add(parts) => return self.sum(parts, leaf, tense),
            Kind::Neg(a) | Kind::BvNeg(a) => {
                return Some(build::unary(UnaryOp::Minus, self.say(a, leaf, tense)?));
            }
            Kind::BvNot(a) => {
                return Some(build::unary(UnaryOp::BitNot, self.say(a, leaf, tense)?));
            }
            Kind::ToReal(a) => {
                return Some(build::unary(
                    UnaryOp::ToReal,
                    self.say(a, Leaf::Int, tense)?,
                ));
            }
            Kind::ToInt(a) => {
                return Some(build::unary(
                    UnaryOp::ToInt,
                    self.say(a, Leaf::Real, tense)?,
                ));
            }
            Kind::IntToBv(_, a) => {
                let Leaf::Machine(to) = leaf else {
                    return None;
                };
                let a = self.say(a, Leaf::Int, tense)?;
                return Some(build::unary(UnaryOp::ToMachine(to), a));
            }
            Kind::BvToInt { signed, of } => {
                let from = self.machine(of, *signed)?;
                if from.signed != *signed {
                    return None;
                }
                let a = self.say(of, Leaf::Machine(from), tense)?;
                return Some(build::unary(UnaryOp::ToInt, a));
            }
            Kind::BvTruncate(_, of) | Kind::BvExtend { of, .. } => {
                return self.resized(term, of, leaf, tense);
            }
            Kind::Mul(a, b) => (BinaryOp::Mul, a, b),
            Kind::RealDiv(a, b) => (BinaryOp::Div, a, b),
            Kind::IntDiv(a, b) => (BinaryOp::IntDiv, a, b),
            Kind::IntMod(a, b) => (BinaryOp::Mod, a, b),
            Kind::Bv(BvOp::Add, a, b) => (BinaryOp::Add, a, b),
            Kind::Bv(BvOp::Sub, a, b) => (BinaryOp::Sub, a, b),
            Kind::Bv(BvOp::Mul, a, b) => (BinaryOp::Mul, a, b),
            Kind::Bv(BvOp::And, a, b) => (BinaryOp::BitAnd, a, b),
            Kind::Bv(BvOp::Or, a, b) => (BinaryOp::BitOr, a, b),
            Kind::Bv(op, a, b) => {
                let Leaf::Machine(Machine { signed, .. }) = leaf else {
                    return None;
                };
                let op = match (op, signed) {
                    (BvOp::Sdiv, true) | (BvOp::Udiv, false) => BinaryOp::IntDiv,
                    (BvOp::Srem, true) | (BvOp::Urem, false) => BinaryOp::Mod,
                    (BvOp::Shl, _) => BinaryOp::Lsh,
                    (BvOp::Ashr, true) | (BvOp::Lshr, false) => BinaryOp::Rsh,
                    _ => return None,
                };
                let right = match op {
                    BinaryOp::Lsh | BinaryOp::Rsh => shift_amount(leaf),
                    _ => leaf,
                };
                let (a, b) = (self.say(a, leaf, tense)?, self.say(b, right, tense)?);
                return Some(build::binary(op, a, b));
            }
            _ => return None,
        };
        let (a, b) = (self.say(a, leaf, tense)?, self.say(b, leaf, tense)?);
        Some(build::binary(op, a, b))
    }

    /// A machine integer as one of another width.
    fn resized(&mut self, term: &Term, of: &Term, leaf: Leaf, tense: Tense) -> Option<Expr> {
        let Leaf::Machine(to) = leaf else {
            return None;
        };
        let signed = match term.kind() {
            Kind::BvExtend { signed, .. } => *signed,
            _ => to.signed,
        };
        let from = self.machine(of, signed)?;
        // Lustre converts between types of the same sign.
        if from.signed != to.signed || from.signed != signed {
            return None;
        }
        let a = self.say(of, Leaf::Machine(from), tense)?;
        Some(build::unary(UnaryOp::ToMachine(to), a))
    }

    fn sum(&mut self, parts: &[Term], leaf: Leaf, tense: Tense) -> Option<Expr> {
        let mut sum: Option<Expr> = None;
        for part in parts {
            let negated = match part.kind() {
                Kind::Mul(a, b) if is_negative(a) => system::mul(&system::neg(a), b),
                _ => system::neg(part),
            };
            let smaller = match part.kind() {
                Kind::Neg(_) => true,
                Kind::Mul(a, _) => is_negative(a),
                _ => is_negative(part),
            };
            sum = Some(match sum {
                Some(so_far) if smaller => {
                    build::binary(BinaryOp::Sub, so_far, self.say(&negated, leaf, tense)?)
                }
                Some(so_far) => build::binary(BinaryOp::Add, so_far, self.say(part, leaf, tense)?),
                None => self.say(part, leaf, tense)?,
            });
        }
        sum
    }
}

/// The machine integers of a width, if Lustre has them.
fn machine_of_width(width: u32, signed: bool) -> Option<Machine> {
    let width = [8, 16, 32, 64]
        .into_iter()
        .find(|w| u32::from(*w) == width)?;
    Some(Machine { signed, width })
}

/// The type of the amount by which a machine integer is shifted.
fn shift_amount(leaf: Leaf) -> Leaf {
    match leaf {
        Leaf::Machine(machine) => Leaf::Machine(Machine {
            signed: false,
            ..machine
        }),
        _ => leaf,
    }
}

/// Is an integer computed, and not picked from other values?
fn is_computed(term: &Term) -> bool {
    *term.sort() == Sort::Int
        && !matches!(
            term.kind(),
            Kind::Int(_) | Kind::Var(_) | Kind::Ite(..) | Kind::Bound(_)
        )
}

/// Is `value` the unknown value of `division` for a divisor of zero?
fn is_by_zero(value: &Term, division: &Term) -> bool {
    let (Kind::Apply(function, args), (partial, dividend)) = (
        value.kind(),
        match division.kind() {
            Kind::IntDiv(a, _) => (Partial::IntDiv, a),
            Kind::IntMod(a, _) => (Partial::IntMod, a),
            Kind::RealDiv(a, _) => (Partial::RealDiv, a),
            _ => return false,
        },
    ) else {
        return false;
    };
    function.name.as_str() == partial.function() && args.first() == Some(dividend)
}

fn is_negative(term: &Term) -> bool {
    match term.kind() {
        Kind::Int(value) => value.is_negative(),
        Kind::Real(value) => value.is_negative(),
        _ => false,
    }
}
