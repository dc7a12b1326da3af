//! Options, with Kind 2's names.
//!
//! Kind 2 writes some options with one dash and a whole word (`-json`); they
//! are rewritten before the parser sees them. An option of Kind 2 that Kindred
//! does not have yet is refused by name.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use analysis::{Engine, Ic3Options, QeMethod};
use clap::{ArgAction, Parser, ValueEnum};
use report::{Format, Level, Verbosity};

use crate::exit;

/// Proves or disproves the properties of a Lustre model.
#[derive(Parser, Debug)]
#[command(name = "kindred", version, about, max_term_width = 100)]
#[command(
    after_help = "Boolean options take `true` or `false`. Exit codes: 0 all properties hold, \
    40 some property is violated, 30 undecided, 1 error, 2 bad command line, 3 refused model."
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

    /// Run these engines only, or the interpreter; may be repeated; IC3 is
    /// both IC3IA and IC3QE [default: BMC, IND, SPACER, IC3IA and IC3QE]
    #[arg(long = "enable", value_name = "MODULE", ignore_case = true)]
    pub enable: Vec<Module>,

    /// Do not run this engine; may be repeated
    #[arg(long = "disable", value_name = "MODULE", ignore_case = true)]
    pub disable: Vec<Module>,

    /// Stop after so many seconds; 0 for never
    #[arg(
        long = "timeout",
        alias = "timeout_wall",
        value_name = "SECONDS",
        default_value_t = 0.0
    )]
    pub timeout: f64,

    /// The longest runs and the largest k that are tried; 0 for no limit
    #[arg(
        long = "bmc_max",
        alias = "unroll_max",
        value_name = "N",
        default_value_t = 0
    )]
    pub bmc_max: usize,

    /// Exclude repeated states in k-induction
    #[arg(long = "ind_compress", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub ind_compress: bool,

    /// How many instances of IC3IA run at the same time; each takes properties in turn
    #[arg(long = "ic3ia_max", value_name = "N", default_value_t = 2)]
    pub ic3ia_max: usize,

    /// How IC3QE eliminates quantifiers: by Z3 from the whole pre-image, by Z3 from an implicant, or
    /// by the built-in projection of an implicant
    #[arg(long = "qe_method", value_name = "METHOD", default_value = "cooper")]
    pub qe_method: QuantifierElimination,

    /// IC3QE tells other engines about clauses that are inductive alone
    #[arg(
        long = "ic3qe_check_inductive",
        value_name = "BOOL",
        default_value_t = true
    )]
    #[arg(action = ArgAction::Set)]
    pub ic3qe_check_inductive: bool,

    /// IC3QE drops literals of clauses: 0 never, 1 in their order, 2 those first that were seldom
    /// needed
    #[arg(
        long = "ic3qe_inductively_generalize",
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(0..=2)
    )]
    pub ic3qe_generalize: u8,

    /// IC3QE blocks cubes in future frames too
    #[arg(
        long = "ic3qe_block_in_future",
        value_name = "BOOL",
        default_value_t = true
    )]
    #[arg(action = ArgAction::Set)]
    pub ic3qe_block_in_future: bool,

    /// IC3QE does so before it returns to their successors
    #[arg(
        long = "ic3qe_block_in_future_first",
        value_name = "BOOL",
        default_value_t = true
    )]
    #[arg(action = ArgAction::Set)]
    pub ic3qe_block_in_future_first: bool,

    /// IC3QE pushes clauses as they were before generalisation, if need be
    #[arg(
        long = "ic3qe_fwd_prop_non_gen",
        value_name = "BOOL",
        default_value_t = true
    )]
    #[arg(action = ArgAction::Set)]
    pub ic3qe_fwd_prop_non_gen: bool,

    /// IC3QE generalises clauses again after pushing them
    #[arg(
        long = "ic3qe_fwd_prop_ind_gen",
        value_name = "BOOL",
        default_value_t = true
    )]
    #[arg(action = ArgAction::Set)]
    pub ic3qe_fwd_prop_ind_gen: bool,

    /// IC3QE forgets clauses that others subsume
    #[arg(
        long = "ic3qe_fwd_prop_subsume",
        value_name = "BOOL",
        default_value_t = true
    )]
    #[arg(action = ArgAction::Set)]
    pub ic3qe_fwd_prop_subsume: bool,

    /// IC3QE uses what other engines prove
    #[arg(long = "ic3qe_use_invgen", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub ic3qe_use_invgen: bool,

    /// Check reachability properties
    #[arg(long = "check_reach", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub check_reach: bool,

    /// Check that modes and guards of properties can be reached
    #[arg(long = "check_nonvacuity", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub check_nonvacuity: bool,

    /// Check the properties of called nodes too
    #[arg(
        long = "check_subproperties",
        value_name = "BOOL",
        default_value_t = true
    )]
    #[arg(action = ArgAction::Set)]
    pub check_subproperties: bool,

    /// Check that the modes of a contract are exhaustive
    #[arg(long = "check_modes", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub check_modes: bool,

    /// Check bodies against contracts and properties
    #[arg(long = "check_implem", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub check_implem: bool,

    /// Functions without a body give the same outputs for the same inputs
    #[arg(
        long = "enforce_func_congruence",
        value_name = "BOOL",
        default_value_t = false
    )]
    #[arg(action = ArgAction::Set)]
    pub congruence: bool,

    /// Show counterexamples
    #[arg(long = "print_cex", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    pub print_cex: bool,

    /// Show witnesses of reachability properties
    #[arg(long = "print_witness", value_name = "BOOL", default_value_t = false)]
    #[arg(action = ArgAction::Set)]
    pub print_witness: bool,

    /// Whether exit codes tell of results or of errors only
    #[arg(
        long = "exit_code_mode",
        value_name = "MODE",
        default_value = "results_and_errors"
    )]
    pub exit_code_mode: ExitCodeMode,

    /// The values of the inputs for the interpreter, as JSON or CSV
    #[arg(long = "interpreter_input_file", value_name = "FILE")]
    pub interpreter_input: Option<PathBuf>,

    /// How many steps to run [default: as many as the input file has]
    #[arg(long = "interpreter_steps", value_name = "N", default_value_t = 0)]
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

    /// Colours in text for people
    #[arg(long = "color", value_name = "BOOL", default_value_t = true)]
    #[arg(action = ArgAction::Set)]
    color: bool,

    /// Call the model by this name in messages
    #[arg(long = "fake_filepath", value_name = "NAME")]
    pub shown_name: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Module {
    #[value(name = "BMC")]
    Bmc,
    #[value(name = "IND")]
    Ind,
    #[value(name = "IND2")]
    Ind2,
    #[value(name = "IC3")]
    Ic3,
    #[value(name = "IC3IA")]
    Ic3ia,
    #[value(name = "IC3QE")]
    Ic3qe,
    #[value(name = "SPACER")]
    Spacer,
    #[value(name = "interpreter")]
    Interpreter,
}

impl Module {
    /// Is the module, or a family that it belongs to, in the list?
    fn is_in(self, list: &[Module]) -> bool {
        let family = matches!(self, Module::Ic3ia | Module::Ic3qe).then_some(Module::Ic3);
        list.contains(&self) || family.is_some_and(|family| list.contains(&family))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum QuantifierElimination {
    Precise,
    Impl,
    Cooper,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExitCodeMode {
    #[value(name = "results_and_errors")]
    Results,
    #[value(name = "only_errors")]
    OnlyErrors,
}

impl Args {
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

    pub fn color(&self) -> bool {
        use std::io::IsTerminal;
        let wanted = self.color && std::env::var_os("NO_COLOR").is_none();
        wanted && self.format() == Format::Text && std::io::stdout().is_terminal()
    }

    /// The engines that run.
    pub fn engines(&self) -> Vec<Engine> {
        let all = [
            (Module::Bmc, Engine::Bmc),
            (Module::Ind, Engine::Induction),
            (Module::Ind2, Engine::TwoInduction),
            (Module::Spacer, Engine::Spacer),
            (Module::Ic3ia, Engine::Ic3ia),
            (Module::Ic3qe, Engine::Ic3qe),
        ];
        // What `IND2` proves, `IND` proves too; on few cores it is not worth a
        // thread by default.
        let by_default = |module: &Module| self.enable.is_empty() && *module != Module::Ind2;
        all.into_iter()
            .filter(|(module, _)| by_default(module) || module.is_in(&self.enable))
            .filter(|(module, _)| !module.is_in(&self.disable))
            .map(|(_, engine)| engine)
            .collect()
    }

    /// The options of IC3QE.
    pub fn ic3(&self) -> Ic3Options {
        Ic3Options {
            qe_method: match self.qe_method {
                QuantifierElimination::Precise => QeMethod::Precise,
                QuantifierElimination::Impl => QeMethod::Impl,
                QuantifierElimination::Cooper => QeMethod::Cooper,
            },
            check_inductive: self.ic3qe_check_inductive,
            generalise: self.ic3qe_generalize,
            block_in_future: self.ic3qe_block_in_future,
            block_in_future_first: self.ic3qe_block_in_future_first,
            push_original: self.ic3qe_fwd_prop_non_gen,
            push_generalised: self.ic3qe_fwd_prop_ind_gen,
            subsume: self.ic3qe_fwd_prop_subsume,
            use_lemmas: self.ic3qe_use_invgen,
        }
    }

    pub fn interprets(&self) -> bool {
        self.enable.contains(&Module::Interpreter)
    }
}

/// The options; or what to exit with when there is nothing more to do.
pub fn parse(args: impl Iterator<Item = OsString>) -> Result<Args, ExitCode> {
    let args = args.map(|arg| match arg.to_str() {
        Some("-json") => "--json".into(),
        Some("-xml") => "--xml".into(),
        Some("-help") => "--help".into(),
        _ => arg,
    });
    Args::try_parse_from(args).map_err(|error| {
        use clap::error::{ContextKind, ContextValue, ErrorKind};
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidArg)
        {
            let flag = name.split(['=', ' ']).next().unwrap_or(name);
            if KIND2_OPTIONS.contains(&flag.trim_start_matches('-')) {
                eprintln!("error: the option {flag} of Kind 2 is not supported yet");
                return exit::USAGE.into();
            }
        }
        // Help and the version are no errors.
        let code = match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => exit::SUCCESS,
            _ => exit::USAGE,
        };
        let _ = error.print();
        code.into()
    })
}

/// Options of Kind 2 2.1.1 that are refused by name.
const KIND2_OPTIONS: [&str; 107] = [
    "ae_val_use_ctx",
    "arrays_rec",
    "bitwuzla_bin",
    "bmc_check_unroll",
    "c2i_dnf",
    "c2i_int_cubes",
    "c2i_modes",
    "c2i_real_cubes",
    "certif",
    "certif_mininvs",
    "certif_mink",
    "check_contract_is_sat",
    "check_sat_assume",
    "compile",
    "compositional",
    "contract_gen",
    "contract_gen_depth",
    "cvc5_bin",
    "debug",
    "debug_log",
    "dump_cex",
    "dump_deadlock",
    "dump_witness",
    "flatten_proof",
    "general_lbound",
    "help_of",
    "ic3qe_print_to_file",
    "ind_compress_equal",
    "ind_compress_same_pred",
    "ind_compress_same_succ",
    "ind_lazy_invariants",
    "ind_print_cex",
    "inline_arrays",
    "input_format",
    "invgen_all_out",
    "invgen_arith_eq_only",
    "invgen_bool_eq_only",
    "invgen_lift_candidates",
    "invgen_max_depth",
    "invgen_max_succ",
    "invgen_mine_trans",
    "invgen_prune_trivial",
    "invgen_renice",
    "invgen_top_only",
    "invgen_two_state",
    "ivc",
    "ivc_all",
    "ivc_approximate",
    "ivc_category",
    "ivc_disable_must_opt",
    "ivc_must_set",
    "ivc_only_main_node",
    "ivc_output_dir",
    "ivc_precomputed_mcs",
    "ivc_smallest_first",
    "ivc_uc_timeout",
    "jkind_bin",
    "log_invs",
    "log_trust",
    "lsp",
    "lus_push_pre",
    "mathsat_bin",
    "mcs_all",
    "mcs_approximate",
    "mcs_category",
    "mcs_max_cardinality",
    "mcs_only_main_node",
    "mcs_per_property",
    "minimize_program",
    "modular",
    "old_frontend",
    "only_user_candidates",
    "opensmt_bin",
    "order_var_by_elim",
    "output_dir",
    "print_deadlock",
    "print_invs",
    "print_ivc",
    "print_ivc_complement",
    "print_mcs",
    "print_mcs_cex",
    "print_mcs_complement",
    "print_mcs_legacy",
    "print_viable_states",
    "proof",
    "qe_extract",
    "real_precision",
    "refinement",
    "slice_nodes",
    "smaller_holes",
    "smt_arrays",
    "smt_itp_solver",
    "smt_logic",
    "smt_qe_solver",
    "smt_short_names",
    "smt_solver",
    "smt_trace",
    "smtinterpol_jar",
    "testgen",
    "testgen_graph_only",
    "testgen_len",
    "timeout_analysis",
    "translate_contracts",
    "var_array_size",
    "yices2_bin",
    "yices_bin",
    "z3_bin",
];
