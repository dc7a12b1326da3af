//! Which theories terms are from, and what SMT-LIB calls their logic.

use std::collections::HashSet;

use system::{Kind, Sort, Term};

/// The theories and operators that occur in some terms.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Theories {
    pub quantifiers: bool,
    /// Arrays that are given by a formula for each element.
    pub lambdas: bool,
    pub arrays: bool,
    /// Arrays with the same element everywhere.
    pub constant_arrays: bool,
    pub functions: bool,
    pub bit_vectors: bool,
    /// Between bit-vectors and integers.
    pub conversions: bool,
    pub integers: bool,
    pub reals: bool,
    /// Products and quotients where no side is a number.
    pub nonlinear: bool,
    seen: HashSet<u64>,
}

impl Theories {
    pub fn of<'t>(terms: impl IntoIterator<Item = &'t Term>) -> Theories {
        let mut theories = Theories::default();
        for term in terms {
            theories.add(term);
        }
        theories
    }

    /// All that a system consists of.
    pub fn of_system(system: &system::System) -> Theories {
        let mut theories = Theories::default();
        for var in &system.vars {
            theories.add_sort(&var.sort);
            let definition = var.def.as_ref().map(|definition| &definition.term);
            let range = var
                .def
                .as_ref()
                .and_then(|definition| definition.range.as_ref());
            let terms = var
                .init
                .iter()
                .chain(&var.next)
                .chain(definition)
                .chain(range);
            terms.for_each(|term| theories.add(term));
        }
        for constraint in &system.constraints {
            theories.add(&constraint.term);
            constraint.range.iter().for_each(|term| theories.add(term));
        }
        let properties = system.properties.iter();
        properties.for_each(|property| theories.add(&property.term));
        theories
    }

    pub fn add(&mut self, term: &Term) {
        let mut open = vec![term.clone()];
        while let Some(term) = open.pop() {
            if self.seen.insert(term.id()) {
                self.add_sort(term.sort());
                self.add_kind(&term);
                term.for_each_part(|part| open.push(part.clone()));
            }
        }
    }

    fn add_sort(&mut self, sort: &Sort) {
        match sort {
            Sort::Bool => {}
            Sort::Int => self.integers = true,
            Sort::Real => self.reals = true,
            Sort::BitVec(_) => self.bit_vectors = true,
            Sort::Array(element) => {
                self.arrays = true;
                // Indices are integers.
                self.integers = true;
                self.add_sort(element);
            }
        }
    }

    fn add_kind(&mut self, term: &Term) {
        let number = |term: &Term| matches!(term.kind(), Kind::Int(_) | Kind::Real(_));
        match term.kind() {
            Kind::Quantified(_, vars, _) => {
                self.quantifiers = true;
                vars.iter().for_each(|(_, sort)| self.add_sort(sort));
            }
            Kind::Lambda(..) => self.lambdas = true,
            Kind::ConstArray(_) => self.constant_arrays = true,
            Kind::Apply(..) => self.functions = true,
            Kind::IntToBv(..) | Kind::BvToInt { .. } => self.conversions = true,
            Kind::Mul(a, b) => self.nonlinear |= !number(a) && !number(b),
            Kind::IntDiv(_, b) | Kind::IntMod(_, b) | Kind::RealDiv(_, b) => {
                self.nonlinear |= !number(b);
            }
            Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..) => {}
            Kind::Var(_) | Kind::Bound(_) => {}
            Kind::Not(_) | Kind::And(_) | Kind::Or(_) | Kind::Eq(..) | Kind::Ite(..) => {}
            Kind::Add(_) | Kind::Neg(_) | Kind::Lt(..) | Kind::Le(..) => {}
            Kind::ToReal(_) | Kind::ToInt(_) => {}
            Kind::BvNot(_) | Kind::BvNeg(_) | Kind::Bv(..) | Kind::BvCompare(..) => {}
            Kind::BvTruncate(..) | Kind::BvExtend { .. } => {}
            Kind::Select(..) | Kind::Store(..) => {}
        }
    }

    /// The name of the logic, such as `QF_UFLIA`.
    pub fn logic(&self) -> String {
        let mut name = String::new();
        if !self.quantifiers && !self.lambdas {
            name.push_str("QF_");
        }
        if self.arrays {
            name.push('A');
        }
        if self.functions {
            name.push_str("UF");
        }
        if self.bit_vectors {
            name.push_str("BV");
        }
        if self.integers || self.reals {
            name.push(if self.nonlinear { 'N' } else { 'L' });
            name.push_str(if self.integers { "I" } else { "" });
            name.push_str(if self.reals { "R" } else { "" });
            name.push('A');
        }
        match name.as_str() {
            "" => "UF".into(),
            // Propositions alone have no logic of their own.
            "QF_" => "QF_UF".into(),
            // Arrays alone do not: there are integers beside.
            _ => name,
        }
    }
}
