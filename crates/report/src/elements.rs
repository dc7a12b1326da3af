//! Sets of model elements: what a proof needs, and which failures break it.

use lang::Program;
use serde_json::{Map, Value as Json, json};
use syntax::Position;

use crate::escape::xml as escape;
use crate::text::{Style, indented};
use crate::trace::Block;
use crate::{json, text, xml};

/// What a set is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetClass {
    Must,
    MustComplement,
    Ivc,
    IvcComplement,
    Mcs,
    McsComplement,
}

impl SetClass {
    /// As the schemas have it.
    pub fn name(self) -> &'static str {
        match self {
            SetClass::Must => "must",
            SetClass::MustComplement => "must complement",
            SetClass::Ivc => "ivc",
            SetClass::IvcComplement => "ivc complement",
            SetClass::Mcs => "mcs",
            SetClass::McsComplement => "mcs complement",
        }
    }

    fn title(self) -> &'static str {
        match self {
            SetClass::Must => "MUST",
            SetClass::MustComplement => "MUST complement",
            SetClass::Ivc => "IVC",
            SetClass::IvcComplement => "IVC complement",
            SetClass::Mcs => "MCS",
            SetClass::McsComplement => "MCS complement",
        }
    }

    /// What is said when one is found; complements come along.
    fn found(self, approximate: bool) -> Option<String> {
        let approximately = if approximate { "Approximate " } else { "" };
        match (self, approximate) {
            (SetClass::Must, _) => Some(format!("{approximately}MUST set")),
            (SetClass::Ivc, true) => Some("Approximate minimal IVC".to_owned()),
            (SetClass::Ivc, false) => Some("Minimal IVC".to_owned()),
            (SetClass::Mcs, _) => Some(format!("{approximately}Minimal Cut Set")),
            _ => None,
        }
    }
}

/// The kind of an element, for people and for the schemas.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ElementCategory {
    NodeCall,
    Assumption,
    Guarantee,
    Require,
    Ensure,
    Equation,
    /// The schemas have no word for it: it is an equation there.
    Fault,
    Assertion,
}

impl ElementCategory {
    /// As the schema of JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            ElementCategory::NodeCall => "nodeCall",
            ElementCategory::Assumption => "assumption",
            ElementCategory::Guarantee => "guarantee",
            ElementCategory::Require => "require",
            ElementCategory::Ensure => "ensure",
            ElementCategory::Equation | ElementCategory::Fault => "equation",
            ElementCategory::Assertion => "assertion",
        }
    }

    /// As the schema of XML documents has it.
    fn xml_name(self) -> &'static str {
        match self {
            ElementCategory::NodeCall => "node_call",
            other => other.name(),
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            ElementCategory::NodeCall => "Node call",
            ElementCategory::Assumption => "Assumption",
            ElementCategory::Guarantee => "Guarantee",
            ElementCategory::Require => "Require",
            ElementCategory::Ensure => "Ensure",
            ElementCategory::Equation => "Equation",
            ElementCategory::Fault => "Fault",
            ElementCategory::Assertion => "Assertion",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementReport {
    pub category: ElementCategory,
    pub name: String,
    pub node: String,
    pub file: String,
    pub position: Position,
}

#[derive(Clone, Debug)]
pub struct ElementSet {
    pub class: SetClass,
    /// By node.
    pub elements: Vec<ElementReport>,
    /// The property it belongs to, if not to all.
    pub property: Option<String>,
    pub approximate: bool,
    pub seconds: f64,
    pub counterexample: Option<Block>,
}

/// Why there is no set.
#[derive(Clone, Debug)]
pub struct NoElementSet {
    pub class: SetClass,
    pub property: Option<String>,
    /// There is none, or none was found in time.
    pub unknown: bool,
    pub seconds: f64,
}

impl ElementSet {
    /// The elements of each node.
    fn nodes(&self) -> Vec<(&str, &[ElementReport])> {
        let by_node = self.elements.chunk_by(|a, b| a.node == b.node);
        by_node.map(|all| (all[0].node.as_str(), all)).collect()
    }

    pub(crate) fn text(&self, program: &Program, style: Style, legacy: bool) -> String {
        let mut out = String::new();
        if let Some(found) = self.class.found(self.approximate) {
            let tag = style.paint("1;32", "<Success>");
            out += &format!("{tag} {found} generated after {:.3}s.\n\n", self.seconds);
        }
        let of = match &self.property {
            Some(name) => format!(" for property {name}"),
            None => String::new(),
        };
        let (title, count) = (self.class.title(), self.elements.len());
        if legacy {
            let names = self.elements.iter().map(|element| element.name.as_str());
            let names: Vec<&str> = names.collect();
            return out + &format!("{title}{of}: {}\n\n", names.join(", "));
        }
        out += &format!("{title} ({count} elements){of}:\n");
        for (node, elements) in self.nodes() {
            out += &format!("  Node {node}\n");
            for element in elements {
                let Position { line, column } = element.position;
                let (title, name) = (element.category.title(), &element.name);
                out += &format!("    {title} {name} at position [l{line}c{column}]\n");
            }
        }
        if let Some(trace) = &self.counterexample {
            let trace = indented(&text::trace(program, trace, style));
            out += &format!("  Counterexample:\n{}", indented(&trace));
        }
        out + "\n"
    }

    pub(crate) fn json(&self, program: &Program) -> Json {
        let nodes = self.nodes().into_iter().map(|(name, elements)| {
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
        let mut object = head("modelElementSet", self.class, &self.property, self.seconds);
        object.insert("size".into(), self.elements.len().into());
        object.insert("approximate".into(), self.approximate.into());
        object.insert("nodes".into(), nodes.into());
        if let Some(trace) = &self.counterexample {
            let trace = json!([json::block(program, trace)]);
            object.insert("counterExample".into(), trace);
        }
        object.into()
    }

    pub(crate) fn xml(&self, program: &Program) -> String {
        let mut tag = xml::attribute("class", self.class.name());
        tag += &xml::attribute("size", self.elements.len());
        if let Some(property) = &self.property {
            tag += &xml::attribute("property", property);
        }
        tag += &xml::attribute("approximate", self.approximate);
        let mut out = format!("<ModelElementSet{tag}>\n  {}\n", runtime(self.seconds));
        for (name, elements) in self.nodes() {
            out += &format!("  <Node{}>\n", xml::attribute("name", name));
            for element in elements {
                let mut tag = xml::attribute("category", element.category.xml_name());
                tag += &xml::attribute("name", &element.name);
                tag += &xml::attribute("line", element.position.line);
                tag += &xml::attribute("column", element.position.column);
                tag += &xml::attribute("file", &element.file);
                out += &format!("    <Element{tag}/>\n");
            }
            out += "  </Node>\n";
        }
        if let Some(trace) = &self.counterexample {
            out += "  <CounterExample>\n";
            xml::block(program, trace, 2, &mut out);
            out += "  </CounterExample>\n";
        }
        out + "</ModelElementSet>\n"
    }
}

impl NoElementSet {
    pub(crate) fn text(&self, style: Style) -> String {
        let of = match &self.property {
            Some(name) => format!(" for property {name}"),
            None => String::new(),
        };
        let (tag, answer) = match self.unknown {
            true => (style.paint("1;33", "<Warning>"), "was found in time"),
            false => (style.paint("1;36", "<Note>"), "exists"),
        };
        let (title, seconds) = (self.class.title(), self.seconds);
        format!("{tag} No {title}{of} {answer} ({seconds:.3}s).\n\n")
    }

    pub(crate) fn json(&self) -> Json {
        let mut object = head(
            "noModelElementSet",
            self.class,
            &self.property,
            self.seconds,
        );
        let answer = if self.unknown {
            "unknown"
        } else {
            "noSolution"
        };
        object.insert("answer".into(), answer.into());
        object.into()
    }

    pub(crate) fn xml(&self) -> String {
        let mut tag = xml::attribute("class", self.class.name());
        if let Some(property) = &self.property {
            tag += &xml::attribute("property", property);
        }
        let answer = if self.unknown {
            "unknown"
        } else {
            "no_solution"
        };
        let runtime = runtime(self.seconds);
        format!(
            "<NoModelElementSet{tag}>\n  <Answer>{}</Answer>\n  {runtime}\n</NoModelElementSet>\n",
            escape(answer)
        )
    }
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
