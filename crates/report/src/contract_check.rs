//! Contract checks in all formats.

use lang::Program;
use results::{Realizability, RealizabilityReport, SatisfiabilityReport};
use serde_json::{Value as Json, json};

use crate::escape::xml as escape;
use crate::json::round;
use crate::text::{Style, indented};
use crate::{elements, json, text, xml};

pub(crate) fn text(
    program: &Program,
    report: &RealizabilityReport,
    style: Style,
    hide_trace: bool,
) -> String {
    let RealizabilityReport {
        subject, seconds, ..
    } = report;
    let word = report.answer.word();
    let proven = |tag: &str| format!("{tag} {subject} was proven {word} after {seconds:.3}s.\n\n");
    match &report.answer {
        Realizability::Realizable { viable } => {
            let mut out = proven(&style.paint("1;32", "<Success>"));
            if let Some(viable) = viable {
                out += &format!("Viable States:\n{viable}\n\n");
            }
            out
        }
        Realizability::Unrealizable(deadlock) => {
            let mut out = proven(&style.paint("1;31", "<Failure>"));
            let Some(deadlock) = deadlock else {
                return out;
            };
            if !hide_trace {
                let trace = indented(&text::trace(program, &deadlock.trace, style));
                out += &format!("Deadlocking trace:\n{trace}\n");
            }
            out += &format!("{}\n\n", deadlock.sentence);
            out + &elements::text(&deadlock.conflict, program, style)
        }
        Realizability::Unknown => {
            let tag = style.paint("1;33", "<Warning>");
            let inside = &report.subject_inside;
            format!(
                "{tag} Could not determine whether {inside} is realizable or not after \
                 {seconds:.3}s.\n\n"
            )
        }
    }
}

fn runtime(seconds: f64, timed_out: bool) -> Json {
    json!({ "unit": "sec", "timeout": timed_out, "value": round(seconds) })
}

fn runtime_xml(seconds: f64, timed_out: bool) -> String {
    format!("  <Runtime unit=\"sec\" timeout=\"{timed_out}\">{seconds:.3}</Runtime>\n")
}

pub(crate) fn json(program: &Program, report: &RealizabilityReport) -> Json {
    let mut object = json!({
        "objectType": "realizabilityCheck",
        "runtime": runtime(report.seconds, report.timed_out),
        "result": report.answer.word(),
    });
    match &report.answer {
        Realizability::Realizable {
            viable: Some(viable),
        } => object["viableStates"] = viable.as_str().into(),
        Realizability::Unrealizable(Some(deadlock)) => {
            object["deadlockingTrace"] = json!([json::block(program, &deadlock.trace)]);
            object["conflictingSet"] = elements::json(&deadlock.conflict, program);
        }
        _ => {}
    }
    object
}

pub(crate) fn xml(program: &Program, report: &RealizabilityReport) -> String {
    let mut out = format!(
        "<RealizabilityCheck>\n  <Result>{}</Result>\n{}",
        report.answer.word(),
        runtime_xml(report.seconds, report.timed_out)
    );
    match &report.answer {
        Realizability::Realizable {
            viable: Some(viable),
        } => out += &format!("  <ViableStates>{}</ViableStates>\n", escape(viable)),
        Realizability::Unrealizable(Some(deadlock)) => {
            out += "  <DeadlockingTrace>\n";
            xml::block(program, &deadlock.trace, 2, &mut out);
            out += "  </DeadlockingTrace>\n";
            let set = elements::named_xml("ConflictingSet", &deadlock.conflict, program);
            out += &indented(&set);
        }
        _ => {}
    }
    out + "</RealizabilityCheck>\n\n"
}

pub(crate) fn satisfiability_text(report: &SatisfiabilityReport, style: Style) -> String {
    let SatisfiabilityReport {
        subject, seconds, ..
    } = report;
    let tag = match report.satisfiable {
        Some(true) => style.paint("1;32", "<Success>"),
        Some(false) => style.paint("1;31", "<Failure>"),
        None => {
            let tag = style.paint("1;33", "<Warning>");
            let inside = &report.subject_inside;
            return format!(
                "{tag} Could not determine whether {inside} is satisfiable or not after \
                 {seconds:.3}s.\n\n"
            );
        }
    };
    let word = report.word();
    format!("{tag} {subject} was proven {word} after {seconds:.3}s.\n\n")
}

pub(crate) fn satisfiability_json(report: &SatisfiabilityReport) -> Json {
    json!({
        "objectType": "satisfiabilityCheck",
        "runtime": runtime(report.seconds, report.timed_out),
        "result": report.word(),
    })
}

pub(crate) fn satisfiability_xml(report: &SatisfiabilityReport) -> String {
    format!(
        "<SatisfiabilityCheck>\n  <Result>{}</Result>\n{}</SatisfiabilityCheck>\n\n",
        report.word(),
        runtime_xml(report.seconds, report.timed_out)
    )
}
