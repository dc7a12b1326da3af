//! Mutants as comma-separated values.

use syntax::printable;

use results::{MutantVerdict, MutationReport};

/// A line for each mutant of all analyses.
pub fn csv(reports: &[MutationReport]) -> String {
    let mut out = String::from("top,file,node,line,column,mutator,change,verdict,killed_by\n");
    for report in reports {
        for mutant in &report.mutants {
            let verdict = match mutant.verdict {
                MutantVerdict::Equivalent => "EQUIVALENT",
                verdict => verdict.name(),
            };
            let cells = [
                report.top.clone(),
                mutant.file.clone(),
                mutant.node.clone(),
                mutant.position.line.to_string(),
                mutant.position.column.to_string(),
                mutant.mutator.to_owned(),
                mutant.name.clone(),
                verdict.to_owned(),
                mutant.killed_by.join(";"),
            ];
            let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
            out += &cells.join(",");
            out.push('\n');
        }
    }
    out
}

fn quoted(cell: &str) -> String {
    let cell = printable(cell);
    match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.into_owned(),
    }
}
