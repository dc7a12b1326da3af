//! The XML form of logs and traces.

use lang::{Program, Type, Value};
use results::{
    ActiveModes, Amount, AnalysisReport, Block, ContractModes, Log, PropertyReport,
    PropertyVerdict, Statistics, Stream, active_modes,
};
use syntax::ast::NodeKind;

use crate::escape::{xml as escape, xml_attribute};
use crate::modes;
use crate::real::RealPrecision;
use crate::reporter::RunOptions;
use crate::value::value_text;

/// ` name="value"`
pub(crate) fn attribute(name: &str, value: impl std::fmt::Display) -> String {
    format!(" {name}=\"{}\"", xml_attribute(&value.to_string()))
}

pub fn log(log: &Log) -> String {
    let mut tag = attribute("class", log.level.name());
    tag += &attribute("source", log.source);
    // The schema has no attribute for the file: it goes into the message.
    let mut value = log.value.clone();
    if let Some((file, position)) = &log.place {
        tag += &attribute("line", position.line);
        tag += &attribute("column", position.column);
        value = format!("{file}: {value}");
    }
    format!("<Log{tag}>{}</Log>\n", escape(&value))
}

/// The head of a document, with the options that were given.
pub fn results(options: &RunOptions) -> String {
    let mut tag = attribute("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
    tag += &attribute("enabled", options.enabled.join(","));
    tag += &attribute("timeout", format!("{:.6}", options.timeout));
    tag += &attribute("bmc_max", options.bmc_max);
    tag += &attribute("compositional", options.compositional);
    tag += &attribute("modular", options.modular);
    format!("<Results{tag}{}>\n\n", searches(options))
}

/// The options of searches for cores and cut sets, as attributes.
fn searches(options: &RunOptions) -> String {
    let mut tag = String::new();
    if let Some(ivc) = &options.ivc {
        tag += &attribute("ivc_category", ivc.category.join(","));
        tag += &attribute("ivc_all", ivc.all);
        tag += &attribute("ivc_approximate", ivc.approximate);
        tag += &attribute("ivc_smallest_first", ivc.smallest_first);
        tag += &attribute("ivc_only_main_node", ivc.only_main_node);
        tag += &attribute("ivc_must_set", ivc.must_set);
    }
    if let Some(mcs) = &options.mcs {
        tag += &attribute("mcs_category", mcs.category.join(","));
        tag += &attribute("mcs_all", mcs.all);
        tag += &attribute("mcs_only_main_node", mcs.only_main_node);
    }
    tag
}

pub fn analysis_start(analysis: &AnalysisReport) -> String {
    let mut tag = attribute("top", &analysis.top);
    tag += &attribute("concrete", analysis.concrete.join(","));
    tag += &attribute("abstract", analysis.abstracted.join(","));
    let proved = analysis.proved.iter();
    let proved: Vec<String> = proved
        .map(|(of, count)| format!("({of},{count})"))
        .collect();
    tag += &attribute("assumptions", proved.join(","));
    if let Some(context) = analysis.check.as_ref().and_then(|check| check.context) {
        tag += &attribute("context", context);
    }
    format!("<AnalysisStart{tag}/>\n\n")
}

pub fn property(program: &Program, property: &PropertyReport) -> String {
    let mut tag = attribute("name", &property.name);
    tag += &attribute("line", property.position.line);
    tag += &attribute("column", property.position.column);
    tag += &attribute("scope", &property.scope);
    tag += &attribute("source", property.source);
    tag += &attribute("file", &property.file);
    let mut out = format!("<Property{tag}>\n");
    let seconds = property.seconds;
    let known = !matches!(property.verdict, PropertyVerdict::Unknown { .. });
    if known {
        out += &format!("  <Runtime unit=\"sec\" timeout=\"false\">{seconds:.3}</Runtime>\n");
    }
    if let Some(k) = property.verdict.k() {
        out += &format!("  <K>{k}</K>\n");
    }
    let source = match property.engine {
        Some((engine, _)) => attribute("source", engine),
        None => String::new(),
    };
    out += &format!("  <Answer{source}>{}</Answer>\n", property.verdict.word());
    match &property.verdict {
        PropertyVerdict::Falsifiable { step, trace } => {
            out += "  <CounterExample>\n";
            block(program, trace, 2, &mut out);
            out += &format!("  </CounterExample>\n  <FalseAt>{step}</FalseAt>\n");
        }
        PropertyVerdict::Reachable { step, trace } => {
            out += "  <Witness>\n";
            block(program, trace, 2, &mut out);
            out += &format!("  </Witness>\n  <ReachableAt>{step}</ReachableAt>\n");
        }
        PropertyVerdict::Unknown { clear, reach } => {
            let element = match reach {
                true => "UnreachableFor",
                false => "TrueFor",
            };
            out += &format!("  <{element}>{clear}</{element}>\n");
        }
        _ => {}
    }
    out + "</Property>\n"
}

pub fn progress(source: &str, depth: usize) -> String {
    format!(
        "<Progress{}>{depth}</Progress>\n",
        attribute("source", source)
    )
}

pub fn statistics(statistics: &Statistics) -> String {
    let mut out = format!("<Stat{}>\n", attribute("source", statistics.source));
    out += &format!(
        "  <Section>\n    <name>{}</name>\n",
        escape(&statistics.title)
    );
    for (name, amount) in &statistics.items {
        let value = match amount {
            Amount::Count(count) => format!("<value type=\"int\">{count}</value>"),
            Amount::Seconds(time) => format!("<value type=\"float\">{time:.3}</value>"),
        };
        out += &format!("    <item><name>{}</name>{value}</item>\n", escape(name));
    }
    out + "  </Section>\n</Stat>\n"
}

pub fn execution(program: &Program, top: &Block) -> String {
    let mut out = "<Execution>\n".to_owned();
    block(program, top, 1, &mut out);
    out.push_str("</Execution>\n");
    out
}

pub(crate) fn block(program: &Program, block_: &Block, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let element = match block_.kind {
        NodeKind::Node => "Node",
        NodeKind::Function => "Function",
    };
    let mut tag = attribute("name", &block_.name);
    if let Some((file, position)) = &block_.site {
        tag += &attribute("file", file);
        tag += &attribute("line", position.line);
        tag += &attribute("column", position.column);
    }
    out.push_str(&format!("{indent}<{element}{tag}>\n"));
    last_modes(block_, &indent, out);
    for each in &block_.streams {
        stream(program, each, depth + 1, out);
    }
    for mode in &block_.modes {
        mode_stream(
            &modes::full_name(mode, &block_.modes),
            &mode.active,
            depth + 1,
            out,
        );
    }
    for child in &block_.children {
        block(program, child, depth + 1, out);
    }
    out.push_str(&format!("{indent}</{element}>\n"));
}

/// The active modes at the last step. The schema has no room for other steps;
/// these are in the streams of the modes.
fn last_modes(block: &Block, indent: &str, out: &mut String) {
    let active = active_modes(&block.modes);
    let last = active.iter().enumerate().rev().find_map(|(step, modes)| {
        let modes = modes.as_ref()?;
        Some((step, modes))
    });
    if let Some((step, modes)) = last {
        let inner = modes_xml(modes, "Modes");
        let tag = attribute("instant", step);
        out.push_str(&format!(
            "{indent}  <ActiveModes{tag}>{inner}</ActiveModes>\n"
        ));
    }
}

/// The schema calls the modes of the contract itself `Modes`, and those of
/// imported ones `Mode`.
fn modes_xml(modes: &ActiveModes, element: &str) -> String {
    let own = modes.own.iter();
    let own = own.map(|name| format!("<{element}>{}</{element}>", escape(name)));
    let imported = modes.imported.iter().map(|import: &ContractModes| {
        let tag = attribute("name", &import.contract);
        format!(
            "<Contract{tag}>{}</Contract>",
            modes_xml(&import.modes, "Mode")
        )
    });
    own.chain(imported).collect()
}

/// A mode as a Boolean stream.
fn mode_stream(name: &str, active: &[Option<bool>], depth: usize, out: &mut String) {
    if active.iter().all(Option::is_none) {
        return;
    }
    let indent = "  ".repeat(depth);
    let tag = attribute("name", name);
    out.push_str(&format!(
        "{indent}<Stream{tag} type=\"bool\" class=\"local\">\n"
    ));
    for (step, active) in active.iter().enumerate() {
        if let Some(active) = active {
            out.push_str(&format!(
                "{indent}  <Value instant=\"{step}\">{active}</Value>\n"
            ));
        }
    }
    out.push_str(&format!("{indent}</Stream>\n"));
}

fn stream(program: &Program, stream: &Stream, depth: usize, out: &mut String) {
    // An element `Stream` has at least one value.
    if stream.values.iter().all(Option::is_none) {
        return;
    }
    let indent = "  ".repeat(depth);
    let mut tag = attribute("name", &stream.name);
    tag += &type_attributes(program, &stream.ty);
    tag += &attribute("class", stream.class.schema_name());
    out.push_str(&format!("{indent}<Stream{tag}>\n"));
    for (step, value) in stream.values.iter().enumerate() {
        if let Some(value) = value {
            let text = value_xml(program, value);
            out.push_str(&format!(
                "{indent}  <Value instant=\"{step}\">{text}</Value>\n"
            ));
        }
    }
    out.push_str(&format!("{indent}</Stream>\n"));
}

fn type_attributes(program: &Program, ty: &Type) -> String {
    match ty {
        Type::Range(range) => {
            let mut tag = attribute("type", "subrange");
            if let Some(low) = &range.low {
                tag += &attribute("min", low);
            }
            if let Some(high) = &range.high {
                tag += &attribute("max", high);
            }
            tag
        }
        Type::Enum(id) => {
            let decl = program.enumeration(*id);
            let values: Vec<&str> = decl.values.iter().map(|value| value.as_str()).collect();
            let tag = attribute("type", "enum") + &attribute("enumName", decl.name);
            tag + &attribute("values", values.join(", "))
        }
        Type::Abstract(_) => {
            attribute("type", "abstr") + &attribute("abstrName", program.type_name(ty))
        }
        Type::Array(_) => attribute("type", "array"),
        other => attribute("type", program.type_name(other)),
    }
}

fn value_xml(program: &Program, value: &Value) -> String {
    let Value::Array(values) = value else {
        return escape(&value_text(program, value, RealPrecision::Rational)).into_owned();
    };
    let items: String = values
        .iter()
        .enumerate()
        .map(|(at, value)| match value {
            Value::Array(_) => value_xml(program, value),
            scalar => format!("<Item index=\"{at}\">{}</Item>", value_xml(program, scalar)),
        })
        .collect();
    format!("<Array size=\"{}\">{items}</Array>", values.len())
}
