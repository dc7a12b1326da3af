//! Certificates of what an analysis has proved, in files.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use analysis::{Outcome, PropertyResult};
use artifacts::certificate::{
    Certificate, Effort, Failure, Known, Query, Script, Subject, certified, prove,
};
use artifacts::frontend::{FrontEnd, NotCovered, front_end};
use artifacts::run::{Answer, Checker, check};
use lang::{ChoiceKind, NodeId, Program};
use report::{Level, Log};
use syntax::SourceMap;
use system::PropertyKind;

use crate::certif_args::CertifArgs;
use crate::certificate_files::{FRONT_END, INVARIANCE, Scripts, script, write};
use crate::dump::OutputFolder;
use crate::elements::Question;
use crate::merit;
use crate::run::Out;
use crate::tally::PostAnalysis;
use crate::watchdog::Watchdog;

/// The options with which a system is certified: nothing is taken for granted, and
/// there is nothing but invariants.
pub fn canonical(options: &lower::Options) -> lower::Options {
    let mut options = options.clone();
    options.proved.clear();
    options.settled.clear();
    options.reach = false;
    options.nonvacuity = false;
    options.all_streams = false;
    options
}

/// What certification switches off, and says so: a proof along some paths only is no
/// invariant.
pub fn announce(finds_cut_sets: bool, out: &mut Out) -> io::Result<()> {
    let message = match finds_cut_sets {
        true => "with --enable MCS nothing is proved, and there is no certificate",
        false => "certification post-analysis enabled: disabling ind_compress",
    };
    out.log(&Log::new(Level::Warn, "parse", message))
}

/// Why nothing is written.
enum Refusal {
    /// There can be none.
    Known(String),
    /// There may be one, that was not found in time.
    Unfinished(String),
    /// That does not happen.
    Bug(String),
}

/// What is written of an analysis.
struct Certificates {
    invariance: Script,
    /// That the system is that of the model; or why there is none.
    front_end: Result<Script, NoFrontEnd>,
}

/// Why there is no certificate of the front end.
enum NoFrontEnd {
    NotCovered(String),
    Unfinished(String),
}

impl Certificates {
    fn scripts(&self) -> Scripts<'_> {
        Scripts {
            invariance: &self.invariance,
            front_end: self.front_end.as_ref().ok(),
        }
    }
}

/// Certifies an analysis that has ended with these results; the files go to a folder
/// below.
pub fn run(
    args: &CertifArgs,
    question: &Question,
    evidence: &merit::Evidence,
    (folder, place): (&OutputFolder, &Path),
    watchdog: &Watchdog,
    out: &mut Out,
) -> io::Result<PostAnalysis> {
    let name = question.program.node(question.top).name;
    watchdog.post_analysis_start("certification", "certification", out)?;
    let mut outcome = PostAnalysis::default();
    let mut messages = Vec::new();
    let path = folder.path().join(place);
    match certificates(args, question, evidence) {
        Ok(certificates) => match write(&path, &certificates.scripts()) {
            Ok(()) => {
                let written = |stem: &str| {
                    let path = script(&path, stem);
                    let message = format!("Certificate checker was written in {}", path.display());
                    (Level::Note, message)
                };
                messages.push(written(INVARIANCE));
                let none = |why| {
                    let message = format!("no certificate of the front end for {name}: {why}");
                    (Level::Warn, message)
                };
                messages.push(match certificates.front_end {
                    Ok(_) => written(FRONT_END),
                    Err(NoFrontEnd::NotCovered(why)) => none(why),
                    Err(NoFrontEnd::Unfinished(why)) => {
                        outcome.incomplete += 1;
                        none(why)
                    }
                });
            }
            Err(error) => messages.push((Level::Error, error.to_string())),
        },
        Err(Refusal::Known(why)) => {
            messages.push((Level::Warn, format!("no certificate of {name}: {why}")));
        }
        Err(Refusal::Unfinished(why)) => {
            outcome.incomplete += 1;
            messages.push((Level::Warn, format!("no certificate of {name}: {why}")));
        }
        Err(Refusal::Bug(what)) => {
            messages.push((Level::Fatal, format!("internal error: {what}")));
        }
    }
    for (level, message) in messages {
        outcome.errors += usize::from(matches!(level, Level::Error | Level::Fatal));
        out.log(&Log::new(level, "certif", message))?;
    }
    watchdog.post_analysis_end(out)?;
    Ok(outcome)
}

/// Certificates that the solver accepts.
fn certificates(
    args: &CertifArgs,
    question: &Question,
    evidence: &merit::Evidence,
) -> Result<Certificates, Refusal> {
    let results = evidence.results;
    let (program, sources, top) = (question.program, question.sources, question.top);
    if let Some(why) = obstacle(program, top, results) {
        return Err(Refusal::Known(why));
    }
    let options = &question.options;
    let canonical = canonical(&options.lower);
    let lowered = lower::lower(program, sources, top, &canonical);
    let lowered = lowered.map_err(|why| Refusal::Known(why.0))?;
    let known = Known {
        evidence: evidence.proofs(),
        lemmas: evidence.lemmas,
    };
    let effort = Effort {
        settings: options.settings.clone(),
        minimise: args.minimise(),
    };
    let proof = prove(&Arc::new(lowered.system.clone()), &known, &effort);
    let proof = proof.map_err(|failure| match failure {
        Failure::NotFound => Refusal::Unfinished(sentence(&failure)),
        failure => Refusal::Known(sentence(&failure)),
    })?;
    let goals = certified(&lowered.tagged).into_iter();
    let goals = goals.map(|at| lowered.tagged.properties[at].term.clone());
    let certificate = Certificate {
        subject: subject(program, top),
        invariant: goals.chain(proof.lemmas).collect(),
        system: Arc::new(lowered.tagged.clone()),
        sources,
        k: proof.k,
    };
    let deadline = options.settings.deadline;
    let invariance = accepted("certificate", certificate.script(), deadline)?;
    let front_end = match front_end(program, top, &canonical, &lowered) {
        Ok(front_end) => compared(front_end, sources, deadline)?,
        Err(what) => Err(NoFrontEnd::NotCovered(uncovered(&what, sources))),
    };
    Ok(Certificates {
        invariance,
        front_end,
    })
}

/// The certificate of the front end, if a solver accepts it; or why there is none.
fn compared(
    front_end: FrontEnd,
    sources: &SourceMap,
    deadline: Option<Instant>,
) -> Result<Result<Script, NoFrontEnd>, Refusal> {
    match accepted("certificate of the front end", front_end.script, deadline) {
        Ok(script) => Ok(Ok(script)),
        Err(Refusal::Known(why)) => Ok(Err(NoFrontEnd::NotCovered(why))),
        Err(Refusal::Unfinished(why)) => Ok(Err(NoFrontEnd::Unfinished(why))),
        Err(bug) => match front_end.unmatched {
            Some(what) => Ok(Err(NoFrontEnd::NotCovered(uncovered(&what, sources)))),
            None => Err(bug),
        },
    }
}

fn uncovered(what: &NotCovered, sources: &SourceMap) -> String {
    let what = what.text(sources);
    format!("its second translation does not cover {what}")
}

/// Which analysis of which node this is.
pub fn subject(program: &Program, top: NodeId) -> Subject {
    let below = analysis::below(program, top, &BTreeSet::new());
    let nodes = below.into_iter().map(|id| program.node(id));
    let abstracted = nodes.filter(|node| node.abstracted);
    Subject {
        node: program.node(top).name.to_string(),
        abstracted: abstracted.map(|node| node.name.to_string()).collect(),
    }
}

fn is_valid(result: &PropertyResult) -> bool {
    matches!(result.outcome, Outcome::Valid(_))
}

/// Why there can be no certificate.
fn obstacle(program: &Program, top: NodeId, results: &[PropertyResult]) -> Option<String> {
    let mut invariants = results
        .iter()
        .filter(|result| result.property.kind == PropertyKind::Invariant)
        .peekable();
    if invariants.peek().is_none() {
        return Some("there is nothing that was proved".to_owned());
    }
    if !invariants.all(is_valid) {
        return Some("not all of its properties are proved".to_owned());
    }
    let mut nodes = analysis::below(program, top, &BTreeSet::new());
    nodes.insert(top);
    nodes.into_iter().find_map(|id| undefined(program, id))
}

/// A stream of a node that has no definition.
fn undefined(program: &Program, id: NodeId) -> Option<String> {
    let node = program.node(id);
    let mut choices = node.choices.iter().filter(|_| node.has_body);
    choices.find_map(|choice| match choice.kind {
        ChoiceKind::Undefined(var) => Some(format!(
            "`{}` is defined in part only: `{}` has no definition",
            node.name,
            node.var(var).name
        )),
        _ => None,
    })
}

fn sentence(failure: &Failure) -> String {
    match failure {
        Failure::NoLongRuns(steps) => format!(
            "what is assumed lets no run go on for more than {steps} steps, which is no proof by \
             induction"
        ),
        Failure::SimplePaths => "induction works only along paths that repeat no state, which is \
                                 no invariant"
            .to_owned(),
        Failure::NotFound => {
            "no proof was found that takes nothing for granted, or not in time".to_owned()
        }
    }
}

/// The script, if a solver gives the three answers that others shall find.
fn accepted(what: &str, script: Script, deadline: Option<Instant>) -> Result<Script, Refusal> {
    for query in Query::ALL {
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        let answer = check(&Checker::Embedded, &script.query(query), left);
        match answer.map_err(|error| Refusal::Known(error.to_string()))? {
            Answer::Unsat => {}
            Answer::Sat => {
                let query = query.name();
                return Err(Refusal::Bug(format!("the {what} fails its {query}")));
            }
            Answer::Unknown(why) => {
                let query = query.name();
                return Err(Refusal::Unfinished(format!(
                    "the solver does not answer its {query}: {why}"
                )));
            }
        }
    }
    Ok(script)
}
