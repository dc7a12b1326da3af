//! Pairs of analyses: the lemmas of the first are valid in the second, or are not used there.
//!
//! Cores, mutants and certificates start from the lemmas of an analysis, and lower the
//! model once more. Where the two lowerings number their variables differently, a lemma
//! has to be carried by the names of its variables.

mod common;

use common::{Run, Scratch, kindred, repository};

/// Options of each analysis, with a text that its output must have, if there always is one.
const ANALYSES: [(&[&str], Option<&str>); 12] = [
    (&["--modular", "true"], None),
    (&["--compositional", "true"], None),
    (&["--ivc", "true"], Some("\"modelElementSet\"")),
    (
        &["--ivc_html", "true", "--ivc_must_set", "true"],
        Some("\"modelElementSet\""),
    ),
    (&["--mutation", "true", "--ivc_mutation", "true"], None),
    (
        &["--certif", "true"],
        Some("Certificate checker was written"),
    ),
    (&["--print_invs", "true"], None),
    (&["--log_invs", "true"], None),
    (&["--write_advice", "advice"], None),
    (&["--slice_nodes", "false"], None),
    (&["--check_modes", "false"], None),
    (&["--threads", "1"], None),
];

fn run(scratch: &Scratch, model: &str, options: &[&[&str]]) -> Run {
    let path = repository().join(model);
    let path = path.to_str().expect("a path in UTF-8");
    let mut args = vec!["-json", "--timeout", "60", "--output_dir", "out"];
    args.extend(options.iter().flat_map(|some| some.iter()));
    args.push(path);
    let run = kindred(&scratch.0, &args, "");
    let all = format!("{args:?}\n{}\n{}", run.stdout, run.stderr);
    assert_eq!(run.exit, 0, "{all}");
    assert!(!all.contains("internal error"), "{all}");
    let document: Result<serde_json::Value, _> = serde_json::from_str(&run.stdout);
    assert!(document.is_ok(), "{all}");
    run
}

#[test]
fn analyses_get_along_in_pairs() {
    let scratch = Scratch::new("combinations");
    for (at, (first, shown)) in ANALYSES.iter().enumerate() {
        for (second, also) in &ANALYSES[at + 1..] {
            let model = "crates/kindred/tests/combinations/hoist.lus";
            let run = run(&scratch, model, &[first, second]);
            for shown in [shown, also].into_iter().flatten() {
                assert!(
                    run.stdout.contains(shown),
                    "{first:?} {second:?} without {shown}: {}",
                    run.stdout
                );
            }
        }
    }
}

#[test]
fn questions_follow_modular_analyses_of_examples() {
    let scratch = Scratch::new("combinations_of_examples");
    for model in ["examples/greenhouse.lus", "examples/triplex.lus"] {
        let questions = ["--ivc", "--mutation", "--certif"];
        for question in questions {
            let modular = ["--modular", "true", question, "true"];
            run(&scratch, model, &[&modular]);
        }
        run(
            &scratch,
            model,
            &[&["--print_invs", "true", "--ivc_html", "true"]],
        );
    }
}
