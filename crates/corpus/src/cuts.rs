//! Local against global cut sets: every equation of a model of one node may fail,
//! or every call of a model of several.
//!
//! A local cut set is smallest among the runs of one length, a global one among
//! all. The paper on them finds both of the same size in 434 of 436 cases, the
//! local ones 5.6 times as fast.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use sim::input::Json;

use crate::json::{field, objects, text};
use crate::table::rows;
use crate::verdict::output;
use crate::{Outcome, files};

/// Seconds for a search.
const TIMEOUT: f64 = 60.0;

/// What a search has found.
struct Found {
    /// `None` if it did not end; empty if there is no cut set.
    size: Option<Option<usize>>,
    seconds: f64,
}

pub fn run(corpus: &Path) -> Vec<Outcome> {
    let folder = corpus.join("ivc");
    let mut outcome = Outcome::new("cut sets: local = global");
    let (mut local_times, mut ratios) = (Vec::new(), Vec::new());
    for row in rows(&folder.join("expected.csv")) {
        let name = &row["model"];
        if !files::is_wanted(name) {
            continue;
        }
        let flags: &[&str] = match row["kind"].as_str() {
            "flat" => &["--mcs_category", "equations", "--mcs_flat", "true"],
            _ => &["--mcs_category", "node_calls"],
        };
        let path = folder.join(format!("{name}.lus"));
        let local = search(&path, flags, "true");
        let global = search(&path, flags, "false");
        local_times.push(local.seconds);
        match (local.size, global.size) {
            (Some(local_size), Some(global_size)) => {
                ratios.push(global.seconds / local.seconds);
                match local_size == global_size {
                    true => outcome.right += 1,
                    false => outcome.disputed.push(format!(
                        "{name}: local {local_size:?}, global {global_size:?}"
                    )),
                }
            }
            _ => outcome.unknown.push(name.to_owned()),
        }
    }
    local_times.sort_by(f64::total_cmp);
    let median = local_times.get(local_times.len() / 2).unwrap_or(&0.0);
    let mean = ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len().max(1) as f64;
    println!(
        "cut sets: local ones in {median:.3}s (median), global ones take {:.1} times as long",
        mean.exp()
    );
    vec![outcome]
}

fn search(path: &Path, flags: &[&str], approximate: &str) -> Found {
    let mut all = vec!["--enable", "MCS", "--mcs_approximate", approximate];
    all.extend(flags);
    let start = Instant::now();
    let (_, document) = output(path, &all, TIMEOUT);
    let seconds = start.elapsed().as_secs_f64();
    let mut sizes = BTreeSet::new();
    for object in &objects(&document) {
        let kind = text(field(object, "objectType")).unwrap_or_default();
        match (kind.as_str(), field(object, "size")) {
            ("modelElementSet", Some(Json::Number(size))) => {
                sizes.insert(size.parse().ok());
            }
            ("noModelElementSet", _) => {
                let answer = text(field(object, "answer"));
                if answer.as_deref() == Some("noSolution") {
                    sizes.insert(None);
                }
            }
            _ => {}
        }
    }
    Found {
        size: sizes.pop_last(),
        seconds,
    }
}
