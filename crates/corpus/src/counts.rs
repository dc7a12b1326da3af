//! Models of several nodes: how many minimal cores there are, compared with JKind's
//! published figures.
//!
//! The figures are of cores as JKind reports them ([`crate::jkind`]). A difference
//! counts as explained if our cores, told that way, come to the same figures: those of
//! the model as it stands, or as JKind reads it. What stays different is judged.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use traceability::Granularity;

use crate::cores::{Core, Found, judge, print_ratio, run, times};
use crate::table::rows;
use crate::{Outcome, files, jkind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Figures {
    cores: usize,
    smallest: usize,
    must: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures {
            cores,
            smallest,
            must,
        } = self;
        write!(f, "{cores} cores, {smallest} in the smallest, {must} MUST")
    }
}

impl Figures {
    fn of(cores: &BTreeSet<Core>, must: &Core) -> Figures {
        Figures {
            cores: cores.len(),
            smallest: cores.iter().map(Core::len).min().unwrap_or(0),
            must: must.len(),
        }
    }

    fn reported(found: &Found) -> Figures {
        let cores = jkind::reported(&found.cores);
        Figures::of(&cores, &jkind::without_instances(&found.must))
    }

    fn published(row: &BTreeMap<String, String>) -> Option<Figures> {
        let figure = |column: &str| row.get(column)?.parse().ok();
        Some(Figures {
            cores: figure("mivcs")?,
            smallest: figure("smallest")?,
            must: figure("must")?,
        })
    }
}

pub fn hierarchical(corpus: &Path) -> Vec<Outcome> {
    let folder = corpus.join("ivc");
    let mut outcome = Outcome::new("cores: hierarchical");
    let times = times(&folder, "jkind_all_ivcs_s");
    let mut ratios = Vec::new();
    for row in rows(&folder.join("expected.csv")) {
        let name = &row["model"];
        let Some(published) = Figures::published(&row) else {
            continue;
        };
        if row["kind"] != "hierarchical" || !files::is_wanted(name) {
            continue;
        }
        let path = folder.join(format!("{name}.lus"));
        let found = run(&path, Granularity::Flat);
        let ours = Figures::of(&found.cores, &found.must);
        let line = format!("{name}: {ours}; published: {published}");
        if !found.complete {
            outcome.unknown.push(line + &so_far(&found, published));
            continue;
        }
        ratios.extend(times.get(name).map(|time| time / found.seconds));
        if ours == published {
            outcome.right += 1;
        } else if let Some(reason) = explanation(&path, &found, published) {
            outcome.explained.push(format!("{line}; {reason}"));
        } else {
            match judge(&path, Granularity::Flat, found.cores.iter(), [].iter()) {
                Ok(_) => outcome.disputed.push(line),
                Err(reason) => outcome.wrong.push(format!("{line}; {reason}")),
            }
        }
    }
    print_ratio(&outcome.title, &ratios);
    vec![outcome]
}

/// How far a search has come. What JKind cannot prove in time counts as violated there:
/// then an element is a MUST one.
fn so_far(found: &Found, published: Figures) -> String {
    let cores = jkind::reported(&found.cores);
    let common = cores.iter().cloned().reduce(|a, b| &a & &b);
    let equal = Figures::of(&cores, &common.unwrap_or_default()) == published;
    let remark = match equal {
        true => ", equal if what is undecided is MUST",
        false => "",
    };
    format!(" (after {:.0}s{remark})", found.seconds)
}

/// What makes our figures the published ones.
fn explanation(path: &Path, found: &Found, published: Figures) -> Option<String> {
    let mut reason = "equal without the numbers of instances".to_owned();
    if Figures::reported(found) == published {
        return Some(reason);
    }
    let reading = jkind::reading(path)?;
    if reading.flattened > 0 {
        reason += ", with streams for nested `pre`";
    }
    if reading.ignored > 0 {
        reason += ", without assertions of called nodes";
    }
    let changed = reading.flattened + reading.ignored > 0;
    let found = changed.then(|| run_text(&reading.text)).flatten()?;
    let equal = found.complete && Figures::reported(&found) == published;
    equal.then_some(reason)
}

fn run_text(text: &str) -> Option<Found> {
    let name = format!("kindred-jkind-{}.lus", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, text).ok()?;
    let found = run(&path, Granularity::Flat);
    std::fs::remove_file(&path).ok()?;
    Some(found)
}
