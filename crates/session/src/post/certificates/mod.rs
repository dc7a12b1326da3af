//! Writes certificates of the proofs of an analysis.

mod files;
mod options;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use analysis::{Outcome, PropertyResult};
use artifacts::certificate::{
    Certificate, Effort, Failure, Known, Query, Script, Subject, certified, prove,
};
use artifacts::frontend::{FrontEnd, NotCovered, front_end};
use artifacts::run::{Answer, Checker, check};
use lang::{ChoiceKind, NodeId, Program};
use results::{Level, PostAnalysisName};
use syntax::SourceMap;
use system::PropertyKind;

use super::{PostAnalysis, PostContext, SwitchedOff};
use crate::analysed::{Analysed, canonical};
use crate::tally::PostOutcome;
use files::{FOLDER, Scripts, write};

pub use files::{FRONT_END, Found, INVARIANCE, clear as clear_certificates, script as script_path};
pub use options::CertificateOptions;

const NAME: PostAnalysisName = PostAnalysisName {
    name: "certification",
    title: "certification",
    in_schema: true,
};

/// The options with which a system is certified: it assumes nothing that was proved before, and has
/// no reachability properties.
pub fn certified_options(options: &lower::LowerOptions) -> lower::LowerOptions {
    lower::LowerOptions {
        all_streams: false,
        ..canonical(options)
    }
}

/// Writes certificates.
pub struct Certificates {
    options: CertificateOptions,
}

impl Certificates {
    /// `None` unless options ask for certificates.
    pub fn of(options: &CertificateOptions) -> Option<Certificates> {
        options.wanted.then(|| Certificates {
            options: options.clone(),
        })
    }
}

impl PostAnalysis for Certificates {
    fn source(&self) -> &'static str {
        "certif"
    }

    /// A proof along some paths only gives no k-inductive invariant.
    fn switches_off(&self) -> SwitchedOff {
        SwitchedOff {
            compression: true,
            reachability: false,
        }
    }

    fn announce(&self, finds_cut_sets: bool) -> Vec<(Level, &'static str, String)> {
        let message = match finds_cut_sets {
            true => "with --enable MCS nothing is proved, and there is no certificate",
            false => "certification post-analysis enabled: disabling ind_compress",
        };
        vec![(Level::Warn, "parse", message.to_owned())]
    }

    fn title(&self) -> Option<&'static str> {
        Some("the certification")
    }

    /// Where several nodes are analysed, each has a folder of its own.
    fn run(&mut self, analysed: &Analysed, context: &mut PostContext) -> io::Result<PostOutcome> {
        let name = analysed.name();
        let mut below = PathBuf::from(FOLDER);
        if analysed.one_of_many {
            below.push(name);
        }
        context.control.post_analysis_start(NAME, context.out)?;
        let mut outcome = PostOutcome::default();
        let path = context.folder.path().join(below);
        let mut messages = Vec::new();
        match scripts(&self.options, analysed) {
            Ok(found) => match write(&path, &found.scripts()) {
                Ok(()) => {
                    let written = |stem: &str| {
                        let path = script_path(&path, stem);
                        let message =
                            format!("Certificate checker was written in {}", path.display());
                        (Level::Note, message)
                    };
                    messages.push(written(INVARIANCE));
                    let none = |why| {
                        let message = format!("no certificate of the front end for {name}: {why}");
                        (Level::Warn, message)
                    };
                    messages.push(match found.front_end {
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
            context.out.log(level, "certif", message)?;
        }
        context.control.post_analysis_end(NAME, context.out)?;
        Ok(outcome)
    }
}

/// Why no certificate is written.
enum Refusal {
    /// A certificate is impossible.
    Known(String),
    /// No certificate was found in time.
    Unfinished(String),
    /// An internal error.
    Bug(String),
}

/// The certificates of an analysis.
struct Written {
    invariance: Script,
    /// The front-end certificate, which shows that the system is that of the model; or why there is
    /// none.
    front_end: Result<Script, NoFrontEnd>,
}

/// Why there is no certificate of the front end.
enum NoFrontEnd {
    NotCovered(String),
    Unfinished(String),
}

impl Written {
    fn scripts(&self) -> Scripts<'_> {
        Scripts {
            invariance: &self.invariance,
            front_end: self.front_end.as_ref().ok(),
        }
    }
}

/// Makes the certificates, and has the solver check them.
fn scripts(options: &CertificateOptions, analysed: &Analysed) -> Result<Written, Refusal> {
    let (program, sources, top) = (analysed.program, analysed.sources(), analysed.top);
    if let Some(why) = obstacle(program, top, analysed.results) {
        return Err(Refusal::Known(why));
    }
    let lowering = certified_options(&analysed.options.lower);
    let lowered = analysed.lowered(&lowering);
    let lowered = lowered.map_err(|why| Refusal::Known(why.0))?;
    let known = Known {
        evidence: analysed.proofs(),
        lemmas: analysed.lemmas,
    };
    let effort = Effort {
        settings: analysed.options.settings.clone(),
        minimise: options.minimise(),
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
    let deadline = analysed.options.settings.deadline;
    let invariance = accepted("certificate", certificate.script(), deadline)?;
    let front_end = match front_end(program, top, &lowering, &lowered) {
        Ok(front_end) => compared(front_end, sources, deadline)?,
        Err(what) => Err(NoFrontEnd::NotCovered(uncovered(&what, sources))),
    };
    Ok(Written {
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

/// The node and the abstraction that a certificate names.
fn subject(program: &Program, top: NodeId) -> Subject {
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

/// The script, if the solver answers `unsat` to all its queries.
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
