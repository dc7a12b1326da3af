//! Small models that k-induction alone cannot prove, and each other engine can;
//! and runs that each engine finds alone.

mod common;

use common::{Run, kindred, repository};

const ENGINES: [&str; 3] = ["SPACER", "IC3IA", "IC3QE"];

fn run(engines: &[&str], model: &str, more: &[&str]) -> Run {
    let folder = repository().join("crates/kindred/tests/engines");
    let mut args: Vec<&str> = engines.iter().flat_map(|one| ["--enable", one]).collect();
    args.extend(more);
    args.push(model);
    kindred(&folder, &args, "")
}

/// Is there a line that begins so in the summary?
fn says(run: &Run, line: &str) -> bool {
    let summary = run.stdout.split("Summary of properties").nth(1);
    summary.is_some_and(|text| text.lines().any(|own| own.starts_with(line)))
}

#[test]
fn induction_alone_does_not_prove_them() {
    for model in ["twins.lus", "real_twins.lus", "machine.lus"] {
        let run = run(&["BMC", "IND"], model, &["--bmc_max", "12"]);
        assert_eq!(run.exit, 30, "{model}: {}", run.stdout);
    }
}

#[test]
fn each_engine_proves_them() {
    for model in ["twins.lus", "real_twins.lus", "machine.lus", "constant.lus"] {
        for engine in ENGINES {
            let run = run(&[engine], model, &[]);
            assert_eq!(run.exit, 0, "{model} by {engine}: {}", run.stdout);
        }
    }
}

#[test]
fn each_method_of_elimination_proves() {
    for method in ["precise", "impl", "cooper"] {
        for model in ["twins.lus", "real_twins.lus"] {
            let run = run(&["IC3QE"], model, &["--qe_method", method]);
            assert_eq!(run.exit, 0, "{model} by {method}: {}", run.stdout);
        }
    }
}

#[test]
fn ic3qe_proves_without_its_extras() {
    let off = [
        "--ic3qe_inductively_generalize",
        "2",
        "--ic3qe_block_in_future_first",
        "false",
        "--ic3qe_fwd_prop_non_gen",
        "false",
        "--ic3qe_fwd_prop_ind_gen",
        "false",
        "--ic3qe_fwd_prop_subsume",
        "false",
        "--ic3qe_check_inductive",
        "false",
        "--ic3qe_use_invgen",
        "false",
    ];
    let run = run(&["IC3QE"], "twins.lus", &off);
    assert_eq!(run.exit, 0, "{}", run.stdout);
}

#[test]
fn each_engine_finds_the_run() {
    for engine in ENGINES {
        let run = run(&[engine], "late.lus", &[]);
        assert_eq!(run.exit, 40, "{engine}: {}", run.stdout);
        assert!(run.stdout.contains("after 8 steps"), "{}", run.stdout);
    }
}

#[test]
fn several_properties_each_get_their_verdict() {
    for engine in ENGINES {
        let run = run(&[engine], "several.lus", &["--ic3ia_max", "3"]);
        assert_eq!(run.exit, 40, "{engine}: {}", run.stdout);
        assert!(says(&run, "below: valid"), "{engine}: {}", run.stdout);
        assert!(says(&run, "above: valid"), "{engine}: {}", run.stdout);
        assert!(says(&run, "wrong: invalid"), "{engine}: {}", run.stdout);
        assert!(says(&run, "apart: unreachable"), "{engine}: {}", run.stdout);
    }
}

#[test]
fn an_engine_that_cannot_stays_out_and_says_so() {
    let quiet = run(&["SPACER"], "product.lus", &[]);
    assert_eq!(quiet.exit, 30, "{}", quiet.stdout);
    assert!(!quiet.stdout.contains("stays out"), "{}", quiet.stdout);
    let verbose = run(&["SPACER"], "product.lus", &["-v"]);
    let says_so = verbose
        .stdout
        .contains("cannot handle non-linear arithmetic");
    assert!(says_so, "{}", verbose.stdout);
}

#[test]
fn ic3_is_both_and_c2i_is_refused() {
    let both = run(&["IC3"], "twins.lus", &[]);
    assert_eq!(both.exit, 0, "{}", both.stdout);
    let refused = run(&["C2I"], "twins.lus", &[]);
    assert_eq!(refused.exit, 2);
    assert!(refused.stderr.contains("C2I"), "{}", refused.stderr);
}
