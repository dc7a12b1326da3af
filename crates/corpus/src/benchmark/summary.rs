//! Figures of a benchmark.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Curve, Solution, Verdict};
use crate::files;

/// Per family: solved, wrong, unknown, and times.
pub fn families(solutions: &[Solution]) -> String {
    let mut by_family: BTreeMap<&str, Vec<&Solution>> = BTreeMap::new();
    for solution in solutions {
        by_family
            .entry(&solution.family)
            .or_default()
            .push(solution);
    }
    let mut lines = vec![format!(
        "{:<28} {:>7} {:>6} {:>8} {:>9} {:>9} {:>9}",
        "family", "solved", "wrong", "unknown", "median s", "longest s", "total s"
    )];
    for (family, all) in by_family {
        let count = |verdict| all.iter().filter(|s| s.verdict == verdict).count();
        let mut times: Vec<f64> = all.iter().map(|s| s.seconds).collect();
        times.sort_by(f64::total_cmp);
        lines.push(format!(
            "{family:<28} {:>7} {:>6} {:>8} {:>9.3} {:>9.3} {:>9.1}",
            count(Verdict::Solved),
            count(Verdict::Wrong),
            count(Verdict::Unknown),
            times[times.len() / 2],
            times[times.len() - 1],
            times.iter().sum::<f64>()
        ));
    }
    for solution in solutions {
        if solution.verdict != Verdict::Solved {
            let (family, name) = (&solution.family, &solution.name);
            let verdict = solution.verdict;
            lines.push(format!(
                "  {verdict:?}: {family} {name} ({:.1} s)",
                solution.seconds
            ));
        }
    }
    lines.join("\n")
}

/// How many properties each engine decided, and what it cost to check proofs.
pub fn engines(solutions: &[Solution]) -> String {
    let mut all: BTreeMap<&str, usize> = BTreeMap::new();
    for solution in solutions {
        for (engine, count) in &solution.engines {
            *all.entry(engine).or_default() += count;
        }
    }
    let shown: Vec<String> = all.iter().map(|(e, n)| format!("{e} {n}")).collect();
    let certifying: f64 = solutions.iter().map(|s| s.certifying).sum();
    let total: f64 = solutions.iter().map(|s| s.seconds).sum();
    format!(
        "properties decided by: {}\nproofs checked again: {certifying:.1} s of {total:.1} s",
        shown.join(", ")
    )
}

/// A peer's answer for one model.
struct Row {
    file: String,
    expected: String,
    /// Verdict and seconds, for each peer.
    peers: Vec<(String, f64)>,
}

const PEERS: [(&str, &str); 2] = [("Kind 2", "#d62728"), ("JKind", "#2ca02c")];

/// An unsolved model counts as twice the limit.
fn par2(solved: bool, seconds: f64, limit: f64) -> f64 {
    if solved { seconds } else { 2.0 * limit }
}

fn baseline(reference: &Path) -> Vec<Row> {
    let text = files::read(&reference.join("baseline.csv"));
    let rows = text.lines().skip(1).filter_map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let [file, expected, kind2, kind2_s, jkind, jkind_s] = cells[..] else {
            return None;
        };
        let seconds = |text: &str| text.parse().unwrap_or(f64::INFINITY);
        Some(Row {
            file: file.to_owned(),
            expected: expected.to_owned(),
            peers: vec![
                (kind2.to_owned(), seconds(kind2_s)),
                (jkind.to_owned(), seconds(jkind_s)),
            ],
        })
    });
    rows.collect()
}

/// The comparison on `fmcad08` with the reference times, and the curves of
/// all three.
pub fn against_baseline(
    solutions: &[Solution],
    reference: &Path,
    limit: f64,
) -> (String, Vec<Curve>) {
    let own: BTreeMap<&str, &Solution> = solutions
        .iter()
        .filter(|s| s.family.starts_with("fmcad08"))
        .map(|s| (s.name.as_str(), s))
        .collect();
    let rows = baseline(reference);
    let rows: Vec<(&Row, &Solution)> = rows
        .iter()
        .filter_map(|row| Some((row, *own.get(row.file.as_str())?)))
        .collect();
    if rows.is_empty() {
        return (String::new(), Vec::new());
    }
    let solved = |s: &Solution| s.verdict == Verdict::Solved;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let own_par2: Vec<f64> = rows
        .iter()
        .map(|(_, s)| par2(solved(s), s.seconds, limit))
        .collect();
    let own_times = rows
        .iter()
        .filter(|(_, s)| solved(s))
        .map(|(_, s)| s.seconds);
    let mut curves = vec![Curve {
        name: "Kindred".to_owned(),
        colour: "#1f77b4",
        seconds: own_times.collect(),
    }];
    let mut lines = vec![format!(
        "Kindred: {} of {} solved, PAR-2 {:.3} s",
        curves[0].seconds.len(),
        rows.len(),
        mean(&own_par2)
    )];
    let by_all = |row: &Row, s: &Solution| {
        solved(s)
            && row
                .peers
                .iter()
                .all(|(verdict, _)| *verdict == row.expected)
    };
    for (at, (peer, colour)) in PEERS.iter().enumerate() {
        let answer = |row: &Row| row.peers[at].clone();
        let right = |row: &Row| answer(row).0 == row.expected;
        let times = rows.iter().filter(|(row, _)| right(row));
        let seconds: Vec<f64> = times.map(|(row, _)| answer(row).1).collect();
        let scores: Vec<f64> = rows
            .iter()
            .map(|(row, _)| par2(right(row), answer(row).1, limit))
            .collect();
        let logs: Vec<f64> = rows
            .iter()
            .filter(|(row, s)| by_all(row, s))
            .map(|(row, s)| (answer(row).1 / s.seconds).ln())
            .collect();
        lines.push(format!(
            "{peer}: {} solved, PAR-2 {:.3} s; geometric mean of its time over Kindred's on {} \
             models that all three solve: {:.1}",
            seconds.len(),
            mean(&scores),
            logs.len(),
            mean(&logs).exp()
        ));
        for (row, s) in &rows {
            if right(row) && !solved(s) {
                lines.push(format!("  only {peer} solves {}", row.file));
            }
        }
        curves.push(Curve {
            name: (*peer).to_owned(),
            colour,
            seconds,
        });
    }
    (lines.join("\n"), curves)
}
