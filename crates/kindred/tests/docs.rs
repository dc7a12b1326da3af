//! The documents are true: commands print the output shown, models are accepted or refused as
//! stated, and the table of messages is complete.
//!
//! A block marked `console` is a transcript, run from the folder of the
//! repository. One marked `console excerpt` shows some lines of what a command
//! writes, in their order, with other times and proofs; `…` stands for those left
//! out. One
//! marked `lustre` is a whole model without any message; one
//! marked `lustre W0001 E0302` has these messages and no others.
//! `UPDATE_EXPECT=1` rewrites the transcripts and the table.

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{files, kindred, read, replay, repository};
use expect_test::expect_file;
use syntax::{Class, Code};

fn documents() -> Vec<PathBuf> {
    let mut all = files(&repository().join("docs"), "md");
    all.push(repository().join("README.md"));
    all
}

/// A block in fences: what stands behind the opening, and the text inside.
struct Fenced<'t> {
    info: &'t str,
    body: &'t str,
    line: usize,
}

/// The blocks of a document, as byte ranges of their bodies.
fn fenced(text: &str) -> Vec<(std::ops::Range<usize>, Fenced<'_>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, usize, usize)> = None;
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let start = at;
        at += line.len();
        let Some(info) = line.trim_end().strip_prefix("```") else {
            continue;
        };
        match open.take() {
            None => open = Some((info, at, number + 2)),
            Some((info, from, line)) => {
                let body = &text[from..start];
                blocks.push((from..start, Fenced { info, body, line }));
            }
        }
    }
    assert!(open.is_none(), "a block without an end");
    blocks
}

#[test]
fn documents_are_current() {
    for path in documents() {
        let text = read(&path);
        let mut current = text.clone();
        for (range, block) in fenced(&text).into_iter().rev() {
            if block.info == "console" {
                let replayed = replay(block.body, &repository());
                current.replace_range(range, &format!("{}\n", replayed.trim_end()));
            }
        }
        if path.ends_with("docs/language.md") {
            current = with_table(&current);
        }
        expect_file![&path].assert_eq(&current);
    }
}

#[test]
fn excerpts_are_current() {
    let mut count = 0;
    for path in documents() {
        let text = read(&path);
        for (_, block) in fenced(&text) {
            if block.info == "console excerpt" {
                let place = format!("{}:{}", path.display(), block.line);
                count += check_excerpt(block.body, &place);
            }
        }
    }
    assert!(count > 0, "no excerpt was found");
}

/// Runs the commands of an excerpt; gives back how many there were.
fn check_excerpt(body: &str, place: &str) -> usize {
    let mut written: Vec<String> = Vec::new();
    let mut at = 0;
    let mut count = 0;
    for line in body.lines() {
        if line.starts_with("$ ") {
            let transcript = replay(line, &repository());
            written = transcript.lines().skip(1).map(without_chance).collect();
            (at, count) = (0, count + 1);
        } else if !line.trim().is_empty() && line.trim() != "…" {
            let wanted = without_chance(line);
            let found = written[at..].iter().position(|line| *line == wanted);
            let found = found.unwrap_or_else(|| {
                panic!("{place}: not written, or not in this order: {line}\n{written:#?}")
            });
            at += found + 1;
        }
    }
    count
}

/// The line with `…` for parts that differ from run to run: a time in seconds, and the k of a
/// proof.
fn without_chance(line: &str) -> String {
    let is_time = |word: &str| {
        let number = word.trim_end_matches('.').strip_suffix('s');
        number.is_some_and(|number| number.parse::<f64>().is_ok())
    };
    let is_proof = |word: &str| word.starts_with("(k=");
    let words = line.split(' ');
    let words = words.map(|word| match is_time(word) || is_proof(word) {
        true => "…",
        false => word,
    });
    words.collect::<Vec<_>>().join(" ").trim_end().to_owned()
}

/// The documents name all options of the help, and no others.
#[test]
fn options_are_documented() {
    let commands: [&[&str]; 2] = [&["--help"], &["verify-certificate", "--help"]];
    let help = commands.map(|args| kindred(&repository(), args, "").stdout);
    let known = options(&help.concat());
    let documents = documents();
    // These speak of other programs.
    let others = ["building.md", "benchmark.md", "testing.md"];
    let is_own = |path: &&PathBuf| !others.iter().any(|other| path.ends_with(other));
    let own = documents.iter().filter(is_own);
    let text: String = own.map(|path| read(path)).collect();
    let documented = options(&text);
    let missing: Vec<&String> = known.difference(&documented).collect();
    assert!(missing.is_empty(), "not documented: {missing:?}");
    for option in documented.difference(&known) {
        let accepted = || {
            let run = kindred(&repository(), &[option, "true"], "");
            !run.stderr.contains("unexpected argument")
        };
        assert!(option == "--release" || accepted(), "there is no {option}");
    }
}

/// The long options that a text names.
fn options(text: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let mut found = BTreeSet::new();
    let mut rest = text;
    while let Some(at) = rest.find("--") {
        let before = rest[..at].chars().next_back();
        rest = &rest[at + 2..];
        let name: String = rest.chars().take_while(|c| is_name(*c)).collect();
        let starts = before.is_none_or(|c| c.is_whitespace() || c == '`');
        if starts && name.len() > 1 {
            found.insert(format!("--{name}"));
        }
    }
    found
}

#[test]
fn models_are_accepted_or_refused_as_said() {
    let mut count = 0;
    for path in documents() {
        let text = read(&path);
        for (_, block) in fenced(&text) {
            let Some(expected) = block.info.strip_prefix("lustre") else {
                continue;
            };
            let place = format!("{}:{}", path.display(), block.line);
            check_model(block.body, expected.trim(), &place);
            count += 1;
        }
    }
    assert!(count > 20, "only {count} models were found");
}

/// Checks that a model has exactly the messages expected, by their codes.
fn check_model(model: &str, expected: &str, place: &str) {
    let args = ["-json", "--enable", "interpreter", "--only_parse", "true"];
    let run = kindred(&repository(), &args, model);
    let log: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let values = log.as_array().into_iter().flatten();
    let values = values.filter_map(|object| object["value"].as_str());
    let mut found: Vec<&str> = values
        .filter_map(|value| Some(value.split_once(':')?.0))
        .filter(|code| Code::ALL.iter().any(|known| known.as_str() == *code))
        .collect();
    found.sort();
    found.dedup();
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    expected.sort();
    assert_eq!(found, expected, "{place}: {}", run.stdout);
}

const TABLE: (&str, &str) = ("<!-- codes -->\n", "<!-- end of codes -->");

/// The document with the table of all messages between its marks.
fn with_table(text: &str) -> String {
    let (before, rest) = text.split_once(TABLE.0).expect("the table starts");
    let (_, after) = rest.split_once(TABLE.1).expect("the table ends");
    format!("{before}{}{}{}{after}", TABLE.0, table(), TABLE.1)
}

fn table() -> String {
    let mut table = String::from("\n| code | class | meaning |\n|---|---|---|\n");
    for code in Code::ALL {
        table.push_str(&format!(
            "| {} | {} | {} |\n",
            code.as_str(),
            class(code.class()),
            code.title()
        ));
    }
    table.push('\n');
    table
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Parse => "parser",
        Class::Syntax => "names and places",
        Class::Dependency => "dependencies",
        Class::Type => "types",
        Class::Constant => "constants",
        Class::ArrayDependency => "array definitions",
        Class::Range => "ranges",
        Class::IfBlock => "if blocks",
        Class::FrameBlock => "frame blocks",
        Class::Input => "files and inputs",
    }
}
