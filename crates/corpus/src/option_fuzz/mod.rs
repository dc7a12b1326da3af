//! A fuzzer of the command line: random pairs and triples of options over models of every
//! kind.
//!
//! The options, with the values they take, are read off what the program itself says about
//! them ([`options`]), so that a new one is tried without a change here. Each run is watched from
//! outside ([`run`]) and judged ([`judge`]): a documented exit code that fits the
//! verdicts, no panic, a document that follows its schema, no verdict that contradicts the
//! plain run, an end in time, no process and no unfinished file left behind. A command
//! line that fails is made smaller as long as it still fails.

pub mod judge;
pub mod options;
pub mod run;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use system::Random;

use crate::oracle::{generate, print};
use crate::{files, mutation_fuzz};
use judge::{Failure, Judge, Plain};
use options::{Choice, Setting};
use run::Run;

/// Seconds that a run is given, unless its options say otherwise.
const TIMEOUT: f64 = 3.0;

/// Larger models are left out.
const MAX_BYTES: usize = 12_000;

/// Programs of the oracle that are among the models.
const GENERATED: u64 = 30;

pub struct Fuzzer {
    binary: PathBuf,
    folder: PathBuf,
    settings: Vec<Setting>,
    models: Vec<PathBuf>,
    judge: Judge,
    seed: u64,
    plain: HashMap<PathBuf, Plain>,
}

/// A command line, and what is wrong with what it does.
pub struct Failed {
    pub command: String,
    pub failures: Vec<Failure>,
}

/// What is tried: a model and options, among them how results are written.
#[derive(Clone)]
pub struct Trial {
    pub model: PathBuf,
    pub choices: Vec<Choice>,
    pub format: Option<&'static str>,
}

impl Fuzzer {
    /// A fuzzer that keeps its files in a folder; with the models of the corpus, if there
    /// are any and they are wanted.
    pub fn new(binary: &Path, folder: &Path, seed: u64, corpus: bool) -> std::io::Result<Fuzzer> {
        std::fs::create_dir_all(folder)?;
        let mut models = mutation_fuzz::own_models();
        models.extend(written_programs(folder, seed)?);
        if let Some(corpus) = files::corpus().filter(|_| corpus) {
            for part in ["regression", "documentation", "machine_integers", "jkind"] {
                models.extend(files::models(&corpus.join(part)));
            }
        }
        models.retain(|path| files::read(path).len() < MAX_BYTES);
        Ok(Fuzzer {
            binary: std::fs::canonicalize(binary)?,
            folder: folder.to_owned(),
            settings: options::read(&run::help(binary)?),
            models,
            judge: Judge::new(),
            seed,
            plain: HashMap::new(),
        })
    }

    /// How many models and options there are.
    pub fn size(&self) -> (usize, usize) {
        (self.models.len(), self.settings.len())
    }

    pub fn judge(&self) -> &Judge {
        &self.judge
    }

    pub fn trial(&self, index: u64) -> Trial {
        let mut random = Random::new(self.seed, index);
        let model = self.models[random.below(self.models.len())].clone();
        let text = files::read(&model);
        let count = 2 + random.below(2);
        let mut choices: Vec<Choice> = Vec::new();
        while choices.len() < count {
            let setting = &self.settings[random.below(self.settings.len())];
            let known = choices.iter().any(|choice| choice.flag == setting.flag);
            if !known || setting.repeats {
                choices.push(setting.choose(&text, &mut random));
            }
        }
        let format = [Some("--json"), Some("--xml"), Some("--json"), None][random.below(4)];
        let chosen = |flag: &str| choices.iter().any(|choice| choice.flag == flag);
        let format = format.filter(|_| !chosen("--json") && !chosen("--xml"));
        Trial {
            model,
            choices,
            format,
        }
    }

    /// Runs a trial; what fails is tried with fewer options.
    pub fn attempt(&mut self, trial: &Trial) -> Option<Failed> {
        let failures = self.failures(trial);
        if failures.is_empty() {
            return None;
        }
        let (smaller, failures) = self.shrink(trial.clone(), failures);
        Some(Failed {
            command: self.command_line(&smaller),
            failures,
        })
    }

    fn failures(&mut self, trial: &Trial) -> Vec<Failure> {
        let plain = self.plain(&trial.model);
        let mut failures = Vec::new();
        // Whoever is late, or leaves a process that is about to end, has another chance.
        for _ in 0..3 {
            let run = self.run(trial);
            failures = self.judge.judge(trial, &run, &plain);
            let late = |failure: &Failure| matches!(failure, Failure::Late(_));
            if !failures.iter().any(late) {
                break;
            }
        }
        failures
    }

    /// Leaves out options as long as a failure of the same kind remains.
    fn shrink(&mut self, mut trial: Trial, mut failures: Vec<Failure>) -> (Trial, Vec<Failure>) {
        let mut at = 0;
        while at < trial.choices.len() {
            let mut smaller = trial.clone();
            smaller.choices.remove(at);
            let left = self.failures(&smaller);
            if left
                .iter()
                .any(|new| failures.iter().any(|old| old.is_like(new)))
            {
                (trial, failures) = (smaller, left);
            } else {
                at += 1;
            }
        }
        (trial, failures)
    }

    /// What is said of a model without options.
    fn plain(&mut self, model: &Path) -> Plain {
        if let Some(plain) = self.plain.get(model) {
            return plain.clone();
        }
        let trial = Trial {
            model: model.to_owned(),
            choices: Vec::new(),
            format: Some("--json"),
        };
        let plain = judge::verdicts(&self.run(&trial).stdout);
        self.plain.insert(model.to_owned(), plain.clone());
        plain
    }

    fn run(&self, trial: &Trial) -> Run {
        run::run(&self.binary, &self.folder.join("run"), trial)
    }

    /// The command line of a trial, to be typed.
    pub fn command_line(&self, trial: &Trial) -> String {
        let args = trial.arguments(&self.folder.join("run"));
        let quoted = args.iter().map(|arg| match arg.contains(' ') {
            true => format!("'{arg}'"),
            false => arg.clone(),
        });
        format!("kindred {}", quoted.collect::<Vec<_>>().join(" "))
    }
}

impl Trial {
    /// Seconds after which the run should end.
    pub fn timeout(&self) -> f64 {
        let given = self
            .choices
            .iter()
            .find(|choice| choice.flag == "--timeout");
        let given = given.and_then(|choice| choice.value.as_ref()?.parse().ok());
        given.unwrap_or(TIMEOUT)
    }

    fn is_set(&self, flag: &str) -> bool {
        self.choices.iter().any(|choice| choice.flag == flag)
    }

    fn has(&self, flag: &str, value: &str) -> bool {
        let mut choices = self.choices.iter();
        choices.any(|choice| choice.flag == flag && choice.value.as_deref() == Some(value))
    }

    /// The arguments of the program, with files below a folder.
    pub fn arguments(&self, folder: &Path) -> Vec<String> {
        let folder = folder.display().to_string();
        let mut args: Vec<String> = self.format.iter().map(|f| (*f).to_owned()).collect();
        if !self.is_set("--timeout") {
            args.extend(["--timeout".to_owned(), TIMEOUT.to_string()]);
        }
        // Nothing is to be written beside the model.
        for (flag, place) in [("--output_dir", "out"), ("--ivc_output_dir", "cores")] {
            if !self.is_set(flag) {
                args.extend([flag.to_owned(), format!("{folder}/{place}")]);
            }
        }
        for choice in &self.choices {
            args.push(choice.flag.clone());
            args.extend(
                choice
                    .value
                    .as_ref()
                    .map(|value| value.replace("@", &folder)),
            );
        }
        args.push(self.model.display().to_string());
        args
    }
}

/// Some programs of the oracle as files.
fn written_programs(folder: &Path, seed: u64) -> std::io::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for index in 0..GENERATED {
        if let Some(program) = generate::program(seed, index) {
            let path = folder.join(format!("generated{index}.lus"));
            std::fs::write(&path, print::print(&program).text)?;
            written.push(path);
        }
    }
    Ok(written)
}
