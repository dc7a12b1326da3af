//! Mutants, compared with the verdicts of a reference implementation and with
//! MUST sets; and how many are settled in a second.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use sim::input::{Json, parse_json};

use crate::json::{elements, field, is_approximate, is_set, list, number, objects, text, texts};
use crate::table::{listed, records, rows};
use crate::verdict::output;
use crate::{Outcome, files};

/// A mutant: file, line, column and mutator.
type Key = (String, usize, usize, String);

/// What became of a mutant, and the properties that kill it.
type Verdict = (String, BTreeSet<String>);

/// Seconds for a model.
const TIMEOUT: f64 = 200.0;

/// The verdicts of the reference implementation. Its `killed_by` is of one run; a
/// second table has all properties, for some of the models.
pub fn verdicts(corpus: &Path) -> Vec<Outcome> {
    let golden = corpus.join("../golden");
    let expected = table(&files::read(&golden.join("mutation.csv")));
    let complete = table(&files::read(&golden.join("mutation_killsets.csv")));
    let mut outcome = Outcome::new("mutants: verdicts");
    let mut sets = Outcome::new("mutants: killing properties");
    let models: BTreeSet<&String> = expected.keys().map(|(file, ..)| file).collect();
    for model in models {
        let found = mutants(&corpus.join("mutation").join(model), model);
        for (key, (verdict, killed_by)) in expected.iter().filter(|(key, _)| key.0 == *model) {
            let place = format!("{}:{}:{} {}", key.0, key.1, key.2, key.3);
            match found.get(key) {
                Some((ours, by)) if ours == verdict && by.is_superset(killed_by) => {
                    outcome.right += 1;
                }
                ours => outcome
                    .wrong
                    .push(format!("{place}: {ours:?}, not {verdict}")),
            }
            let Some((_, all)) = complete.get(key) else {
                continue;
            };
            match found.get(key) {
                Some((_, by)) if by == all => sets.right += 1,
                ours => sets.wrong.push(format!("{place}: {ours:?}, not {all:?}")),
            }
        }
    }
    vec![outcome, sets]
}

fn table(text: &str) -> BTreeMap<Key, Verdict> {
    let rows = records(text).into_iter().skip(1);
    let rows = rows.filter_map(|cells| {
        let [file, line, column, mutator, verdict, killed_by] = cells.try_into().ok()?;
        let key = (file, line.parse().ok()?, column.parse().ok()?, mutator);
        Some((key, (verdict, listed(&killed_by))))
    });
    rows.collect()
}

/// The mutants of a model, by the names of the reference implementation.
fn mutants(path: &Path, model: &str) -> BTreeMap<Key, Verdict> {
    let document = run(path, &[]);
    let mut all = BTreeMap::new();
    for mutant in analyses(&document)
        .iter()
        .flat_map(|analysis| list(analysis, "mutants"))
    {
        let number = |key| number(field(&mutant, key)).unwrap_or_default() as usize;
        let name = |key| text(field(&mutant, key)).unwrap_or_default();
        let mutator = reference_name(&name("mutator"), &name("change"));
        let key = (model.to_owned(), number("line"), number("column"), mutator);
        all.insert(key, (name("verdict"), texts(&mutant, "killedBy")));
    }
    all
}

fn reference_name(mutator: &str, change: &str) -> String {
    let value = change.split_once('_').map_or("", |(_, value)| value);
    let is_first = value.starts_with('5') || value == "false";
    match mutator {
        "equal" if is_first => "eq_5_false".to_owned(),
        "equal" => "eq_-2_true".to_owned(),
        "init" if is_first => "init_5_false".to_owned(),
        "init" => "init_-1_true".to_owned(),
        "constant" if change.contains("bool") => {
            "(const bool true -> false, false -> true)".to_owned()
        }
        "constant" if change.contains("real") => "(const real 1.0 -> -1.0, x -> 1.0)".to_owned(),
        "constant" => "(const int 1 -> -1, x -> 1)".to_owned(),
        other => other.to_owned(),
    }
}

/// Models with more equations are not compared with MUST sets.
const LARGEST: usize = 100;

/// Corollary 1 of the paper: the equations whose removal is noticed are those that
/// every proof needs.
pub fn must(corpus: &Path) -> Vec<Outcome> {
    let folder = corpus.join("ivc");
    let mut outcome = Outcome::new("mutants: removed = MUST");
    for row in rows(&folder.join("expected.csv")) {
        let name = row["model"].clone();
        if row["kind"] != "flat" || !files::is_wanted(&name) {
            continue;
        }
        let path = folder.join(format!("{name}.lus"));
        let document = run(&path, &["--mutators", "eq_remove"]);
        let (mut killed, mut asked, mut open) = (BTreeSet::new(), BTreeSet::new(), 0);
        for mutant in analyses(&document)
            .iter()
            .flat_map(|analysis| list(analysis, "mutants"))
        {
            let name = text(field(&mutant, "equation")).unwrap_or_default();
            match text(field(&mutant, "verdict")).unwrap_or_default().as_str() {
                "KILLED" => killed.insert(name.clone()),
                "UNKNOWN" => {
                    open += 1;
                    false
                }
                _ => false,
            };
            asked.insert(name);
        }
        if asked.len() > LARGEST {
            continue;
        }
        let must = must_set(&path);
        let must = must.map(|must| &must & &asked);
        match must {
            Some(must) if must == killed && open == 0 => outcome.right += 1,
            Some(must) if open == 0 => {
                let differ: Vec<&String> = must.symmetric_difference(&killed).collect();
                outcome.wrong.push(format!("{name}: {differ:?}"));
            }
            _ => outcome.unknown.push(name),
        }
    }
    vec![outcome]
}

fn must_set(path: &Path) -> Option<BTreeSet<String>> {
    let flags = [
        "--ivc",
        "true",
        "--ivc_must_set",
        "true",
        "--ivc_flat",
        "true",
        "--ivc_category",
        "equations",
    ];
    let (_, document) = output(path, &flags, TIMEOUT);
    let objects = objects(&document);
    let mut sets = objects.iter();
    let set = sets.find(|object| is_set(object, "must") && !is_approximate(object))?;
    Some(elements(set))
}

/// How many mutants are settled in a second, on models that are proved in one.
pub fn speed(corpus: &Path) -> Vec<Outcome> {
    let mut outcome = Outcome::new("mutants: settled");
    let (mut rates, mut unknown, mut all) = (Vec::new(), 0, 0);
    for path in files::models(&corpus.join("regression/success")) {
        let name = files::name(&path);
        if !files::is_wanted(&name) {
            continue;
        }
        let start = Instant::now();
        let (code, _) = output(&path, &[], 10.0);
        if code != 0 || start.elapsed().as_secs_f64() > 1.0 {
            continue;
        }
        let document = run(&path, &[]);
        for analysis in analyses(&document) {
            let score = field(&analysis, "score");
            let count = |key| {
                let value = score.as_ref().and_then(|score| number(field(score, key)));
                value.unwrap_or_default() as usize
            };
            let mutants = list(&analysis, "mutants").len();
            let seconds = number(field(&analysis, "seconds")).unwrap_or_default();
            let open = count("unknown");
            (unknown, all) = (unknown + open, all + mutants);
            if mutants > 0 {
                rates.push(mutants as f64 / seconds);
                println!("  {name}: {mutants} mutants, {seconds:.3}s, {open} unknown");
            }
            match open {
                0 => outcome.right += 1,
                _ => outcome.unknown.push(format!("{name}: {open} of {mutants}")),
            }
        }
    }
    rates.sort_by(f64::total_cmp);
    let median = rates.get(rates.len() / 2).unwrap_or(&0.0);
    println!("mutants: {median:.0} a second (median), {unknown} of {all} unknown");
    vec![outcome]
}

/// What mutation says of a model.
fn run(path: &Path, flags: &[&str]) -> Option<Json> {
    let name = format!("kindred-mutants-{}.json", std::process::id());
    let report = std::env::temp_dir().join(name);
    let mut all = vec!["--mutation", "true", "--mutation_json"];
    all.push(report.to_str()?);
    all.extend(flags);
    output(path, &all, TIMEOUT);
    let document = files::read(&report);
    // What the next model leaves behind must be its own.
    let _ = std::fs::remove_file(&report);
    parse_json(&document).ok()
}

fn analyses(document: &Option<Json>) -> Vec<Json> {
    document
        .as_ref()
        .map_or(Vec::new(), |document| list(document, "analyses"))
}
