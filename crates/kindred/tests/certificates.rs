//! Certificates are accepted as they are written, and refused once they are changed.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Run, kindred, read};

/// A folder that is removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let process = std::process::id();
        let path = std::env::temp_dir().join(format!("kindred-certificates-{process}-{name}"));
        // One of an earlier process may be left.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder for files");
        Folder(path)
    }

    /// The folder with a model in it.
    fn with(name: &str, model: &str) -> Folder {
        let folder = Folder::new(name);
        std::fs::write(folder.0.join("model.lus"), model).expect("a model");
        folder
    }

    fn run(&self, args: &[&str]) -> Run {
        kindred(&self.0, args, "")
    }

    fn certify(&self, args: &[&str]) -> Run {
        self.run(&[&["--certif", "true", "model.lus"], args].concat())
    }

    fn verify(&self, args: &[&str]) -> Run {
        let all = ["verify-certificate", "model.lus.out/certif", "model.lus"];
        self.run(&[&all, args].concat())
    }

    fn certificate(&self) -> PathBuf {
        self.0.join("model.lus.out/certif/certificate.smt2")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The example of Kind 2's documentation.
const ADD_TWO: &str = "
    node add_two (a, b: real) returns (c: real);
    var v: real; P: bool;
    let
      v = a + b;
      c = 1.0 -> if pre c > v then pre c else v;
      P = (a > 0.0 and b > 0.0) => c > 0.0;
      check P;
    tel";

/// A proof that needs a lemma, calls of all kinds, and a contract.
const CLOCKED: &str = "
    type mode = enum { idle, busy, done };
    node counter (up: bool) returns (n: int);
    (*@contract guarantee n >= 0; *)
    let
      n = (if up then 1 else 0) -> if up then pre n + 1 else pre n;
    tel
    node top (up, go, again: bool; m: mode) returns (a, b: int; last: mode);
    var d: int;
    let
      a = (activate counter every go initial default 5)(up);
      b = (restart counter every again)(up);
      d = counter(up) - counter(up);
      last = idle -> pre m;
      assert up => go;
      check a >= 0 and b >= 0 and d = 0;
      check last = idle or last = busy or last = done;
    tel";

/// Two steps are needed to see that the property is inductive.
const TWO_STEPS: &str = "
    node top (x: bool) returns (a, b: bool);
    let
      a = true -> pre b;
      b = true -> pre (if a then a else x);
      check a;
      check b;
    tel";

fn answers(checker: &Path, solver: &str) -> Option<Vec<String>> {
    let output = Command::new(checker).arg(solver).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let answers = text.lines().filter(|line| !line.starts_with("Checking "));
    Some(answers.map(str::to_owned).collect())
}

fn is_installed(solver: &str) -> bool {
    Command::new(solver).arg("--version").output().is_ok()
}

#[test]
fn certificates_hold() {
    for (name, model) in [
        ("add_two", ADD_TWO),
        ("clocked", CLOCKED),
        ("two", TWO_STEPS),
    ] {
        let folder = Folder::with(name, model);
        let run = folder.certify(&[]);
        assert_eq!(run.exit, 0, "{}", run.stdout);
        let run = folder.verify(&[]);
        assert_eq!(run.exit, 0, "{name}: {}", run.stdout);
        assert!(
            run.stdout
                .contains("the certificate of the front end holds"),
            "{name}"
        );
        let certif = folder.0.join("model.lus.out/certif");
        let checkers = ["certificate_checker", "FEC.kind2.out/certif/FECC_checker"];
        for solver in ["z3", "cvc5"].into_iter().filter(|name| is_installed(name)) {
            for checker in checkers {
                let answers = answers(&certif.join(checker), solver);
                let unsat = ["unsat"; 3].map(str::to_owned).to_vec();
                assert_eq!(answers, Some(unsat), "{name} {solver} {checker}");
            }
            let run = folder.verify(&["--solver", solver]);
            assert_eq!(run.exit, 0, "{name} {solver}: {}", run.stdout);
        }
    }
}

/// A text in the certificate, another in its place, and what the refusal says.
const CHANGES: [(&str, &str, &str); 16] = [
    ("1.0 (ite", "2.0 (ite", "the definition of `step.0` differs"),
    (
        "(+ a@0 b@0)",
        "(+ b@0 b@0)",
        "the definition of `step.0` differs",
    ),
    (
        "(+ a@1 b@1)",
        "(+ b@1 b@1)",
        "the definition of `step.1` differs",
    ),
    (
        "(= init@0 true)",
        "true",
        "the definition of `init.0` differs",
    ),
    (
        "(= |pre c@1| c@0)",
        "true",
        "the definition of `trans.0` differs",
    ),
    (
        "InvProp[l8c7]\n  P@0",
        "P\n  (or P@0 (< c@0 c@0) init@0)",
        "the definition of `prop.0` differs",
    ),
    (
        "; What the model says of step 0.",
        "(declare-fun q () Int)",
        "a declaration of `q` is out of place",
    ),
    (
        "(declare-fun a@1 () Real)",
        "(declare-fun a@1 () Int)",
        "the declaration of `a@1` differs",
    ),
    // Another k than that of the proof.
    (":kindred-k 1", ":kindred-k 2", "`echo` is out of place"),
    (":kindred-k 1", ":kindred-k 0", "it does not say what k is"),
    (
        ":kindred-node \"add_two\"",
        ":kindred-node \"none\"",
        "no node `none`",
    ),
    (
        "(assert (not prop.0))",
        "(assert (not phi.0))",
        "the questions differ",
    ),
    // A contradiction, so that every query is `unsat`.
    (
        "(echo \"Checking base case\")",
        "(assert false)\n(echo \"Checking base case\")",
        "`assert` is out of place",
    ),
    (
        "(check-sat)",
        "(assert false)\n(check-sat)",
        "`assert` is out of place",
    ),
    (
        "(echo \"Checking base case\")",
        "(define-fun phi.1 () Bool true)\n(echo \"Checking base case\")",
        "a definition of `phi.1` is out of place",
    ),
    (
        "(exit)",
        "(exit)\n(check-sat)",
        "`check-sat` is out of place",
    ),
];

#[test]
fn changed_certificates_are_refused() {
    let folder = Folder::with("changed", ADD_TWO);
    folder.certify(&[]);
    let original = read(&folder.certificate());
    for (from, to, why) in CHANGES {
        let changed = original.replacen(from, to, 1);
        assert_ne!(changed, original, "{from}");
        std::fs::write(folder.certificate(), changed).expect("a file of ours");
        let run = folder.verify(&[]);
        assert_eq!(run.exit, 40, "{from}: {}", run.stdout);
        assert!(run.stdout.contains(why), "{from}: {}", run.stdout);
    }
    let (short, _) = original.split_once("(exit)").expect("its end");
    std::fs::write(folder.certificate(), short).expect("a file of ours");
    let run = folder.verify(&[]);
    assert_eq!(run.exit, 40, "{}", run.stdout);
    assert!(run.stdout.contains("it is not complete"), "{}", run.stdout);
    std::fs::write(folder.certificate(), original).expect("a file of ours");
    assert_eq!(folder.verify(&[]).exit, 0);
}

/// All files of a certificate must be there and unchanged.
#[test]
fn all_files_belong_to_a_certificate() {
    let folder = Folder::with("files", CLOCKED);
    folder.certify(&[]);
    let certif = folder.0.join("model.lus.out/certif");
    let cases = [
        ("certificate_checker", "certificate: the checker is not"),
        (
            "certificate_prelude.smt2",
            "certificate: the prelude is not",
        ),
        (
            "FEC.kind2.out/certif/FECC_checker",
            "FECC: the checker is not",
        ),
        (
            "FEC.kind2.out/certif/FECC_prelude.smt2",
            "FECC: the prelude is not",
        ),
    ];
    for (name, why) in cases {
        let path = certif.join(name);
        let original = read(&path);
        let changed = original
            .replace("sat", "unsat")
            .replace("QF_", "")
            .replace("ALL", "QF_LIA");
        assert_ne!(changed, original, "{name}");
        std::fs::write(&path, changed).expect("a file of ours");
        let run = folder.verify(&[]);
        assert_eq!(run.exit, 40, "{name}: {}", run.stdout);
        assert!(run.stdout.contains(why), "{name}: {}", run.stdout);
        std::fs::remove_file(&path).expect("a file of ours");
        let run = folder.verify(&[]);
        assert_eq!(run.exit, 1, "{name}: {}", run.stdout);
        std::fs::write(&path, original).expect("a file of ours");
    }
    assert_eq!(folder.verify(&[]).exit, 0);
}

/// A certificate of another analysis is refused, even if it is of the same node.
#[test]
fn other_properties_are_refused() {
    let folder = Folder::with("property", TWO_STEPS);
    let weaker = TWO_STEPS.replace("check b;", "check b or x;");
    std::fs::write(folder.0.join("model.lus"), weaker).expect("a model");
    assert_eq!(folder.certify(&[]).exit, 0);
    std::fs::write(folder.0.join("model.lus"), TWO_STEPS).expect("a model");
    let run = folder.verify(&[]);
    assert_eq!(run.exit, 40, "{}", run.stdout);
    assert!(
        run.stdout.contains("the definition of `prop.0` differs"),
        "{}",
        run.stdout
    );
}

/// Any k-inductive invariant is accepted: the solver checks it.
#[test]
fn other_invariants_are_judged() {
    let folder = Folder::with("invariants", ADD_TWO);
    folder.certify(&[]);
    let original = read(&folder.certificate());
    let with = |phi: &str| {
        let mut text = original.clone();
        for step in ["0", "1"] {
            let start = text.find(&format!("(define-fun phi.{step} "));
            let start = start.expect("an invariant");
            let at = format!("  P@{step}");
            let body = start + text[start..].find(&at).expect("its conjunct");
            let phi = phi.replace("@0", &format!("@{step}"));
            text.replace_range(body..body + at.len(), &format!("  {phi}"));
        }
        std::fs::write(folder.certificate(), text).expect("a file of ours");
        folder.verify(&[])
    };
    assert_eq!(with("P@0 true (<= 1.0 c@0)").exit, 0);
    let cases = [
        ("true", "the property subsumption fails"),
        ("(or P@0 init@0)", "fails"),
        ("(and P@0 (< c@0 9.0))", "the inductive step fails"),
        ("(and P@0 (< 1.0 c@0))", "the base case fails"),
        (
            "(and P@0 (< c@0 true))",
            "the invariant is not of this model",
        ),
        (
            "(and P@0 (< c@1 9.0))",
            "the invariant is not of this model",
        ),
        ("(and P@0 prop.0)", "the invariant is not of this model"),
        (
            "(and P@0 (< 0.0 stranger))",
            "the invariant is not of this model",
        ),
    ];
    for (phi, why) in cases {
        let run = with(phi);
        assert_eq!(run.exit, 40, "{phi}: {}", run.stdout);
        assert!(run.stdout.contains(why), "{phi}: {}", run.stdout);
    }
    let text = original.replacen("\n  P@1\n", "\n  true\n", 1);
    assert_ne!(text, original);
    std::fs::write(folder.certificate(), text).expect("a file of ours");
    let run = folder.verify(&[]);
    assert_eq!(run.exit, 40, "{}", run.stdout);
    assert!(
        run.stdout.contains("the definition of `phi.1` differs"),
        "{}",
        run.stdout
    );
}

#[test]
fn another_model_is_another_matter() {
    let folder = Folder::with("model", ADD_TWO);
    folder.certify(&[]);
    let other = ADD_TWO.replace("c = 1.0", "c = 3.0");
    std::fs::write(folder.0.join("model.lus"), other).expect("a model");
    let run = folder.verify(&[]);
    assert_eq!(run.exit, 40, "{}", run.stdout);
    assert!(
        run.stdout.contains("the definition of `step.0` differs"),
        "{}",
        run.stdout
    );
}

#[test]
fn options_of_an_analysis_are_refused() {
    let folder = Folder::with("options", ADD_TWO);
    folder.certify(&[]);
    let run = folder.verify(&["--unroll_max", "3"]);
    assert_eq!(run.exit, 2, "{}", run.stdout);
    assert!(run.stderr.contains("--unroll_max"), "{}", run.stderr);
}

#[test]
fn front_ends_are_compared() {
    let folder = Folder::with("front", CLOCKED);
    folder.certify(&[]);
    let path = folder
        .0
        .join("model.lus.out/certif/FEC.kind2.out/certif/FECC.smt2");
    let original = read(&path);
    let changed = original.replacen("(assert (not same))", "(assert (not true))", 1);
    assert_ne!(changed, original);
    std::fs::write(&path, changed).expect("a file of ours");
    let run = folder.verify(&[]);
    assert_eq!(run.exit, 40, "{}", run.stdout);
    assert!(
        run.stdout.contains("FECC: it is not of this model"),
        "{}",
        run.stdout
    );
}

/// Models, each with what its second translation is about.
const COVERED: [(&str, &str); 6] = [
    (
        "imported nodes and functions with contracts",
        "
        node imported sensor (x: int) returns (y: int);
        (*@contract assume x >= 0; guarantee y >= x; *)
        function imported scale (x: int) returns (y: int);
        (*@contract assume x >= 0; guarantee y > x; *)
        node top (again: bool) returns (n: int);
        var m: int;
        let
          m = 0 -> pre n;
          n = (restart sensor every again)(m) + scale(m);
          check n >= 0;
        tel",
    ),
    (
        "a contract with modes that stands on a clock",
        "
        node imported valve (open: bool) returns (flow: subrange [0, 9] of int);
        (*@contract
          mode opened (require open; ensure flow > 2;);
          mode closed (require not open; ensure flow = 0;);
        *)
        node top (open, go: bool) returns (flow: int);
        let
          flow = (activate valve every go initial default 1)(open);
          check go => (flow = 0 or flow > 2);
        tel",
    ),
    (
        "a call for each element",
        "
        node delay (x: int) returns (y: int);
        let y = 0 -> pre x; tel
        node top (a: int^3) returns (b: int^3; c: int^2^2);
        let
          b[i] = delay(a[i] * i);
          c[i][j] = delay(a[i] + j) - j;
          check b[0] = 0 and (true -> c[1][1] = pre a[1]);
        tel",
    ),
    (
        "quantifiers",
        "
        type level = subrange [0, 2] of int;
        node top (a: int^3; f: bool) returns (b: int^3);
        let
          b[i] = if a[i] > 0 then a[i] else 1;
          check forall (i: int) 0 <= i and i < 3 => b[i] > 0;
          check exists (l: level) b[l] = b[2];
          check forall (g: bool) g or not g or f;
          check forall (i, j: int) 0 <= i and i < j and j < 3 => b[i] + b[j] > 1;
        tel",
    ),
    (
        "a stream that is chosen by its own value",
        "
        node top (x: int) returns (y: int);
        let
          y = if y > 0 then 3 else x;
          check y <= 3;
        tel",
    ),
    (
        "ranges of what is given to nodes",
        "
        type phase = enum { low, high };
        node half (x: subrange [0, 9] of int) returns (y: subrange [0, 4] of int; p: phase);
        (*@contract guarantee y <= x; guarantee p = low => y <= 2; *)
        let y = x div 2; p = if y <= 2 then low else high; tel
        node top (x: int) returns (y: int);
        var p: phase;
        let
          y, p = half(if x < 0 then 0 else if x > 9 then 9 else x);
          check y >= 0 and y <= 4 and (p = low => y < 3);
        tel",
    ),
];

#[test]
fn front_ends_are_covered() {
    let flags: [&[&str]; 3] = [
        &[],
        &["--modular", "true"],
        &["--modular", "true", "--compositional", "true"],
    ];
    for (at, (what, model)) in COVERED.into_iter().enumerate() {
        for (way, flags) in flags.into_iter().enumerate() {
            let folder = Folder::with(&format!("covered{at}-{way}"), model);
            let run = folder.certify(flags);
            assert_eq!(run.exit, 0, "{what}: {}", run.stdout);
            let uncovered = "no certificate of the front end";
            assert!(!run.stdout.contains(uncovered), "{what}: {}", run.stdout);
            let run = folder.verify(&flags[..flags.len().min(2)]);
            assert_eq!(run.exit, 0, "{what}: {}", run.stdout);
        }
    }
}

/// The message names the construct that the second translation does not cover, with its place.
#[test]
fn what_no_front_end_covers_is_told() {
    let open = "node top (const n: int; x: int) returns (y: int);\n\
                var a: int^n;\n\
                let a[i] = x; y = x; check n > 1 => a[1] = x; tel";
    let folder = Folder::with("uncovered", open);
    let run = folder.certify(&[]);
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let why = "does not cover an array of open size (model.lus:2:5)";
    assert!(run.stdout.contains(why), "{}", run.stdout);
    assert_eq!(folder.verify(&[]).exit, 0);
}

#[test]
fn nothing_is_written_without_a_proof() {
    let half = "node top () returns (x, y: bool); let x = true; check x; tel";
    let wrong = "node top (x: bool) returns (y: bool); let y = x; check y; tel";
    let cases = [
        (
            half,
            0,
            "`top` is defined in part only: `y` has no definition",
        ),
        (wrong, 40, "not all of its properties are proved"),
    ];
    for (at, (model, exit, why)) in cases.into_iter().enumerate() {
        let folder = Folder::with(&format!("none{at}"), model);
        let run = folder.certify(&[]);
        assert_eq!(run.exit, exit, "{}", run.stdout);
        assert!(run.stdout.contains(why), "{}", run.stdout);
        assert!(!folder.0.join("model.lus.out/certif").exists());
        assert_eq!(folder.verify(&[]).exit, 1);
    }
}

const WRONG: &str = "node top (x: bool) returns (y: bool); let y = x; check y; tel";

/// All files in a folder, by their paths in it.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in std::fs::read_dir(&at).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path.strip_prefix(folder).unwrap().display().to_string()),
            }
        }
    }
    found.sort();
    found
}

/// The folder has the certificates of the last run only.
#[test]
fn certificates_of_earlier_runs_are_gone() {
    let modular = ["--modular", "true"];
    let syntax_error = "node top () returns (";
    for (at, second) in [WRONG, syntax_error, ADD_TWO].into_iter().enumerate() {
        for flags in [&[][..], &modular] {
            let folder = Folder::with(&format!("stale{at}-{}", flags.len()), CLOCKED);
            assert_eq!(folder.certify(flags).exit, 0);
            let output = folder.0.join("model.lus.out");
            assert!(!files(&output).is_empty());
            std::fs::write(folder.0.join("model.lus"), second).expect("a model");
            let run = folder.certify(&[]);
            let left = files(&output);
            if second == ADD_TWO {
                assert_eq!(left.len(), 6, "{left:?}");
                assert_eq!(folder.verify(&[]).exit, 0);
            } else {
                assert_ne!(run.exit, 0);
                assert_eq!(left, Vec::<String>::new());
                assert!(!output.join("certif").exists());
            }
        }
    }
}

/// Files that Kindred did not write stay, whatever their names are.
#[test]
fn files_of_others_stay() {
    let folder = Folder::with("foreign", ADD_TWO);
    assert_eq!(folder.certify(&[]).exit, 0);
    let output = folder.0.join("model.lus.out");
    let foreign = [
        "certif/notes.txt",
        "certif/other/certificate.smt2",
        "certif/other/certificate_checker",
        "certif/FEC.kind2.out/certif/readme",
        "certif.part/certificate_prelude.smt2",
        "certif.12.part/notes.txt",
        "notes.txt",
    ];
    for name in foreign {
        let path = output.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).expect("a folder");
        std::fs::write(path, "; A certificate of someone else\n").expect("a file");
    }
    std::fs::create_dir_all(output.join("certif/empty")).expect("a folder");
    std::fs::write(folder.0.join("model.lus"), WRONG).expect("a model");
    assert_eq!(folder.certify(&[]).exit, 40);
    let mut expected: Vec<String> = foreign.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(files(&output), expected);
    assert!(output.join("certif/empty").is_dir());
    // A certificate is written beside them.
    std::fs::write(folder.0.join("model.lus"), ADD_TWO).expect("a model");
    assert_eq!(folder.certify(&[]).exit, 0);
    assert_eq!(files(&output).len(), expected.len() + 6);
}

/// A run removes the temporary files of a process that was killed.
#[test]
fn unfinished_certificates_are_removed() {
    let folder = Folder::with("unfinished", ADD_TWO);
    let output = folder.0.join("model.lus.out");
    for place in ["certif.4711.part", "certif/top.4712.part"] {
        let place = output.join(place);
        std::fs::create_dir_all(&place).expect("a folder");
        std::fs::write(place.join("certificate_prelude.smt2"), "(set-lo").expect("a file");
    }
    assert_eq!(folder.certify(&[]).exit, 0);
    let left = files(&output);
    assert_eq!(left.len(), 6, "{left:?}");
}

/// Whenever a run is interrupted, all files of a certificate are there or none.
#[cfg(unix)]
#[test]
fn interrupted_runs_leave_no_parts() {
    for milliseconds in [5, 20, 40, 60, 80, 120, 200] {
        let folder = Folder::with(&format!("signal{milliseconds}"), CLOCKED);
        let mut child = Command::new(env!("CARGO_BIN_EXE_kindred"))
            .args(["--certif", "true", "model.lus"])
            .current_dir(&folder.0)
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("a process");
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        let pid = child.id().to_string();
        // It may have ended before.
        let _ = Command::new("kill").args(["-INT", &pid]).output();
        child.wait().expect("it ends");
        let left = files(&folder.0.join("model.lus.out"));
        assert!(matches!(left.len(), 0 | 3 | 6), "{left:?}");
        if !left.is_empty() {
            assert_eq!(folder.verify(&[]).exit, 0);
        }
    }
}

/// With several analyses each node has a certificate, and one that rests on the
/// contract of another says so.
#[test]
fn contracts_are_named() {
    let folder = Folder::with("modular", CLOCKED);
    let flags = ["--modular", "true", "--compositional", "true"];
    let run = folder.certify(&flags);
    assert_eq!(run.exit, 0, "{}", run.stdout);
    let run = folder.verify(&flags[..2]);
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert!(run.stdout.contains("of counter (k=1)"), "{}", run.stdout);
    let rests = "certif/top: this rests on the contract of counter";
    assert!(run.stdout.contains(rests), "{}", run.stdout);
}

/// Two top nodes. Where both are analysed, the constants of the second exist before its variables;
/// where the second is analysed alone, they are created after.
const TWO_TOPS: &str = "
    node first (x: int) returns (ok: bool);
    let
      ok = x >= 0 or x = 2 or x = 3 or x < 0;
      check ok;
    tel
    node second (a, b, c: int) returns (n: subrange [0, 3] of int; d: int);
    var ok: bool;
    let
      n = 0 -> if pre n = 2 then 0 else pre n + 1;
      d = if c = 3 then 2 else 3;
      ok = d = 2 or (d = 3 xor c = 3);
      check ok;
      check a = 2 and c = 3 => d = a or b = 2;
    tel";

/// The text of an equation depends on which terms the process has created before. A certificate is
/// accepted whether the certificates of other nodes are checked before it or not.
#[test]
fn nodes_of_one_run_are_checked_alone() {
    let folder = Folder::with("tops", TWO_TOPS);
    let run = folder.certify(&[]);
    assert_eq!(run.exit, 0, "{}", run.stdout);
    for node in ["", "/first", "/second"] {
        let certificates = format!("model.lus.out/certif{node}");
        let run = folder.run(&["verify-certificate", &certificates, "model.lus"]);
        assert_eq!(run.exit, 0, "{node}: {}", run.stdout);
    }
}

/// With every way to minimise k and φ, the result is a valid certificate.
#[test]
fn all_ways_to_minimise() {
    let folder = Folder::with("minimise", TWO_STEPS);
    for k in ["no", "fwd", "bwd", "dicho", "frontierdicho", "auto"] {
        for invariants in ["easy", "medium", "mediumonly", "hard", "hardonly"] {
            let flags = ["--certif_mink", k, "--certif_mininvs", invariants];
            assert_eq!(folder.certify(&flags).exit, 0);
            let run = folder.verify(&[]);
            assert_eq!(run.exit, 0, "{k} {invariants}: {}", run.stdout);
        }
    }
}
