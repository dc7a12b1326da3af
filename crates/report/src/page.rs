//! A page that shows the source, coloured by what the properties need of it.
//!
//! One file of HTML, which is also XML, without scripts: style rules alone select the property that
//! the colours are about. Elements nest, as a call does in an equation: a piece of text belongs to
//! the smallest element around it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use results::{Matrix, Need, Row};
use syntax::{FileId, SourceFile, SourceMap};

use crate::escape::xml as escape;

pub(crate) const STYLE: &str = "
body { font-family: sans-serif; margin: 1.5em; color: #222; background: #fff }
pre { font-size: 90%; line-height: 1.4; tab-size: 4 }
table { border-collapse: collapse; font-size: 85% }
td, th { border: 1px solid #ccc; padding: .2em .5em; text-align: left }
.number { color: #999; display: inline-block; width: 4em; user-select: none }
.key { padding: .1em .5em; margin-right: .5em }
";

/// The background of a need.
fn colour(need: Need) -> &'static str {
    match need {
        Need::Must => "#f7b2ab",
        Need::May => "#fde2a4",
        Need::Open => "#cfe3f5",
        Need::Irrelevant => "#dcdcdc",
    }
}

fn meaning(need: Need) -> &'static str {
    match need {
        Need::Must => "MUST: the property fails without it",
        Need::May => "MAY: some proofs need it, others do without",
        Need::Open => "not decided in time",
        Need::Irrelevant => "irrelevant: no proof needs it, so a requirement may be missing",
    }
}

/// The whole page.
pub fn page(matrix: &Matrix, sources: &SourceMap) -> String {
    let title = format!("Traceability of {}", matrix.top);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>{0}</title>\n\
         <style>{STYLE}{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
        escape(&title),
        rules(matrix.properties.len())
    );
    let _ = writeln!(out, "<p>{}.</p>", escape(&matrix.summary()));
    for need in Need::ALL {
        let (colour, meaning) = (colour(need), meaning(need));
        let _ = writeln!(
            out,
            "<p><span class=\"key\" style=\"background: {colour}\">&#160;</span>{meaning}</p>"
        );
    }
    choices(matrix, &mut out);
    out += "<main>\n";
    for (at, file) in sources.files().iter().enumerate() {
        source(matrix, FileId(at as u16), file, &mut out);
    }
    table(matrix, sources, &mut out);
    out + "</main>\n</body>\n</html>\n"
}

/// Colours by the property that is chosen; `0` stands for all of them.
fn rules(properties: usize) -> String {
    let mut out = String::new();
    for at in 0..=properties {
        for need in Need::ALL {
            let (name, colour) = (need.name(), colour(need));
            let _ = writeln!(
                out,
                "#p{at}:checked ~ main .p{at}-{name} {{ background: {colour} }}"
            );
        }
    }
    out
}

fn choices(matrix: &Matrix, out: &mut String) {
    // The inputs stand before `main` so that rules can speak of both.
    *out += "<h2>Properties</h2>\n";
    let all = std::iter::once("all properties, by the one that needs an element most");
    let names = all.chain(matrix.properties.iter().map(String::as_str));
    for (at, name) in names.enumerate() {
        let checked = if at == 0 { " checked=\"checked\"" } else { "" };
        let shown = match at {
            0 => escape(name).into_owned(),
            _ => format!("P{at} = {}", escape(name)),
        };
        let _ = writeln!(
            out,
            "<input type=\"radio\" name=\"property\" id=\"p{at}\"{checked}/>\n\
             <label for=\"p{at}\">{shown}</label><br/>"
        );
    }
}

/// The elements that stand in the same place of a file.
type Groups<'m> = BTreeMap<(u32, u32), Vec<&'m Row>>;

fn source(matrix: &Matrix, id: FileId, file: &SourceFile, out: &mut String) {
    let mut groups = Groups::new();
    for row in matrix.rows.iter().filter(|row| row.span.file == id) {
        let place = (row.span.start, row.span.end);
        groups.entry(place).or_default().push(row);
    }
    coloured(id, file, &groups, out, |rows, text, out| {
        let (classes, title) = (classes(matrix, rows), title(matrix, rows));
        let text = escape(text);
        let _ = write!(
            out,
            "<span class=\"{classes}\" title=\"{title}\">{text}</span>"
        );
    });
}

/// Writes a file with line numbers; `mark` writes the text of the given places, line by line.
pub(crate) fn coloured<T>(
    id: FileId,
    file: &SourceFile,
    places: &BTreeMap<(u32, u32), T>,
    out: &mut String,
    mark: impl Fn(&T, &str, &mut String),
) {
    let _ = write!(out, "<h2>{}</h2>\n<pre>", escape(&file.name));
    let mut line = 1;
    number(id, line, out);
    for (text, place) in pieces(&file.text, places) {
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                line += 1;
                out.push('\n');
                number(id, line, out);
            }
            match place {
                Some(place) if !part.trim().is_empty() => mark(place, part, out),
                _ => *out += &escape(part),
            }
        }
    }
    *out += "</pre>\n";
}

fn number(id: FileId, line: usize, out: &mut String) {
    let anchor = anchor(id, line);
    let _ = write!(out, "<span class=\"number\" id=\"{anchor}\">{line}</span>");
}

pub(crate) fn anchor(id: FileId, line: usize) -> String {
    format!("f{}l{line}", id.0)
}

/// The text cut where marked places begin and end, each piece with the innermost
/// of them.
fn pieces<'t, 'g, T>(
    text: &'t str,
    groups: &'g BTreeMap<(u32, u32), T>,
) -> Vec<(&'t str, Option<&'g T>)> {
    let mut begin: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    let mut end: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for place in groups.keys() {
        begin.entry(place.0).or_default().push(*place);
        end.entry(place.1).or_default().push(*place);
    }
    let length = text.len() as u32;
    let cuts = begin.keys().chain(end.keys()).copied().chain([0, length]);
    let cuts: BTreeSet<u32> = cuts
        .filter(|at| text.is_char_boundary(*at as usize))
        .collect();
    let cuts: Vec<u32> = cuts.into_iter().collect();
    // Those around the current place, by their lengths.
    let mut around: BTreeSet<(u32, (u32, u32))> = BTreeSet::new();
    let mut pieces = Vec::new();
    for pair in cuts.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        for place in end.get(&from).into_iter().flatten() {
            around.remove(&(place.1 - place.0, *place));
        }
        for place in begin.get(&from).into_iter().flatten() {
            around.insert((place.1 - place.0, *place));
        }
        let innermost = around.first().and_then(|(_, place)| groups.get(place));
        pieces.push((&text[from as usize..to as usize], innermost));
    }
    pieces
}

/// The CSS classes of some elements: their need for each property, and the strongest one.
fn classes(matrix: &Matrix, rows: &[&Row]) -> String {
    let most = rows.iter().map(|row| row.most()).max();
    let most = most.unwrap_or(Need::Irrelevant);
    let mut classes = format!("p0-{}", most.name());
    for at in 0..matrix.properties.len() {
        let need = rows.iter().map(|row| row.needs[at]).max();
        let need = need.unwrap_or(Need::Irrelevant);
        let _ = write!(classes, " p{}-{}", at + 1, need.name());
    }
    classes
}

/// Shown while the mouse is over the elements.
fn title(matrix: &Matrix, rows: &[&Row]) -> String {
    let lines = rows.iter().map(|row| {
        let element = &row.element;
        let mut line = format!("{} {}", element.category.title(), element.name);
        for need in [Need::Must, Need::May, Need::Open] {
            let names = names(matrix, row, need);
            if !names.is_empty() {
                let _ = write!(line, "; {} for {}", need.cell(), names.join(", "));
            }
        }
        if row.most() == Need::Irrelevant {
            line += "; irrelevant";
        }
        escape(&line).into_owned()
    });
    lines.collect::<Vec<_>>().join("&#10;")
}

fn names<'m>(matrix: &'m Matrix, row: &Row, need: Need) -> Vec<&'m str> {
    let needs = matrix.properties.iter().zip(&row.needs);
    let with = needs.filter(|(_, own)| **own == need);
    with.map(|(name, _)| name.as_str()).collect()
}

fn table(matrix: &Matrix, sources: &SourceMap, out: &mut String) {
    *out += "<h2>Elements</h2>\n<table>\n<tr><th>Node</th><th>Element</th><th>Place</th>";
    for (at, name) in matrix.properties.iter().enumerate() {
        let _ = write!(out, "<th title=\"{}\">P{}</th>", escape(name), at + 1);
    }
    *out += "</tr>\n";
    for row in &matrix.rows {
        let element = &row.element;
        let line = sources.position(row.span).line;
        let _ = write!(
            out,
            "<tr><td>{}</td><td>{} {}</td><td><a href=\"#{}\">{}:{line}</a></td>",
            escape(&element.node),
            element.category.title(),
            escape(&element.name),
            anchor(row.span.file, line),
            escape(&element.file),
        );
        for need in &row.needs {
            let _ = write!(
                out,
                "<td style=\"background: {}\">{}</td>",
                colour(*need),
                need.cell()
            );
        }
        *out += "</tr>\n";
    }
    *out += "</table>\n";
}
