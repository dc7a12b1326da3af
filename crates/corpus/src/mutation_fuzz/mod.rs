//! Mutated models for the front end.
//!
//! Models are damaged at random ([`mutation`]) and each result goes through all
//! that stands before a solver ([`trial`]): it is parsed, printed, checked, its
//! diagnostics are rendered and, if it is still a program, it is run. Whatever
//! the text, that must end in a program or in diagnostics. An input is
//! determined by the models, the seed and its index.

mod mutation;
mod pieces;
mod trial;

use std::path::{Path, PathBuf};

use system::Random;

use crate::files;

pub use trial::{Verdict, run};

/// Larger models are left out: a mutation of a small one is worth as much.
const MAX_BYTES: usize = 20_000;

/// The models to mutate, and the seed.
pub struct Fuzzer {
    texts: Vec<String>,
    seed: u64,
}

/// One text to try.
pub struct Input {
    pub text: String,
    pub strict: bool,
}

impl Fuzzer {
    pub fn new(models: &[PathBuf], seed: u64) -> Fuzzer {
        let texts = models.iter().map(|path| files::read(path));
        Fuzzer {
            texts: texts.filter(|text| text.len() < MAX_BYTES).collect(),
            seed,
        }
    }

    /// How many models there are to mutate.
    pub fn models(&self) -> usize {
        self.texts.len()
    }

    pub fn input(&self, index: u64) -> Input {
        self.watched_input(index, |_| ())
    }

    /// As [`Fuzzer::input`]; `watch` sees every text that the front end is
    /// asked about on the way, before it is asked.
    pub fn watched_input(&self, index: u64, watch: impl Fn(&str)) -> Input {
        let mut random = Random::new(self.seed, index);
        let accepted = |text: &str| {
            watch(text);
            trial::accepted(text)
        };
        Input {
            text: mutation::mutated(&self.texts, &mut random, accepted),
            strict: index % 2 == 1,
        }
    }
}

/// The models of the repository itself, which are there without a corpus.
pub fn own_models() -> Vec<PathBuf> {
    files::models(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"))
}

/// The models of the corpus, if there is one, and those of the repository.
pub fn all_models() -> Vec<PathBuf> {
    let mut models = match files::corpus() {
        Some(corpus) => files::models(&corpus),
        None => Vec::new(),
    };
    models.extend(own_models());
    models
}
