//! Mutants for people, as in Figure 5 of the paper.

use lang::Program;
use results::{MutantReport, MutantVerdict, MutationReport, Score};

use crate::text::{self, Style, indented};

const GREEN: &str = "32";
const RED: &str = "31";
const YELLOW: &str = "33";

/// A line for each mutant, those that were killed first, and the score.
pub fn text(report: &MutationReport, program: &Program, style: Style) -> String {
    let mut order: Vec<&MutantReport> = report.mutants.iter().collect();
    order.sort_by_key(|mutant| (rank(mutant.verdict), mutant.span.file, mutant.span.start));
    let places: Vec<String> = order.iter().map(|m| place(report, m)).collect();
    let place_width = places.iter().map(String::len).max().unwrap_or(0);
    let name_width = order.iter().map(|m| m.name.len()).max().unwrap_or(0);
    let mut out = String::from("MUTATION:\n");
    for (mutant, place) in order.iter().zip(&places) {
        let (name, verdict) = (&mutant.name, mutant.verdict);
        let word = style.paint(color(verdict), &format!("{:<8}", verdict.name()));
        let line = format!(
            "{word} at {place:<place_width$} {name:<name_width$} {}",
            why(mutant)
        );
        out += line.trim_end();
        out.push('\n');
        if let Some((property, run)) = &mutant.counterexample {
            let run = indented(&text::trace(program, run, style));
            out += &format!("  Counterexample to {property}:\n\n{run}\n");
        }
    }
    out.push('\n');
    out += &summary(&report.score());
    if !report.independent.is_empty() {
        let names = report.independent.join(", ");
        out += &format!("No property depends on {names}.\n");
    }
    for (name, kills) in report.kills() {
        out += &format!("  {name} kills {kills}\n");
    }
    out
}

/// The file is shown where there is more than one.
fn place(report: &MutationReport, mutant: &MutantReport) -> String {
    let (line, column) = (mutant.position.line, mutant.position.column);
    let mut others = report.mutants.iter();
    match others.any(|other| other.file != mutant.file) {
        true => format!("{}:{line}:{column}", mutant.file),
        false => format!("{line}:{column}"),
    }
}

fn rank(verdict: MutantVerdict) -> u8 {
    match verdict {
        MutantVerdict::Killed => 0,
        MutantVerdict::Survived | MutantVerdict::Equivalent => 1,
        MutantVerdict::Unknown => 2,
    }
}

fn color(verdict: MutantVerdict) -> &'static str {
    match verdict {
        MutantVerdict::Killed => GREEN,
        MutantVerdict::Survived => RED,
        MutantVerdict::Equivalent | MutantVerdict::Unknown => YELLOW,
    }
}

fn why(mutant: &MutantReport) -> String {
    match mutant.verdict {
        MutantVerdict::Killed => format!("by [{}]", mutant.killed_by.join(", ")),
        MutantVerdict::Survived => String::new(),
        MutantVerdict::Equivalent => "(equivalent)".to_owned(),
        MutantVerdict::Unknown => format!("for [{}]", mutant.undecided.join(", ")),
    }
}

/// Both scores in a sentence.
pub(super) fn summary(score: &Score) -> String {
    let (killed, total) = (score.killed, score.total());
    let Some((percent, of_all)) = score.percent().zip(score.percent_of_all()) else {
        return match total {
            0 => "There are no mutants.\n".to_owned(),
            _ => format!("All {total} mutants are equivalent to the original.\n"),
        };
    };
    let mut out = format!(
        "{killed} of {} mutants killed: {percent:.1} %",
        score.different()
    );
    if score.equivalent > 0 {
        out += &format!(
            "; {of_all:.1} % of all {total}, with {} that are equivalent to the original",
            score.equivalent
        );
    }
    if score.unknown > 0 {
        out += &format!("; {} unknown", score.unknown);
    }
    out + "\n"
}
