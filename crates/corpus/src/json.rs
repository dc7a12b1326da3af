//! Reads what Kindred and others have written as JSON.

use std::collections::BTreeSet;

use sim::input::{Json, parse_json};

/// The objects of a document; none if it is no list.
pub(crate) fn objects(document: &str) -> Vec<Json> {
    match parse_json(document) {
        Ok(Json::Array(objects)) => objects,
        _ => Vec::new(),
    }
}

pub(crate) fn field(object: &Json, name: &str) -> Option<Json> {
    match object {
        Json::Object(fields) => {
            let found = fields.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        }
        _ => None,
    }
}

pub(crate) fn text(value: Option<Json>) -> Option<String> {
    match value {
        Some(Json::Text(text)) => Some(text),
        _ => None,
    }
}

pub(crate) fn number(value: Option<Json>) -> Option<f64> {
    match value {
        Some(Json::Number(number)) => number.parse().ok(),
        _ => None,
    }
}

pub(crate) fn list(object: &Json, key: &str) -> Vec<Json> {
    match field(object, key) {
        Some(Json::Array(items)) => items,
        _ => Vec::new(),
    }
}

pub(crate) fn texts(object: &Json, key: &str) -> BTreeSet<String> {
    let items = list(object, key).into_iter();
    items.filter_map(|item| text(Some(item))).collect()
}

/// Is it a set of model elements of this class?
pub(crate) fn is_set(object: &Json, class: &str) -> bool {
    text(field(object, "class")).as_deref() == Some(class)
}

pub(crate) fn is_approximate(set: &Json) -> bool {
    matches!(field(set, "approximate"), Some(Json::Bool(true)))
}

/// The names of the elements of a set.
pub(crate) fn elements(set: &Json) -> BTreeSet<String> {
    let nodes = list(set, "nodes");
    let elements = nodes.iter().flat_map(|node| list(node, "elements"));
    elements
        .filter_map(|element| text(field(&element, "name")))
        .collect()
}
