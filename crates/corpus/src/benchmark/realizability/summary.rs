//! Figures of contract checks.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::run::{Question, Ran};
use super::{Answered, Row};
use crate::Outcome;
use crate::benchmark::Verdict;

/// A component as a whole may take so many times as long as its slowest part, and so many
/// seconds more.
const WHOLE_FACTOR: f64 = 2.0;
const WHOLE_MORE: f64 = 0.2;

/// Runs of Kind 2 that take longer are compared on their own, in seconds.
const LONG: f64 = 0.5;

/// What came of all comparisons.
pub struct Report {
    limit: f64,
    answered: Vec<Answered>,
    /// The wall times of runs, by file.
    seconds: BTreeMap<String, f64>,
    /// Other mistakes of a run.
    mistakes: Vec<String>,
    /// Contracts that are unrealizable, those with a trace, and those with a conflict.
    unrealizable: [usize; 3],
    /// Rows for an option that the program does not have.
    pub skipped: usize,
    /// Models without a known answer.
    pub without_rows: Vec<String>,
    pub exit_codes: Outcome,
    pub viable_states: Outcome,
    pub jkind_twins: Outcome,
}

impl Report {
    pub fn new(limit: f64) -> Report {
        Report {
            limit,
            answered: Vec::new(),
            seconds: BTreeMap::new(),
            mistakes: Vec::new(),
            unrealizable: [0; 3],
            skipped: 0,
            without_rows: Vec::new(),
            exit_codes: Outcome::default(),
            viable_states: Outcome::default(),
            jkind_twins: Outcome::default(),
        }
    }

    /// Judges the rows of a file.
    pub(super) fn add(&mut self, file: &str, rows: Vec<Row>, ran: &Ran) {
        let rejected = rows.iter().any(|row| row.expected == "rejected");
        match &ran.answers {
            None => {
                let what = format!("{file}: the output is no document (exit {})", ran.exit);
                self.mistakes.push(what);
            }
            Some(_) if !rejected && ran.exit != ran.expected_exit() => {
                let (exit, expected) = (ran.exit, ran.expected_exit());
                let what = format!("{file}: exit code {exit}, its answers ask for {expected}");
                self.mistakes.push(what);
            }
            Some(_) => {}
        }
        if !rows
            .iter()
            .any(|row| row.question.needs_environment_check())
        {
            self.seconds.insert(file.to_owned(), ran.seconds);
            let answers = ran.answers().iter();
            for answer in answers.filter(|answer| answer.result == "unrealizable") {
                self.unrealizable[0] += 1;
                self.unrealizable[1] += usize::from(answer.has_trace);
                self.unrealizable[2] += usize::from(answer.has_conflict);
            }
        }
        for row in rows {
            let found = ran.answer(&row.node, row.question);
            let found = found.map(|answer| answer.result.clone());
            self.answered.push(Answered {
                verdict: row.judge(found.as_deref(), ran.exit),
                row,
                found,
                seconds: ran.seconds,
            });
        }
    }

    /// Is an answer, an exit code or a document wrong?
    pub fn is_wrong(&self) -> bool {
        let others = [&self.exit_codes, &self.viable_states, &self.jkind_twins];
        let rows = &self.answered;
        rows.iter().any(|row| row.verdict == Some(Verdict::Wrong))
            || !self.mistakes.is_empty()
            || others.iter().any(|outcome| !outcome.wrong.is_empty())
    }

    pub fn print(&self) {
        println!("{}", self.text());
        for outcome in [&self.exit_codes, &self.viable_states, &self.jkind_twins] {
            outcome.print();
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{:<16} {:>6} {:>6} {:>8}",
            "contract checks", "solved", "wrong", "unknown"
        );
        let questions = [
            ("contract", Question::Contract),
            ("satisfiability", Question::Satisfiability),
            ("environment", Question::Environment),
            ("defined", Question::Defined),
        ];
        for (name, question) in questions {
            let count = |verdict| {
                let rows = self.answered.iter();
                rows.filter(|row| row.row.question == question && !row.row.stretch)
                    .filter(|row| row.verdict == Some(verdict))
                    .count()
            };
            let counts = [Verdict::Solved, Verdict::Wrong, Verdict::Unknown].map(count);
            if counts != [0; 3] {
                let [solved, wrong, unknown] = counts;
                let _ = writeln!(out, "{name:<16} {solved:>6} {wrong:>6} {unknown:>8}");
            }
        }
        self.open_rows(&mut out);
        if self.skipped > 0 {
            let _ = writeln!(
                out,
                "{} rows skipped: the program has no `--check_environment`",
                self.skipped
            );
        }
        self.times(&mut out);
        self.wholes(&mut out);
        let [count, traces, conflicts] = self.unrealizable;
        let _ = writeln!(
            out,
            "{count} unrealizable contracts: {traces} with a trace, {conflicts} with a conflict"
        );
        self.remarks(&mut out);
        out.trim_end().to_owned()
    }

    /// Rows that ask for more than the other tools know.
    fn open_rows(&self, out: &mut String) {
        let of = |expected: &str| {
            let rows = self
                .answered
                .iter()
                .filter(|row| row.row.expected == expected);
            let decided = rows.clone().filter(|row| row.is_decided());
            (decided.count(), rows.count())
        };
        let (decided, all) = of("undecided");
        let _ = writeln!(out, "undecided by others: {decided} of {all} decided");
        let (decided, all) = of("unknown");
        if all > 0 {
            let _ = writeln!(out, "not tried by Kind 2: {decided} of {all} decided");
        }
        let stretch = self.answered.iter().filter(|row| row.row.stretch);
        let solved = stretch.clone();
        let solved = solved.filter(|row| row.verdict == Some(Verdict::Solved));
        let (solved, all) = (solved.count(), stretch.count());
        let _ = writeln!(out, "stretch: {solved} of {all} solved");
    }

    fn times(&self, out: &mut String) {
        let mut times: Vec<f64> = self.seconds.values().copied().collect();
        times.sort_by(f64::total_cmp);
        if let Some(longest) = times.last() {
            let median = times[times.len() / 2];
            let _ = writeln!(
                out,
                "wall time of {} runs: median {median:.3} s, longest {longest:.3} s",
                times.len()
            );
        }
        for least in [0.0, LONG] {
            let logs = self.ratios(least);
            let mean = (logs.iter().sum::<f64>() / logs.len().max(1) as f64).exp();
            let which = match least > 0.0 {
                true => format!(" where Kind 2 takes more than {least} s"),
                false => String::new(),
            };
            let _ = writeln!(
                out,
                "geometric mean of Kind 2's seconds over ours on {} models that both solve{which}: \
                 {mean:.1}",
                logs.len()
            );
        }
    }

    /// Logarithms of Kind 2's time over ours, for each file whose contracts both decide.
    fn ratios(&self, least: f64) -> Vec<f64> {
        let mut by_file: BTreeMap<&str, Vec<&Answered>> = BTreeMap::new();
        let rows = self.answered.iter();
        for row in rows.filter(|row| row.row.question == Question::Contract) {
            by_file.entry(&row.row.file).or_default().push(row);
        }
        let ratio = |rows: &Vec<&Answered>| {
            let both = rows.iter().all(|row| {
                row.verdict == Some(Verdict::Solved) && row.row.kind2 == row.row.expected
            });
            let theirs = rows[0].row.kind2_seconds.filter(|seconds| *seconds > 0.0)?;
            (both && theirs > least).then(|| (theirs / rows[0].seconds).ln())
        };
        by_file.values().filter_map(ratio).collect()
    }

    /// Components as a whole, and their slowest parts.
    fn wholes(&self, out: &mut String) {
        let mut slowest: BTreeMap<String, (f64, usize)> = BTreeMap::new();
        for (file, seconds) in &self.seconds {
            if let Some(whole) = whole_of(file) {
                let (most, count) = slowest.entry(whole).or_default();
                *most = most.max(*seconds);
                *count += 1;
            }
        }
        let (mut kept, mut beyond) = (0, Vec::new());
        for (file, seconds) in &self.seconds {
            let Some((slowest, parts)) = slowest.get(&file.to_lowercase()) else {
                continue;
            };
            match *seconds <= WHOLE_FACTOR * slowest + WHOLE_MORE {
                true => kept += 1,
                false => beyond.push(format!(
                    "  {file}: {seconds:.3} s, the slowest of {parts} parts {slowest:.3} s"
                )),
            }
        }
        let _ = writeln!(
            out,
            "components: {kept} of {} take at most {WHOLE_FACTOR} times as long as their slowest \
             part and {WHOLE_MORE} s",
            kept + beyond.len()
        );
        beyond.iter().for_each(|line| *out += &format!("{line}\n"));
    }

    /// A line for everything that is not as it should be.
    fn remarks(&self, out: &mut String) {
        for row in &self.answered {
            let what = match (row.verdict, row.row.expected.as_str()) {
                (Some(Verdict::Solved), _) => continue,
                (Some(Verdict::Wrong), _) => "wrong",
                (Some(Verdict::Unknown), _) => "unknown",
                (None, "undecided") if row.is_decided() => "decided now",
                (None, "undecided") => "undecided",
                (None, _) if row.is_decided() => "decided",
                (None, _) => continue,
            };
            let Row {
                file,
                node,
                question,
                expected,
                ..
            } = &row.row;
            let found = row.found.as_deref().unwrap_or("no answer");
            let _ = writeln!(
                out,
                "  {what}: {file} {node} {question:?}: {found}, expected {expected} ({:.1} s)",
                row.seconds
            );
        }
        for mistake in &self.mistakes {
            let _ = writeln!(out, "  wrong: {mistake}");
        }
        for name in &self.without_rows {
            let _ = writeln!(out, "  not run, no known answer: {name}");
        }
    }

    /// All rows, as a table.
    pub fn csv(&self) -> String {
        let mut csv = String::from("file,node,what,expected,found,verdict,seconds,limit\n");
        for answered in &self.answered {
            let row = &answered.row;
            let verdict = answered.verdict.map(|v| format!("{v:?}").to_lowercase());
            let _ = writeln!(
                csv,
                "{},{},{},{},{},{},{:.3},{}",
                row.file,
                row.node,
                format!("{:?}", row.question).to_lowercase(),
                row.expected,
                answered.found.as_deref().unwrap_or_default(),
                verdict.unwrap_or_default(),
                answered.seconds,
                self.limit
            );
        }
        csv
    }
}

impl Answered {
    fn is_decided(&self) -> bool {
        self.found
            .as_deref()
            .is_some_and(|found| found != "unknown")
    }
}

/// The file of the component that a file has a part of, in small letters: `X_cc__…` is a part
/// of `X`, and of `X_inlined` if that is a part of its name.
fn whole_of(file: &str) -> Option<String> {
    let file = file.to_lowercase();
    let (whole, part) = file.split_once("_cc__")?;
    let inlined = match part.contains("inlined") {
        true => "_inlined",
        false => "",
    };
    Some(format!("{whole}{inlined}.lus"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_belong_to_their_component() {
        let whole = |file| whole_of(file).unwrap_or_default();
        assert_eq!(whole("fret/LMCPS__AP_cc__AP_0.lus"), "fret/lmcps__ap.lus");
        assert_eq!(
            whole("fret/Q__FCC_cc__Inlined__FCC_0_inlined.lus"),
            "fret/q__fcc_inlined.lus"
        );
        assert_eq!(whole_of("fret/LMCPS__AP.lus"), None);
    }
}
