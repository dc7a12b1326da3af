//! The front end and the interpreter on the whole corpus, and on a few mutated
//! models.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use corpus::mutation_fuzz::{self, Fuzzer, Input, Verdict};
use corpus::{Outcome, files, front, generated};

/// Runs a part of the corpus, where there is one; no answer may be wrong.
fn assert_right(part: fn(&Path) -> Vec<Outcome>) {
    let Some(corpus) = files::corpus() else {
        println!("skipped: there is no corpus");
        return;
    };
    let outcomes = part(&corpus);
    let right: usize = outcomes.iter().map(|outcome| outcome.right).sum();
    let wrong: Vec<&String> = outcomes.iter().flat_map(|outcome| &outcome.wrong).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(right > 0, "the corpus is empty");
}

#[test]
fn well_formed_models_are_accepted() {
    assert_right(front::accept);
}

#[test]
fn wrong_models_are_refused_for_the_right_reason() {
    assert_right(front::refuse);
}

#[test]
fn printed_models_parse_to_the_same_tree() {
    assert_right(front::print);
}

#[test]
fn runs_of_generated_programs_are_as_known() {
    assert_right(generated::run);
}

/// Runs on a stack for deep trees.
fn on_large_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(syntax::STACK_SIZE);
    let thread = thread.spawn(run).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[test]
fn mutated_models_are_accepted_or_refused() {
    on_large_stack(|| {
        let fuzzer = Fuzzer::new(&mutation_fuzz::own_models(), 1);
        assert!(fuzzer.models() > 5, "the examples are missing");
        let mut accepted = 0;
        for index in 0..600 {
            let input = fuzzer.input(index);
            let outcome = catch_unwind(AssertUnwindSafe(|| mutation_fuzz::run(&input)));
            match outcome {
                Ok(Ok(verdict)) => accepted += usize::from(verdict == Verdict::Accepted),
                failed => panic!("index {index}: {failed:?} for\n{}", input.text),
            }
        }
        assert!(accepted > 50 && accepted < 550, "{accepted} were accepted");
    });
}

#[test]
fn an_input_is_determined_by_its_seed_and_index() {
    on_large_stack(|| {
        let fuzzer = |seed| Fuzzer::new(&mutation_fuzz::own_models(), seed);
        let text = |seed, index| fuzzer(seed).input(index).text;
        for index in 0..20 {
            assert_eq!(text(7, index), text(7, index));
        }
        assert!((0..20).any(|index| text(7, index) != text(8, index)));
    });
}

#[test]
fn models_that_are_not_mutated_are_accepted() {
    on_large_stack(|| {
        for path in mutation_fuzz::own_models() {
            let text = files::read(&path);
            let strict = false;
            let verdict = mutation_fuzz::run(&Input { text, strict });
            assert_eq!(verdict, Ok(Verdict::Accepted), "{}", path.display());
        }
    });
}
