//! `--synthesize`: nodes made from realizable contracts honour them, and environments made from
//! the others beat every component.

mod common;

use std::fmt::Write;
use std::path::Path;

use common::{Run, Scratch, files, kindred, repository};

/// Checks the contracts of a model.
fn check(model: &Path, folder: &Path, format: &[&str]) -> Run {
    let model = model.to_string_lossy();
    let flags = [
        "--enable",
        "CONTRACTCK",
        "--print_deadlock",
        "false",
        "--check_contract_is_sat",
        "false",
        "--synthesize",
        "out",
    ];
    kindred(folder, &[&flags[..], format, &[&model]].concat(), "")
}

fn model(name: &str) -> std::path::PathBuf {
    repository().join(format!("crates/kindred/tests/synthesis/{name}.lus"))
}

/// Models whose strategies depend on what their contracts leave open: they have no node.
const REFUSED: [&str; 1] = ["needs_open"];

#[test]
fn what_is_written_is_proved() {
    let (mut components, mut environments) = (0, 0);
    for path in files(&repository().join("crates/kindred/tests/synthesis"), "lus") {
        let name = path.file_stem().expect("a name").to_string_lossy();
        let scratch = Scratch::new(&format!("synthesis-{name}"));
        let run = check(&path, &scratch.0, &[]);
        let (file, main) = match run.exit {
            0 => (format!("{name}.lus"), name.to_string()),
            40 => (format!("{name}_environment.lus"), format!("{name}_game")),
            _ => panic!("{name}: {}{}", run.stdout, run.stderr),
        };
        let written = scratch.0.join("out").join(&file);
        if REFUSED.contains(&&*name) {
            assert!(!written.exists(), "{name}");
            assert!(run.stdout.contains("cannot be written: "), "{}", run.stdout);
            continue;
        }
        let note = format!("is in out/{file}");
        assert!(run.stdout.contains(&note), "{name}: {}", run.stdout);
        let args = ["--timeout", "120", "--lus_main", &main];
        let written = written.to_string_lossy();
        let proof = kindred(&scratch.0, &[&args[..], &[&written]].concat(), "");
        assert_eq!(proof.exit, 0, "{name}: {}{}", proof.stdout, proof.stderr);
        match run.exit {
            0 => components += 1,
            _ => environments += 1,
        }
    }
    assert!(components >= 6 && environments >= 5);
}

/// The text of the document is what is written.
#[test]
fn the_document_shows_what_is_written() {
    let scratch = Scratch::new("synthesis-document");
    check(&model("arbiter"), &scratch.0, &[]);
    let written = common::read(&scratch.0.join("out/arbiter.lus"));
    let node = written.find("node arbiter").expect("the node");
    let document = common::read(&repository().join("docs/synthesis.md"));
    assert!(document.contains(&written[node..]), "{written}");
}

#[test]
fn an_environment_has_its_main_node() {
    let scratch = Scratch::new("synthesis-main");
    check(&model("tank"), &scratch.0, &[]);
    let proof = kindred(&scratch.0, &["out/tank_environment.lus"], "");
    assert_eq!(proof.exit, 0, "{}", proof.stdout);
    assert!(proof.stdout.contains("Analyzing tank_game"));
}

#[test]
fn all_formats_name_the_file() {
    for format in ["--json", "--xml"] {
        let scratch = Scratch::new(&format!("synthesis{format}"));
        let run = check(&model("arbiter"), &scratch.0, &[format]);
        assert!(run.stdout.contains("out/arbiter.lus"), "{}", run.stdout);
        assert!(scratch.0.join("out/arbiter.lus").exists());
    }
}

#[test]
fn values_that_are_not_defined_are_told() {
    let scratch = Scratch::new("synthesis-guess");
    let run = check(&model("guess"), &scratch.0, &[]);
    assert!(
        run.stdout
            .contains("picks values that the contract does not define")
    );
    let text = common::read(&scratch.0.join("out/guess_environment.lus"));
    assert!(text.contains("does not define"), "{text}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let scratch = Scratch::new("synthesis-unwritable");
    scratch.write("out", "no folder");
    let run = check(&model("arbiter"), &scratch.0, &[]);
    assert_eq!(run.exit, 1, "{}", run.stdout);
    let message = "cannot write out/arbiter.lus";
    assert!(run.stdout.contains(message), "{}{}", run.stdout, run.stderr);
}

/// Numbers that look random.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % end
    }

    /// A condition on an input and on the outputs of earlier steps.
    fn condition(&mut self, atoms: &[&str], depth: u32) -> String {
        if depth == 0 {
            let atom = atoms[self.below(atoms.len() as u64) as usize];
            return match self.below(2) {
                0 => format!("({atom})"),
                _ => format!("not ({atom})"),
            };
        }
        let op = ["and", "or", "xor", "=>"][self.below(4) as usize];
        let (a, b) = (
            self.condition(atoms, depth - 1),
            self.condition(atoms, depth - 1),
        );
        format!("({a} {op} {b})")
    }
}

/// How many components are tried; `KINDRED_COMPONENTS` has another number.
fn count() -> usize {
    let count = std::env::var("KINDRED_COMPONENTS");
    count.ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

/// Runs components against the environment of a contract, all in one run of the interpreter.
fn all_lose(name: &str, steps: usize, component: &dyn Fn(&mut Numbers) -> String, call: &str) {
    let scratch = Scratch::new(&format!("synthesis-random-{name}"));
    check(&model(name), &scratch.0, &[]);
    let environment = common::read(&scratch.0.join(format!("out/{name}_environment.lus")));
    let mut text = environment.replace("--%MAIN;", "");
    let (count, mut numbers) = (count(), Numbers(7));
    let (mut equations, mut outputs) = (String::new(), Vec::new());
    for at in 0..count {
        let body = component(&mut numbers).replace("COMPONENT", &format!("component_{at}"));
        text.push_str(&body);
        let _ = writeln!(equations, "  lost_{at} = play_{at}();");
        let _ = writeln!(text, "{}", call.replace("AT", &at.to_string()));
        outputs.push(format!("lost_{at}: bool"));
    }
    let all: Vec<String> = (0..count).map(|at| format!("lost_{at}")).collect();
    let _ = writeln!(
        text,
        "node all_plays () returns ({}; all_lost: bool);\nlet\n{equations}  all_lost = {};\n  --%MAIN;\ntel",
        outputs.join("; "),
        all.join(" and ")
    );
    scratch.write("plays.lus", &text);
    let steps = steps.to_string();
    let args = [
        "--enable",
        "interpreter",
        "--interpreter_steps",
        &steps,
        "plays.lus",
    ];
    let run = kindred(&scratch.0, &args, "");
    assert_eq!(run.exit, 0, "{}{}", run.stdout, run.stderr);
    let line = run
        .stdout
        .lines()
        .find(|line| line.trim_start().starts_with("all_lost "));
    let values: Vec<&str> = line.expect("the stream").split_whitespace().collect();
    assert_eq!(values.last(), Some(&"true"), "{}", run.stdout);
}

#[test]
fn components_on_stairs_lose() {
    // Each keeps as many guarantees as it can: it stays, goes up by one or by two.
    let component = |numbers: &mut Numbers| {
        let atoms = [
            "push",
            "0 -> pre n mod 2 = 0",
            "true -> pre push",
            "0 -> pre n > 5",
        ];
        let atoms = atoms.map(|atom| match atom.strip_prefix("0 -> ") {
            Some(condition) => format!("true -> {condition}"),
            None => atom.to_owned(),
        });
        let atoms: Vec<&str> = atoms.iter().map(String::as_str).collect();
        let (stays, jumps) = (numbers.condition(&atoms, 2), numbers.condition(&atoms, 2));
        format!(
            "node COMPONENT (push: bool) returns (n: int);\nlet\n  n = (0 -> pre n) + (if {stays} \
             and not push then 0 else if {jumps} then 2 else 1);\ntel\n"
        )
    };
    let call = "node play_AT () returns (lost: bool);\nvar push: bool; n: int;\nlet\n  push = \
                stairs_environment(n);\n  n = component_AT(push);\n  lost = stairs_game(n);\ntel\n";
    all_lose("stairs", 13, &component, call);
}

#[test]
fn components_with_a_tank_lose() {
    let component = |numbers: &mut Numbers| {
        let atoms = [
            "inflow > 1",
            "true -> pre level > 3",
            "true -> pre drain",
            "inflow = 3",
        ];
        let drain = numbers.condition(&atoms, 2);
        format!(
            "node COMPONENT (inflow: int) returns (level: int; drain: bool);\nlet\n  drain = \
             {drain};\n  level = inflow -> pre level + inflow - (if drain then 2 else 0);\ntel\n"
        )
    };
    let call = "node play_AT () returns (lost: bool);\nvar inflow, level: int; drain: \
                bool;\nlet\n  inflow = tank_environment(level, drain);\n  level, drain = \
                component_AT(inflow);\n  lost = tank_game(level, drain);\ntel\n";
    all_lose("tank", 6, &component, call);
}
