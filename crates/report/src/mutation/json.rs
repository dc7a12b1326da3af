//! Mutants as a JSON document of its own, after `docs/mutation.schema.json`.

use serde_json::{Value as Json, json};

use crate::escape;
use results::{MutantReport, MutantVerdict, MutationReport, Score, by_equation};

/// All analyses of a model.
pub fn document(reports: &[MutationReport]) -> String {
    let analyses: Vec<Json> = reports.iter().map(analysis).collect();
    let document = json!({ "version": 1, "analyses": analyses });
    escape::json(&format!("{document:#}\n")).into_owned()
}

fn analysis(report: &MutationReport) -> Json {
    let kills = report.kills().into_iter();
    let kills: Vec<Json> = kills
        .map(|(name, kills)| json!({ "name": name, "kills": kills }))
        .collect();
    let nodes = report.by_node().into_iter().map(|(name, mutants)| {
        let equations = by_equation(&mutants).into_iter();
        let equations: Vec<Json> = equations
            .map(|(equation, mutants)| {
                json!({
                    "name": equation.name,
                    "line": equation.line,
                    "column": equation.column,
                    "score": score(Score::of(mutants)),
                })
            })
            .collect();
        json!({
            "name": name,
            "score": score(Score::of(mutants)),
            "equations": equations,
        })
    });
    let nodes: Vec<Json> = nodes.collect();
    let mutants: Vec<Json> = report.mutants.iter().map(mutant).collect();
    json!({
        "top": report.top,
        "seconds": report.seconds,
        "score": score(report.score()),
        "unsettled": report.left,
        "independent": report.independent,
        "properties": kills,
        "nodes": nodes,
        "mutants": mutants,
    })
}

fn score(score: Score) -> Json {
    json!({
        "killed": score.killed,
        "survived": score.survived,
        "equivalent": score.equivalent,
        "unknown": score.unknown,
        "percent": score.percent(),
        "percentOfAll": score.percent_of_all(),
    })
}

fn mutant(mutant: &MutantReport) -> Json {
    let mut object = json!({
        "file": mutant.file,
        "node": mutant.node,
        "line": mutant.position.line,
        "column": mutant.position.column,
        "equation": mutant.equation.name,
        "mutator": mutant.mutator,
        "change": mutant.name,
        "verdict": mutant.verdict.name(),
        "equivalent": mutant.verdict == MutantVerdict::Equivalent,
        "killedBy": mutant.killed_by,
        "undecided": mutant.undecided,
        "seconds": mutant.seconds,
    });
    if let Some(steps) = mutant.steps {
        object["steps"] = steps.into();
    }
    object
}
