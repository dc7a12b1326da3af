//! Terms at steps as Z3's own, each translated once.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::rc::Rc;
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use system::{BvCompare, BvOp, Function, Kind, Quantifier, Role, Sort, System, Term, Var};
use z3::ast::{Ast, BV, Bool, Dynamic, Int, Real};
use z3::{FuncDecl, ast};

/// A map that is dropped in the same order in every run: Z3 reuses the ids of dropped terms, and
/// its answers depend on ids.
pub(crate) type Ordered<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

pub(crate) struct Translator {
    system: Arc<System>,
    terms: Ordered<(u64, usize), Dynamic>,
    /// Terms without variables, or of constants only, are the same at all
    /// steps.
    timeless: HashMap<u64, bool>,
    functions: Ordered<Function, Rc<FuncDecl>>,
}

impl Translator {
    pub fn new(system: Arc<System>) -> Translator {
        Translator {
            system,
            terms: Ordered::default(),
            timeless: HashMap::new(),
            functions: Ordered::default(),
        }
    }

    pub fn boolean(&mut self, term: &Term, step: usize) -> Bool {
        self.term(term, step).as_bool().expect("a Boolean term")
    }

    /// Translates without recursion: terms can be deep.
    pub fn term(&mut self, term: &Term, step: usize) -> Dynamic {
        let mut open = vec![(term.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            let key = (term.id(), self.step_of(&term, step));
            if self.terms.contains_key(&key) {
                continue;
            }
            if !ready {
                open.push((term.clone(), true));
                term.for_each_part(|part| open.push((part.clone(), false)));
                continue;
            }
            let translated = self.node(&term, step);
            self.terms.insert(key, translated);
        }
        self.get(term, step)
    }

    /// The term with its state variables at one step and its inputs at another.
    pub fn between(&mut self, term: &Term, state: usize, inputs: usize) -> Dynamic {
        let translated = self.term(term, state);
        let moved: Vec<(Dynamic, Dynamic)> = term
            .vars()
            .into_iter()
            .filter(|var| self.system.var(*var).role == Role::Input)
            .map(|var| (self.var(var, state), self.var(var, inputs)))
            .collect();
        let moved: Vec<(&Dynamic, &Dynamic)> = moved.iter().map(|(a, b)| (a, b)).collect();
        translated.substitute(&moved)
    }

    fn get(&mut self, term: &Term, step: usize) -> Dynamic {
        let key = (term.id(), self.step_of(term, step));
        self.terms[&key].clone()
    }

    /// Zero for terms that do not depend on the step.
    fn step_of(&mut self, term: &Term, step: usize) -> usize {
        if self.is_timeless(term) { 0 } else { step }
    }

    fn is_timeless(&mut self, term: &Term) -> bool {
        if let Some(known) = self.timeless.get(&term.id()) {
            return *known;
        }
        let mut open = vec![(term.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            if self.timeless.contains_key(&term.id()) {
                continue;
            }
            if !ready {
                open.push((term.clone(), true));
                term.for_each_part(|part| open.push((part.clone(), false)));
                continue;
            }
            let mut timeless = match term.kind() {
                Kind::Var(var) => self.system.var(*var).role == Role::Constant,
                _ => true,
            };
            term.for_each_part(|part| timeless &= self.timeless[&part.id()]);
            self.timeless.insert(term.id(), timeless);
        }
        self.timeless[&term.id()]
    }

    fn var(&self, var: Var, step: usize) -> Dynamic {
        let declared = self.system.var(var);
        let name = match declared.role {
            Role::Constant => format!("v{}", var.0),
            _ => format!("v{}@{step}", var.0),
        };
        constant(&name, &declared.sort)
    }

    fn function(&mut self, function: &Function) -> Rc<FuncDecl> {
        if let Some(known) = self.functions.get(function) {
            return known.clone();
        }
        let args: Vec<z3::Sort> = function.args.iter().map(sort).collect();
        let args: Vec<&z3::Sort> = args.iter().collect();
        let name = format!("f!{}", function.name);
        let declared = Rc::new(FuncDecl::new(name.as_str(), &args, &sort(&function.result)));
        self.functions.insert(function.clone(), declared.clone());
        declared
    }

    /// A term whose parts are translated.
    fn node(&mut self, term: &Term, step: usize) -> Dynamic {
        match term.kind() {
            Kind::Bool(value) => Bool::from_bool(*value).into(),
            Kind::Int(value) => integer(value),
            Kind::Real(value) => rational(value),
            Kind::BitVec(width, value) => bit_vector(*width, value),
            Kind::Var(var) => self.var(*var, step),
            Kind::Bound(id) => constant(&format!("b!{id}"), term.sort()),
            Kind::Not(a) => self.bool_part(a, step).not().into(),
            Kind::And(all) => Bool::and(&self.bool_parts(all, step)).into(),
            Kind::Or(all) => Bool::or(&self.bool_parts(all, step)).into(),
            Kind::Eq(a, b) => self.get(a, step).eq(self.get(b, step)).into(),
            Kind::Ite(c, a, b) => {
                let (a, b) = (self.get(a, step), self.get(b, step));
                self.bool_part(c, step).ite(&a, &b)
            }
            Kind::Add(all) => self.sum(all, term.sort(), step),
            Kind::Neg(a) if *a.sort() == Sort::Real => self.real_part(a, step).unary_minus().into(),
            Kind::Neg(a) => self.int_part(a, step).unary_minus().into(),
            Kind::Mul(a, b) => match self.numbers(a, b, step) {
                Numbers::Int(a, b) => Int::mul(&[a, b]).into(),
                Numbers::Real(a, b) => Real::mul(&[a, b]).into(),
            },
            Kind::Lt(a, b) => match self.numbers(a, b, step) {
                Numbers::Int(a, b) => a.lt(&b).into(),
                Numbers::Real(a, b) => a.lt(&b).into(),
            },
            Kind::Le(a, b) => match self.numbers(a, b, step) {
                Numbers::Int(a, b) => a.le(&b).into(),
                Numbers::Real(a, b) => a.le(&b).into(),
            },
            Kind::IntDiv(a, b) => {
                let (a, b) = (self.int_part(a, step), self.int_part(b, step));
                a.div(&b).into()
            }
            Kind::IntMod(a, b) => {
                let (a, b) = (self.int_part(a, step), self.int_part(b, step));
                a.modulo(&b).into()
            }
            Kind::RealDiv(a, b) => {
                let (a, b) = (self.real_part(a, step), self.real_part(b, step));
                a.div(&b).into()
            }
            Kind::ToReal(a) => self.int_part(a, step).to_real().into(),
            Kind::ToInt(a) => self.real_part(a, step).to_int().into(),
            Kind::BvNot(a) => self.bv_part(a, step).bvnot().into(),
            Kind::BvNeg(a) => self.bv_part(a, step).bvneg().into(),
            Kind::Bv(op, a, b) => self.bv_operation(*op, a, b, step),
            Kind::BvCompare(op, a, b) => self.bv_comparison(*op, a, b, step),
            Kind::BvTruncate(width, a) => self.bv_part(a, step).extract(width - 1, 0).into(),
            Kind::BvExtend { signed, width, of } => self.extended(*signed, *width, of, step),
            Kind::IntToBv(width, a) => BV::from_int(&self.int_part(a, step), *width).into(),
            Kind::BvToInt { signed, of } => self.bv_part(of, step).to_int(*signed).into(),
            Kind::Apply(function, args) => self.applied(function, args, step),
            Kind::Select(array, index) => {
                let array = self.array_part(array, step);
                array.select(&self.get(index, step))
            }
            Kind::Store(array, index, value) => {
                let array = self.array_part(array, step);
                let (index, value) = (self.get(index, step), self.get(value, step));
                array.store(&index, &value).into()
            }
            Kind::ConstArray(element) => {
                ast::Array::const_array(&z3::Sort::int(), &self.get(element, step)).into()
            }
            Kind::Lambda(bound, element) => {
                let index = constant(&format!("b!{bound}"), &Sort::Int);
                ast::lambda_const(&[&index], &self.get(element, step)).into()
            }
            Kind::Quantified(quantifier, vars, body) => {
                self.quantified(*quantifier, vars, body, step)
            }
        }
    }

    fn bool_part(&mut self, term: &Term, step: usize) -> Bool {
        self.get(term, step).as_bool().expect("a Boolean part")
    }

    fn bool_parts(&mut self, all: &[Term], step: usize) -> Vec<Bool> {
        all.iter().map(|part| self.bool_part(part, step)).collect()
    }

    fn bv_part(&mut self, term: &Term, step: usize) -> BV {
        self.get(term, step).as_bv().expect("a bit-vector")
    }

    fn array_part(&mut self, term: &Term, step: usize) -> ast::Array {
        self.get(term, step).as_array().expect("an array")
    }

    fn sum(&mut self, all: &[Term], sort: &Sort, step: usize) -> Dynamic {
        if *sort == Sort::Real {
            let all: Vec<Real> = all.iter().map(|a| self.real_part(a, step)).collect();
            return Real::add(&all).into();
        }
        let all: Vec<Int> = all.iter().map(|a| self.int_part(a, step)).collect();
        Int::add(&all).into()
    }

    fn numbers(&mut self, a: &Term, b: &Term, step: usize) -> Numbers {
        match a.sort() {
            Sort::Real => Numbers::Real(self.real_part(a, step), self.real_part(b, step)),
            _ => Numbers::Int(self.int_part(a, step), self.int_part(b, step)),
        }
    }

    fn bv_operation(&mut self, op: BvOp, a: &Term, b: &Term, step: usize) -> Dynamic {
        let (a, b) = (self.bv_part(a, step), self.bv_part(b, step));
        match op {
            BvOp::Add => a.bvadd(&b),
            BvOp::Sub => a.bvsub(&b),
            BvOp::Mul => a.bvmul(&b),
            BvOp::Udiv => a.bvudiv(&b),
            BvOp::Urem => a.bvurem(&b),
            BvOp::Sdiv => a.bvsdiv(&b),
            BvOp::Srem => a.bvsrem(&b),
            BvOp::And => a.bvand(&b),
            BvOp::Or => a.bvor(&b),
            BvOp::Shl => a.bvshl(&b),
            BvOp::Lshr => a.bvlshr(&b),
            BvOp::Ashr => a.bvashr(&b),
        }
        .into()
    }

    fn bv_comparison(&mut self, op: BvCompare, a: &Term, b: &Term, step: usize) -> Dynamic {
        let (a, b) = (self.bv_part(a, step), self.bv_part(b, step));
        match op {
            BvCompare::Ult => a.bvult(&b),
            BvCompare::Ule => a.bvule(&b),
            BvCompare::Slt => a.bvslt(&b),
            BvCompare::Sle => a.bvsle(&b),
        }
        .into()
    }

    fn extended(&mut self, signed: bool, width: u32, of: &Term, step: usize) -> Dynamic {
        let of = self.bv_part(of, step);
        let more = width - of.get_size();
        match signed {
            true => of.sign_ext(more).into(),
            false => of.zero_ext(more).into(),
        }
    }

    fn applied(&mut self, function: &Function, args: &[Term], step: usize) -> Dynamic {
        let declared = self.function(function);
        let args: Vec<Dynamic> = args.iter().map(|arg| self.get(arg, step)).collect();
        let args: Vec<&dyn Ast> = args.iter().map(|arg| arg as &dyn Ast).collect();
        declared.apply(&args)
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        vars: &[(u32, Sort)],
        body: &Term,
        step: usize,
    ) -> Dynamic {
        let vars: Vec<Dynamic> = vars
            .iter()
            .map(|(id, sort)| constant(&format!("b!{id}"), sort))
            .collect();
        let vars: Vec<&dyn Ast> = vars.iter().map(|var| var as &dyn Ast).collect();
        let body = self.bool_part(body, step);
        match quantifier {
            Quantifier::Forall => ast::forall_const(&vars, &[], &body).into(),
            Quantifier::Exists => ast::exists_const(&vars, &[], &body).into(),
        }
    }

    fn int_part(&mut self, term: &Term, step: usize) -> Int {
        self.get(term, step).as_int().expect("an integer part")
    }

    fn real_part(&mut self, term: &Term, step: usize) -> Real {
        self.get(term, step).as_real().expect("a real part")
    }
}

/// Two numbers of one sort.
enum Numbers {
    Int(Int, Int),
    Real(Real, Real),
}

fn integer(value: &BigInt) -> Dynamic {
    let text = value.to_string();
    text.parse::<Int>().expect("an integer").into()
}

fn rational(value: &BigRational) -> Dynamic {
    let (n, d) = (value.numer().to_string(), value.denom().to_string());
    Real::from_rational_str(&n, &d).expect("a rational").into()
}

fn bit_vector(width: u32, value: &BigInt) -> Dynamic {
    let bits = BV::from_str(width, &value.to_string());
    bits.expect("a bit-vector").into()
}

pub(crate) fn constant(name: &str, of: &Sort) -> Dynamic {
    Dynamic::new_const(name, &sort(of))
}

pub(crate) fn sort(of: &Sort) -> z3::Sort {
    match of {
        Sort::Bool => z3::Sort::bool(),
        Sort::Int => z3::Sort::int(),
        Sort::Real => z3::Sort::real(),
        Sort::BitVec(width) => z3::Sort::bitvector(*width),
        Sort::Array(element) => z3::Sort::array(&z3::Sort::int(), &sort(element)),
    }
}
