//! Reads and checks the model, and runs the command on it.

use std::io::{self, Read};
use std::path::Path;

use analysis::prepare;
use lang::NodeId;
use report::RunOptions;
use results::{Event, Level};
use session::standard_output::{self, Output};
use session::{Listener, Model, post};
use syntax::{Code, Diagnostic, Symbol};

use crate::args::Args;
use crate::screen::{Files, Screen, diagnostics};
use crate::watchdog::Watchdog;
use crate::{exit, interpreter, verify};

pub const BANNER: &str = concat!("kindred v", env!("CARGO_PKG_VERSION"));

/// The listener of a run.
pub type Out = Screen<Output>;

/// Runs the command of the options; returns the exit code.
pub fn run(args: &Args) -> u8 {
    match run_model(args) {
        Ok(code) => code,
        Err(error) => {
            standard_output::report_write_error(&error);
            exit::ERROR
        }
    }
}

fn run_model(args: &Args) -> io::Result<u8> {
    let options = RunOptions {
        enabled: match args.interprets() {
            true => vec!["interp".to_owned()],
            false if args.checks_contracts() => vec!["contractck".to_owned()],
            false if args.finds_cut_sets() => vec!["mcs".to_owned()],
            false => args
                .engines()
                .iter()
                .map(|e| e.short_name().to_owned())
                .collect(),
        },
        timeout: args.timeout,
        bmc_max: args.unrolling.max_depth as u64,
        compositional: args.compositional,
        modular: args.modular,
        ivc: args.core_options(),
        mcs: args.cut_set_options(),
    };
    // Before the head is written: a signal must not leave a document open.
    let watchdog = Watchdog::start(args);
    let output = Output::default();
    let mut out = Screen::start(
        output,
        args.output_options(),
        Files::of(args),
        BANNER,
        &options,
    )?;
    let runs_engines = !args.only_parse && !args.interprets() && !args.checks_contracts();
    if runs_engines && args.threads.is_none() {
        // Starts one worker thread in advance, for the first engines: most models need no more.
        prepare(1);
    }
    if args.post.certificates.wanted
        && let Err(error) = post::clear_certificates(args.output_folder().path())
    {
        out.log(Level::Error, "certif", error.to_string())?;
        watchdog.finished();
        out.finish()?;
        return Ok(exit::ERROR);
    }
    let code = match read(args, &mut out)? {
        Ok(model) if args.only_parse => {
            let count = model.program.nodes.len();
            let nodes = if count == 1 { "node" } else { "nodes" };
            let line = format!("The model is well formed: {count} {nodes}.");
            out.tell(&Event::Line(&line))?;
            exit::SUCCESS
        }
        Ok(model) if args.interprets() => interpreter::run(args, &model, &mut out)?,
        Ok(model) => verify::run(args, &model, &watchdog, &mut out)?,
        Err(code) => code,
    };
    watchdog.finished();
    out.finish()?;
    Ok(code)
}

/// Reads and checks the model; or reports the errors and returns the exit code.
pub fn read(args: &Args, out: &mut Out) -> io::Result<Result<Model, u8>> {
    let from_stdin = args.model_file().is_none();
    let path = args.model_file().unwrap_or(Path::new("-"));
    let bytes = match from_stdin {
        true => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        }
        false => std::fs::read(path),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => {
            let message = format!("cannot read {}: {error}", path.display());
            out.log(Level::Error, "parse", message)?;
            return Ok(Err(exit::ERROR));
        }
    };
    let name = match &args.shown_name {
        Some(name) => name.clone(),
        None if from_stdin => "<stdin>".to_owned(),
        None => path.display().to_string(),
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if let Err(error) = str::from_utf8(&bytes) {
        let line = 1 + bytes[..error.valid_up_to()]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        let message =
            format!("{name}:{line}: this is not text in UTF-8; bytes that are none are read as �");
        out.log(Level::Warn, "parse", message)?;
    }
    let opened = Model::open(&name, &text, &args.read_options());
    diagnostics(&opened.diagnostics, &opened.sources, out)?;
    Ok(opened.model.ok_or(exit::REFUSED))
}

/// The one node that `--lus_main`, a `MAIN` annotation or the calls single out.
pub fn single_top(args: &Args, model: &Model, out: &mut Out) -> io::Result<Result<NodeId, u8>> {
    let program = &model.program;
    let names = |ids: &[NodeId]| {
        let names: Vec<&str> = ids
            .iter()
            .map(|id| program.node(*id).name.as_str())
            .collect();
        names.join(", ")
    };
    if let Some(name) = &args.main {
        if let Some(id) = program.node_named(Symbol::new(name)) {
            return Ok(Ok(id));
        }
        let all: Vec<NodeId> = program.node_ids().collect();
        let message = format!("there is no node `{name}`; the nodes are {}", names(&all));
        out.log(Level::Error, "parse", message)?;
        return Ok(Err(exit::USAGE));
    }
    let tops = program.top_nodes();
    if let [top] = tops.as_slice() {
        return Ok(Ok(*top));
    }
    let message = match tops.is_empty() {
        true => "the model has no node".to_owned(),
        false => format!(
            "the model has several top nodes: {}; choose one with --lus_main",
            names(&tops)
        ),
    };
    let diagnostic = Diagnostic::global(Code::AmbiguousMain, message);
    diagnostics(&[diagnostic], &model.sources, out)?;
    Ok(Err(exit::USAGE))
}
