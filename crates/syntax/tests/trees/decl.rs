//! Declarations, statements and contracts.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use syntax::Span;
use syntax::ast::*;

use super::expr::{param, small};
use super::{expr, ident, stream, text, type_expr};

const NOWHERE: Span = Span {
    file: syntax::FileId(0),
    start: 0,
    end: 0,
};

pub fn program() -> impl Strategy<Value = Program> {
    vec(item(), 0..5).prop_map(|items| Program { items })
}

fn item() -> impl Strategy<Value = Item> {
    prop_oneof![
        1 => text().prop_map(Item::Include),
        2 => type_decl().prop_map(Item::Type),
        2 => const_decl().prop_map(Item::Const),
        3 => node_decl().prop_map(Item::Node),
        1 => contract_decl().prop_map(Item::Contract),
    ]
}

fn type_decl() -> impl Strategy<Value = TypeDecl> {
    let def = prop_oneof![
        Just(TypeDef::Abstract),
        type_expr().prop_map(TypeDef::Alias),
        vec(ident(), 1..3).prop_map(TypeDef::Enum),
        vec((ident(), type_expr()), 0..3).prop_map(TypeDef::Record),
    ];
    (ident(), def).prop_map(|(name, def)| TypeDecl {
        name,
        def,
        span: NOWHERE,
    })
}

fn const_decl() -> impl Strategy<Value = ConstDecl> {
    let parts = prop_oneof![
        type_expr().prop_map(|ty| (Some(ty), None)),
        expr().prop_map(|value| (None, Some(value))),
        (type_expr(), expr()).prop_map(|(ty, value)| (Some(ty), Some(value))),
    ];
    (ident(), parts).prop_map(|(name, (ty, value))| ConstDecl {
        name,
        ty,
        value,
        span: NOWHERE,
    })
}

fn node_decl() -> impl Strategy<Value = NodeDecl> {
    let kind = prop::sample::select(vec![NodeKind::Node, NodeKind::Function]);
    let head = (kind, any::<bool>(), ident());
    let params = (vec(param(), 0..3), vec(param(), 0..3));
    let inside = (vec(local(), 0..3), option::of(vec(node_item(), 0..4)));
    let parts = (head, params, option::of(contract()), inside);
    parts.prop_map(
        |((kind, imported, name), (inputs, outputs), contract, (locals, body))| {
            let body = match (imported, kind) {
                (true, _) => None,
                (false, NodeKind::Node) => Some(body.unwrap_or_default()),
                (false, NodeKind::Function) => body,
            };
            NodeDecl {
                kind,
                imported,
                name,
                inputs,
                outputs,
                contract,
                locals: if body.is_some() { locals } else { Vec::new() },
                body,
                span: NOWHERE,
            }
        },
    )
}

fn local() -> impl Strategy<Value = Local> {
    prop_oneof![
        param().prop_map(|var| Local::Var(Param {
            is_const: false,
            ..var
        })),
        const_decl().prop_map(Local::Const),
    ]
}

fn contract_decl() -> impl Strategy<Value = ContractDecl> {
    let params = || vec(param(), 0..3);
    let parts = (ident(), params(), params(), contract());
    parts.prop_map(|(name, inputs, outputs, contract)| ContractDecl {
        name,
        inputs,
        outputs,
        contract,
        span: NOWHERE,
    })
}

fn contract() -> impl Strategy<Value = Contract> {
    vec(contract_item(), 0..4).prop_map(|items| Contract {
        items,
        span: NOWHERE,
    })
}

fn contract_item() -> impl Strategy<Value = ContractItem> {
    let vars = (vec(param(), 1..3), expr());
    let strong = || vec(clause().prop_map(|c| Clause { weak: false, ..c }), 0..3);
    let import = (ident(), vec(expr(), 0..3), vec(ident(), 0..3));
    prop_oneof![
        const_decl().prop_map(ContractItem::Const),
        vars.prop_map(|(vars, value)| ContractItem::Vars {
            vars,
            value,
            span: NOWHERE,
        }),
        clause().prop_map(ContractItem::Assume),
        clause().prop_map(ContractItem::Guarantee),
        (ident(), strong(), strong()).prop_map(|(name, requires, ensures)| ContractItem::Mode {
            name,
            requires,
            ensures,
            span: NOWHERE,
        }),
        import.prop_map(|(contract, args, outputs)| ContractItem::Import {
            contract,
            args,
            outputs,
            span: NOWHERE,
        }),
    ]
}

fn clause() -> impl Strategy<Value = Clause> {
    (any::<bool>(), option::of(text()), expr()).prop_map(|(weak, name, expr)| Clause {
        weak,
        name,
        expr,
        span: NOWHERE,
    })
}

fn node_item() -> impl Strategy<Value = NodeItem> {
    let leaf = prop_oneof![
        4 => equation().prop_map(NodeItem::Equation),
        1 => expr().prop_map(|expr| NodeItem::Assert { expr, span: NOWHERE }),
        2 => property().prop_map(NodeItem::Property),
        1 => any::<bool>().prop_map(|value| NodeItem::Main { value, span: NOWHERE }),
        1 => vec(ident(), 1..3).prop_map(|names| NodeItem::Ivc { names, span: NOWHERE }),
        1 => fault().prop_map(NodeItem::Fault),
    ];
    leaf.prop_recursive(2, 8, 2, |inner| {
        let items = vec(inner, 0..3);
        let branches = vec((small(), items.clone()), 1..3);
        prop_oneof![
            (branches, items.clone()).prop_map(|(branches, otherwise)| {
                NodeItem::If(IfBlock {
                    branches,
                    otherwise,
                    span: NOWHERE,
                })
            }),
            (vec(ident(), 1..3), vec(equation(), 0..2), items).prop_map(|(vars, inits, body)| {
                NodeItem::Frame(FrameBlock {
                    vars,
                    inits,
                    body,
                    span: NOWHERE,
                })
            }),
        ]
    })
}

fn fault() -> impl Strategy<Value = Fault> {
    let cost = option::of(1..9u32);
    let parts = (ident(), cost, ident(), option::of(expr()));
    parts.prop_map(|(name, cost, stream, value)| Fault {
        name,
        cost,
        stream,
        value,
        span: NOWHERE,
    })
}

fn equation() -> impl Strategy<Value = Equation> {
    let left = (stream(), vec(ident(), 0..3)).prop_map(|(name, indices)| Left { name, indices });
    (vec(left, 0..3), expr()).prop_map(|(left, right)| Equation {
        left,
        right,
        span: NOWHERE,
    })
}

fn property() -> impl Strategy<Value = Property> {
    let steps = || option::of(any::<u64>());
    let kind = prop_oneof![
        Just(PropertyKind::Invariant),
        expr().prop_map(PropertyKind::Provided),
        (steps(), steps()).prop_map(|(from, within)| PropertyKind::Reachable { from, within }),
    ];
    (option::of(text()), kind, expr()).prop_map(|(name, kind, expr)| Property {
        name,
        kind,
        expr,
        span: NOWHERE,
    })
}
