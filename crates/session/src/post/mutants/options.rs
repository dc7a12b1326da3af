//! The options of mutation.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use analysis::Mutator;
use clap::{ArgAction, Args};

use crate::post::headings::MUTATION;

/// The flags `--mutation…`.
#[derive(Args, Clone, Debug)]
pub struct MutationOptions {
    /// Find out which small errors in the model the proved properties would notice
    /// [default: true with an option that makes something of it, false otherwise]
    #[arg(id = "mutation", long = "mutation", help_heading = MUTATION, value_name = "BOOL")]
    #[arg(action = ArgAction::Set)]
    mutation: Option<bool>,

    /// The kinds of errors, by name or group, separated by commas: boolean, relational,
    /// arithmetic, branching, constant, equation, all
    #[arg(id = "mutators", long = "mutators", help_heading = MUTATION, value_name = "NAMES", default_value = "all")]
    #[arg(value_delimiter = ',', value_parser = named)]
    mutators: Vec<NamedMutators>,

    /// How deep to look for a run that kills what induction does not decide
    #[arg(id = "mutation_k_kill", long = "mutation_k_kill", help_heading = MUTATION, value_name = "N", default_value_t = 10)]
    pub k_kill: usize,

    /// Seconds for all engines on each mutant that is still not decided
    #[arg(id = "mutation_timeout", long = "mutation_timeout", help_heading = MUTATION, value_name = "SECONDS")]
    #[arg(default_value_t = 10.0)]
    timeout: f64,

    /// Exit with 50 if less than so many per cent of the mutants are killed
    #[arg(id = "mutation_threshold", long = "mutation_threshold", help_heading = MUTATION, value_name = "PERCENT")]
    pub threshold: Option<f64>,

    /// Show a run for each mutant that is killed; text only
    #[arg(id = "print_mutation_cex", long = "print_mutation_cex", help_heading = MUTATION, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub print_cex: bool,

    /// Write the mutants to a file, as JSON
    #[arg(id = "mutation_json", long = "mutation_json", help_heading = MUTATION, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write the mutants to a file, as comma-separated values
    #[arg(id = "mutation_csv", long = "mutation_csv", help_heading = MUTATION, value_name = "FILE")]
    pub csv: Option<PathBuf>,

    /// Write a page of HTML with the source and its mutants
    #[arg(id = "mutation_html", long = "mutation_html", help_heading = MUTATION, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Mutate only what an inductive validity core has
    #[arg(id = "ivc_mutation", long = "ivc_mutation", help_heading = MUTATION, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub within_core: bool,
}

/// The mutators of a name.
#[derive(Clone, Debug)]
struct NamedMutators(Vec<Mutator>);

fn named(name: &str) -> Result<NamedMutators, String> {
    Mutator::named(name).map(NamedMutators).ok_or_else(|| {
        let names: Vec<&str> = Mutator::ALL.iter().map(|m| m.name()).collect();
        format!("the mutators are {}", names.join(", "))
    })
}

impl MutationOptions {
    /// Are mutants asked for? An option that uses them asks for them too, unless `--mutation false`
    /// is given.
    pub fn is_wanted(&self) -> bool {
        let files = [&self.json, &self.csv, &self.html];
        let of_use = self.threshold.is_some()
            || self.print_cex
            || self.within_core
            || files.into_iter().any(Option::is_some);
        self.mutation.unwrap_or(of_use)
    }

    pub fn mutators(&self) -> BTreeSet<Mutator> {
        self.mutators
            .iter()
            .flat_map(|named| named.0.clone())
            .collect()
    }

    pub fn budget(&self) -> Duration {
        Duration::try_from_secs_f64(self.timeout).unwrap_or(Duration::MAX)
    }
}
