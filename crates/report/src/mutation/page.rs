//! A page that shows the source with the mutants in their places.
//!
//! Green places are checked: every mutant there is killed. Red places have survivors, which are
//! listed behind them. As the page about cores, it is one file of HTML, which is XML too, without
//! scripts.

use std::collections::BTreeMap;
use std::fmt::Write;

use syntax::{FileId, SourceFile, SourceMap};

use super::text::summary;
use crate::escape::xml as escape;
use crate::page::{STYLE, anchor, coloured};
use results::{MutantReport, MutantVerdict, MutationReport, Score, by_equation};

const OWN_STYLE: &str = "
.killed { background: #cdebc5 }
.survived { background: #f7b2ab }
.equivalent { background: #dcdcdc }
.unknown { background: #fde2a4 }
.names { font-size: 75%; color: #a02018; vertical-align: super }
";

/// The whole page, of all analyses.
pub fn page(reports: &[MutationReport], sources: &SourceMap) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <title>Mutants</title>\n<style>{STYLE}{OWN_STYLE}</style>\n</head>\n<body>\n"
    );
    for report in reports {
        let top = escape(&report.top);
        let _ = writeln!(out, "<h1>Mutants, judged by the properties of {top}</h1>");
        let _ = writeln!(
            out,
            "<p>{}</p>",
            escape(summary(&report.score()).trim_end())
        );
        if let Some(sentence) = report.unsettled() {
            let _ = writeln!(out, "<p>{}.</p>", escape(&sentence));
        }
        if !report.independent.is_empty() {
            let names = report.independent.join(", ");
            let _ = writeln!(out, "<p>No property depends on {}.</p>", escape(&names));
        }
        key(&mut out);
        properties(report, &mut out);
        for (at, file) in sources.files().iter().enumerate() {
            source(report, FileId(at as u16), file, &mut out);
        }
        equations(report, &mut out);
    }
    out + "</body>\n</html>\n"
}

fn key(out: &mut String) {
    for (class, meaning) in [
        ("killed", "every change here is noticed by some property"),
        (
            "survived",
            "some changes are not noticed: they stand behind",
        ),
        ("equivalent", "the only changes that survive change nothing"),
        ("unknown", "not decided in time"),
    ] {
        let _ = writeln!(
            out,
            "<p><span class=\"key {class}\">&#160;</span>{meaning}</p>"
        );
    }
}

fn properties(report: &MutationReport, out: &mut String) {
    *out += "<h2>Properties</h2>\n<table>\n<tr><th>Property</th><th>Kills</th></tr>\n";
    for (name, kills) in report.kills() {
        let class = if kills == 0 {
            " class=\"survived\""
        } else {
            ""
        };
        let name = escape(name);
        let _ = writeln!(out, "<tr{class}><td>{name}</td><td>{kills}</td></tr>");
    }
    *out += "</table>\n";
}

fn source(report: &MutationReport, id: FileId, file: &SourceFile, out: &mut String) {
    let mut groups: BTreeMap<(u32, u32), Vec<&MutantReport>> = BTreeMap::new();
    for mutant in report.mutants.iter().filter(|m| m.span.file == id) {
        let place = (mutant.span.start, mutant.span.end);
        groups.entry(place).or_default().push(mutant);
    }
    coloured(id, file, &groups, out, |mutants, text, out| {
        marked(mutants, text, out);
    });
}

/// A place with mutants, and those that survive.
fn marked(mutants: &[&MutantReport], text: &str, out: &mut String) {
    let (class, title, text) = (class(mutants), title(mutants), escape(text));
    let _ = write!(
        out,
        "<span class=\"{class}\" title=\"{title}\">{text}</span>"
    );
    let survivors = mutants
        .iter()
        .filter(|m| m.verdict == MutantVerdict::Survived);
    let names: Vec<&str> = survivors.map(|m| m.name.as_str()).collect();
    if !names.is_empty() {
        let names = names.join(" ");
        let _ = write!(out, "<span class=\"names\">{}</span>", escape(&names));
    }
}

fn class(mutants: &[&MutantReport]) -> &'static str {
    let has = |verdict| mutants.iter().any(|mutant| mutant.verdict == verdict);
    match () {
        () if has(MutantVerdict::Survived) => "survived",
        () if has(MutantVerdict::Unknown) => "unknown",
        () if has(MutantVerdict::Killed) => "killed",
        () => "equivalent",
    }
}

/// Shown while the mouse is over the place.
fn title(mutants: &[&MutantReport]) -> String {
    let lines = mutants.iter().map(|mutant| {
        let mut line = format!("{} {}", mutant.name, mutant.verdict.name());
        if mutant.verdict == MutantVerdict::Equivalent {
            line += " (equivalent)";
        }
        if !mutant.killed_by.is_empty() {
            let _ = write!(line, " by {}", mutant.killed_by.join(", "));
        }
        escape(&line).into_owned()
    });
    lines.collect::<Vec<_>>().join("&#10;")
}

/// The scores of nodes and equations.
fn equations(report: &MutationReport, out: &mut String) {
    *out += "<h2>Scores</h2>\n<table>\n<tr><th>Node</th><th>Equation</th><th>Place</th>\
             <th>Killed</th><th>Survived</th><th>Equivalent</th><th>Unknown</th><th>Score</th>\
             </tr>\n";
    for (node, mutants) in report.by_node() {
        let _ = write!(out, "<tr><th>{}</th><th></th><th></th>", escape(node));
        figures(Score::of(mutants.iter().copied()), "th", out);
        for (equation, mutants) in by_equation(&mutants) {
            let _ = write!(
                out,
                "<tr><td></td><td>{}</td><td><a href=\"#{}\">{}:{}</a></td>",
                escape(&equation.name),
                anchor(equation.span.file, equation.line),
                equation.line,
                equation.column
            );
            figures(Score::of(mutants), "td", out);
        }
    }
    *out += "</table>\n";
}

fn figures(score: Score, cell: &str, out: &mut String) {
    for count in [
        score.killed,
        score.survived,
        score.equivalent,
        score.unknown,
    ] {
        let _ = write!(out, "<{cell}>{count}</{cell}>");
    }
    let percent = score
        .percent()
        .map_or("–".to_owned(), |percent| format!("{percent:.0} %"));
    let _ = writeln!(out, "<{cell}>{percent}</{cell}></tr>");
}
