//! Operations outside of their domain, as uninterpreted functions.

use lang::{Expr, ExprKind, Partial, Program, Type, VarId};

use super::value::{Val, in_type, literal, parts, sort};
use super::{Key, Path, Simple, Translator, not_covered};
use crate::text::function_symbol;

/// Indices into an array of a type, the first `done` of which were followed.
#[derive(Clone, Copy)]
struct Indexed<'s> {
    ty: &'s Type,
    /// A stream that is defined by induction, and its token.
    token: Option<&'s str>,
    indices: &'s [String],
    done: usize,
}

impl<'p> Translator<'p> {
    /// A division; by zero, a function of the dividend.
    pub(super) fn divided(&mut self, partial: Partial, a: &str, b: &str) -> String {
        let (zero, sort) = match partial {
            Partial::RealDiv => ("0.0", "Real"),
            _ => ("0", "Int"),
        };
        let function = self.function(&partial.function(), vec![sort.to_owned()], sort);
        let word = partial.word();
        format!("(let ((n! {a}) (d! {b})) (ite (= d! {zero}) ({function} n!) ({word} n! d!)))")
    }

    /// `A[i][j]`.
    pub(super) fn indexed(&mut self, path: &Path, expr: &'p Expr) -> Simple<Val> {
        let (mut base, mut indices) = (expr, Vec::new());
        while let ExprKind::Index(inner, index) = &base.kind {
            indices.push(self.expr(path, index)?.scalar()?.to_owned());
            base = inner;
        }
        indices.reverse();
        let array = self.expr(path, base)?;
        let token = match base.kind {
            ExprKind::Var(var) if self.node(path)?.is_inductive(var) => {
                Some(self.token(path, var)?)
            }
            _ => None,
        };
        let indexed = Indexed {
            ty: &base.ty,
            token: token.as_deref(),
            indices: &indices,
            done: 0,
        };
        self.select(&array, indexed)
    }

    fn select(&mut self, array: &Val, at: Indexed) -> Simple<Val> {
        let Some(index) = at.indices.get(at.done) else {
            return Ok(array.clone());
        };
        let (Val::Fields(elements), Type::Array(ty)) = (array, at.ty) else {
            return not_covered("an element of a scalar");
        };
        let inside = Indexed {
            ty: &ty.element,
            done: at.done + 1,
            ..at
        };
        if let Some(known) = index.parse::<usize>().ok().and_then(|at| elements.get(at)) {
            return self.select(known, inside);
        }
        let outside = self.outside(array, at)?;
        let behind = Indexed {
            token: None,
            ..inside
        };
        let mut chosen = self.select(&outside, behind)?;
        for (at, element) in elements.iter().enumerate() {
            let element = self.select(element, inside)?;
            chosen = element.or_else(&format!("(= {index} {at})"), &chosen)?;
        }
        Ok(chosen)
    }

    /// The element at the next index, outside of the bounds: a function of the array and
    /// the index; of a stream that is defined by induction, of the token and all indices.
    fn outside(&mut self, array: &Val, at: Indexed) -> Simple<Val> {
        let Type::Array(ty) = at.ty else {
            return not_covered("an element of a scalar");
        };
        let (mut args, mut sorts): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        match at.token {
            Some(token) => args.push(token),
            None => {
                args.extend(array.scalars());
                scalar_sorts(self.program, at.ty, &mut sorts)?;
            }
        }
        let first = at.token.map_or(at.done, |_| 0);
        args.extend(at.indices[first..=at.done].iter().map(String::as_str));
        sorts.resize(args.len(), "Int".to_owned());
        let name = Partial::outside_of(self.program, &ty.element, at.token.is_some(), args.len());
        self.applied(&ty.element, &name, &args.join(" "), &sorts)
    }

    /// A function of arguments for each scalar of a type.
    fn applied(&mut self, ty: &Type, name: &str, args: &str, sorts: &[String]) -> Simple<Val> {
        if let Some(parts) = parts(self.program, ty)? {
            let all = parts.iter();
            let all = all.map(|(part, ty)| self.applied(ty, &format!("{name}{part}"), args, sorts));
            return all.collect::<Simple<Vec<Val>>>().map(Val::Fields);
        }
        let function = self.function(name, sorts.to_vec(), &sort(ty)?);
        let text = format!("({function} {args})");
        let Some(allowed) = in_type(self.program, ty, &text) else {
            return Ok(Val::Scalar(text));
        };
        let default = literal(&self.program.default_value(ty, &|_| 0))?;
        Val::Scalar(text).or_else(&allowed, &default)
    }

    /// A number that is free at each step.
    fn token(&mut self, path: &Path, var: VarId) -> Simple<String> {
        let key = Key::Outside(path.clone(), var);
        let token = match self.known(&key) {
            Some(token) => token,
            None => {
                let name = self.node(path)?.var(var).name;
                let name = self.name(path, &format!("{name}!outside"));
                self.variable(key, &Type::Int, &name)?
            }
        };
        token.scalar().map(str::to_owned)
    }

    /// The symbol of a function, which is declared.
    fn function(&mut self, name: &str, args: Vec<String>, result: &str) -> String {
        let symbol = function_symbol(name);
        let declared = (args, result.to_owned());
        self.system.functions.insert(symbol.clone(), declared);
        symbol
    }
}

fn scalar_sorts(program: &Program, ty: &Type, sorts: &mut Vec<String>) -> Simple<()> {
    match parts(program, ty)? {
        Some(parts) => {
            let mut parts = parts.iter();
            parts.try_for_each(|(_, ty)| scalar_sorts(program, ty, sorts))
        }
        None => {
            sorts.push(sort(ty)?);
            Ok(())
        }
    }
}
