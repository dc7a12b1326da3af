//! What options do to verdicts, files and exit codes.

mod common;

use std::collections::BTreeMap;

use common::{Scratch, files, kindred, read, repository};

/// The engines that these options are about.
const ENGINES: [&str; 4] = ["--enable", "BMC", "--enable", "IND"];

/// The verdicts of a model by unrolling, by the names of the properties, and the
/// exit code.
fn analyse(model: &str, args: &[&str]) -> (BTreeMap<String, String>, i32) {
    let mut all = vec!["-json"];
    all.extend(ENGINES);
    all.extend(args);
    let run = kindred(&repository(), &all, model);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let results = document.as_array().into_iter().flatten();
    let verdicts = results.filter_map(|object| {
        let verdict = object["answer"]["value"].as_str()?;
        Some((object["name"].as_str()?.to_owned(), verdict.to_owned()))
    });
    (verdicts.collect(), run.exit)
}

/// The verdict of the only property of a model.
fn verdict(model: &str, args: &[&str]) -> String {
    let (verdicts, _) = analyse(model, args);
    assert_eq!(verdicts.len(), 1, "{verdicts:?}");
    verdicts.into_values().next().unwrap_or_default()
}

/// Options that switch all strategies off but those given.
fn only<'a>(strategies: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["--unroll_max", "6", "--ind_compress_equal", "false"];
    for strategy in strategies {
        args.extend([strategy, "true"]);
    }
    args
}

const SAME_SUCC: &str = "--ind_compress_same_succ";
const SAME_PRED: &str = "--ind_compress_same_pred";

/// From mode 1, which is not reachable, one can stay there or go to mode 2.
const UNREACHABLE_LOOP: &str = "
    node top (go: bool) returns (mode: int);
    let
      mode = 0 -> if pre mode = 1 and pre go then 2 else pre mode;
      check mode <> 2;
    tel";

#[test]
fn loops_are_compressed() {
    let with = |args: &[&str]| verdict(UNREACHABLE_LOOP, args);
    assert_eq!(with(&["--unroll_max", "6"]), "valid");
    assert_eq!(
        with(&["--unroll_max", "6", "--ind_compress", "false"]),
        "unknown"
    );
    assert_eq!(with(&only(&[])), "unknown");
    assert_eq!(with(&only(&[SAME_PRED])), "valid");
    assert_eq!(with(&only(&[SAME_SUCC])), "valid");
    let mut off = only(&[SAME_SUCC, SAME_PRED]);
    off.extend(["--ind_compress", "false"]);
    assert_eq!(with(&off), "unknown");
}

/// The same, but the last input is remembered, so that no state repeats.
const FRESH_STATES: &str = "
    node top (go: bool; x: int) returns (mode, last: int);
    let
      last = 0 -> pre x;
      mode = 0 -> if pre mode = 1 and pre go then 2 else pre mode;
      check mode <> 2 or last = 7;
    tel";

#[test]
fn states_with_the_same_successors_are_compressed() {
    let with = |args: &[&str]| verdict(FRESH_STATES, args);
    assert_eq!(with(&["--unroll_max", "6"]), "unknown");
    assert_eq!(with(&only(&[SAME_PRED])), "unknown");
    assert_eq!(with(&only(&[SAME_SUCC])), "valid");
}

/// The next state is the input alone, so that any state could have any
/// successor, were it not for the assertion.
const CONSTRAINED_INPUT: &str = "
    node top (x: int) returns (n: int);
    let
      n = 0 -> pre x;
      assert x = n + 1;
      check n < 5;
    tel";

#[test]
fn constraints_on_inputs_are_respected() {
    for strategies in [&[SAME_SUCC][..], &[SAME_PRED], &[SAME_SUCC, SAME_PRED]] {
        assert_eq!(verdict(CONSTRAINED_INPUT, &only(strategies)), "falsifiable");
    }
    let safe = CONSTRAINED_INPUT.replace("n < 5", "n >= 0");
    assert_eq!(verdict(&safe, &only(&[SAME_SUCC])), "valid");
}

/// Streams outside of the cone of influence are shown too, with the values that the interpreter
/// computes.
#[test]
fn counterexamples_to_induction_are_shown() {
    let model = "
        node top (go: bool) returns (mode, twice: int);
        let
          mode = 0 -> if pre mode = 1 and pre go then 2 else pre mode;
          twice = 2 * mode;
          check \"safe\" mode <> 2;
        tel";
    let mut args = vec!["--ind_compress", "false", "--unroll_max", "2"];
    args.extend(ENGINES);
    let silent = kindred(&repository(), &args, model).stdout;
    assert!(!silent.contains("to induction"), "{silent}");
    args.extend(["--ind_print_cex", "true"]);
    let said = kindred(&repository(), &args, model).stdout;
    let words: Vec<&str> = said.split_whitespace().collect();
    let words = words.join(" ");
    for expected in [
        "Counterexample to induction of safe for k=1: it need not be reachable",
        "mode 1 2 twice 2 4",
        "Counterexample to induction of safe for k=2: it need not be reachable",
        "mode 1 1 2 twice 2 2 4",
        "safe: unknown, true for 3 steps",
    ] {
        assert!(words.contains(expected), "{expected}: {said}");
    }
}

/// The second property needs the first.
#[test]
fn lazy_invariants_are_found() {
    let model = "
        node top (x: bool) returns (a, b: int);
        let
          a = 0 -> pre a + 1;
          b = 0 -> pre b + pre a;
          check \"growing\" a >= 0;
          check \"positive\" b >= 0;
          check \"large\" b > 10 or a < 6;
        tel";
    let (eager, _) = analyse(model, &["--unroll_max", "8"]);
    let (lazy, _) = analyse(
        model,
        &["--unroll_max", "8", "--ind_lazy_invariants", "true"],
    );
    assert_eq!(eager, lazy);
    assert_eq!(eager["positive"], "valid");
}

/// A system without runs violates nothing, so the option checks that there are runs.
#[test]
fn unrolling_is_checked() {
    let model = "
        node top (x: int) returns (n: int);
        let
          n = 0 -> pre n + 1;
          assert n < 3;
          check reachable n = 7;
        tel";
    let args = ["--disable", "IND", "--unroll_max", "9"];
    assert_eq!(verdict(model, &args), "unreachable");
    let mut unchecked = args.to_vec();
    unchecked.extend(["--bmc_check_unroll", "false"]);
    assert_eq!(verdict(model, &unchecked), "unknown");
}

#[test]
fn unknown_properties_come_with_a_path() {
    let model = "
        node top (go: bool) returns (far, mode: int);
        let
          far = 2 * mode;
          mode = 0 -> if pre mode = 1 and pre go then 2 else pre mode;
          check \"safe\" mode <> 2;
          check \"fine\" true;
        tel";
    let mut args = vec!["--ind_compress", "false", "--unroll_max", "2"];
    args.extend(["--print_cti", "true"]);
    args.extend(ENGINES);
    let said = kindred(&repository(), &args, model).stdout;
    let words: Vec<&str> = said.split_whitespace().collect();
    let words = words.join(" ");
    assert!(!words.contains("for k=1"), "{said}");
    assert!(words.contains("to induction of safe for k=2"), "{said}");
    // The stream in the property comes first.
    assert!(words.contains("mode 1 1 2 far 2 2 4"), "{said}");
}

const HOLDS: &str = "check true;";
const FAILS: &str = "check x > 0;";
const REACHED: &str = "check reachable x = 3;";
const NEVER_REACHED: &str = "check reachable x <> x;";
/// No engine decides it within four steps.
const OPEN: &str = "check n < 10;";

#[test]
fn exit_codes_tell_of_results() {
    let cases: [(&[&str], i32); 8] = [
        (&[], 0),
        (&[HOLDS], 0),
        (&[HOLDS, REACHED], 0),
        (&[HOLDS, FAILS], 40),
        (&[NEVER_REACHED], 40),
        (&[OPEN, HOLDS], 30),
        (&[OPEN, FAILS], 40),
        (&[OPEN, NEVER_REACHED], 40),
    ];
    for (checks, expected) in cases {
        let checks = checks.join("\n");
        let model =
            format!("node top (x: int) returns (n: int); let n = 0 -> pre n + 1; {checks} tel");
        let args = ["--unroll_max", "3"];
        assert_eq!(analyse(&model, &args).1, expected, "{checks}");
        let args = ["--unroll_max", "3", "--exit_code_mode", "only_errors"];
        assert_eq!(analyse(&model, &args).1, 0, "{checks}");
    }
}

#[test]
fn exit_codes_tell_of_errors() {
    for mode in ["results_and_errors", "only_errors"] {
        let exit = |model: &str, args: &[&str]| {
            let mut all = vec!["--exit_code_mode", mode];
            all.extend(args);
            kindred(&repository(), &all, model).exit
        };
        assert_eq!(exit("node", &[]), 3);
        assert_eq!(exit("", &["--nonsense"]), 2);
        assert_eq!(exit("", &["--lsp", "true"]), 2);
        assert_eq!(exit("", &["examples"]), 1);
        assert_eq!(exit("", &["nowhere.lus"]), 1);
    }
}

#[test]
fn all_main_nodes_are_analysed() {
    let model = "
        node one (x: int) returns (y: int); let --%MAIN; y = x; check \"p\" y = x; tel
        node two (x: int) returns (y: int); let --%MAIN; y = one(x); check \"q\" y > x; tel
        node three (x: int) returns (y: int); let y = x; check \"r\" y = x; tel";
    let (verdicts, exit) = analyse(model, &["--check_subproperties", "false"]);
    let names: Vec<&str> = verdicts.keys().map(String::as_str).collect();
    assert_eq!(names, ["p", "q"]);
    assert_eq!(exit, 40);
}

const TWO_FAIL: &str = "
    node top (x: int; r: real) returns (y: int);
    let
      y = x;
      check \"first\" y > 0;
      check \"second\" r = 1.0 / 3.0 or y > 5;
      check reachable y = 3;
    tel";

#[test]
fn runs_are_dumped() {
    let scratch = Scratch::new("dumped");
    scratch.write("m.lus", TWO_FAIL);
    let args = ["--dump_cex", "true", "--dump_witness", "true", "m.lus"];
    let run = kindred(&scratch.0, &args, "");
    assert_eq!(run.exit, 40, "{}", run.stdout);
    assert!(!run.stdout.contains("== Inputs =="), "{}", run.stdout);
    let dumped = files(&scratch.0.join("m.lus.out/cex"), "txt");
    assert_eq!(dumped.len(), 2);
    for path in &dumped {
        let text = read(path);
        assert!(text.starts_with("Counterexample to "), "{text}");
        assert!(text.contains("== Inputs =="), "{text}");
    }
    assert_eq!(files(&scratch.0.join("m.lus.out/witness"), "txt").len(), 1);
    assert!(run.stdout.contains("m.lus.out/cex/1.txt"), "{}", run.stdout);
}

#[test]
fn the_output_folder_can_be_chosen() {
    let scratch = Scratch::new("chosen");
    let args = ["--dump_cex", "true", "--output_dir", "a/b"];
    let run = kindred(&scratch.0, &args, TWO_FAIL);
    assert_eq!(run.exit, 40, "{}", run.stdout);
    assert_eq!(files(&scratch.0.join("a/b/cex"), "txt").len(), 2);
    let run = kindred(&scratch.0, &["--dump_cex", "true"], TWO_FAIL);
    assert_eq!(run.exit, 40, "{}", run.stdout);
    assert_eq!(files(&scratch.0.join("stdin.out/cex"), "txt").len(), 2);
}

/// Two counters that induction does not prove to be equal.
const TWINS: &str = "
    node top (step: bool) returns (ok: bool);
    var x, y: int;
    let
      x = 0 -> if step then pre x + 1 else pre x;
      y = 0 -> if step then pre y + 1 else pre y;
      ok = x <= 6 or y > 5;
      check \"same\" ok;
    tel";

#[test]
fn clauses_are_written_as_they_are_found() {
    let scratch = Scratch::new("clauses");
    let args = ["--enable", "IC3QE", "--ic3qe_print_to_file", "clauses.txt"];
    let run = kindred(&scratch.0, &args, TWINS);
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let text = read(&scratch.0.join("stdin.out/clauses.txt"));
    assert!(!text.is_empty());
    for line in text.lines() {
        assert!(line.starts_with("same: frame "), "{line}");
        assert!(
            line.contains("|pre x|") || line.contains("|pre y|"),
            "{line}"
        );
    }
    let absolute = scratch.0.join("own.txt").display().to_string();
    let args = ["--enable", "IC3QE", "--ic3qe_print_to_file", &absolute];
    assert_eq!(kindred(&scratch.0, &args, TWINS).exit, 0);
    assert!(!read(&scratch.0.join("own.txt")).is_empty());
}

#[test]
fn clauses_that_cannot_be_written_are_an_error() {
    let scratch = Scratch::new("no_clauses");
    scratch.write("stdin.out", "a file, where a folder is wanted");
    let args = ["--enable", "IC3QE", "--ic3qe_print_to_file", "clauses.txt"];
    let run = kindred(&scratch.0, &args, TWINS);
    assert_eq!(run.exit, 1, "{}", run.stdout);
    let message = "<Error> cannot write stdin.out/clauses.txt";
    assert!(run.stdout.contains(message), "{}", run.stdout);
}

/// Tools get runs within the results.
#[test]
fn nothing_is_dumped_beside_json() {
    let scratch = Scratch::new("json");
    let run = kindred(&scratch.0, &["-json", "--dump_cex", "true"], TWO_FAIL);
    assert_eq!(run.exit, 40);
    assert!(run.stdout.contains("counterExample"));
    assert!(!scratch.0.join("stdin.out").exists());
}

#[test]
fn a_run_that_cannot_be_dumped_is_shown() {
    let scratch = Scratch::new("blocked");
    scratch.write("blocked", "a file, where a folder is wanted");
    let args = ["--dump_cex", "true", "--output_dir", "blocked"];
    let run = kindred(&scratch.0, &args, TWO_FAIL);
    assert_eq!(run.exit, 1, "{}", run.stdout);
    assert!(
        run.stdout
            .contains("<Error> cannot write blocked/cex/1.txt"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("== Inputs =="), "{}", run.stdout);
    assert!(run.stdout.contains("first: invalid"), "{}", run.stdout);
    let left = std::fs::read_dir(&scratch.0).expect("the folder is there");
    assert_eq!(left.count(), 1);
}

#[test]
fn traces_are_printed_as_asked() {
    let shows = |args: &[&str], what: &str| {
        let run = kindred(&repository(), args, TWO_FAIL);
        run.stdout.contains(what)
    };
    assert!(shows(&[], "Counterexample:"));
    assert!(!shows(&[], "Witness:"));
    assert!(!shows(&["--print_cex", "false"], "Counterexample:"));
    assert!(shows(&["--print_witness", "true"], "Witness:"));
}

/// A property that fails at once, and one that keeps the engines busy.
const LONG: &str = "
    node top (x: int) returns (z: int);
    let
      z = 1 -> if pre z > 1000000 then 1 else pre z + 2;
      check \"bad\" x < 10;
      check \"deep\" z <> 999999;
    tel";

/// After a signal, the results so far are in a complete document.
#[cfg(unix)]
#[test]
fn interruptions_end_with_what_is_known() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::{Command, Stdio};
    for (signal, model, expected) in [
        ("-INT", LONG.to_owned(), 40),
        ("-TERM", LONG.to_owned(), 40),
        ("-INT", LONG.replace("x < 10", "x = x"), 30),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kindred"))
            .arg("-json")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin
            .write_all(model.as_bytes())
            .expect("it reads the model");
        drop(stdin);
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut said = String::new();
        // The first result is there.
        while !said.contains("\"answer\"") {
            assert_ne!(stdout.read_line(&mut said).expect("text"), 0, "{said}");
        }
        let killed = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(killed.is_ok_and(|status| status.success()));
        stdout.read_to_string(&mut said).expect("text");
        let status = child.wait().expect("the program ends");
        assert_eq!(status.code(), Some(expected), "{said}");
        let document: serde_json::Value = serde_json::from_str(&said).expect("JSON");
        let open = document.as_array().into_iter().flatten();
        let mut open = open.filter(|object| object["answer"]["value"] == "unknown");
        assert!(open.any(|object| object["name"] == "deep"), "{said}");
    }
}
