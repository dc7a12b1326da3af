//! Results and traces for people. A trace is a table: a line for each stream, a
//! column for each step.

use lang::Program;
use results::{
    AnalysisReport, Block, NodeReport, PropertyReport, PropertyVerdict, Statistics, StreamClass,
};
use syntax::ast::NodeKind;

use crate::modes;
use crate::real::RealPrecision;
use crate::value::value_text;

/// The style of text output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style {
    pub color: bool,
    pub reals: RealPrecision,
    /// Sets of elements on one line, without positions.
    pub legacy_sets: bool,
}

impl Style {
    /// The text in a colour, given by its number for terminals.
    pub(crate) fn paint(self, code: &str, text: &str) -> String {
        match self.color {
            true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            false => text.to_owned(),
        }
    }
}

/// The colour of values that have changed since the step before.
const CHANGED: &str = "1;36";

/// The colour of vacuous verdicts.
const VACUOUS: &str = "33";

/// The cell of a step at which the instance is not active.
const ABSENT: &str = "_";

/// The cell of a step at which no mode is active.
const NO_MODE: &str = "-";

pub fn analysis_start(analysis: &AnalysisReport) -> String {
    let bar = "=".repeat(80);
    if let Some(check) = &analysis.check {
        return format!("\n{bar}\nChecking {}\n\n", check.what);
    }
    let what = match analysis.contract_only {
        true => "the contract of ",
        false => "",
    };
    let again = match analysis.opened.as_slice() {
        [] => String::new(),
        [one] => format!(" again, with the body of {one}"),
        some => format!(" again, with the bodies of {}", some.join(", ")),
    };
    let mut out = format!("\n{bar}\nAnalyzing {what}{}{again}\n", analysis.top);
    for (kind, names) in [
        ("concrete", &analysis.concrete),
        ("abstract", &analysis.abstracted),
    ] {
        if !names.is_empty() {
            out += &format!("  {kind}: {}\n", names.join(", "));
        }
    }
    let proved = analysis.proved.iter();
    let proved: Vec<String> = proved.map(|(of, n)| format!("{of} ({n})")).collect();
    if !proved.is_empty() {
        out += &format!("  proved before: {}\n", proved.join(", "));
    }
    out + "\n"
}

pub fn property(
    program: &Program,
    property: &PropertyReport,
    style: Style,
    hide_trace: bool,
) -> String {
    let tag = match property.verdict.is_good() {
        true => style.paint("1;32", "<Success>"),
        false => style.paint("1;31", "<Failure>"),
    };
    let by = match property.engine {
        Some((_, name)) => format!(" by {name}"),
        None => String::new(),
    };
    let answer = match &property.verdict {
        PropertyVerdict::Falsifiable { step, .. } => format!("invalid{by} for k={step}"),
        PropertyVerdict::Reachable { step, .. } => format!("reachable{by} for k={step}"),
        PropertyVerdict::Unreachable { .. } => format!("unreachable{}{by}", property.bounds),
        other => format!("{}{by}", other.word()),
    };
    let (name, seconds) = (&property.name, property.seconds);
    let mut out = format!("{tag} Property {name} is {answer} after {seconds:.3}s.\n\n");
    let shown = match &property.verdict {
        PropertyVerdict::Falsifiable { trace, .. } => Some(("Counterexample", trace)),
        PropertyVerdict::Reachable { trace, .. } => Some(("Witness", trace)),
        _ => None,
    };
    if let Some((title, run)) = shown.filter(|_| !hide_trace) {
        out += &format!("{title}:\n{}", indented(&trace(program, run, style)));
    }
    out
}

pub(crate) fn indented(text: &str) -> String {
    let lines = text.lines().map(|line| format!("  {line}"));
    lines.map(|line| format!("{}\n", line.trim_end())).collect()
}

/// All results of an analysis at a glance.
pub fn summary(properties: &[PropertyReport], style: Style) -> String {
    let bar = "-".repeat(80);
    let mut out = format!("{bar}\nSummary of properties:\n{bar}\n");
    for property in properties {
        let answer = match &property.verdict {
            PropertyVerdict::Valid { k: Some(k) } => format!("valid (k={k})"),
            PropertyVerdict::Valid { k: None } => "valid".to_owned(),
            PropertyVerdict::Falsifiable { step, .. } => format!("invalid after {step} steps"),
            PropertyVerdict::Reachable { step, .. } => format!("reachable after {step} steps"),
            PropertyVerdict::Unreachable { .. } => format!("unreachable{}", property.bounds),
            PropertyVerdict::Unknown { clear: 0, .. } => "unknown".to_owned(),
            PropertyVerdict::Unknown { clear, reach: true } => {
                format!("unknown, unreachable for {clear} steps")
            }
            PropertyVerdict::Unknown { clear, .. } => format!("unknown, true for {clear} steps"),
        };
        let code = if property.verdict.is_good() {
            "32"
        } else {
            "31"
        };
        out += &format!("{}: {}", property.name, style.paint(code, &answer));
        if let Some(vacuity) = property.vacuity() {
            out += &format!(", {}", style.paint(VACUOUS, &vacuity));
        }
        out.push('\n');
    }
    out + &format!("{}\n\n", "=".repeat(80))
}

/// The results of each node.
pub fn nodes(nodes: &[NodeReport], style: Style) -> String {
    let bar = "-".repeat(80);
    let mut out = format!("{bar}\nSummary of nodes:\n{bar}\n");
    for node in nodes {
        out += &node_lines(node, style);
    }
    out + &format!("{}\n\n", "=".repeat(80))
}

fn node_lines(node: &NodeReport, style: Style) -> String {
    let name = &node.name;
    let list = |wanted: fn(&PropertyVerdict) -> bool| {
        let found = node.properties.iter().filter(|p| wanted(&p.verdict));
        let names: Vec<&str> = found.map(|p| p.name.as_str()).collect();
        names
    };
    let unknown = list(|verdict| matches!(verdict, PropertyVerdict::Unknown { .. }));
    let failed =
        list(|verdict| !verdict.is_good() && !matches!(verdict, PropertyVerdict::Unknown { .. }));
    let verdict = match (failed.is_empty(), unknown.is_empty()) {
        (false, _) => style.paint("31", "unsafe"),
        _ if !node.analysed => return format!("{name}: {}\n", style.paint("31", "not analysed")),
        (_, false) => style.paint("31", "unknown"),
        _ => style.paint("32", "safe"),
    };
    let (count, seconds) = (node.properties.len(), node.seconds);
    let mut out = format!(
        "{name}: {verdict} in {seconds:.3}s, {}",
        many(count, "property", "properties")
    );
    if node.abstracted > 0 {
        out += &format!(
            ", {}",
            many(node.abstracted, "abstract node", "abstract nodes")
        );
    }
    if node.refinements > 0 {
        out += &format!(", {}", many(node.refinements, "refinement", "refinements"));
    }
    out.push('\n');
    let real = node.real.iter().map(String::as_str).collect();
    let trusted = node.trusted.iter().map(String::as_str).collect();
    let vacuous = node.properties.iter().filter(|p| p.vacuous_from.is_some());
    let vacuous = vacuous.map(|p| p.name.as_str()).collect();
    for (word, names) in [
        ("disproved", failed),
        ("disproved without abstraction, too", real),
        ("unknown", unknown),
        ("vacuous, no run goes on", vacuous),
        ("relies on contracts that are not proved", trusted),
    ] {
        if !names.is_empty() {
            out += &format!("  {word}: {}\n", names.join(", "));
        }
    }
    out
}

fn many(count: usize, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// A line for each figure.
pub fn statistics(statistics: &Statistics) -> String {
    let names = statistics.items.iter().map(|(name, _)| name.len());
    let width = names.max().unwrap_or(0);
    let mut out = format!("{}:\n", statistics.title);
    for (name, amount) in &statistics.items {
        out += &format!("  {name:width$} {amount}\n");
    }
    out
}

/// The block and all below it, each with its path from the top node.
pub fn trace(program: &Program, top: &Block, style: Style) -> String {
    let mut out = String::new();
    let mut open = vec![(top, String::new())];
    while let Some((block, path)) = open.pop() {
        table(program, block, &path, style, &mut out);
        for child in block.children.iter().rev() {
            let mut below = match path.is_empty() {
                true => block.name.clone(),
                false => format!("{path} / {}", block.name),
            };
            if let Some((_, position)) = &child.site {
                below.push_str(&format!("[l{}c{}]", position.line, position.column));
            }
            open.push((child, below));
        }
    }
    out
}

/// A line of a table, under a title.
struct Row<'b> {
    title: &'static str,
    name: &'b str,
    cells: Vec<String>,
}

fn table(program: &Program, block: &Block, path: &str, style: Style, out: &mut String) {
    let kind = match block.kind {
        NodeKind::Node => "Node",
        NodeKind::Function => "Function",
    };
    out.push_str(&format!("{kind} {} ({path})\n", block.name));
    let mut rows = mode_rows(block);
    for class in StreamClass::ALL {
        rows.extend(stream_rows(program, block, class, style.reals));
    }
    let names = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let cells = rows.iter().flat_map(|row| &row.cells);
    let width = cells.map(String::len).max().unwrap_or(0);
    let mut title = "";
    for row in &rows {
        if title != row.title {
            title = row.title;
            out.push_str(&format!("  == {title} ==\n"));
        }
        let mut line = format!("  {}", row.name);
        pad(&mut line, row.name.len(), names);
        for (step, cell) in row.cells.iter().enumerate() {
            line.push(' ');
            pad(&mut line, cell.len(), width);
            let changed = step > 0 && row.cells[step - 1] != *cell;
            match changed && !cell.is_empty() {
                true => line.push_str(&style.paint(CHANGED, cell)),
                false => line.push_str(cell),
            }
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.push('\n');
}

/// As many lines as there are modes active at once.
fn mode_rows(block: &Block) -> Vec<Row<'_>> {
    let steps = modes::names(&block.modes);
    let most = steps.iter().flatten().map(Vec::len).max();
    let count = most.map_or(0, |most| most.max(1));
    let row = |at: usize| {
        let cells = steps.iter().map(|active| match active {
            None if at == 0 => ABSENT.to_owned(),
            Some(names) if at == 0 && names.is_empty() => NO_MODE.to_owned(),
            Some(names) => names.get(at).cloned().unwrap_or_default(),
            None => String::new(),
        });
        Row {
            title: "Mode(s)",
            name: "",
            cells: cells.collect(),
        }
    };
    (0..count).map(row).collect()
}

fn stream_rows<'b>(
    program: &Program,
    block: &'b Block,
    class: StreamClass,
    reals: RealPrecision,
) -> Vec<Row<'b>> {
    let title = match class {
        StreamClass::Input => "Inputs",
        StreamClass::Output => "Outputs",
        StreamClass::Ghost => "Ghosts",
        StreamClass::Local => "Locals",
        StreamClass::Unknown => "Unknown values",
    };
    let streams = block.streams.iter().filter(|stream| stream.class == class);
    streams
        .map(|stream| Row {
            title,
            name: &stream.name,
            cells: stream
                .values
                .iter()
                .map(|value| match value {
                    Some(value) => value_text(program, value, reals),
                    None => ABSENT.to_owned(),
                })
                .collect(),
        })
        .collect()
}

/// Fills up a cell. Numbers may be wider than the 65535 that format strings
/// can fill up to.
fn pad(out: &mut String, length: usize, width: usize) {
    out.extend(std::iter::repeat_n(' ', width.saturating_sub(length)));
}

/// A path on which induction fails, below a title. Tools get it as text, too: the schemas do not
/// have such paths.
pub fn induction_failure(
    program: &Program,
    properties: &[&str],
    k: usize,
    path: &Block,
    style: Style,
) -> String {
    let names = properties.join(", ");
    let title =
        format!("Counterexample to induction of {names} for k={k}: it need not be reachable");
    let table = trace(program, path, style);
    format!("{title}\n{}", indented(&table).trim_end())
}

#[cfg(test)]
mod tests {
    use lang::{Type, Value};

    use super::*;
    use results::Stream;

    #[test]
    fn changes_are_seen_on_terminals_only() {
        let stream = |name: &str, values: [bool; 3]| Stream {
            name: name.to_owned(),
            ty: Type::Bool,
            class: StreamClass::Input,
            values: values.map(|value| Some(Value::Bool(value))).to_vec(),
        };
        let block = Block {
            kind: NodeKind::Node,
            name: "top".to_owned(),
            site: None,
            modes: Vec::new(),
            streams: vec![stream("a", [true, true, false]), stream("b", [true; 3])],
            children: Vec::new(),
        };
        let program = Program::default();
        let plain = trace(&program, &block, Style::default());
        let expected = expect_test::expect![[r#"
            Node top ()
              == Inputs ==
              a  true  true false
              b  true  true  true

        "#]];
        expected.assert_eq(&plain);
        let color = true;
        let painted = trace(
            &program,
            &block,
            Style {
                color,
                ..Style::default()
            },
        );
        let changed = format!("\u{1b}[{CHANGED}mfalse\u{1b}[0m");
        assert_eq!(painted, plain.replace("false", &changed));
    }

    #[test]
    fn cells_may_be_very_wide() {
        let mut out = String::new();
        pad(&mut out, 3, 100_000);
        assert_eq!(out.len(), 99_997);
        pad(&mut out, 3, 2);
        assert_eq!(out.len(), 99_997);
    }

    #[test]
    fn nodes_are_summed_up() {
        let property = |name: &str, verdict| PropertyReport {
            name: name.to_owned(),
            scope: String::new(),
            file: String::new(),
            position: syntax::Position { line: 1, column: 1 },
            source: "PropAnnot",
            verdict,
            engine: None,
            seconds: 0.0,
            timed_out: false,
            bounds: String::new(),
            vacuous_from: None,
        };
        let node = |name: &str, properties: Vec<PropertyReport>| NodeReport {
            name: name.to_owned(),
            analysed: true,
            properties,
            refinements: 0,
            abstracted: 0,
            trusted: Vec::new(),
            real: Vec::new(),
            seconds: 1.0,
        };
        let valid = || property("p", PropertyVerdict::Valid { k: Some(1) });
        let failed = || property("q", PropertyVerdict::Unreachable { k: None });
        let unknown = || {
            property(
                "r",
                PropertyVerdict::Unknown {
                    clear: 0,
                    reach: false,
                },
            )
        };
        let all = [
            node("sub", vec![valid()]),
            NodeReport {
                refinements: 1,
                abstracted: 2,
                trusted: vec!["other".to_owned()],
                ..node("mid", vec![valid(), unknown()])
            },
            NodeReport {
                abstracted: 1,
                real: vec!["q".to_owned()],
                ..node("top", vec![failed(), unknown()])
            },
            NodeReport {
                analysed: false,
                ..node("late", Vec::new())
            },
        ];
        let shown = nodes(&all, Style::default());
        let lines: Vec<&str> = shown
            .lines()
            .filter(|l| !l.starts_with(['-', '=']))
            .collect();
        let expected = expect_test::expect![[r#"
            Summary of nodes:
            sub: safe in 1.000s, 1 property
            mid: unknown in 1.000s, 2 properties, 2 abstract nodes, 1 refinement
              unknown: r
              relies on contracts that are not proved: other
            top: unsafe in 1.000s, 2 properties, 1 abstract node
              disproved: q
              disproved without abstraction, too: q
              unknown: r
            late: not analysed

        "#]];
        expected.assert_eq(&(lines.join("\n") + "\n"));
    }
}
