//! What happens with a model: read, check, then what was asked for.

use std::io::{self, Read};
use std::path::Path;

use analysis::prepare;
use lang::{NodeId, Program};
use report::{Level, Log, Reporter, RunOptions};
use syntax::{Code, Diagnostic, SourceMap, Symbol};

use crate::args::Args;
use crate::dump::OutputFolder;
use crate::output::Output;
use crate::watchdog::Watchdog;
use crate::{certificate_files, exit, interpreter, output, verify};

pub const BANNER: &str = concat!("kindred v", env!("CARGO_PKG_VERSION"));

/// The reporter of a run.
pub type Out = Reporter<Output>;

/// A model that passed all checks.
pub struct Model {
    /// As it is written.
    pub tree: syntax::ast::Program,
    pub program: Program,
    pub sources: SourceMap,
}

/// Does what the options say; gives back the exit code.
pub fn run(args: &Args) -> u8 {
    match run_model(args) {
        Ok(code) => code,
        Err(error) => {
            output::complain(&error);
            exit::ERROR
        }
    }
}

fn run_model(args: &Args) -> io::Result<u8> {
    let options = RunOptions {
        enabled: match args.interprets() {
            true => vec!["interp".to_owned()],
            false if args.finds_cut_sets() => vec!["mcs".to_owned()],
            false => args
                .engines()
                .iter()
                .map(|e| e.short_name().to_owned())
                .collect(),
        },
        timeout: args.timeout,
        bmc_max: args.bmc_max as u64,
        compositional: args.compositional,
        modular: args.modular,
        ivc: args.ivc.report(),
        mcs: args.finds_cut_sets().then(|| args.mcs.report()),
    };
    let (format, style) = (args.format(), args.style());
    let output = Output::default();
    let mut out = Reporter::start(output, format, style, args.verbosity(), BANNER, &options)?;
    let watchdog = Watchdog::start(args);
    if !args.only_parse && !args.interprets() && args.threads.is_none() {
        // For the first steps: most models need no more.
        prepare(1);
    }
    if args.certif.wanted
        && let Err(error) = certificate_files::clear(OutputFolder::new(args).path())
    {
        out.log(&Log::new(Level::Error, "certif", error.to_string()))?;
        watchdog.finished();
        out.finish()?;
        return Ok(exit::ERROR);
    }
    let code = match read(args, &mut out)? {
        Ok(model) if args.only_parse => {
            let count = model.program.nodes.len();
            let nodes = if count == 1 { "node" } else { "nodes" };
            out.plain(&format!("The model is well formed: {count} {nodes}."))?;
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

/// Reads and checks the model; or says what is wrong and what to exit with.
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
            out.log(&Log::new(Level::Error, "parse", message))?;
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
        out.log(&Log::new(Level::Warn, "parse", message))?;
    }
    let loaded = syntax::load(&name, path, text, &args.include_dirs);
    if !loaded.errors.is_empty() {
        report_all(&loaded.errors, &loaded.sources, out)?;
        return Ok(Err(exit::REFUSED));
    }
    let mut checked = lang::check(
        &loaded.program,
        &lang::Options {
            strict: args.strict,
            congruence: args.congruence,
        },
    );
    analysis::settle_loops(&mut checked, &loaded.sources, args.congruence);
    report_all(&checked.diagnostics, &loaded.sources, out)?;
    Ok(match checked.program {
        Some(mut program) => {
            lang::add_runtime_checks(&mut program, &args.runtime_checks());
            Ok(Model {
                tree: loaded.program,
                program,
                sources: loaded.sources,
            })
        }
        None => Err(exit::REFUSED),
    })
}

fn report_all(all: &[Diagnostic], sources: &SourceMap, out: &mut Out) -> io::Result<()> {
    for diagnostic in all {
        out.diagnostic(diagnostic, sources)?;
    }
    let errors = all
        .iter()
        .filter(|diagnostic| diagnostic.is_error())
        .count();
    if errors > 1 {
        out.plain(&format!("{errors} errors."))?;
    }
    Ok(())
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
        out.log(&Log::new(Level::Error, "parse", message))?;
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
    out.diagnostic(&diagnostic, &model.sources)?;
    Ok(Err(exit::USAGE))
}
