//! Models of several nodes: how many minimal cores there are, compared with JKind's
//! published figures.
//!
//! The figures are of cores as JKind reports them ([`crate::jkind`]). A difference
//! counts as explained if our cores, told that way, come to the same figures; it is
//! tried in steps, so that it is known what makes the difference. What stays different
//! is judged.

use std::fmt;
use std::path::Path;

use crate::cores::{Core, Found, judge, print_ratio, run, times};
use crate::table::rows;
use crate::{Outcome, files, jkind};
use std::collections::{BTreeMap, BTreeSet};
use traceability::Granularity;

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
            let seconds = found.seconds;
            outcome
                .unknown
                .push(format!("{line} (so far, {seconds:.0}s)"));
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

/// What makes our figures the published ones.
fn explanation(path: &Path, found: &Found, published: Figures) -> Option<&'static str> {
    if Figures::reported(found) == published {
        return Some("equal without the numbers of instances");
    }
    let name = format!("kindred-flattened-{}.lus", std::process::id());
    let flattened = std::env::temp_dir().join(name);
    std::fs::write(&flattened, jkind::flattened(path)?).ok()?;
    let found = run(&flattened, Granularity::Flat);
    // What is left behind is small, and of no harm.
    let _ = std::fs::remove_file(&flattened);
    let equal = found.complete && Figures::reported(&found) == published;
    equal.then_some("equal without the numbers of instances, and with streams for nested `pre`")
}
