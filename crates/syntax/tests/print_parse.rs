//! Printing a tree and parsing the text gives the same tree.

mod trees;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use syntax::ast::*;
use syntax::{Span, parse_without_positions, print};

/// A program that a failing test shows as text.
struct Shown(Program);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{}", print::program(&self.0))
    }
}

fn alone(item: Item) -> Shown {
    Shown(Program { items: vec![item] })
}

fn constant(value: Expr) -> Shown {
    let decl = ConstDecl {
        name: trees::named("c"),
        ty: None,
        value: Some(value),
        span: Span::default(),
    };
    alone(Item::Const(decl))
}

fn alias(ty: TypeExpr) -> Shown {
    let decl = TypeDecl {
        name: trees::named("t"),
        def: TypeDef::Alias(ty),
        span: Span::default(),
    };
    alone(Item::Type(decl))
}

fn assert_printed_well(Shown(program): &Shown) -> Result<(), TestCaseError> {
    let parsed = parse_without_positions(&print::program(program));
    if let Some(error) = parsed.errors.first() {
        return Err(TestCaseError::fail(error.message.clone()));
    }
    prop_assert!(parsed.program == *program, "{parsed:?}\n{program:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn expressions_are_printed_well(shown in trees::expr().prop_map(constant)) {
        assert_printed_well(&shown)?;
    }

    #[test]
    fn types_are_printed_well(shown in trees::type_expr().prop_map(alias)) {
        assert_printed_well(&shown)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn programs_are_printed_well(shown in trees::program().prop_map(Shown)) {
        assert_printed_well(&shown)?;
    }
}

/// A number for each kind of expression; this match is to be extended with a
/// new kind, and so are the random trees.
fn variant(kind: &ExprKind) -> usize {
    match kind {
        ExprKind::Bool(_) => 0,
        ExprKind::Int(_) => 1,
        ExprKind::Real(_) => 2,
        ExprKind::Name(_) => 3,
        ExprKind::ModeRef(_) => 4,
        ExprKind::Unary(..) => 5,
        ExprKind::Binary(..) => 6,
        ExprKind::If(..) => 7,
        ExprKind::With(..) => 8,
        ExprKind::AtMostOne(_) => 9,
        ExprKind::Nor(_) => 10,
        ExprKind::Quantified(..) => 11,
        ExprKind::When(..) => 12,
        ExprKind::Current(_) => 13,
        ExprKind::Merge(..) => 14,
        ExprKind::Call(_) => 15,
        ExprKind::Delay(..) => 16,
        ExprKind::List(_) => 17,
        ExprKind::Tuple(_) => 18,
        ExprKind::Array(_) => 19,
        ExprKind::Fill(..) => 20,
        ExprKind::Record(..) => 21,
        ExprKind::Field(..) => 22,
        ExprKind::Project(..) => 23,
        ExprKind::Index(..) => 24,
        ExprKind::Slice(..) => 25,
        ExprKind::Update(..) => 26,
    }
}

#[test]
fn random_trees_have_every_kind_of_expression() {
    let mut runner = TestRunner::deterministic();
    let strategy = trees::expr();
    let kinds: BTreeSet<usize> = (0..2000)
        .map(|_| strategy.new_tree(&mut runner).expect("a tree").current())
        .map(|expr| variant(&expr.kind))
        .collect();
    assert_eq!(kinds, (0..27).collect());
}
