//! `reachable` and `invariant` are keywords only where an expression follows.

use syntax::FileId;
use syntax::ast::{Item, NodeItem, PropertyKind};

/// Is the property one of reachability?
fn is_reachability(property: &str) -> bool {
    let text = format!("node n(a, b: bool) returns (c: bool); let check {property}; tel");
    let parsed = syntax::parse(FileId::default(), &text);
    assert!(parsed.errors.is_empty(), "{property}: {:?}", parsed.errors);
    let Some(Item::Node(node)) = parsed.program.items.first() else {
        panic!("{property}: no node");
    };
    match node.body.iter().flatten().next() {
        Some(NodeItem::Property(property)) => {
            matches!(property.kind, PropertyKind::Reachable { .. })
        }
        other => panic!("{property}: {other:?}"),
    }
}

#[test]
fn any_expression_can_be_reached() {
    for expression in [
        "a",
        "(a)",
        "not a",
        "nor(a, b)",
        "#(a, b)",
        "if a then b else c",
        "pre a",
        "current a",
        "uint8 1 = uint8 2",
        "int 1.0 = 1",
        "!(uint8 1) = uint8 2",
        "merge(a; b; c)",
        "forall (i: int) i = i",
        "true",
        "1 = 1",
        "::mode",
    ] {
        assert!(is_reachability(&format!("reachable {expression}")));
        assert!(is_reachability(&format!("reachable \"it\" {expression}")));
        assert!(!is_reachability(&format!("invariant {expression}")));
    }
}

#[test]
fn streams_may_be_called_so() {
    for expression in [
        "reachable",
        "reachable and a",
        "invariant = b",
        "reachable[0]",
    ] {
        assert!(!is_reachability(expression));
    }
}
