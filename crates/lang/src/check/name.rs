//! Names in expressions, and the variables that quantifiers and indices bind.

use syntax::ast;
use syntax::{Code, Diagnostic, Span, Symbol};

use super::elab::{Elab, Name};
use super::expr::{make, unknown, value_expr};
use crate::program::*;
use crate::types::*;
use crate::value::Value;

/// Unknown names for which one that resembles them is looked for.
const MAX_SUGGESTIONS: usize = 100;

impl Elab<'_, '_> {
    pub(super) fn name(&mut self, name: Symbol, span: Span) -> Expr {
        if let Some((_, id)) = self.bounds.iter().rev().find(|(bound, _)| *bound == name) {
            let ty = match &self.node.bound(*id).kind {
                BoundKind::Index(_) => Type::Int,
                BoundKind::Quantified(ty) => ty.clone(),
            };
            let id = *id;
            if self.constant {
                self.not_a_constant(name, span);
                return unknown(span);
            }
            return make(ExprKind::Bound(id), ty, span);
        }
        match self.names.get(&name) {
            Some(Name::Var(id)) => return self.var(*id, span),
            Some(Name::Const(id)) => return self.const_ref(*id, span),
            None => {}
        }
        if self.cx.const_decls.contains_key(&name) {
            return match self.cx.global_const(name) {
                Some(id) => self.const_ref(id, span),
                None => unknown(span),
            };
        }
        if let Some((id, at, _)) = self.cx.enum_values.get(&name) {
            return value_expr(Value::Enum(*id, *at), Type::Enum(*id), span);
        }
        let (code, what) = if self.constant {
            (Code::UnknownConstant, "constant")
        } else {
            (Code::UnknownName, "name")
        };
        let mut diagnostic =
            Diagnostic::error(code, span, format!("the {what} `{name}` is not declared"));
        diagnostic = match self.similar(name) {
            Some(other) => diagnostic.help(format!("did you mean `{other}`?")),
            None if self.in_contract => diagnostic.help(
                "a contract sees the inputs and outputs of its node and its own variables only",
            ),
            None => diagnostic.help("declare it, or correct its spelling"),
        };
        self.report(diagnostic);
        unknown(span)
    }

    /// A name in force that differs in little.
    fn similar(&mut self, name: Symbol) -> Option<Symbol> {
        self.cx.suggestions += 1;
        if self.cx.suggestions > MAX_SUGGESTIONS {
            return None;
        }
        let wanted = name.as_str();
        let mut best = None;
        let names = self.names.keys().chain(self.cx.const_decls.keys());
        for other in names.chain(self.cx.enum_values.keys()) {
            let distance = edit_distance(wanted, other.as_str());
            if distance <= wanted.len() / 3
                && best.is_none_or(|(d, s)| (distance, other.as_str()) < (d, s))
            {
                best = Some((distance, other.as_str()));
            }
        }
        best.map(|(_, text)| Symbol::new(text))
    }

    fn not_a_constant(&mut self, name: Symbol, span: Span) {
        self.report(
            Diagnostic::error(
                Code::NotConstant,
                span,
                format!("`{name}` is not a constant"),
            )
            .help("only numbers, declared constants and `const` inputs may stand here"),
        );
    }

    pub(super) fn var(&mut self, id: VarId, span: Span) -> Expr {
        let var = self.node.var(id);
        let is_const = matches!(
            var.class,
            VarClass::Const | VarClass::Input { is_const: true }
        );
        if self.constant && !is_const {
            let name = var.name;
            self.not_a_constant(name, span);
            return unknown(span);
        }
        make(ExprKind::Var(id), var.ty.clone(), span)
    }

    pub(super) fn const_ref(&self, id: ConstId, span: Span) -> Expr {
        let ty = self.cx.program.constant(id).ty.clone();
        make(ExprKind::Const(id), ty, span)
    }

    pub(super) fn quantified(
        &mut self,
        quantifier: Quantifier,
        vars: &[ast::Param],
        body: &ast::Expr,
        span: Span,
    ) -> Expr {
        if !self.spec || self.constant {
            self.report(
                Diagnostic::error(
                    Code::MisplacedQuantifier,
                    span,
                    "quantifiers may only stand in properties, contracts and assertions",
                )
                .help("define the stream without a quantifier, for instance with an array"),
            );
            return unknown(span);
        }
        let depth = self.bounds.len();
        let mut ids = Vec::new();
        for var in vars {
            let ty = self.type_expr(&var.ty);
            let id = self.add_bound(var.name.name, BoundKind::Quantified(ty));
            self.bounds.push((var.name.name, id));
            ids.push(id);
        }
        let body = self.boolean(body);
        self.bounds.truncate(depth);
        make(
            ExprKind::Quantified(quantifier, ids, body.into()),
            Type::Bool,
            span,
        )
    }

    /// The index and quantified variables that an expression depends on.
    pub(super) fn bounds_in(&self, expr: &Expr, found: &mut Vec<BoundId>) {
        let mut add = |id: BoundId| {
            if !found.contains(&id) {
                found.push(id);
            }
        };
        match &expr.kind {
            ExprKind::Bound(id) => add(*id),
            ExprKind::Call(id, _) => self.node.call(*id).indices.iter().for_each(|id| add(*id)),
            ExprKind::Choice(id) => {
                let indices = &self.node.choice(*id).indices;
                indices.iter().for_each(|id| add(*id));
            }
            ExprKind::Quantified(_, vars, body) => {
                let mut inner = Vec::new();
                self.bounds_in(body, &mut inner);
                inner
                    .iter()
                    .filter(|id| !vars.contains(id))
                    .for_each(|id| add(*id));
            }
            _ => expr.for_each_part(|part| self.bounds_in(part, found)),
        }
    }
}

/// `a.b.c` as one name.
pub(super) fn dotted_name(expr: &ast::Expr) -> Option<Symbol> {
    fn text(expr: &ast::Expr) -> Option<String> {
        match &expr.kind {
            ast::ExprKind::Name(name) => Some(name.to_string()),
            ast::ExprKind::Field(base, field) => Some(format!("{}.{}", text(base)?, field.name)),
            _ => None,
        }
    }
    text(expr).map(|text| Symbol::new(&text))
}

/// How many single-letter edits turn one word into the other.
fn edit_distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > a.len() / 3 {
        return usize::MAX;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let change = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
