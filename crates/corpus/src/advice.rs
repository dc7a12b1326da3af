//! Advice for later runs: how much quicker they are, and whether models that were
//! changed keep their verdicts.
//!
//! Many models of `fmcad08` are mutants of others there: `m_e3_12.lus` is `m.lus` with an
//! error, and `m_e3_12_e7_5.lus` with another. The advice of each is handed on within its
//! family, in the order of names, so that all but the first get advice about another
//! model.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Outcome;
use crate::files;
use crate::verdict;

/// For each run.
const TIMEOUT: f64 = 10.0;

/// Models that are quicker tell nothing.
const SLOW: f64 = 0.2;

pub fn run(corpus: &Path) -> Vec<Outcome> {
    let folder = corpus.join("fmcad08");
    let expected = expected(&folder);
    let mut families: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for model in files::models(&folder) {
        families.entry(family(&model)).or_default().push(model);
    }
    let mut handed_on = Outcome::new("advice of another model");
    let mut quicker = Outcome::new("five times quicker again");
    let store = std::env::temp_dir().join(format!("kindred-advice-{}", std::process::id()));
    let advice = store.display().to_string();
    for models in families.values() {
        // A file that is not there is no advice.
        let _ = std::fs::remove_file(&store);
        for model in models {
            let told = verdict::run(model, &["--advice", &advice], TIMEOUT);
            let wanted = expected.get(&files::name(model)).map(String::as_str);
            judge(&mut handed_on, model, told.exit, wanted);
        }
        for model in models {
            measure(&mut quicker, model, &store);
        }
    }
    let _ = std::fs::remove_file(&store);
    vec![handed_on, quicker]
}

/// A model without the errors in its name.
fn family(model: &Path) -> PathBuf {
    let name = model.file_stem().unwrap_or_default().to_string_lossy();
    let end = name.find("_e").unwrap_or(name.len());
    model.with_file_name(&name[..end])
}

/// The verdicts, by the names of files in the corpus.
fn expected(folder: &Path) -> BTreeMap<String, String> {
    let table = files::read(&folder.join("expected.csv"));
    let rows = table
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(','));
    rows.map(|(file, verdict)| (files::name(&folder.join(file)), verdict.to_owned()))
        .collect()
}

fn judge(outcome: &mut Outcome, model: &Path, exit: i32, wanted: Option<&str>) {
    let told = match exit {
        0 => "valid",
        40 => "invalid",
        _ => "unknown",
    };
    let line = format!("{}: {told}", files::name(model));
    match wanted {
        _ if told == "unknown" => outcome.unknown.push(line),
        Some(wanted) if wanted == told => outcome.right += 1,
        _ => outcome.wrong.push(line),
    }
}

/// How long a slow proof takes when it is known.
fn measure(outcome: &mut Outcome, model: &Path, store: &Path) {
    let advice = store.display().to_string();
    let _ = std::fs::remove_file(store);
    let first = verdict::run(model, &["--write_advice", &advice], TIMEOUT);
    if first.exit != 0 || first.seconds < SLOW {
        return;
    }
    let without = verdict::run(model, &[], TIMEOUT).seconds;
    let with = verdict::run(model, &["--read_advice", &advice], TIMEOUT).seconds;
    if without < SLOW {
        return;
    }
    let factor = without / with;
    match factor >= 5.0 {
        true => outcome.right += 1,
        false => outcome.unknown.push(format!(
            "{}: {without:.2} s, then {with:.2} s, {factor:.1} times quicker",
            files::name(model)
        )),
    }
}
