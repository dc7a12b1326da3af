//! Runs Kindred on a collection of models with known answers and counts.
//!
//! The collection lies outside of the repository; where it is absent, there is
//! nothing to run, and tests say so and pass.

pub mod advice;
pub mod benchmark;
pub mod certificates;
pub mod contracts;
pub mod cores;
pub mod counts;
pub mod cuts;
pub mod documents;
pub mod files;
pub mod front;
pub mod generated;
pub mod hierarchy;
mod jkind;
mod json;
pub mod mutation;
pub mod mutation_fuzz;
pub mod numbers;
pub mod option_fuzz;
pub mod oracle;
pub mod same_answer;
pub mod synthesis;
mod table;
pub mod verdict;
pub mod write_faults;

/// What a run of one part of the corpus came to.
#[derive(Default)]
pub struct Outcome {
    pub title: String,
    /// Files with the expected answer.
    pub right: usize,
    /// Files with another answer, each with a line that says which.
    pub wrong: Vec<String>,
    /// Those without a definite answer.
    pub unknown: Vec<String>,
    /// Files with another answer, which is the expected one in other terms, with what
    /// the difference is.
    pub explained: Vec<String>,
    /// Files whose expected answer contradicts the specification, with why.
    pub disputed: Vec<String>,
}

impl Outcome {
    pub fn new(title: &str) -> Outcome {
        Outcome {
            title: title.to_owned(),
            ..Outcome::default()
        }
    }

    pub fn print(&self) {
        let explained = match self.explained.len() {
            0 => String::new(),
            count => format!("  {count:>3} explained"),
        };
        println!(
            "{:<28} {:>5} right  {:>3} wrong  {:>3} unknown  {:>3} disputed{explained}",
            self.title,
            self.right,
            self.wrong.len(),
            self.unknown.len(),
            self.disputed.len()
        );
        for line in &self.wrong {
            println!("  wrong: {line}");
        }
        for line in &self.unknown {
            println!("  unknown: {line}");
        }
        for line in &self.explained {
            println!("  explained: {line}");
        }
        for line in &self.disputed {
            println!("  disputed: {line}");
        }
    }
}
