//! Where the parts of a tree lie in the text.

use syntax::ast::{Expr, ExprKind, Item};
use syntax::{FileId, Span};

fn constant(value: &str) -> (String, Expr) {
    let text = format!("const c = {value};");
    let mut parsed = syntax::parse(FileId::default(), &text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
    match parsed.program.items.pop() {
        Some(Item::Const(decl)) => (text, decl.value.expect("a value")),
        other => panic!("{other:?}"),
    }
}

fn shown(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

#[test]
fn branches_of_a_merge_lie_where_their_values_do() {
    let (text, expr) = constant("merge(b; x + 1; y)");
    let ExprKind::Merge(_, cases) = &expr.kind else {
        panic!("{expr:?}");
    };
    let places = cases.iter().map(|(case, _)| shown(&text, case.span()));
    assert_eq!(places.collect::<Vec<_>>(), ["x + 1", "y"]);
}

#[test]
fn branches_with_a_label_lie_at_the_label() {
    let (text, expr) = constant("merge b (true -> x) (false -> y)");
    let ExprKind::Merge(_, cases) = &expr.kind else {
        panic!("{expr:?}");
    };
    let places = cases.iter().map(|(case, _)| shown(&text, case.span()));
    assert_eq!(places.collect::<Vec<_>>(), ["true", "false"]);
}
