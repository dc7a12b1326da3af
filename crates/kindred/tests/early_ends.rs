//! Runs that end early report it: undecided properties, sets and mutants are named, documents and
//! files are complete, and nothing unchecked counts as proved or killed.
//!
//! The models have queries that no solver answers in reasonable time (sums of three cubes), so that
//! a run is stopped inside of a query that does not poll the clock: by a signal, as soon as the run
//! has reported that this part begins.

#![cfg(unix)]

mod common;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Scratch, kindred, read};
use serde_json::Value as Json;

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/early_ends")
}

/// What a run has written, and its exit code.
struct Stopped {
    said: String,
    exit: i32,
}

impl Stopped {
    fn objects(&self) -> Vec<Json> {
        let document: Json = serde_json::from_str(&self.said).expect("a whole document");
        document.as_array().cloned().expect("a list")
    }
}

/// Were these tests started with hang-ups ignored, as by `nohup`? The program inherits that.
fn hang_ups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask & 1 == 1)
}

/// Starts a command, waits until its output has the text, and sends it a signal.
fn stop(command: &mut Command, until: &str, signal: &str) -> Stopped {
    let signal = match signal {
        "-HUP" if hang_ups_are_ignored() => {
            println!("hang-ups are ignored here: a request to terminate takes their place");
            "-TERM"
        }
        signal => signal,
    };
    let mut child = command
        .current_dir(here())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut said = String::new();
    while !said.contains(until) {
        assert_ne!(stdout.read_line(&mut said).expect("text"), 0, "{said}");
    }
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.is_ok_and(|status| status.success()));
    stdout.read_to_string(&mut said).expect("text");
    let status = child.wait().expect("the program ends");
    Stopped {
        said,
        exit: status.code().unwrap_or(-1),
    }
}

fn program(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kindred"));
    command.args(args);
    command
}

fn stopped(args: &[&str], until: &str, signal: &str) -> Stopped {
    stop(&mut program(args), until, signal)
}

fn ended(args: &[&str]) -> Stopped {
    let run = kindred(&here(), args, "");
    Stopped {
        said: run.stdout,
        exit: run.exit,
    }
}

const MUTATION: [&str; 4] = ["--mutation", "true", "--mutation_timeout", "10000"];

/// The mutants that open the gate are never decided.
#[test]
fn mutants_that_are_not_settled_are_shown_and_written() {
    let folder = Scratch::new("early-mutants");
    let file = |name: &str| folder.0.join(name).display().to_string();
    let (json, csv, html) = (file("m.json"), file("m.csv"), file("m.html"));
    let files = [
        "--mutation_json",
        &json,
        "--mutation_csv",
        &csv,
        "--mutation_html",
        &html,
    ];
    let args = [&MUTATION[..], &files, &["gate.lus"]].concat();
    for signal in ["-INT", "-TERM", "-HUP"] {
        let run = stopped(&args, "Post-analysis: mutation", signal);
        assert_eq!(run.exit, 30, "{}", run.said);
        assert!(run.said.contains("MUTATION:"), "{}", run.said);
        let open = "UNKNOWN  at 5:3  equation_remove";
        assert!(run.said.contains(open), "{}", run.said);
        assert!(run.said.contains("not settled in time"), "{}", run.said);
        let document: Json = serde_json::from_str(&read(Path::new(&json))).expect("JSON");
        let analysis = &document["analyses"][0];
        let mutants = analysis["mutants"].as_array().expect("a list");
        let unknown = mutants.iter().filter(|m| m["verdict"] == "UNKNOWN").count();
        assert!(unknown >= 4, "{document}");
        assert_eq!(analysis["unsettled"], unknown);
        assert_eq!(analysis["score"]["unknown"], unknown);
        assert_eq!(read(Path::new(&csv)).matches("UNKNOWN").count(), unknown);
        let page = read(Path::new(&html));
        assert!(page.contains("not settled in time") && page.ends_with("</html>\n"));
        for path in [&json, &csv, &html] {
            std::fs::remove_file(path).expect("a file");
        }
    }
}

/// An undecided mutant counts as not killed for the threshold.
#[test]
fn a_score_is_not_reached_because_time_is_up() {
    let args = [&MUTATION[..], &["--mutation_threshold", "90", "gate.lus"]].concat();
    let run = stopped(&args, "Post-analysis: mutation", "-TERM");
    assert_eq!(run.exit, 50, "{}", run.said);
    let unmet = "--mutation_threshold 90 is not met";
    assert!(run.said.contains(unmet), "{}", run.said);
    // The timeout comes before any result.
    let folder = Scratch::new("early-score");
    let json = folder.0.join("m.json").display().to_string();
    for mode in ["results_and_errors", "only_errors"] {
        let run = ended(&[
            "--timeout",
            "0.000001",
            "--exit_code_mode",
            mode,
            "--mutation_threshold",
            "0",
            "--mutation_json",
            &json,
            "gate.lus",
        ]);
        let expected = if mode == "only_errors" { 50 } else { 30 };
        assert_eq!(run.exit, expected, "{}", run.said);
        assert!(!run.said.contains("100.0 %"), "{}", run.said);
        assert!(!read(Path::new(&json)).contains("\"KILLED\""));
    }
}

/// Without mutants there is no score, and the threshold is not met.
#[test]
fn a_score_of_nothing_is_not_reached() {
    let threshold = ["--mutation_threshold", "0"];
    for (model, flags, expected, why) in [
        ("nothing.lus", &[][..], 50, "there was no mutant to judge"),
        (
            "wrong.lus",
            &["--exit_code_mode", "only_errors"],
            50,
            "the mutants of wrong could not be judged",
        ),
        (
            "wrong.lus",
            &[],
            40,
            "the mutants of wrong could not be judged",
        ),
        (
            "weak.lus",
            &["--enable", "MCS", "--timeout", "1"],
            50,
            "no mutant to judge",
        ),
    ] {
        let run = ended(&[&threshold[..], flags, &[model]].concat());
        assert_eq!(run.exit, expected, "{}", run.said);
        let unmet = format!("is not met: {why}");
        let unmet = if model == "weak.lus" { why } else { &unmet };
        assert!(run.said.contains(unmet), "{}", run.said);
        assert!(!run.said.contains("0 of 0"), "{}", run.said);
    }
    let run = ended(&[
        "--mutation_threshold",
        "0",
        "--mutation",
        "false",
        "nothing.lus",
    ]);
    assert_eq!(run.exit, 0, "{}", run.said);
}

/// Induction fails because of `mod`, but the model has few states: all mutants are decided.
#[test]
fn states_decide_mutants_of_pointers() {
    let run = ended(&["--mutation", "true", "pointers.lus"]);
    assert_eq!(run.exit, 0, "{}", run.said);
    assert!(run.said.contains("KILLED   at 9:3"), "{}", run.said);
    assert!(run.said.contains("SURVIVED at 7:"), "{}", run.said);
    assert!(!run.said.contains("UNKNOWN"), "{}", run.said);
}

/// A core that is not minimal counts as incomplete, and a missing core is reported.
#[test]
fn cores_that_are_not_found_in_time() {
    let minimal = ["--ivc", "true", "--ivc_approximate", "false", "-json"];
    let run = ended(&[&minimal[..], &["--ivc_verify_timeout", "1", "gate.lus"]].concat());
    assert_eq!(run.exit, 30, "{}", run.said);
    let objects = run.objects();
    let sets = objects
        .iter()
        .filter(|o| o["objectType"] == "modelElementSet");
    let sets: Vec<&Json> = sets.collect();
    assert!(!sets.is_empty(), "{}", run.said);
    assert!(
        sets.iter().all(|set| set["approximate"] == true),
        "{}",
        run.said
    );
    for signal in ["-INT", "-HUP"] {
        let args = [&minimal[..], &["--ivc_verify_timeout", "10000", "gate.lus"]].concat();
        let run = stopped(&args, "postAnalysisStart", signal);
        assert_eq!(run.exit, 30, "{}", run.said);
        let objects = run.objects();
        let is_open =
            |object: &&Json| object["answer"] == "unknown" || object["approximate"] == true;
        assert!(objects.iter().find(is_open).is_some(), "{}", run.said);
        assert!(run.said.contains("postAnalysisEnd"), "{}", run.said);
    }
}

/// The matrix marks undecided elements as open.
#[test]
fn a_matrix_says_what_is_open() {
    let folder = Scratch::new("early-matrix");
    let output = folder.0.display().to_string();
    let args = [
        "--ivc_matrix",
        "true",
        "--ivc_verify_timeout",
        "1",
        "--output_dir",
        &output,
    ];
    let run = ended(&[&args[..], &["gate.lus"]].concat());
    assert_eq!(run.exit, 30, "{}", run.said);
    let table = read(&folder.0.join("gate.csv"));
    assert!(table.contains("unknown"), "{table}");
    assert!(!table.contains(",may"), "{table}");
}

/// A search that found no cut set in time does not report that there is none.
#[test]
fn cut_sets_that_are_not_found_in_time() {
    let is_open = |object: &&Json, name: &str| {
        object["objectType"] == "noModelElementSet"
            && object["property"] == name
            && object["answer"] == "unknown"
    };
    let timed = ended(&["--enable", "MCS", "-json", "--timeout", "1", "weak.lus"]);
    let args = ["--enable", "MCS", "-json", "--mcs_all", "true", "weak.lus"];
    let signalled = stopped(&args, "analysisStart", "-TERM");
    for run in [timed, signalled] {
        assert_eq!(run.exit, 30, "{}", run.said);
        let objects = run.objects();
        for name in ["first", "second"] {
            let found = objects.iter().find(|object| is_open(object, name));
            assert!(found.is_some(), "{name}: {}", run.said);
        }
        assert!(!run.said.contains("noSolution"), "{}", run.said);
        assert!(run.said.contains("analysisStop"), "{}", run.said);
    }
}

/// Every property that is not decided, and every node that is not analysed.
#[test]
fn what_was_not_reached_is_named() {
    for format in ["-json", "-xml"] {
        let args = ["--modular", "true", format, "nodes.lus"];
        let run = stopped(&args, "easy", "-HUP");
        assert_eq!(run.exit, 30, "{}", run.said);
        for name in ["middle", "top"] {
            let message = format!("`{name}` was not analysed: there was no time left");
            assert!(run.said.contains(&message), "{}", run.said);
        }
        match format {
            "-json" => {
                let objects = run.objects();
                let mut hard = objects.iter().filter(|object| object["name"] == "hard");
                let answer = hard.next().map(|object| &object["answer"]["value"]);
                assert_eq!(answer, Some(&Json::from("unknown")), "{}", run.said);
                assert!(hard.next().is_none(), "{}", run.said);
            }
            _ => assert!(run.said.trim_end().ends_with("</Results>"), "{}", run.said),
        }
    }
}

/// Without proofs there are no invariants to print, and a message says so.
#[test]
fn invariants_of_nothing() {
    let run = ended(&["--print_invs", "true", "wrong.lus"]);
    assert_eq!(run.exit, 40, "{}", run.said);
    let told = "no invariants of wrong: none of its properties is proved";
    assert!(run.said.contains(told), "{}", run.said);
}

/// Under `nohup`, a run continues when the terminal is closed.
#[test]
fn hang_ups_can_be_ignored() {
    let script = format!(
        "trap '' HUP; exec {} -json --modular true nodes.lus",
        env!("CARGO_BIN_EXE_kindred")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(here());
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a shell");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut said = String::new();
    while !said.contains("easy") {
        assert_ne!(stdout.read_line(&mut said).expect("text"), 0, "{said}");
    }
    let pid = child.id().to_string();
    let send = |signal: &str| Command::new("kill").args([signal, &pid]).status();
    assert!(send("-HUP").is_ok_and(|status| status.success()));
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(matches!(child.try_wait(), Ok(None)), "it has ended");
    assert!(send("-TERM").is_ok_and(|status| status.success()));
    stdout.read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(30), "{said}");
}
