//! Options, with Kind 2's names.
//!
//! Kind 2 writes some options with one dash and a whole word (`-json`); they
//! are rewritten before the parser sees them. An option of Kind 2 that Kindred
//! does not have yet is refused by name (`kind2.rs`).

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use analysis::{
    Engine, Ic3Options, InductionOptions, InvariantOptions, Strategy, UnrollOptions,
    default_threads,
};
use clap::{ArgAction, Parser, ValueEnum};
use lang::RuntimeCheck;
use report::{Format, IvcOptions, McsOptions, OutputOptions, RealPrecision, Style, Verbosity};
use results::Level;
use session::post::PostOptions;
use session::post::headings::CONTRACTS;
use session::{OutputFolder, ReadOptions, standard_output};

use crate::kind2::{self, ARRAYS, INTERPRETER, LSP};
use crate::module::Module;
use crate::solver_args::SolverArgs;
use crate::verify_certificate::VerifyArgs;
use crate::{exit, help};

/// Proves or disproves the properties of a Lustre model.
#[derive(Parser, Debug)]
#[command(name = "kindred", version, about, max_term_width = 100)]
#[command(
    after_help = "Boolean options take `true` or `false`. Exit codes: 0 all properties hold, \
    40 some property is violated, 30 undecided, 1 error, 2 bad command line, 3 refused model. \
    `kindred verify-certificate DIR FILE` checks certificates against a model; its options are \
    in `kindred verify-certificate --help`."
)]
pub struct Args {
    /// The model; `-` or nothing reads standard input
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Analyse or run this node instead of the main or top nodes
    #[arg(long = "lus_main", alias = "lustre_main", value_name = "NODE")]
    pub main: Option<String>,

    /// Look for included files here too; may be repeated
    #[arg(long = "include_dir", value_name = "FOLDER")]
    pub include_dirs: Vec<PathBuf>,

    /// Check the model and stop
    #[arg(long = "only_parse", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub only_parse: bool,

    /// Refuse `pre` without an initial value
    #[arg(long = "lus_strict", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub strict: bool,

    /// Run these engines only, the interpreter, or contract checks (CONTRACTCK); may be repeated;
    /// IC3 is both IC3IA and IC3QE [default: BMC, IND, INVGEN…, SPACER, IC3IA and IC3QE]
    #[arg(long = "enable", value_name = "MODULE", ignore_case = true)]
    #[arg(value_parser = Module::parser())]
    pub enable: Vec<Module>,

    /// Do not run this engine; may be repeated
    #[arg(long = "disable", value_name = "MODULE", ignore_case = true)]
    #[arg(value_parser = Module::parser())]
    pub disable: Vec<Module>,

    /// Stop after so many seconds; 0 for never (also `--timeout_wall`)
    #[arg(long = "timeout", alias = "timeout_wall", value_name = "SECONDS")]
    #[arg(default_value_t = 0.0, value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: f64,

    /// Stop each analysis after so many seconds; 0 for never
    #[arg(long = "timeout_analysis", value_name = "SECONDS")]
    #[arg(default_value_t = 0.0, value_parser = seconds, allow_negative_numbers = true)]
    pub timeout_analysis: f64,

    #[command(flatten)]
    pub invariants: InvariantOptions,

    #[command(flatten)]
    pub ic3: Ic3Options,

    /// Check reachability properties
    #[arg(long = "check_reach", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub check_reach: bool,

    /// Check that modes and guards of properties can be reached
    #[arg(long = "check_nonvacuity", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub check_nonvacuity: bool,

    /// Check the properties of called nodes too; not with `--modular true`, which looks
    /// at each node by itself
    #[arg(
        long = "check_subproperties",
        value_name = "BOOL",
        default_value_t = true
    )]
    #[arg(action = ArgAction::Set)]
    pub check_subproperties: bool,

    /// Check that operations do not go wrong, separated by commas: division, index,
    /// overflow, conversion, all
    #[arg(long = "check_runtime", value_name = "LIST", value_delimiter = ',')]
    #[arg(value_parser = runtime_checks)]
    check_runtime: Vec<RuntimeChecks>,

    /// Check that the modes of a contract are exhaustive
    #[arg(long = "check_modes", help_heading = CONTRACTS, value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub check_modes: bool,

    /// Check bodies against contracts and properties
    #[arg(long = "check_implem", help_heading = CONTRACTS, value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub check_implem: bool,

    /// Functions without a body give the same outputs for the same inputs
    #[arg(
        long = "enforce_func_congruence",
        help_heading = CONTRACTS,
        value_name = "BOOL",
        default_value_t = false
    )]
    #[arg(action = ArgAction::Set)]
    pub congruence: bool,

    /// Analyse every node below the top nodes, bottom-up
    #[arg(long = "modular", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub modular: bool,

    /// Let contracts stand for the nodes that are called (also `--composition`)
    #[arg(long = "compositional", alias = "composition", help_heading = CONTRACTS)]
    #[arg(action = ArgAction::Set, value_name = "BOOL", default_value_t = false)]
    pub compositional: bool,

    /// Where a compositional analysis fails, open nodes that are proved correct; needs
    /// `--modular true`
    #[arg(long = "refinement", help_heading = CONTRACTS, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = true)]
    refinement: bool,

    /// Use at most so many cores; with 1, engines take turns and a run is the same every time
    /// [default: all cores]
    #[arg(long = "threads", value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,

    /// Look only at what a property depends on
    #[arg(long = "slice_nodes", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub slice_nodes: bool,

    /// Take arrays of known size apart, element by element
    #[arg(long = "inline_arrays", help_heading = ARRAYS, value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub inline_arrays: bool,

    /// Define arrays that are not taken apart in the solver's theory of arrays,
    /// not by quantified formulas
    #[arg(long = "smt_arrays", help_heading = ARRAYS, value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub smt_arrays: bool,

    /// Show counterexamples in text; JSON and XML always have them
    #[arg(long = "print_cex", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub print_cex: bool,

    /// Show witnesses of reachability properties in text
    #[arg(long = "print_witness", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub print_witness: bool,

    /// Write counterexamples to files in the output folder instead; text only
    #[arg(long = "dump_cex", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub dump_cex: bool,

    /// Write witnesses to files in the output folder instead; text only
    #[arg(long = "dump_witness", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub dump_witness: bool,

    /// The folder for files that are written [default: the name of the model with `.out`]
    #[arg(long = "output_dir", value_name = "FOLDER")]
    pub output_dir: Option<PathBuf>,

    /// How real numbers in text are written: exactly, or as decimals with six
    /// digits (`0.333333+f19`: less than 2^-19 of the number is missing)
    #[arg(
        long = "real_precision",
        value_name = "HOW",
        default_value = "rational"
    )]
    real_precision: Reals,

    /// Whether exit codes tell of results or of errors only
    #[arg(
        long = "exit_code_mode",
        value_name = "MODE",
        default_value = "results_and_errors"
    )]
    pub exit_code_mode: ExitCodeMode,

    #[command(flatten)]
    pub unrolling: UnrollOptions,

    #[command(flatten)]
    pub induction: InductionOptions,

    #[command(flatten)]
    pub solver: SolverArgs,

    #[command(flatten)]
    pub post: PostOptions,

    /// The values of the inputs for the interpreter, as JSON or CSV
    #[arg(long = "interpreter_input_file", help_heading = INTERPRETER, value_name = "FILE")]
    pub interpreter_input: Option<PathBuf>,

    /// How many steps to run [default: as many as the input file has]
    #[arg(long = "interpreter_steps", help_heading = INTERPRETER)]
    #[arg(value_name = "N", default_value_t = 0)]
    #[arg(hide_default_value = true)]
    pub interpreter_steps: usize,

    /// Write JSON (also `-json`)
    #[arg(long = "json", conflicts_with = "xml")]
    json: bool,

    /// Write XML (also `-xml`)
    #[arg(long = "xml")]
    xml: bool,

    /// Say more; repeat for debug and trace messages
    #[arg(short = 'v', action = ArgAction::Count)]
    verbose: u8,

    /// Say nothing but fatal errors; twice: nothing at all
    #[arg(short = 'q', action = ArgAction::Count)]
    quiet: u8,

    /// Say nothing but errors
    #[arg(short = 's')]
    silent: bool,

    /// Colours in text on a terminal
    #[arg(long = "color", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    color: bool,

    /// Call the model by this name in messages
    #[arg(long = "fake_filepath", help_heading = LSP, value_name = "NAME")]
    pub shown_name: Option<String>,

    /// Explain the options of a module: smt, ind, interpreter, contracts, …, or all
    #[arg(long = "help_of", value_name = "MODULE")]
    help_of: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExitCodeMode {
    #[value(name = "results_and_errors")]
    Results,
    #[value(name = "only_errors")]
    OnlyErrors,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Reals {
    Rational,
    Float,
}

/// A number of seconds, for clap.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(time) if time.is_finite() && time >= 0.0 => Ok(time),
        _ => Err("a number of seconds is expected, or 0 for no limit".to_owned()),
    }
}

impl Args {
    /// The operations that are checked not to go wrong.
    pub fn runtime_checks(&self) -> Vec<RuntimeCheck> {
        let named = self.check_runtime.iter();
        named.flat_map(|checks| checks.0.clone()).collect()
    }

    pub fn format(&self) -> Format {
        match (self.json, self.xml) {
            (true, _) => Format::Json,
            (_, true) => Format::Xml,
            _ => Format::Text,
        }
    }

    pub fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.silent, self.verbose) {
            (2.., _, _) => None,
            (1, _, _) => Some(Level::Fatal),
            (_, true, _) => Some(Level::Error),
            (_, _, 0) => Some(Level::Note),
            (_, _, 1) => Some(Level::Info),
            (_, _, 2) => Some(Level::Debug),
            _ => Some(Level::Trace),
        }
    }

    /// Text as it is written to standard output.
    pub fn style(&self) -> Style {
        let wanted = self.color && std::env::var_os("NO_COLOR").is_none();
        let possible = self.format() == Format::Text && std::io::stdout().is_terminal();
        Style {
            color: wanted && possible,
            ..self.plain_style()
        }
    }

    /// Text as it is written to files.
    pub fn plain_style(&self) -> Style {
        Style {
            color: false,
            reals: match self.real_precision {
                Reals::Rational => RealPrecision::Rational,
                Reals::Float => RealPrecision::Float,
            },
            legacy_sets: self.post.cut_sets.legacy,
        }
    }

    /// How results are written to standard output.
    pub fn output_options(&self) -> OutputOptions {
        OutputOptions {
            format: self.format(),
            style: self.style(),
            verbosity: self.verbosity(),
        }
    }

    /// The folder for files.
    pub fn output_folder(&self) -> OutputFolder {
        OutputFolder::new(self.output_dir.clone().unwrap_or_else(|| {
            let model = self.model_file().unwrap_or(Path::new("stdin"));
            let mut path = model.as_os_str().to_owned();
            path.push(".out");
            path.into()
        }))
    }

    /// The folder for programs with a core: the path of the model without its extension.
    pub fn minimized_folder(&self) -> PathBuf {
        let model = self.model_file().unwrap_or(Path::new("stdin.lus"));
        let folder = self.post.cores.output_dir.clone();
        folder.unwrap_or_else(|| match model.extension() {
            Some(_) => model.with_extension(""),
            None => model.with_extension("ivc"),
        })
    }

    /// How the model is read.
    pub fn read_options(&self) -> ReadOptions {
        ReadOptions {
            path: self.model_file().map(Path::to_owned),
            include_dirs: self.include_dirs.clone(),
            strict: self.strict,
            congruence: self.congruence,
            runtime_checks: self.runtime_checks(),
        }
    }

    /// How the model is translated.
    pub fn lower_options(&self) -> lower::LowerOptions {
        lower::LowerOptions {
            subproperties: self.check_subproperties && !self.modular,
            reach: self.check_reach,
            nonvacuity: self.check_nonvacuity,
            congruence: self.congruence,
            all_streams: self.induction.tells_attempts(),
            slice: self.slice_nodes,
            inline_arrays: self.inline_arrays,
            smt_arrays: self.smt_arrays,
            ..lower::LowerOptions::default()
        }
    }

    /// The options of cores, for the head of a document.
    pub fn core_options(&self) -> Option<IvcOptions> {
        let cores = &self.post.cores;
        cores.is_wanted().then(|| IvcOptions {
            category: cores.category.iter().map(|c| c.name()).collect(),
            all: cores.finds_all(),
            approximate: cores.approximate,
            smallest_first: cores.smallest_first,
            only_main_node: cores.only_main_node,
            must_set: cores.finds_must(),
        })
    }

    /// The options of cut sets, for the head of a document.
    pub fn cut_set_options(&self) -> Option<McsOptions> {
        let cut_sets = &self.post.cut_sets;
        self.finds_cut_sets().then(|| McsOptions {
            category: cut_sets.category.iter().map(|c| c.name()).collect(),
            all: cut_sets.all,
            only_main_node: cut_sets.only_main_node,
        })
    }

    pub fn strategy(&self) -> Strategy {
        Strategy {
            modular: self.modular,
            compositional: self.compositional,
            refinement: self.refinement,
            check_modes: self.check_modes,
            check_implem: self.check_implem,
        }
    }

    /// Is there a file, or is the model read from standard input?
    pub fn model_file(&self) -> Option<&std::path::Path> {
        self.file.as_deref().filter(|path| *path != "-")
    }

    pub fn threads(&self) -> usize {
        match self.threads {
            Some(threads) => threads.into(),
            None => default_threads(),
        }
    }

    /// The engines that run.
    pub fn engines(&self) -> Vec<Engine> {
        // A search for cut sets uses the default engines.
        let unasked = self.enable.iter().all(|module| *module == Module::Mcs);
        let by_default = |engine: &Engine| unasked && engine.is_default();
        Engine::ALL
            .into_iter()
            .filter(|engine| by_default(engine) || Module::is_in(*engine, &self.enable))
            .filter(|engine| !Module::is_in(*engine, &self.disable))
            .filter(|engine| self.invariants.two_state || !is_two_state(*engine))
            .collect()
    }

    /// Are cut sets asked for, and nothing else?
    pub fn finds_cut_sets(&self) -> bool {
        self.enable.contains(&Module::Mcs) && !self.disable.contains(&Module::Mcs)
    }

    /// Are contracts checked, and nothing else?
    pub fn checks_contracts(&self) -> bool {
        let module = Module::ContractCheck;
        self.enable.contains(&module) && !self.disable.contains(&module)
    }

    /// Is something asked for that cannot be done beside contract checks?
    pub fn has_other_modules(&self) -> bool {
        let mut enabled = self.enable.iter();
        enabled.any(|module| *module != Module::ContractCheck && !self.disable.contains(module))
    }

    pub fn interprets(&self) -> bool {
        self.enable.contains(&Module::Interpreter)
    }
}

/// The checks of a name.
#[derive(Clone, Debug)]
struct RuntimeChecks(Vec<RuntimeCheck>);

fn runtime_checks(name: &str) -> Result<RuntimeChecks, String> {
    let checks = match name.to_lowercase().as_str() {
        "division" => vec![RuntimeCheck::Division],
        "index" => vec![RuntimeCheck::Index],
        "overflow" => vec![RuntimeCheck::Overflow],
        "conversion" => vec![RuntimeCheck::Conversion],
        "all" => RuntimeCheck::ALL.to_vec(),
        _ => return Err("the checks are division, index, overflow, conversion, all".to_owned()),
    };
    Ok(RuntimeChecks(checks))
}

fn is_two_state(engine: Engine) -> bool {
    matches!(engine, Engine::Invariants(generator) if generator.two_state)
}

/// The command to run.
pub enum Command {
    Analyse(Box<Args>),
    VerifyCertificate(Box<VerifyArgs>),
}

/// The command; or the exit code, if parsing already did all that was asked for.
pub fn parse(args: impl Iterator<Item = OsString>) -> Result<Command, ExitCode> {
    let args = args.map(|arg| match arg.to_str() {
        Some("-json") => "--json".into(),
        Some("-xml") => "--xml".into(),
        Some("-help") => "--help".into(),
        _ => arg,
    });
    let mut args: Vec<OsString> = args.collect();
    if args.get(1).is_some_and(|word| word == "verify-certificate") {
        args.remove(1);
        let args = VerifyArgs::parse_line(args).map_err(|error| refused(&error))?;
        return Ok(Command::VerifyCertificate(args.into()));
    }
    let args = Args::try_parse_from(args).map_err(|error| refused(&error))?;
    match &args.help_of {
        Some(module) => Err(help::of_module(module).into()),
        None => Ok(Command::Analyse(args.into())),
    }
}

/// Reports an error of the command line, or prints the help or version that it asks for.
fn refused(error: &clap::Error) -> ExitCode {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidArg)
    {
        let flag = name.split(['=', ' ']).next().unwrap_or(name);
        if let Some(why) = kind2::refusal(flag.trim_start_matches('-')) {
            eprintln!("error: {why}");
            return exit::USAGE.into();
        }
    }
    // Help and version come as errors of the parser, but are no errors.
    if error.use_stderr() {
        // An error here cannot be reported.
        let _ = error.print();
        return exit::USAGE.into();
    }
    let text = error.render();
    let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let text = match colours {
        true => text.ansi().to_string(),
        false => text.to_string(),
    };
    match standard_output::write(&text) {
        Ok(()) => exit::SUCCESS.into(),
        Err(error) => {
            standard_output::report_write_error(&error);
            exit::ERROR.into()
        }
    }
}
