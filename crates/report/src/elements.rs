//! Sets of model elements in all formats.

use lang::Program;
use results::{ElementCategory, ElementSet, NoElementSet, SetClass};
use serde_json::{Map, Value as Json, json};
use syntax::Position;

use crate::escape::xml as escape;
use crate::text::{Style, indented};
use crate::{json, text, xml};

/// The message for a set; complements have none of their own.
fn found(set: &ElementSet) -> Option<String> {
    let approximately = if set.approximate { "Approximate " } else { "" };
    match (set.class, set.approximate) {
        (SetClass::Must, _) => Some(format!("{approximately}MUST set")),
        (SetClass::Ivc, true) => Some("Approximate minimal IVC".to_owned()),
        (SetClass::Ivc, false) => Some("Minimal IVC".to_owned()),
        (SetClass::Mcs, _) => Some(format!("{approximately}Minimal Cut Set")),
        (
            SetClass::MustComplement
            | SetClass::IvcComplement
            | SetClass::McsComplement
            | SetClass::Conflict,
            _,
        ) => None,
    }
}

/// The name in the XML schema.
fn xml_name(category: ElementCategory) -> &'static str {
    match category {
        ElementCategory::NodeCall => "node_call",
        other => other.name(),
    }
}

pub(crate) fn text(set: &ElementSet, program: &Program, style: Style) -> String {
    let mut out = String::new();
    if let Some(found) = found(set) {
        let tag = style.paint("1;32", "<Success>");
        out += &format!("{tag} {found} generated after {:.3}s.\n\n", set.seconds);
    }
    let of = match &set.property {
        Some(name) => format!(" for property {name}"),
        None => String::new(),
    };
    let (title, count) = (set.class.title(), set.elements.len());
    if style.legacy_sets {
        let names = set.elements.iter().map(|element| element.name.as_str());
        let names: Vec<&str> = names.collect();
        return out + &format!("{title}{of}: {}\n\n", names.join(", "));
    }
    out += &format!("{title} ({count} elements){of}:\n");
    for (node, elements) in set.nodes() {
        out += &format!("  Node {node}\n");
        for element in elements {
            let Position { line, column } = element.position;
            let (title, name) = (element.category.title(), &element.name);
            out += &format!("    {title} {name} at position [l{line}c{column}]\n");
        }
    }
    if let Some(trace) = &set.counterexample {
        let trace = indented(&text::trace(program, trace, style));
        out += &format!("  Counterexample:\n{}", indented(&trace));
    }
    out + "\n"
}

pub(crate) fn json(set: &ElementSet, program: &Program) -> Json {
    let nodes = set.nodes().into_iter().map(|(name, elements)| {
        let elements = elements.iter().map(|element| {
            json!({
                "category": element.category.name(),
                "name": element.name,
                "line": element.position.line,
                "column": element.position.column,
                "file": element.file,
            })
        });
        json!({ "name": name, "elements": elements.collect::<Vec<_>>() })
    });
    let nodes: Vec<Json> = nodes.collect();
    let mut object = head("modelElementSet", set.class, &set.property, set.seconds);
    object.insert("size".into(), set.elements.len().into());
    object.insert("approximate".into(), set.approximate.into());
    object.insert("nodes".into(), nodes.into());
    if let Some(trace) = &set.counterexample {
        let trace = json!([json::block(program, trace)]);
        object.insert("counterExample".into(), trace);
    }
    object.into()
}

pub(crate) fn xml(set: &ElementSet, program: &Program) -> String {
    named_xml("ModelElementSet", set, program)
}

/// The same in an element of another name.
pub(crate) fn named_xml(element: &str, set: &ElementSet, program: &Program) -> String {
    let mut tag = xml::attribute("class", set.class.name());
    tag += &xml::attribute("size", set.elements.len());
    if let Some(property) = &set.property {
        tag += &xml::attribute("property", property);
    }
    tag += &xml::attribute("approximate", set.approximate);
    let mut out = format!("<{element}{tag}>\n  {}\n", runtime(set.seconds));
    for (name, elements) in set.nodes() {
        out += &format!("  <Node{}>\n", xml::attribute("name", name));
        for element in elements {
            let mut tag = xml::attribute("category", xml_name(element.category));
            tag += &xml::attribute("name", &element.name);
            tag += &xml::attribute("line", element.position.line);
            tag += &xml::attribute("column", element.position.column);
            tag += &xml::attribute("file", &element.file);
            out += &format!("    <Element{tag}/>\n");
        }
        out += "  </Node>\n";
    }
    if let Some(trace) = &set.counterexample {
        out += "  <CounterExample>\n";
        xml::block(program, trace, 2, &mut out);
        out += "  </CounterExample>\n";
    }
    out + &format!("</{element}>\n")
}

pub(crate) fn none_text(none: &NoElementSet, style: Style) -> String {
    let of = match &none.property {
        Some(name) => format!(" for property {name}"),
        None => String::new(),
    };
    let (tag, answer) = match none.unknown {
        true => (style.paint("1;33", "<Warning>"), "was found in time"),
        false => (style.paint("1;36", "<Note>"), "exists"),
    };
    let (title, seconds) = (none.class.title(), none.seconds);
    format!("{tag} No {title}{of} {answer} ({seconds:.3}s).\n\n")
}

pub(crate) fn none_json(none: &NoElementSet) -> Json {
    let mut object = head(
        "noModelElementSet",
        none.class,
        &none.property,
        none.seconds,
    );
    let answer = if none.unknown {
        "unknown"
    } else {
        "noSolution"
    };
    object.insert("answer".into(), answer.into());
    object.into()
}

pub(crate) fn none_xml(none: &NoElementSet) -> String {
    let mut tag = xml::attribute("class", none.class.name());
    if let Some(property) = &none.property {
        tag += &xml::attribute("property", property);
    }
    let answer = if none.unknown {
        "unknown"
    } else {
        "no_solution"
    };
    let runtime = runtime(none.seconds);
    format!(
        "<NoModelElementSet{tag}>\n  <Answer>{}</Answer>\n  {runtime}\n</NoModelElementSet>\n",
        escape(answer)
    )
}

fn head(kind: &str, class: SetClass, property: &Option<String>, seconds: f64) -> Map<String, Json> {
    let mut object = Map::new();
    object.insert("objectType".into(), kind.into());
    object.insert("class".into(), class.name().into());
    if let Some(property) = property {
        object.insert("property".into(), property.as_str().into());
    }
    let seconds = json::round(seconds);
    let runtime = json!({ "unit": "sec", "timeout": false, "value": seconds });
    object.insert("runtime".into(), runtime);
    object
}

fn runtime(seconds: f64) -> String {
    format!("<Runtime unit=\"sec\" timeout=\"false\">{seconds:.3}</Runtime>")
}
