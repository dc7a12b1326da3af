//! The command line.

mod advice_file;
mod args;
mod blame;
mod cores;
mod costs;
mod describe;
mod dump;
mod element_args;
mod elements;
mod exit;
mod failure;
mod help;
mod interpreter;
mod kind2;
mod learnt;
mod learnt_args;
mod matrix;
mod merit;
mod mutation;
mod mutation_args;
mod narrate;
mod nearness;
mod output;
mod run;
mod smaller;
mod solver_args;
mod verify;
mod watchdog;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match args::parse(std::env::args_os()) {
        Ok(args) => args,
        Err(code) => return code,
    };
    // Trees are walked recursively, and a tree may be deep.
    let outcome =
        std::panic::catch_unwind(|| stacker::grow(syntax::STACK_SIZE, || run::run(&args)));
    let code = outcome.unwrap_or_else(|_| {
        eprintln!("internal error: this is a bug in Kindred; please report it with the input");
        exit::ERROR
    });
    // All is written. An engine may still be in the middle of a query, and the
    // solver library must not be torn down under it.
    signal_hook::low_level::exit(code.into())
}
