//! Contract checks: what is written in text, JSON and XML, exit codes, options, time limits, and
//! external solvers that fail.
//!
//! Beside each model in `tests/contract_checks` lies what is written for it, without times and
//! without the values of traces, which depend on the solver; `UPDATE_EXPECT=1` writes these
//! files.

mod common;
#[cfg(unix)]
mod outside;

use std::path::PathBuf;
use std::time::Instant;

use common::schema::{Schema, has_xmllint, reference, xml_problem};
use common::{Run, Scratch, kindred, read, repository};
use expect_test::expect_file;
use serde_json::{Value as Json, json};

fn folder() -> PathBuf {
    repository().join("crates/kindred/tests/contract_checks")
}

fn run(model: &str, more: &[&str]) -> Run {
    let mut args = vec!["--enable", "CONTRACTCK"];
    args.extend(more);
    args.push(model);
    kindred(&folder(), &args, "")
}

/// The models, with their exit codes.
const MODELS: [(&str, i32); 9] = [
    ("realizable", 0),
    ("first_step", 40),
    ("later", 40),
    ("modes", 40),
    ("unsatisfiable", 40),
    ("calls_imported", 30),
    ("defined", 0),
    ("no_contract", 0),
    ("two", 40),
];

/// Text without times and values. Lines of a trace have a name and values.
fn masked_text(text: &str) -> String {
    let mut masked = String::new();
    let mut in_trace = false;
    for line in text.lines() {
        in_trace &= line.starts_with("  ");
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_title = line.starts_with("  Node") || words.first() == Some(&"==");
        let line = match line.rsplit_once(" after ") {
            Some((before, time)) if time.ends_with("s.") => format!("{before} after a time."),
            _ if in_trace && !is_title && !words.is_empty() => {
                let values = " *".repeat(words.len() - 1);
                format!("    {}{values}", words[0])
            }
            _ => line.to_owned(),
        };
        in_trace |= line.starts_with("Deadlocking trace");
        masked.push_str(line.trim_end());
        masked.push('\n');
    }
    masked
}

/// A document without times and values.
fn masked_json(value: &mut Json) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(masked_json),
        Json::Object(fields) => {
            if fields.contains_key("unit") && fields.contains_key("timeout") {
                fields.insert("value".to_owned(), json!(0));
            }
            for (name, field) in fields {
                match (name.as_str(), field.as_array_mut()) {
                    ("instantValues", Some(steps)) => steps.iter_mut().for_each(|step| {
                        // The modes of a step are no values of the solver's.
                        if step[1].is_array() {
                            return;
                        }
                        step[1] = json!("*");
                    }),
                    _ => masked_json(field),
                }
            }
        }
        _ => {}
    }
}

fn masked_xml(text: &str) -> String {
    let mut masked = String::new();
    for line in text.lines() {
        let is_value = line.contains("<Value ") && !line.contains("<Value instant=\"\"");
        let line = match (line.find('>'), line.rfind("</")) {
            (Some(open), Some(close))
                if (is_value || line.contains("<Runtime")) && open < close =>
            {
                format!("{}*{}", &line[..=open], &line[close..])
            }
            _ => line.to_owned(),
        };
        masked.push_str(&line);
        masked.push('\n');
    }
    masked
}

#[test]
fn text_is_as_expected() {
    for (name, exit) in MODELS {
        let run = run(&format!("{name}.lus"), &[]);
        assert_eq!(run.exit, exit, "{name}: {}", run.stdout);
        let expected = folder().join(format!("{name}.txt"));
        expect_file![expected].assert_eq(&masked_text(&run.stdout));
    }
}

fn document(run: &Run) -> Json {
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {}", run.stdout))
}

#[test]
fn json_is_as_expected_and_follows_the_schema() {
    let schema = reference().map(|folder| Schema::read(&folder.join("kind2-output.json")));
    if schema.is_none() {
        eprintln!("there are no schemas: nothing is validated");
    }
    for (name, exit) in MODELS {
        let run = run(&format!("{name}.lus"), &["-json"]);
        assert_eq!(run.exit, exit, "{name}: {}", run.stdout);
        let mut document = document(&run);
        if let Some(schema) = &schema {
            // The schema has no result for what is not decided.
            let objects = document.as_array().expect("a list").iter();
            let known = objects.filter(|object| object["result"] != "unknown");
            let known: Json = known.cloned().collect();
            assert_eq!(schema.problem(&known), None, "{name}");
        }
        masked_json(&mut document);
        let text = serde_json::to_string_pretty(&document).expect("JSON");
        let expected = folder().join(format!("{name}.json"));
        expect_file![expected].assert_eq(&format!("{text}\n"));
    }
}

#[test]
fn xml_is_as_expected_and_follows_the_schema() {
    let schema = reference().filter(|_| has_xmllint());
    let schema = schema.map(|folder| folder.join("kind2-output.xsd"));
    if schema.is_none() {
        eprintln!("there is no schema or no xmllint: XML is not validated");
    }
    for (name, exit) in MODELS {
        let run = run(&format!("{name}.lus"), &["-xml"]);
        assert_eq!(run.exit, exit, "{name}: {}", run.stdout);
        // The schema has no result for what is not decided.
        if let Some(schema) = &schema
            && !run.stdout.contains("<Result>unknown</Result>")
        {
            assert_eq!(xml_problem(schema, &run.stdout), None, "{name}");
        }
        let expected = folder().join(format!("{name}.xml"));
        expect_file![expected].assert_eq(&masked_xml(&run.stdout));
    }
}

/// The objects of a type.
fn objects(document: &Json, kind: &str) -> Vec<Json> {
    let objects = document.as_array().expect("a list").iter();
    let wanted = objects.filter(|object| object["objectType"] == kind);
    wanted.cloned().collect()
}

/// The results of realizability checks, in their order.
fn results(document: &Json) -> Vec<String> {
    let checks = objects(document, "realizabilityCheck").into_iter();
    checks
        .map(|check| check["result"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn a_trace_can_be_left_out() {
    let run = run("first_step.lus", &["-json", "--print_deadlock", "false"]);
    assert_eq!(run.exit, 40);
    let document = document(&run);
    assert_eq!(results(&document), ["unrealizable"]);
    let check = &objects(&document, "realizabilityCheck")[0];
    assert_eq!(check["deadlockingTrace"], Json::Null, "{document:#}");
    let text = self::run("first_step.lus", &["--print_deadlock", "false"]);
    assert_eq!(text.exit, 40);
    assert!(text.stdout.contains("unrealizable"), "{}", text.stdout);
    assert!(!text.stdout.contains("trace"), "{}", text.stdout);
}

#[test]
fn a_trace_can_be_written_to_a_file() {
    let scratch = Scratch::new("contract-check-dump");
    let out = scratch.0.join("out").display().to_string();
    let run = run(
        "later.lus",
        &["--dump_deadlock", "true", "--output_dir", &out],
    );
    assert_eq!(run.exit, 40, "{}", run.stdout);
    assert!(!run.stdout.contains("Outputs"), "{}", run.stdout);
    let mut open = vec![PathBuf::from(&out)];
    let mut traces = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            match entry.path().is_dir() {
                true => open.push(entry.path()),
                false => traces.push(entry.path()),
            }
        }
    }
    let [trace] = &traces[..] else {
        panic!("{traces:?}: {}", run.stdout);
    };
    assert!(trace.ends_with("trace/1.txt"), "{}", trace.display());
    let text = read(trace);
    assert!(text.contains("serve") && text.contains("length"), "{text}");
}

#[test]
fn satisfiability_can_be_left_out() {
    let flags = ["-json", "--check_contract_is_sat", "false"];
    let run = run("unsatisfiable.lus", &flags);
    let document = document(&run);
    assert_eq!(
        (run.exit, results(&document)),
        (40, vec!["unrealizable".to_owned()])
    );
    assert_eq!(
        objects(&document, "satisfiabilityCheck"),
        Vec::<Json>::new()
    );
}

/// The viable states are those from which the queue can be emptied.
#[test]
fn viable_states_are_written_in_lustre() {
    let run = run(
        "later_fixed.lus",
        &["-json", "--print_viable_states", "true"],
    );
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let document = document(&run);
    let check = &objects(&document, "realizabilityCheck")[0];
    let viable = check["viableStates"].as_str().expect("viable states");
    let scratch = Scratch::new("contract-check-viable");
    scratch.write(
        "same.lus",
        &format!(
            "node Same (more : bool; served, length : int) returns (same : bool);\nlet\n  \
             same = (({viable}) = (0 <= length and length <= 2));\n  --%PROPERTY same;\ntel\n"
        ),
    );
    let same = kindred(&scratch.0, &["same.lus"], "");
    assert_eq!(same.exit, 0, "{viable}: {}", same.stdout);
    let text = self::run("later_fixed.lus", &["--print_viable_states", "true"]);
    assert!(text.stdout.contains("Viable States:"), "{}", text.stdout);
}

#[test]
fn exit_codes_can_be_for_errors_only() {
    let flags = ["-json", "--exit_code_mode", "only_errors"];
    for model in ["two.lus", "first_step.lus", "calls_imported.lus"] {
        assert_eq!(run(model, &flags).exit, 0, "{model}");
    }
}

#[test]
fn a_node_can_be_chosen() {
    for (node, exit, expected) in [("Kept", 0, "realizable"), ("Broken", 40, "unrealizable")] {
        let run = run("two.lus", &["-json", "--lus_main", node]);
        assert_eq!(run.exit, exit, "{}", run.stdout);
        assert_eq!(results(&document(&run)), [expected], "{}", run.stdout);
    }
    let both = run("two.lus", &["-json", "--lus_main", "Top"]);
    assert_eq!(both.exit, 40);
    assert_eq!(results(&document(&both)), ["realizable", "unrealizable"]);
}

#[test]
fn other_engines_are_refused() {
    let run = run("two.lus", &["-json", "--enable", "BMC"]);
    assert_eq!(run.exit, 1);
    let document = document(&run);
    let errors = objects(&document, "log");
    assert!(
        errors.iter().any(|log| log["level"] == "error"),
        "{document:#}"
    );
    assert_eq!(results(&document), Vec::<String>::new());
    let xml = self::run("two.lus", &["-xml", "--enable", "BMC"]);
    assert_eq!(xml.exit, 1);
    assert!(
        xml.stdout.trim_end().ends_with("</Results>"),
        "{}",
        xml.stdout
    );
}

/// How many seconds after the time limit a run may end: `KINDRED_SLACK` has another number, for
/// machines with other work.
fn slack() -> f64 {
    let number = std::env::var("KINDRED_SLACK").ok();
    number.and_then(|text| text.parse().ok()).unwrap_or(0.5)
}

#[test]
fn the_time_limit_is_kept() {
    for (format, closed) in [("-json", "]"), ("-xml", "</Results>")] {
        let start = Instant::now();
        let run = run("slow.lus", &[format, "--timeout", "1"]);
        let seconds = start.elapsed().as_secs_f64();
        assert_eq!(run.exit, 30, "{}", run.stdout);
        assert!(run.stdout.trim_end().ends_with(closed), "{}", run.stdout);
        assert!(seconds < 1.0 + slack(), "{format}: {seconds} s");
        if format == "-json" {
            assert_eq!(results(&document(&run)), ["unknown"]);
        }
    }
}

/// An external solver that fails, at each of some queries, in each way: no crash, no wrong
/// answer, and a whole document.
#[cfg(unix)]
#[test]
fn solvers_that_fail_decide_nothing() {
    use outside::{are_installed, processes, stand_in};
    if !are_installed(&["python3", "z3"]) {
        return;
    }
    let path = stand_in("z3-contract-checks");
    let solver = path.display().to_string();
    let ways = ["kill", "garble", "word", "error", "cut"];
    let (mut decided, mut runs) = (0, 0);
    for (at, way) in (0..).zip(ways) {
        for query in [1 + at % 3, 6 + 4 * at] {
            for (model, wrong) in [
                ("later.lus", "realizable"),
                ("realizable.lus", "unrealizable"),
            ] {
                let out = std::process::Command::new(env!("CARGO_BIN_EXE_kindred"))
                    .current_dir(folder())
                    .args(["--enable", "CONTRACTCK", "-json", "--timeout", "3"])
                    .args(["--z3_bin", &solver, model])
                    .env("STAND_IN_VERSION", "Z3 version 4.13.0")
                    .env("STAND_IN_FAULT", way)
                    .env("STAND_IN_AT", query.to_string())
                    .output()
                    .expect("kindred runs");
                let run = Run {
                    stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
                    stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
                    exit: out.status.code().unwrap_or(-1),
                };
                let what = format!("{way} at {query}: {model}: {}{}", run.stdout, run.stderr);
                assert!([0, 30, 40].contains(&run.exit), "{}: {what}", run.exit);
                assert!(!run.stdout.contains("internal error"), "{what}");
                assert!(!run.stderr.contains("panicked"), "{what}");
                let found = results(&document(&run));
                assert!(found.iter().all(|result| result != wrong), "{what}");
                decided += found.iter().filter(|result| *result != "unknown").count();
                runs += 1;
            }
        }
    }
    eprintln!("{decided} answers in {runs} runs");
    assert!(decided < runs);
    assert_eq!(processes(&solver), Vec::<String>::new());
}

/// A solver that gives the same answer to all queries, or answers none, convinces nobody.
#[cfg(unix)]
#[test]
fn lies_of_solvers_are_not_believed() {
    use outside::{are_installed, stand_in};
    if !are_installed(&["python3"]) {
        return;
    }
    let path = stand_in("z3-contract-lies");
    for lie in ["unsat", "sat", "unknown"] {
        for (model, wrong) in [
            ("later.lus", "realizable"),
            ("realizable.lus", "unrealizable"),
        ] {
            let out = std::process::Command::new(env!("CARGO_BIN_EXE_kindred"))
                .current_dir(folder())
                .args(["--enable", "CONTRACTCK", "-json", "--timeout", "4"])
                .arg("--z3_bin")
                .arg(&path)
                .arg(model)
                .env("STAND_IN_VERSION", "Z3 version 4.13.0")
                .env("STAND_IN_LIE", lie)
                .output()
                .expect("kindred runs");
            let text = String::from_utf8_lossy(&out.stdout);
            let exit = out.status.code();
            assert!(
                [Some(0), Some(30), Some(40)].contains(&exit),
                "{lie}: {text}"
            );
            let document: Json = serde_json::from_str(&text).expect("a whole document");
            let found = results(&document);
            let is_wrong = found.iter().any(|result| result == wrong);
            assert!(!is_wrong, "{lie}: {model}: {text}");
        }
    }
}
