//! The node under construction, the names in force, and types in its terms.

use std::collections::HashMap;
use std::sync::Arc;

use syntax::ast::{self, NodeKind, TypeExpr, TypeKind};
use syntax::{Code, Diagnostic, Span, Symbol};

use super::Checker;
use super::contract::Scope;
use super::expr::unknown;
use super::global::Names;
use crate::constant;
use crate::program::*;
use crate::types::*;
use crate::value::Value;

/// What a name in an expression stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    Var(VarId),
    Const(ConstId),
}

/// The branch of a merge that an expression stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Case {
    True,
    False,
    Value(Symbol),
}

/// Turns expressions, equations and contracts of one node into typed ones.
pub(super) struct Elab<'c, 'a> {
    pub cx: &'c mut Checker<'a>,
    pub node: Node,
    pub names: Names,
    /// Index and quantified variables in force, innermost last.
    pub bounds: Vec<(Symbol, BoundId)>,
    /// Only constants may be used.
    pub constant: bool,
    /// The value at the first step is never used: `->` guards it.
    pub guarded: bool,
    /// Quantifiers are allowed.
    pub spec: bool,
    /// Steps of the delays around.
    pub delay: u64,
    /// The clock and the branch of the merge around.
    pub merge: Option<(Symbol, Case)>,
    pub in_contract: bool,
    /// Some stream of the node has dots in its name.
    pub dotted: bool,
    pub scopes: Vec<Scope<'a>>,
    /// The contract scope that is being read.
    pub scope: usize,
    /// The mode that is being read.
    pub mode: Option<VarId>,
    /// Calls by a hash of what they do, to find the ones that are the same.
    pub shared_calls: HashMap<u64, Vec<CallId>>,
    /// The indices of each array's definitions, by position.
    pub indices: HashMap<(VarId, usize), BoundId>,
}

impl Node {
    fn empty(name: Symbol, kind: NodeKind, span: Span) -> Node {
        Node {
            name,
            kind,
            has_body: true,
            imported: false,
            abstracted: false,
            is_main: false,
            span,
            vars: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            equations: Vec::new(),
            calls: Vec::new(),
            choices: Vec::new(),
            bounds: Vec::new(),
            asserts: Vec::new(),
            properties: Vec::new(),
            contract: None,
            output_deps: Vec::new(),
            data_deps: Vec::new(),
            possible_deps: Vec::new(),
            questioned: Vec::new(),
            realizable: None,
            faults: Vec::new(),
            open_pre: false,
        }
    }
}

impl<'c, 'a> Elab<'c, 'a> {
    pub fn new(cx: &'c mut Checker<'a>, name: Symbol, kind: NodeKind, span: Span) -> Self {
        Elab {
            cx,
            node: Node::empty(name, kind, span),
            names: Names::new(),
            bounds: Vec::new(),
            constant: false,
            guarded: false,
            spec: false,
            delay: 0,
            merge: None,
            in_contract: false,
            dotted: false,
            scopes: Vec::new(),
            scope: 0,
            mode: None,
            shared_calls: HashMap::new(),
            indices: HashMap::new(),
        }
    }

    /// For expressions outside of all nodes.
    pub fn constant(cx: &'c mut Checker<'a>) -> Self {
        let mut elab = Elab::new(cx, Symbol::new(""), NodeKind::Node, Span::default());
        elab.constant = true;
        elab
    }

    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.cx.report(diagnostic);
    }

    pub fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.cx.error(code, span, message);
    }

    pub fn type_name(&self, ty: &Type) -> String {
        self.cx.program.type_name(ty)
    }

    pub fn is_function(&self) -> bool {
        self.node.kind == NodeKind::Function
    }

    pub fn add_var(&mut self, name: Symbol, ty: Type, class: VarClass, span: Span) -> VarId {
        let id = VarId(self.node.vars.len() as u32);
        self.dotted |= name.as_str().contains('.');
        self.node.vars.push(Var {
            name,
            ty,
            class,
            span,
            def: None,
            looped: None,
        });
        id
    }

    pub fn add_choice(
        &mut self,
        kind: ChoiceKind,
        ty: Type,
        indices: Vec<BoundId>,
        span: Span,
    ) -> ChoiceId {
        let id = ChoiceId(self.node.choices.len() as u32);
        self.node.choices.push(Choice {
            kind,
            ty,
            indices,
            span,
        });
        id
    }

    pub fn add_bound(&mut self, name: Symbol, kind: BoundKind) -> BoundId {
        let id = BoundId(self.node.bounds.len() as u32);
        self.node.bounds.push(BoundVar { name, kind });
        id
    }

    pub fn add_equation(&mut self, span: Span, vars: Vec<VarId>) -> EquationId {
        let id = EquationId(self.node.equations.len() as u32);
        self.node.equations.push(Equation {
            span,
            vars,
            in_contract: self.in_contract,
        });
        id
    }

    /// Runs with other settings in force and puts the old ones back.
    pub fn with<T>(&mut self, set: impl FnOnce(&mut Self), run: impl FnOnce(&mut Self) -> T) -> T {
        let old = (self.constant, self.guarded, self.spec, self.merge);
        set(self);
        let result = run(self);
        (self.constant, self.guarded, self.spec, self.merge) = old;
        result
    }

    /// Enters a parameter or local variable under its name.
    pub fn declare(&mut self, name: ast::Ident, id: VarId) {
        if let Some(Name::Var(earlier)) = self.names.insert(name.name, Name::Var(id)) {
            let earlier = self.node.var(earlier).span;
            self.report(
                Diagnostic::error(
                    Code::Redeclared,
                    name.span,
                    format!("`{}` is declared twice", name.name),
                )
                .related(earlier, "the first declaration is here")
                .help("rename or remove one of the two"),
            );
        }
    }

    pub fn declare_params(&mut self, params: &[ast::Param], inputs: bool) {
        for param in params {
            self.refuse_clock(param);
            let ty = self.type_expr(&param.ty);
            let class = if inputs {
                VarClass::Input {
                    is_const: param.is_const,
                }
            } else {
                VarClass::Output
            };
            let id = self.add_var(param.name.name, ty, class, param.name.span);
            self.declare(param.name, id);
            let list = if inputs {
                &mut self.node.inputs
            } else {
                &mut self.node.outputs
            };
            list.push(id);
        }
    }

    pub fn refuse_clock(&mut self, param: &ast::Param) {
        if param
            .clock
            .as_ref()
            .is_some_and(|c| *c != ast::ClockExpr::True)
        {
            self.report(
                Diagnostic::error(
                    Code::ClockedDeclaration,
                    param.name.span,
                    format!("`{}` is declared on a clock", param.name.name),
                )
                .help("declare it without `when`; use `activate` and `merge` for clocked calls"),
            );
        }
    }

    /// The type that a type expression stands for.
    pub fn type_expr(&mut self, ty: &TypeExpr) -> Type {
        if !self.cx.deepen(ty.span) {
            return Type::Unknown;
        }
        let resolved = self.type_of(ty);
        self.cx.depth -= 1;
        resolved
    }

    fn type_of(&mut self, ty: &TypeExpr) -> Type {
        match &ty.kind {
            TypeKind::Bool => Type::Bool,
            TypeKind::Int => Type::Int,
            TypeKind::Real => Type::Real,
            TypeKind::Machine(machine) => Type::Machine(*machine),
            TypeKind::Range(low, high) => self.range(low.as_deref(), high.as_deref(), ty.span),
            TypeKind::Named(name) => self.cx.named_type(*name, ty.span),
            TypeKind::Tuple(parts) => {
                let parts: Arc<[Type]> = parts.iter().map(|part| self.type_expr(part)).collect();
                if parts.iter().any(Type::is_unknown) {
                    return Type::Unknown;
                }
                self.cx.limit_parts(Type::Tuple(parts), ty.span)
            }
            TypeKind::Array { element, size, .. } => {
                let element = self.type_expr(element);
                match (element, self.size(size)) {
                    (Type::Unknown, _) | (_, None) => Type::Unknown,
                    (element, Some(size)) => Type::array(element, size),
                }
            }
        }
    }

    fn range(&mut self, low: Option<&ast::Expr>, high: Option<&ast::Expr>, span: Span) -> Type {
        let mut failed = false;
        let mut bound = |elab: &mut Self, bound: Option<&ast::Expr>| {
            let bound = bound?;
            let value = elab.bound(bound);
            failed |= value.is_none();
            value
        };
        let low = bound(self, low);
        let high = bound(self, high);
        if failed {
            return Type::Unknown;
        }
        match (&low, &high) {
            (None, None) => {
                self.report(
                    Diagnostic::error(Code::BadRange, span, "this subrange has no bound")
                        .help("give at least one bound, or use `int`"),
                );
                Type::Unknown
            }
            (Some(low), Some(high)) if low > high => {
                self.report(
                    Diagnostic::error(
                        Code::BadRange,
                        span,
                        format!("the subrange [{low}, {high}] is empty"),
                    )
                    .help("the first bound must not be greater than the second"),
                );
                Type::Unknown
            }
            _ => Type::Range(Arc::new(Range { low, high })),
        }
    }

    fn bound(&mut self, expr: &ast::Expr) -> Option<num_bigint::BigInt> {
        let typed = self.const_value(expr, Some(&Type::Int));
        if typed.ty.is_unknown() {
            return None;
        }
        match constant::eval(&self.cx.program, Some(&self.node), &typed) {
            Some(Value::Int(value)) => Some(value),
            _ => {
                self.report(
                    Diagnostic::error(
                        Code::SymbolicBound,
                        expr.span,
                        "the value of this bound is not known",
                    )
                    .help("bounds of subranges must be numbers or constants with a value"),
                );
                None
            }
        }
    }

    /// The size that an expression in a type or behind `^` stands for.
    pub fn size(&mut self, expr: &ast::Expr) -> Option<Size> {
        let typed = self.const_value(expr, None);
        if typed.ty.is_unknown() {
            return None;
        }
        let bad = |elab: &mut Self, message: String| {
            elab.report(
                Diagnostic::error(Code::BadSize, expr.span, message)
                    .help("sizes are positive integers, built from numbers and constants"),
            );
            None
        };
        if !typed.ty.is_int() {
            let found = self.type_name(&typed.ty);
            return bad(
                self,
                format!("the size of an array is an `int`, not a `{found}`"),
            );
        }
        let Some(size) = constant::size(&self.cx.program, Some(&self.node), &typed) else {
            return bad(
                self,
                "this size is not a sum or product of constants".to_owned(),
            );
        };
        match size.value() {
            Some(value) if value <= 0.into() => bad(
                self,
                format!("the size of an array is at least 1, not {value}"),
            ),
            _ => Some(size),
        }
    }

    /// A constant expression, folded to its value where that is known.
    pub fn const_value(&mut self, expr: &ast::Expr, expected: Option<&Type>) -> Expr {
        let mut typed = self.with(
            |e| {
                e.constant = true;
                e.spec = false;
            },
            |e| e.one(expr),
        );
        if let Some(expected) = expected {
            self.expect(&typed, expected);
            if !typed.ty.fits(expected) {
                typed.ty = Type::Unknown;
            }
        }
        if !typed.ty.is_unknown() {
            let budget = &mut self.cx.constant_budget;
            match constant::try_eval(&self.cx.program, Some(&self.node), &typed, budget) {
                Ok(value) => typed.kind = ExprKind::Value(value),
                Err(constant::Unknown::Open) => {}
                Err(constant::Unknown::Huge) => {
                    self.error(
                        Code::HugeConstant,
                        expr.span,
                        "this constant is too large to be computed",
                    );
                    return unknown(expr.span);
                }
            }
        }
        typed
    }

    /// Reports an expression whose type is not the one wanted.
    pub fn expect(&mut self, expr: &Expr, expected: &Type) {
        if !expr.ty.fits(expected) {
            let (found, wanted) = (self.type_name(&expr.ty), self.type_name(expected));
            self.error(
                Code::TypeMismatch,
                expr.span,
                format!("expected a value of type `{wanted}`, found one of type `{found}`"),
            );
        }
    }
}
