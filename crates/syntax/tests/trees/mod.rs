//! Random syntax trees: all that the parser can make of some text.

mod decl;
mod expr;

use proptest::prelude::*;
use syntax::Span;
use syntax::ast::{ClockExpr, Ident, Text, TypeExpr, TypeKind};

pub use decl::program;
pub use expr::{expr, machine};

/// Names, among them all words that are keywords only at certain places.
pub fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(
        &[
            "x",
            "y",
            "z",
            "a1",
            "_t",
            "x'",
            "~1",
            "e5",
            "E",
            "check",
            "frame",
            "fi",
            "elsif",
            "reachable",
            "invariant",
            "provided",
            "from",
            "within",
            "at",
            "assume",
            "guarantee",
            "mode",
            "require",
            "ensure",
            "weakly",
            "include",
            "initial",
            "default",
            "step",
        ][..],
    )
}

pub fn named(name: &str) -> Ident {
    Ident {
        name: name.into(),
        span: Span::default(),
    }
}

pub fn ident() -> impl Strategy<Value = Ident> {
    name().prop_map(named)
}

/// The name of a stream, which may have dots in it.
pub fn stream() -> impl Strategy<Value = Ident> {
    prop::collection::vec(name(), 1..3).prop_map(|parts| named(&parts.join(".")))
}

pub fn text() -> impl Strategy<Value = Text> {
    let texts = [
        "",
        "p",
        "a b",
        "é∀",
        r#"\"q\""#,
        r"\\",
        "--x",
        "*)",
        "two\nlines",
    ];
    prop::sample::select(texts.to_vec()).prop_map(|text| Text {
        text: text.to_owned(),
        span: Span::default(),
    })
}

pub fn clock() -> impl Strategy<Value = ClockExpr> {
    prop_oneof![
        ident().prop_map(ClockExpr::On),
        ident().prop_map(ClockExpr::OnNot),
        (ident(), ident()).prop_map(|(value, clock)| ClockExpr::OnValue(value, clock)),
        Just(ClockExpr::True),
    ]
}

pub fn type_expr() -> impl Strategy<Value = TypeExpr> {
    let typed = |kind| TypeExpr {
        kind,
        span: Span::default(),
    };
    let bound = || prop::option::of(expr::small().prop_map(Box::new));
    let leaf = prop_oneof![
        Just(TypeKind::Bool),
        Just(TypeKind::Int),
        Just(TypeKind::Real),
        machine().prop_map(TypeKind::Machine),
        name().prop_map(|name| TypeKind::Named(name.into())),
        (bound(), bound()).prop_map(|(low, high)| TypeKind::Range(low, high)),
    ];
    let leaf = leaf.prop_map(typed);
    leaf.prop_recursive(3, 12, 3, move |inner| {
        let tuple = prop::collection::vec(inner.clone(), 1..3).prop_map(TypeKind::Tuple);
        let array = (inner, expr::small(), any::<bool>());
        let array = array.prop_map(|(element, size, bracketed)| TypeKind::Array {
            // In `int^n[3]` the brackets belong to the size.
            bracketed: bracketed && !ends_in_size(&element),
            element: Box::new(element),
            size: Box::new(size),
        });
        prop_oneof![tuple, array].prop_map(typed)
    })
}

fn ends_in_size(ty: &TypeExpr) -> bool {
    match &ty.kind {
        TypeKind::Array { bracketed, .. } => !bracketed,
        _ => false,
    }
}
