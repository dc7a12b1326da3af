//! The command line.

mod args;
mod exit;
mod help;
mod interpreter;
mod kind2;
mod memory;
mod module;
mod processors;
mod run;
mod screen;
mod solver_args;
mod verify;
mod verify_certificate;
mod watchdog;

use std::process::ExitCode;

use args::Command;

fn main() -> ExitCode {
    memory::in_large_pieces();
    let command = match args::parse(std::env::args_os()) {
        Ok(command) => command,
        Err(code) => return code,
    };
    let run = || match &command {
        Command::Analyse(args) => run::run(args),
        Command::VerifyCertificate(args) => verify_certificate::run(args),
    };
    // Trees are walked recursively, and a tree may be deep.
    let outcome = std::panic::catch_unwind(|| stacker::grow(syntax::STACK_SIZE, run));
    let code = outcome.unwrap_or_else(|_| {
        eprintln!("internal error: this is a bug in Kindred; please report it with the input");
        exit::ERROR
    });
    // All output is written. An engine thread may still run a query, so the process exits without
    // running the destructors of the solver library.
    signal_hook::low_level::exit(code.into())
}
