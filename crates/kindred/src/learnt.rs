//! The invariants that proofs need: for people to read, and as contracts in files.

use std::io;

use analysis::{Contract, Said, SaidProof};
use report::{Level, Log};

use crate::dump::OutputFolder;
use crate::learnt_args::LearntArgs;
use crate::run::Out;

/// Tells of the invariants of a node as the options have it; gives back how many files
/// could not be written.
pub fn tell(
    args: &LearntArgs,
    node: &str,
    said: &Said,
    folder: &OutputFolder,
    out: &mut Out,
) -> io::Result<usize> {
    if said.proofs.is_empty() {
        return Ok(0);
    }
    let mut errors = 0;
    if args.print_invs {
        out.post_analysis_start("invariants", "invariants")?;
        for proof in &said.proofs {
            out.invariants(&title(node, proof), &lines(proof))?;
        }
        out.post_analysis_end()?;
    }
    if let Some(contract) = &said.contract {
        let (level, message) = log(node, contract, folder);
        errors += usize::from(level == Level::Error);
        out.log(&Log::new(level, "invariants", message))?;
    }
    Ok(errors)
}

fn title(node: &str, proof: &SaidProof) -> String {
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

fn lines(proof: &SaidProof) -> Vec<String> {
    let mut lines = proof.invariants.clone();
    match proof.left_out {
        0 => {}
        1 => lines.push("(and one that cannot be said in terms of streams)".to_owned()),
        n => lines.push(format!("(and {n} that cannot be said in terms of streams)")),
    }
    lines
}

/// Writes a contract to the output folder; says so, or why not.
fn log(node: &str, contract: &Contract, folder: &OutputFolder) -> (Level, String) {
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
