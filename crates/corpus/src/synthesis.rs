//! Nodes and environments that are made from contracts, proved by the same binary.

use std::path::Path;

use sim::input::Json;

use crate::files;
use crate::json::{field, objects, text};
use crate::verdict::kindred;

/// Seconds for a run.
const TIMEOUT: f64 = 20.0;

/// What became of the contracts of some models.
#[derive(Default)]
pub struct Synthesis {
    pub realizable: Count,
    pub unrealizable: Count,
    /// Contracts that are not decided.
    pub open: usize,
    /// Why there is no file, with the name of the model.
    pub refused: Vec<String>,
    /// Files without a proof, with the exit code.
    pub unproved: Vec<String>,
}

#[derive(Default)]
pub struct Count {
    pub contracts: usize,
    pub written: usize,
    pub proved: usize,
}

impl Synthesis {
    /// Checks the contracts of a model, and proves what is written; files go to a folder that is
    /// gone afterwards.
    pub fn add(&mut self, model: &Path, folder: &Path) {
        // There may be none yet.
        let _ = std::fs::remove_dir_all(folder);
        let target = folder.to_string_lossy();
        let flags = [
            "--json",
            "--enable",
            "CONTRACTCK",
            "--print_deadlock",
            "false",
            "--check_contract_is_sat",
            "false",
            "--synthesize",
            &target,
        ];
        let (_, document) = kindred(&flags, &[model], TIMEOUT);
        for object in objects(&document) {
            self.result(&object, &files::name(model));
        }
        for written in files::models(folder) {
            self.prove(&written, &files::name(model));
        }
        let _ = std::fs::remove_dir_all(folder);
    }

    fn result(&mut self, object: &Json, model: &str) {
        let own = |name: &str| text(field(object, name)).unwrap_or_default();
        match (own("objectType").as_str(), own("result").as_str()) {
            ("realizabilityCheck", "realizable") => self.realizable.contracts += 1,
            ("realizabilityCheck", "unrealizable") => self.unrealizable.contracts += 1,
            ("realizabilityCheck", _) => self.open += 1,
            ("log", _) => {
                if let Some((_, why)) = own("value").split_once(" cannot be written: ") {
                    self.refused.push(format!("{model}: {why}"));
                }
            }
            _ => {}
        }
    }

    fn prove(&mut self, written: &Path, model: &str) {
        let stem = written.file_stem().unwrap_or_default().to_string_lossy();
        let is_environment = stem.ends_with("_environment");
        let flags: &[&str] = match is_environment {
            true => &["--json"],
            false => &["--json", "--lus_main", &stem],
        };
        let (exit, _) = kindred(flags, &[written], TIMEOUT);
        let count = match is_environment {
            true => &mut self.unrealizable,
            false => &mut self.realizable,
        };
        count.written += 1;
        match exit {
            0 => count.proved += 1,
            exit => self.unproved.push(format!("{model}: {stem}: exit {exit}")),
        }
    }

    pub fn print(&self) {
        let Count {
            contracts,
            written,
            proved,
        } = self.realizable;
        println!("{contracts} realizable contracts, {written} synthesized, {proved} proved");
        let Count {
            contracts,
            written,
            proved,
        } = self.unrealizable;
        println!("{contracts} unrealizable contracts, {written} environments, {proved} proved");
        println!("{} contracts are not decided", self.open);
        println!("{} refused with a reason", self.refused.len());
        for line in self.refused.iter().chain(&self.unproved) {
            println!("  {line}");
        }
    }
}
