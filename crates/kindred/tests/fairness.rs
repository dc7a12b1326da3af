//! Each property gets a share of the time, and properties of the user come before generated ones.

mod common;

use common::{Run, kindred, repository};

fn run(model: &str, more: &[&str]) -> Run {
    let folder = repository().join("crates/kindred/tests/fairness");
    let mut args = more.to_vec();
    args.push(model);
    kindred(&folder, &args, "")
}

/// The lines of the summary.
fn summary(run: &Run) -> Vec<&str> {
    let summary = run.stdout.split("Summary of properties").nth(1);
    let lines = summary.unwrap_or_default().lines();
    lines.filter(|line| line.contains(": ")).collect()
}

#[test]
fn a_quantified_property_does_not_hold_up_another() {
    for threads in ["1", "2"] {
        let run = run("quantified.lus", &["--threads", threads]);
        let expected = [
            "every integer is larger: invalid after 0 steps",
            "true or false: valid (k=1)",
        ];
        assert_eq!(summary(&run), expected, "{}", run.stdout);
        assert_eq!(run.exit, 40);
    }
}

#[test]
fn a_product_does_not_keep_engines_from_other_properties() {
    for engine in ["IC3QE", "IC3IA", "SPACER"] {
        let run = run("product.lus", &["--timeout", "5", "--enable", engine]);
        let is_proved = summary(&run).contains(&"count: valid (k=1)");
        assert!(is_proved, "{}", run.stdout);
    }
    let run = run("product.lus", &["-v", "--enable", "SPACER"]);
    let note = "Spacer stays out of 1 of 2 properties: it cannot handle non-linear arithmetic";
    assert!(run.stdout.contains(note), "{}", run.stdout);
    assert_eq!(run.exit, 30);
}

#[test]
fn what_is_reached_early_only_is_not_reached_later() {
    let run = run("late.lus", &[]);
    let expected = [
        "again: unreachable in 4 steps or more",
        "at first: reachable after 3 steps",
        "later: reachable after 5 steps",
    ];
    assert_eq!(summary(&run), expected, "{}", run.stdout);
}

#[test]
fn machine_integers_count_modulo_a_power_of_two() {
    let run = run("wraps.lus", &[]);
    for line in [
        "unsigned: valid (k=1)",
        "signed: valid (k=1)",
        "too small: invalid after 2 steps",
    ] {
        let told = run.stdout.lines().any(|own| own == line);
        assert!(told, "{line}: {}", run.stdout);
    }
}

#[test]
fn the_law_of_division_holds() {
    let run = run("division.lus", &[]);
    let lines = summary(&run);
    for name in ["signed", "unsigned", "other order"] {
        assert!(
            lines.contains(&format!("{name}: valid (k=1)").as_str()),
            "{lines:?}"
        );
    }
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("another divisor: invalid"))
    );
}

#[test]
fn what_people_wrote_is_told_before_ranges() {
    for threads in ["1", "2"] {
        let run = run("ranges.lus", &["--threads", threads]);
        assert_eq!(run.exit, 0, "{}", run.stdout);
        let told = run
            .stdout
            .lines()
            .filter(|line| line.starts_with("<Success>"));
        let told: Vec<&str> = told.collect();
        assert!(told.len() > 10, "{told:?}");
        for name in ["own", "of the contract", "of the callee"] {
            let at = told.iter().position(|line| line.contains(name));
            assert!(at.is_some_and(|at| at < 3), "{name}: {told:?}");
        }
    }
}
