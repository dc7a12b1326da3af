//! `kindred verify-certificate DIR MODEL.lus`: is this a certificate of the model,
//! and does it hold?
//!
//! Only k and φ are read from the certificate. The script is made again from the model; if the
//! certificate differs, it is refused, with the part that differs. The queries to the solver are
//! those made from the model.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use artifacts::certificate::{
    Certificate, Claim, Query, Script, Subject, certified, checker, difference,
};
use artifacts::frontend::front_end;
use artifacts::run::{Answer, Checker, check};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, CommandFactory, FromArgMatches, Parser};
use lang::NodeId;
use report::RunOptions;
use results::Level;
use session::post::{FRONT_END, Found, INVARIANCE, certified_options, script_path};
use session::standard_output::{self, Output};
use session::{Listener, Model};
use syntax::Symbol;

use crate::args::Args;
use crate::exit;
use crate::run::{BANNER, Out, read};
use crate::screen::{Files, Screen};

/// Checks a certificate against a model.
#[derive(Parser, Debug)]
#[command(
    name = "kindred verify-certificate",
    bin_name = "kindred verify-certificate",
    max_term_width = 100
)]
#[command(
    after_help = "Exit codes: 0 the certificate holds, 40 it is refused, 30 the solver does not \
    say, 1 error, 2 bad command line, 3 refused model."
)]
pub struct VerifyArgs {
    /// The folder of a certificate, or of certificates of several nodes
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Ask this solver, a name on the path or a path, instead of the built-in Z3
    #[arg(long = "solver", value_name = "SOLVER")]
    solver: Option<String>,

    #[command(flatten)]
    args: Args,
}

/// The options of an analysis that decide how the model is lowered, or how results are shown. The
/// others are refused here.
const OF_USE: [&str; 16] = [
    "solver",
    "timeout",
    "include_dir",
    "fake_filepath",
    "lus_strict",
    "check_subproperties",
    "check_runtime",
    "modular",
    "enforce_func_congruence",
    "slice_nodes",
    "inline_arrays",
    "smt_arrays",
    "json",
    "xml",
    "color",
    "help",
];

fn is_of_use(option: &Arg) -> bool {
    option.get_long().is_none_or(|name| OF_USE.contains(&name))
}

impl VerifyArgs {
    /// Reads a command line that begins behind `verify-certificate`.
    pub fn parse_line(words: Vec<OsString>) -> Result<VerifyArgs, clap::Error> {
        let hidden = |option: Arg| {
            let hide = !is_of_use(&option);
            option.hide(hide)
        };
        let mut command = VerifyArgs::command().mut_args(hidden);
        let matches = command.try_get_matches_from_mut(words)?;
        let given = |option: &&Arg| {
            let source = matches.value_source(option.get_id().as_str());
            source == Some(ValueSource::CommandLine) && !is_of_use(option)
        };
        let useless = command.get_arguments().find(given).and_then(Arg::get_long);
        if let Some(name) = useless {
            let message = format!("--{name} is of no use when a certificate is checked");
            return Err(command.error(ErrorKind::UnknownArgument, message));
        }
        VerifyArgs::from_arg_matches(&matches)
    }
}

/// The verdict about a certificate.
enum CertificateVerdict {
    Holds(AcceptedCertificate),
    /// Refused, with the part that failed.
    Refused(String),
    Undecided(String),
}

/// What an accepted certificate shows.
struct AcceptedCertificate {
    subject: Subject,
    properties: Vec<String>,
    k: usize,
    /// A front-end certificate shows that the system is that of the model.
    front_end: bool,
}

pub fn run(args: &VerifyArgs) -> u8 {
    match verify_all(args) {
        Ok(code) => code,
        Err(error) => {
            standard_output::report_write_error(&error);
            exit::ERROR
        }
    }
}

fn verify_all(args: &VerifyArgs) -> io::Result<u8> {
    let (output, files) = (args.args.output_options(), Files::of(&args.args));
    let options = RunOptions::default();
    let mut out = Screen::start(Output::default(), output, files, BANNER, &options)?;
    let code = match read(&args.args, &mut out)? {
        Ok(model) => verify_folders(args, &model, &mut out)?,
        Err(code) => code,
    };
    out.finish()?;
    Ok(code)
}

fn verify_folders(args: &VerifyArgs, model: &Model, out: &mut Out) -> io::Result<u8> {
    let folders = certificates(&args.folder);
    if folders.is_empty() {
        let message = format!("there is no {INVARIANCE}.smt2 in {}", args.folder.display());
        out.log(Level::Error, "certif", message)?;
        return Ok(exit::ERROR);
    }
    let mut codes = Vec::new();
    for folder in folders {
        let verdict = match verify_one(args, model, &folder) {
            Ok(verdict) => verdict,
            Err(error) => {
                let message = format!("{}: {error}", folder.display());
                out.log(Level::Error, "certif", message)?;
                codes.push(exit::ERROR);
                continue;
            }
        };
        codes.push(tell(&folder, &verdict, out)?);
    }
    let worst = [exit::ERROR, exit::DISPROVED, exit::UNKNOWN];
    let worst = worst.into_iter().find(|code| codes.contains(code));
    Ok(worst.unwrap_or(exit::SUCCESS))
}

/// The folder, if it has a certificate, and those in it that have one.
fn certificates(folder: &Path) -> Vec<PathBuf> {
    let below = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut below: Vec<PathBuf> = below.map(|entry| entry.path()).collect();
    below.sort();
    let all = [folder.to_owned()].into_iter().chain(below);
    all.filter(|path| script_path(path, INVARIANCE).is_file())
        .collect()
}

fn tell(folder: &Path, verdict: &CertificateVerdict, out: &mut Out) -> io::Result<u8> {
    let folder = folder.display();
    match verdict {
        CertificateVerdict::Holds(holding) => {
            let (node, k) = (&holding.subject.node, holding.k);
            let properties = holding.properties.join(", ");
            let message =
                format!("{folder}: the certificate holds: {properties} of {node} (k={k})");
            out.log(Level::Note, "certif", message)?;
            let message = match holding.front_end {
                true => format!("{folder}: the certificate of the front end holds"),
                false => format!("{folder}: there is no certificate of the front end"),
            };
            out.log(Level::Note, "certif", message)?;
            for name in &holding.subject.abstracted {
                let message = format!(
                    "{folder}: this rests on the contract of {name}, whose body has to respect it"
                );
                out.log(Level::Warn, "certif", message)?;
            }
            Ok(exit::SUCCESS)
        }
        CertificateVerdict::Refused(why) => {
            let message = format!("{folder}: the certificate is refused: {why}");
            out.log(Level::Error, "certif", message)?;
            Ok(exit::DISPROVED)
        }
        CertificateVerdict::Undecided(why) => {
            let message = format!("{folder}: the certificate is not decided: {why}");
            out.log(Level::Warn, "certif", message)?;
            Ok(exit::UNKNOWN)
        }
    }
}

fn verify_one(args: &VerifyArgs, model: &Model, folder: &Path) -> io::Result<CertificateVerdict> {
    let found = Found::read(folder, INVARIANCE)?;
    let refused = |why: String| Ok(CertificateVerdict::Refused(why));
    let claim = match Claim::read(&found.script) {
        Ok(claim) => claim,
        Err(why) => return refused(why.0),
    };
    let (top, abstracted) = match nodes(model, &claim.subject) {
        Ok(nodes) => nodes,
        Err(why) => return refused(why),
    };
    let program = analysis::abstracted(&model.program, &abstracted);
    let options = certified_options(&args.args.lower_options());
    let lowered = match lower::lower(&program, &model.sources, top, &options) {
        Ok(lowered) => lowered,
        Err(why) => return refused(format!("the model has no transition system: {}", why.0)),
    };
    let invariant = match claim.invariant(&lowered.tagged) {
        Ok(invariant) => invariant,
        Err(why) => return refused(format!("the invariant is not of this model: {}", why.0)),
    };
    let certificate = Certificate {
        subject: claim.subject.clone(),
        invariant,
        system: Arc::new(lowered.tagged.clone()),
        sources: &model.sources,
        k: claim.k,
    };
    let script = certificate.script();
    if let Some(verdict) = judge(args, &found, &script)? {
        return Ok(verdict);
    }
    let has_front_end = script_path(folder, FRONT_END).exists();
    if has_front_end {
        let script = match front_end(&program, top, &options, &lowered) {
            Ok(front_end) => front_end.script,
            Err(what) => {
                return refused(format!(
                    "a certificate of the front end does not cover {}",
                    what.text(&model.sources)
                ));
            }
        };
        if let Some(verdict) = judge(args, &Found::read(folder, FRONT_END)?, &script)? {
            return Ok(verdict);
        }
    }
    let properties = certified(&certificate.system).into_iter();
    let properties = properties.map(|at| certificate.system.properties[at].name.clone());
    Ok(CertificateVerdict::Holds(AcceptedCertificate {
        subject: claim.subject,
        properties: properties.collect(),
        k: claim.k,
        front_end: has_front_end,
    }))
}

/// Compares the files of a certificate with those made from the model, and asks the solver. `None`
/// if nothing is wrong.
fn judge(
    args: &VerifyArgs,
    found: &Found,
    script: &Script,
) -> io::Result<Option<CertificateVerdict>> {
    let name = found.name;
    let refused = |why: String| Ok(Some(CertificateVerdict::Refused(format!("{name}: {why}"))));
    if let Some(part) = difference(&script.certificate(), &found.script) {
        return refused(format!("it is not of this model: {part}"));
    }
    if found.prelude != script.prelude {
        return refused("the prelude is not the one that belongs to it".to_owned());
    }
    if found.checker != checker(name) {
        return refused("the checker is not the one that belongs to it".to_owned());
    }
    let solver = match &args.solver {
        Some(program) => Checker::Program(program.clone()),
        None => Checker::Embedded,
    };
    let limit = Duration::try_from_secs_f64(args.args.timeout).ok();
    let limit = limit.filter(|limit| !limit.is_zero());
    for query in Query::ALL {
        let asked = query.name();
        match check(&solver, &script.query(query), limit)? {
            Answer::Unsat => {}
            Answer::Sat => return refused(format!("the {asked} fails")),
            Answer::Unknown(why) => {
                let why = format!("{name}: the solver does not answer the {asked}: {why}");
                return Ok(Some(CertificateVerdict::Undecided(why)));
            }
        }
    }
    Ok(None)
}

/// The node that a certificate is about, and the nodes that are abstract in it.
fn nodes(model: &Model, subject: &Subject) -> Result<(NodeId, BTreeSet<NodeId>), String> {
    let node = |name: &String| {
        let id = model.program.node_named(Symbol::new(name));
        id.ok_or_else(|| format!("the model has no node `{name}`"))
    };
    let abstracted = subject.abstracted.iter().map(node);
    Ok((node(&subject.node)?, abstracted.collect::<Result<_, _>>()?))
}
