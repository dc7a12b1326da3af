//! Instantaneous loops: refused with the cycle shown, unless there is a solution whatever
//! the state and the inputs are.

mod common;

use common::{Run, corpus, kindred, repository};

fn run(model: &str, more: &[&str]) -> Run {
    let folder = repository().join("crates/kindred/tests/loops");
    let mut args = more.to_vec();
    args.push(model);
    kindred(&folder, &args, "")
}

fn assert_refused(run: &Run, cycle: &str) {
    assert_eq!(run.exit, 3, "{}", run.stdout);
    let line = run.stdout.lines().find(|line| line.contains("E0302"));
    assert!(
        line.is_some_and(|line| line.ends_with(cycle)),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("W0005"), "{}", run.stdout);
}

const REFUSED: [(&str, &str); 13] = [
    ("flip.lus", "x → x"),
    ("sometimes.lus", "x → x"),
    ("calls.lus", "x → y → x"),
    ("activated.lus", "x → x"),
    ("clocks.lus", "x → x"),
    ("merged.lus", "x → x"),
    ("ghosts.lus", "g → h → g"),
    ("plain.lus", "x → y → x"),
    ("function.lus", "x → x"),
    ("unused.lus", "x → x"),
    ("argument.lus", "x → x"),
    ("nested_calls.lus", "x → x"),
    ("later.lus", "x → x"),
];

#[test]
fn loops_are_refused() {
    for (model, cycle) in REFUSED {
        assert_refused(&run(model, &[]), cycle);
    }
    let elements = run("elements.lus", &[]);
    assert_eq!(elements.exit, 3, "{}", elements.stdout);
    assert!(elements.stdout.contains("E0601"), "{}", elements.stdout);
}

#[test]
fn loops_are_refused_whatever_is_asked() {
    for way in [
        &["--only_parse", "true"][..],
        &["--enable", "interpreter"],
        &["--modular", "true"],
        &["--compositional", "true"],
        &["--lus_main", "top"],
        &["--ivc", "true"],
        &["--mutation", "true"],
        &["--slice_nodes", "false"],
    ] {
        for (model, cycle) in [("flip.lus", "x → x"), ("unused.lus", "x → x")] {
            assert_refused(&run(model, way), cycle);
        }
    }
    let json = run("flip.lus", &["-json"]);
    assert_eq!(json.exit, 3);
    assert!(json.stdout.contains("E0302"), "{}", json.stdout);
}

#[test]
fn inputs_without_a_solution_are_named() {
    let run = run("sometimes.lus", &[]);
    assert!(
        run.stdout.contains("at some step with a = "),
        "{}",
        run.stdout
    );
}

fn assert_accepted(run: &Run, results: &[&str]) {
    assert!(run.stdout.contains("warning[W0005]"), "{}", run.stdout);
    let lines: Vec<&str> = run.stdout.lines().collect();
    for result in results {
        assert!(lines.contains(result), "{result}: {}", run.stdout);
    }
}

#[test]
fn loops_that_conditions_break_are_accepted() {
    for way in [&[][..], &["--threads", "1"], &["--slice_nodes", "false"]] {
        let broken = run("conditions.lus", way);
        let valid = [
            "off: valid (k=1)",
            "on: valid (k=1)",
            "wrong: invalid after 0 steps",
        ];
        assert_accepted(&broken, &valid);
        let instances = run("instances.lus", way);
        let results = ["positive: valid (k=1)", "still: invalid after 1 steps"];
        assert_accepted(&instances, &results);
    }
}

#[test]
fn loops_with_a_proved_solution_are_accepted() {
    let results = ["either: valid (k=1)", "low: invalid after 0 steps"];
    assert_accepted(&run("proved.lus", &[]), &results);
}

/// The declared range of a stream in a loop is a property like others.
#[test]
fn ranges_are_checked() {
    let results = ["((0 <= x) and (x <= 3)): invalid after 0 steps"];
    assert_accepted(&run("range.lus", &[]), &results);
}

/// A function without a body depends on its arguments where it is congruent.
#[test]
fn functions_may_be_congruent() {
    let free = run("imported_function.lus", &[]);
    assert_eq!(free.exit, 0, "{}", free.stdout);
    let congruent = run(
        "imported_function.lus",
        &["--enforce_func_congruence", "true"],
    );
    assert_refused(&congruent, "x → x");
}

#[test]
fn conditions_break_loops_in_the_interpreter() {
    let steps = ["--enable", "interpreter", "--interpreter_steps", "3"];
    let run = run("instances.lus", &steps);
    assert_eq!(run.exit, 0, "{}", run.stdout);
}

/// A mutant may not be judged if its loop has no solution: it would survive because it has
/// no runs.
#[test]
fn mutants_with_unsolvable_loops_are_left_out() {
    let run = run(
        "mutants.lus",
        &["--mutation", "true", "--mutators", "boolean"],
    );
    assert_eq!(run.exit, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("4 of 4 mutants killed"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("2 mutants"), "{}", run.stdout);
}

#[test]
fn models_of_jkind() {
    let Some(corpus) = corpus("jkind") else {
        return;
    };
    let parse = |name: &str| kindred(&corpus.join("jkind"), &["--only_parse", "true", name], "");
    for name in ["8-slide.lus", "8-slide-impossible.lus"] {
        let run = parse(name);
        assert_eq!(run.exit, 0, "{}", run.stdout);
    }
    // Some throttle positions leave no gear.
    assert_refused(&parse("drivetrain.lus"), "gear_out → gear_out");
}
