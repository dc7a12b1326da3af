//! The declarations of a model that some text needs.

use std::collections::HashSet;

use syntax::ast::{Item, Program, TypeDef};
use syntax::{Symbol, print};

/// The words of a text that may be names.
pub(super) fn words(text: &str) -> HashSet<Symbol> {
    let is_part = |c: char| c == '_' || c.is_alphanumeric();
    let words = text.split(|c: char| !is_part(c));
    let words = words.filter(|word| !word.is_empty());
    words.map(Symbol::new).collect()
}

pub(super) fn item_text(item: &Item) -> String {
    print::program(&Program {
        items: vec![item.clone()],
    })
}

/// The items of a kind, in their order, whose names occur in some words or in the text of another
/// one that is needed.
pub(super) fn needed(
    program: &Program,
    roots: &HashSet<Symbol>,
    wanted: impl Fn(&Item) -> bool,
) -> Vec<Item> {
    let mut left: Vec<&Item> = program.items.iter().filter(|item| wanted(item)).collect();
    let mut known: HashSet<Symbol> = roots.clone();
    let mut needed: HashSet<Symbol> = HashSet::new();
    loop {
        let (found, others): (Vec<&Item>, Vec<&Item>) = left
            .into_iter()
            .partition(|item| declares(item).iter().any(|name| known.contains(name)));
        if found.is_empty() {
            break;
        }
        for item in found {
            known.extend(words(&item_text(item)));
            needed.extend(declares(item).first());
        }
        left = others;
    }
    let items = program.items.iter().filter(|item| wanted(item));
    let items = items.filter(|item| declares(item).first().is_some_and(|n| needed.contains(n)));
    items.cloned().collect()
}

/// The names that an item declares; its own first.
fn declares(item: &Item) -> Vec<Symbol> {
    match item {
        Item::Include(_) => Vec::new(),
        Item::Type(decl) => {
            let values = match &decl.def {
                TypeDef::Enum(values) => values.iter().map(|value| value.name).collect(),
                _ => Vec::new(),
            };
            [vec![decl.name.name], values].concat()
        }
        Item::Const(decl) => vec![decl.name.name],
        Item::Node(decl) => vec![decl.name.name],
        Item::Contract(decl) => vec![decl.name.name],
    }
}
