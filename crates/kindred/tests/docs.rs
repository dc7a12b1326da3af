//! The documents keep their word: commands write what is shown, models are
//! accepted or refused as said, and the table of messages is complete.
//!
//! A block marked `console` is a transcript, run from the folder of the
//! repository. One marked `lustre` is a whole model without any message; one
//! marked `lustre W0001 E0302` has these messages and no others.
//! `UPDATE_EXPECT=1` rewrites the transcripts and the table.

mod common;

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
