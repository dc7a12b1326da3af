//! Expressions.

use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::collection::vec;
use proptest::prelude::*;
use syntax::Span;
use syntax::ast::*;

use super::{clock, ident, name, type_expr};

pub fn machine() -> impl Strategy<Value = Machine> {
    let widths = prop::sample::select(vec![8u8, 16, 32, 64]);
    (any::<bool>(), widths).prop_map(|(signed, width)| Machine { signed, width })
}

fn made(kind: ExprKind) -> Expr {
    Expr {
        kind,
        span: Span::default(),
    }
}

/// An expression of any kind.
pub fn expr() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(4, 40, 4, |inner| {
        let inner = inner.boxed();
        prop_oneof![
            4 => operators(inner.clone()),
            2 => structures(inner.clone()),
            2 => clocked(inner),
        ]
        .prop_map(made)
    })
}

/// An expression in a place where a large one would hide what stands around.
pub fn small() -> impl Strategy<Value = Expr> {
    leaf().prop_recursive(2, 6, 2, |inner| operators(inner.boxed()).prop_map(made))
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        4 => name().prop_map(|name| ExprKind::Name(name.into())),
        1 => any::<bool>().prop_map(ExprKind::Bool),
        1 => any::<u128>().prop_map(|value| ExprKind::Int(value.into())),
        1 => (0u32..10).prop_map(|value| ExprKind::Int(value.into())),
        1 => real().prop_map(ExprKind::Real),
        1 => vec(ident(), 1..3).prop_map(ExprKind::ModeRef),
    ]
    .prop_map(made)
}

/// Literals have a finite decimal expansion.
fn real() -> impl Strategy<Value = BigRational> {
    (any::<u64>(), 0u32..40, 0u32..40).prop_map(|(numerator, twos, fives)| {
        let denominator = BigInt::from(2).pow(twos) * BigInt::from(5).pow(fives);
        BigRational::new(numerator.into(), denominator)
    })
}

fn unary_op() -> impl Strategy<Value = UnaryOp> {
    prop::sample::select(UnaryOp::all().collect::<Vec<_>>())
}

fn binary_op() -> impl Strategy<Value = BinaryOp> {
    prop::sample::select(BinaryOp::ALL)
}

fn operators(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = ExprKind> {
    let boxed = inner.clone().prop_map(Box::new).boxed();
    let three = (boxed.clone(), boxed.clone(), boxed.clone());
    prop_oneof![
        2 => (unary_op(), boxed.clone()).prop_map(|(op, a)| ExprKind::Unary(op, a)),
        4 => (binary_op(), boxed.clone(), boxed.clone())
            .prop_map(|(op, a, b)| ExprKind::Binary(op, a, b)),
        1 => three.clone().prop_map(|(c, a, b)| ExprKind::If(c, a, b)),
        1 => three.prop_map(|(c, a, b)| ExprKind::With(c, a, b)),
        1 => vec(inner.clone(), 1..3).prop_map(ExprKind::AtMostOne),
        1 => vec(inner, 1..3).prop_map(ExprKind::Nor),
        1 => (boxed.clone(), any::<u64>(), boxed.clone())
            .prop_map(|(a, steps, b)| ExprKind::Delay(a, steps, b)),
        1 => (boxed.clone(), boxed).prop_map(|(a, size)| ExprKind::Fill(a, size)),
    ]
}

fn structures(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = ExprKind> {
    let boxed = inner.clone().prop_map(Box::new).boxed();
    let fields = vec((ident(), inner.clone()), 0..3);
    let slice = (
        boxed.clone(),
        boxed.clone(),
        boxed.clone(),
        prop::option::of(boxed.clone()),
    );
    let path = vec(access(inner.clone()), 1..3);
    prop_oneof![
        vec(inner.clone(), 2..4).prop_map(ExprKind::List),
        vec(inner.clone(), 1..3).prop_map(ExprKind::Tuple),
        vec(inner, 1..3).prop_map(ExprKind::Array),
        (ident(), fields).prop_map(|(name, fields)| ExprKind::Record(name, fields)),
        (boxed.clone(), ident()).prop_map(|(a, field)| ExprKind::Field(a, field)),
        (boxed.clone(), any::<u32>()).prop_map(|(a, at)| ExprKind::Project(a, at)),
        (boxed.clone(), boxed.clone()).prop_map(|(a, index)| ExprKind::Index(a, index)),
        slice.prop_map(|(a, first, last, step)| ExprKind::Slice(a, first, last, step)),
        (boxed.clone(), path, boxed).prop_map(|(a, path, value)| ExprKind::Update(a, path, value)),
    ]
}

fn access(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = Access> {
    prop_oneof![
        ident().prop_map(Access::Field),
        any::<u32>().prop_map(|at| Access::Project(at, Span::default())),
        inner.prop_map(Access::Index),
    ]
}

fn clocked(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = ExprKind> {
    let boxed = inner.clone().prop_map(Box::new).boxed();
    let quantifier = prop::sample::select(vec![Quantifier::Forall, Quantifier::Exists]);
    let vars = vec(bound_var(), 0..3);
    prop_oneof![
        (quantifier, vars, boxed.clone()).prop_map(|(q, vars, a)| ExprKind::Quantified(q, vars, a)),
        (boxed.clone(), clock()).prop_map(|(a, clock)| ExprKind::When(a, clock)),
        boxed.prop_map(ExprKind::Current),
        (ident(), vec((case(), inner.clone()), 1..3))
            .prop_map(|(clock, cases)| ExprKind::Merge(clock, cases)),
        call(inner).prop_map(ExprKind::Call),
    ]
}

/// Types hold sizes, which are expressions: simple types keep this finite.
fn bound_var() -> impl Strategy<Value = Param> {
    let kinds = prop_oneof![Just(TypeKind::Int), machine().prop_map(TypeKind::Machine)];
    let parts = (ident(), kinds, any::<bool>(), prop::option::of(clock()));
    parts.prop_map(|(name, kind, is_const, clock)| Param {
        name,
        ty: TypeExpr {
            kind,
            span: Span::default(),
        },
        is_const,
        clock,
    })
}

fn case() -> impl Strategy<Value = MergeCase> {
    prop_oneof![
        Just(MergeCase::True(Span::default())),
        Just(MergeCase::False(Span::default())),
        ident().prop_map(MergeCase::Value),
    ]
}

fn call(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = Call> {
    let all = vec(inner.clone(), 0..3);
    let one = prop::option::of(inner.prop_map(Box::new));
    let parts = (
        ident(),
        all.clone(),
        one.clone(),
        prop::option::of(all),
        one,
    );
    parts.prop_map(|(node, args, every, defaults, restart)| Call {
        node,
        args,
        // Without a clock there is nothing to default.
        defaults: defaults.filter(|_| every.is_some()),
        every,
        restart,
    })
}

/// A parameter, with any type.
pub fn param() -> impl Strategy<Value = Param> {
    let parts = (
        super::stream(),
        type_expr(),
        any::<bool>(),
        prop::option::of(clock()),
    );
    parts.prop_map(|(name, ty, is_const, clock)| Param {
        name,
        ty,
        is_const,
        clock,
    })
}
