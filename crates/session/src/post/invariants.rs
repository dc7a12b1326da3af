//! The invariants that proofs need: for people to read, and as contracts in files.

use std::io;

use analysis::{ContractText, ProofText};
use results::{Event, Level, PostAnalysisName};

use super::{PostAnalysis, PostContext, When};
use crate::analysed::Analysed;
use crate::learnt_options::LearntOptions;
use crate::output_folder::OutputFolder;
use crate::tally::PostOutcome;

const NAME: PostAnalysisName = PostAnalysisName {
    name: "invariants",
    title: "invariants",
    in_schema: true,
};

/// Tells of the invariants of each analysis, or writes them to files.
pub struct Invariants {
    options: LearntOptions,
}

impl Invariants {
    /// `None` unless options ask for invariants.
    pub fn of(options: &LearntOptions) -> Option<Invariants> {
        let wanted = options.print_invs || options.log_invs;
        wanted.then(|| Invariants {
            options: options.clone(),
        })
    }
}

impl PostAnalysis for Invariants {
    fn source(&self) -> &'static str {
        "invariants"
    }

    fn when(&self) -> When {
        When::EveryAnalysis
    }

    fn run(&mut self, analysed: &Analysed, context: &mut PostContext) -> io::Result<PostOutcome> {
        let Some(texts) = analysed.invariants else {
            return Ok(PostOutcome::default());
        };
        if texts.proofs.is_empty() {
            if !analysed.results.is_empty() {
                let name = analysed.name();
                let message = format!("no invariants of {name}: none of its properties is proved");
                context.out.log(Level::Warn, "supervisor", message)?;
            }
            return Ok(PostOutcome::default());
        }
        let (node, out) = (analysed.name(), &mut *context.out);
        let mut outcome = PostOutcome::default();
        if self.options.print_invs {
            out.tell(&Event::PostAnalysisStart(NAME))?;
            for proof in &texts.proofs {
                out.tell(&Event::Invariants {
                    title: &title(node, proof),
                    lines: &lines(proof),
                })?;
            }
            out.tell(&Event::PostAnalysisEnd(NAME))?;
        }
        if let Some(contract) = &texts.contract {
            let (level, message) = log(node, contract, context.folder);
            outcome.errors += usize::from(level == Level::Error);
            out.log(level, "invariants", message)?;
        }
        Ok(outcome)
    }
}

fn title(node: &str, proof: &ProofText) -> String {
    let (k, names) = (proof.k, proof.properties.join(", "));
    let paths = match proof.simple_path {
        true => " along paths without repeated states",
        false => "",
    };
    match proof.invariants.len() + proof.left_out {
        0 => format!("No invariants of {node} are needed for {names} (k={k}{paths})"),
        _ => format!("Invariants of {node} for {names} (k={k}{paths})"),
    }
}

fn lines(proof: &ProofText) -> Vec<String> {
    let mut lines = proof.invariants.clone();
    match proof.left_out {
        0 => {}
        1 => lines.push("(and one that cannot be said in terms of streams)".to_owned()),
        n => lines.push(format!("(and {n} that cannot be said in terms of streams)")),
    }
    lines
}

/// Writes a contract to the output folder; returns the message about it.
fn log(node: &str, contract: &ContractText, folder: &OutputFolder) -> (Level, String) {
    let left_out = match contract.left_out {
        0 => String::new(),
        n => format!("; {n} cannot be said in a contract of the node"),
    };
    if contract.text.is_empty() {
        let message = format!("there are no invariants of {node} to write to a file{left_out}");
        return (Level::Note, message);
    }
    match folder.write(&format!("{}.lus", contract.name), &contract.text) {
        Ok(path) => {
            let count = match contract.guarantees {
                1 => "one invariant".to_owned(),
                n => format!("{n} invariants"),
            };
            let path = path.display();
            let message = format!("{count} of {node} written to {path}{left_out}");
            (Level::Note, message)
        }
        Err(error) => (Level::Error, error.to_string()),
    }
}
