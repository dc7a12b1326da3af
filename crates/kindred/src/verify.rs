//! Turns options into a request, and runs it.

use std::io;
use std::time::Duration;

use analysis::{ClauseLog, Settings};
use report::Format;
use results::Level;
use session::{Control, Listener, Model, OutputFolder, Request, Tally};

use crate::args::Args;
use crate::run::{Out, single_top};
use crate::watchdog::Watchdog;
use crate::{exit, processors};

/// Verifies a model; returns the exit code.
pub fn run(args: &Args, model: &Model, watchdog: &Watchdog, out: &mut Out) -> io::Result<u8> {
    let tops = match &args.main {
        Some(_) => match single_top(args, model, out)? {
            Ok(top) => vec![top],
            Err(code) => return Ok(code),
        },
        None => model.program.top_nodes(),
    };
    if args.checks_contracts() && args.has_other_modules() {
        let message = "Cannot run the contract checker with other processes.";
        out.log(Level::Error, "supervisor", message.to_owned())?;
        return Ok(exit::ERROR);
    }
    let dumps = args.dump_cex || args.dump_witness || args.post.contract_checks.dump_deadlock;
    if args.format() != Format::Text && dumps {
        let message = "runs are written to files with text output only; here they are part of \
                       the results";
        out.log(Level::Note, "supervisor", message.to_owned())?;
    }
    if let Some(wanted) = args.threads
        && let Err(error) = processors::confine(wanted.into())
    {
        let message = format!("all cores are used: {error}");
        out.log(Level::Warn, "supervisor", message)?;
    }
    let folder = args.output_folder();
    let shared = smt::SharedSolverState::default();
    let control = watchdog.control();
    let _guarded = control.guard(&shared);
    let traces = folder.path().join("smt_trace");
    let solver = match args.solver.choice(traces, shared) {
        Ok((solver, versions)) => {
            for version in versions {
                out.log(Level::Info, "supervisor", version)?;
            }
            solver
        }
        Err(missing) => {
            out.log(Level::Error, "supervisor", missing.message)?;
            return Ok(missing.code);
        }
    };
    let clauses = match clause_log(args, &folder) {
        Ok(clauses) => clauses,
        Err(error) => {
            out.log(Level::Error, "ic3qe", error.to_string())?;
            return Ok(exit::ERROR);
        }
    };
    let request = Request {
        strategy: args.strategy(),
        lower: args.lower_options(),
        settings: Settings {
            ic3qe_log: clauses.clone(),
            solver,
            ..settings(args)
        },
        analysis_time: seconds(args.timeout_analysis),
        post: args.post.clone(),
        finds_cut_sets: args.finds_cut_sets(),
        folder,
        minimized: args.minimized_folder(),
        tops,
    };
    let mut tally = match args.checks_contracts() {
        true => session::check_contracts(model, request, control, out)?,
        false => session::run(model, request, control, out)?,
    };
    tally.errors += out.errors;
    if let Some(error) = clauses.and_then(|log| log.failure()) {
        let message = format!("not all clauses were written: {error}");
        out.log(Level::Error, "ic3qe", message)?;
        tally.errors += 1;
    }
    tell_gaps(args, model, &tally, control, out)?;
    Ok(exit::of(&tally, args.exit_code_mode))
}

/// Tells why results are missing: the run ended early, or there was nothing to prove.
fn tell_gaps(
    args: &Args,
    model: &Model,
    tally: &Tally,
    control: &Control,
    out: &mut Out,
) -> io::Result<()> {
    let is_open = tally.unknown + tally.incomplete > 0;
    let early = match (control.interrupted(), control.time_is_up()) {
        (true, _) => Some("interrupted: what is known is above"),
        (_, true) if is_open => Some("time is up: what is known is above"),
        _ => None,
    };
    if let Some(early) = early {
        out.log(Level::Warn, "supervisor", early.to_owned())?;
    }
    let proves = !args.finds_cut_sets() && !args.checks_contracts();
    if tally.properties == 0 && tally.errors == 0 && proves {
        let message = match model.program.nodes.is_empty() {
            true => "there is nothing to prove: the model has no node",
            false => "there is nothing to prove: no property, guarantee or mode was found",
        };
        out.log(Level::Warn, "supervisor", message.to_owned())?;
    }
    Ok(())
}

/// The options of the engines.
fn settings(args: &Args) -> Settings {
    let threads = args.threads();
    Settings {
        engines: args.engines(),
        threads,
        ..Settings::with_options(
            args.unrolling.clone(),
            args.induction.clone(),
            args.invariants.clone(),
            args.ic3.clone(),
        )
    }
}

/// The file for the clauses of IC3QE, if options name one.
fn clause_log(args: &Args, folder: &OutputFolder) -> io::Result<Option<ClauseLog>> {
    let Some(path) = &args.ic3.print_to_file else {
        return Ok(None);
    };
    Ok(Some(ClauseLog::new(folder.create(path)?)))
}

/// A time limit; 0 is none.
pub fn seconds(limit: f64) -> Option<Duration> {
    let time = Duration::try_from_secs_f64(limit).ok();
    time.filter(|time| !time.is_zero())
}
