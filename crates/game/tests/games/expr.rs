//! Expressions that the tests evaluate on their own.

use system::{Random, Sort, Term, Var};

/// Over variables by their number. The truth values are 0 and 1.
#[derive(Clone, Debug)]
pub enum Expr {
    Bool(bool),
    Int(i64),
    Var(usize),
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Equal(Box<Expr>, Box<Expr>),
    AtMost(Box<Expr>, Box<Expr>),
    Plus(Box<Expr>, Box<Expr>),
    Minus(Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
}

impl Expr {
    pub fn value(&self, values: &[i64]) -> i64 {
        let of = |expr: &Expr| expr.value(values);
        match self {
            Expr::Bool(value) => i64::from(*value),
            Expr::Int(value) => *value,
            Expr::Var(at) => values[*at],
            Expr::Not(a) => 1 - of(a),
            Expr::And(all) => i64::from(all.iter().all(|one| of(one) == 1)),
            Expr::Or(all) => i64::from(all.iter().any(|one| of(one) == 1)),
            Expr::Equal(a, b) => i64::from(of(a) == of(b)),
            Expr::AtMost(a, b) => i64::from(of(a) <= of(b)),
            Expr::Plus(a, b) => of(a) + of(b),
            Expr::Minus(a, b) => of(a) - of(b),
            Expr::If(c, a, b) => match of(c) {
                1 => of(a),
                _ => of(b),
            },
        }
    }

    pub fn holds(&self, values: &[i64]) -> bool {
        self.value(values) == 1
    }

    pub fn term(&self, sorts: &[Sort]) -> Term {
        let of = |expr: &Expr| expr.term(sorts);
        match self {
            Expr::Bool(value) => system::boolean(*value),
            Expr::Int(value) => system::integer(*value),
            Expr::Var(at) => system::var(Var(*at as u32), sorts[*at].clone()),
            Expr::Not(a) => system::not(&of(a)),
            Expr::And(all) => system::and(all.iter().map(of)),
            Expr::Or(all) => system::or(all.iter().map(of)),
            Expr::Equal(a, b) => system::eq(&of(a), &of(b)),
            Expr::AtMost(a, b) => system::le(&of(a), &of(b)),
            Expr::Plus(a, b) => system::add([of(a), of(b)]),
            Expr::Minus(a, b) => system::sub(&of(a), &of(b)),
            Expr::If(c, a, b) => system::ite(&of(c), &of(a), &of(b)),
        }
    }

    /// `least <= expr <= most`.
    pub fn between(self, least: i64, most: i64) -> Expr {
        let own = Box::new(self);
        Expr::And(vec![
            Expr::AtMost(Box::new(Expr::Int(least)), own.clone()),
            Expr::AtMost(own, Box::new(Expr::Int(most))),
        ])
    }

    /// The nearest number from 0 to `most`.
    pub fn clamped(self, most: i64) -> Expr {
        let own = Box::new(self);
        let (least, most) = (Box::new(Expr::Int(0)), Box::new(Expr::Int(most)));
        let above = Expr::If(
            Box::new(Expr::AtMost(own.clone(), most.clone())),
            own.clone(),
            most,
        );
        Expr::If(
            Box::new(Expr::AtMost(own, least.clone())),
            least,
            Box::new(above),
        )
    }
}

/// Variables that an expression may be made of.
pub struct Scope {
    pub booleans: Vec<usize>,
    pub numbers: Vec<usize>,
}

impl Scope {
    pub fn boolean(&self, random: &mut Random, depth: usize) -> Expr {
        let pair = |a, b| (Box::new(a), Box::new(b));
        if depth == 0 {
            if !self.numbers.is_empty() && random.once_in(2) {
                let (a, b) = pair(self.number(random, 0), self.number(random, 0));
                return match random.once_in(2) {
                    true => Expr::Equal(a, b),
                    false => Expr::AtMost(a, b),
                };
            }
            return match self.booleans.is_empty() {
                true => Expr::Bool(random.once_in(2)),
                false => Expr::Var(self.booleans[random.below(self.booleans.len())]),
            };
        }
        match random.below(8) {
            0 | 1 => Expr::Not(Box::new(self.boolean(random, depth - 1))),
            2 | 3 => {
                let parts = (0..2).map(|_| self.boolean(random, depth - 1));
                Expr::Or(parts.collect())
            }
            4 => {
                let parts = (0..2).map(|_| self.boolean(random, depth - 1));
                Expr::And(parts.collect())
            }
            5 => {
                let (a, b) = pair(
                    self.boolean(random, depth - 1),
                    self.boolean(random, depth - 1),
                );
                Expr::Equal(a, b)
            }
            _ => {
                let (a, b) = pair(
                    self.number(random, depth - 1),
                    self.number(random, depth - 1),
                );
                match random.once_in(3) {
                    true => Expr::Equal(a, b),
                    false => Expr::AtMost(a, b),
                }
            }
        }
    }

    pub fn number(&self, random: &mut Random, depth: usize) -> Expr {
        if depth == 0 || random.once_in(3) {
            return match self.numbers.is_empty() || random.once_in(4) {
                true => Expr::Int(random.below(4) as i64 - 1),
                false => Expr::Var(self.numbers[random.below(self.numbers.len())]),
            };
        }
        let mut part = || Box::new(self.number(random, depth - 1));
        let (a, b) = (part(), part());
        match random.below(3) {
            0 => Expr::Plus(a, b),
            1 => Expr::Minus(a, b),
            _ => Expr::If(Box::new(self.boolean(random, depth - 1)), a, b),
        }
    }
}
