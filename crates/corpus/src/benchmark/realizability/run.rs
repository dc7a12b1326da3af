//! Runs of the binary, and what they say of contracts.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use sim::input::{Json, parse_json};

use crate::json::{field, list, text};
use crate::verdict;

/// What is asked of a contract.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    Contract,
    Satisfiability,
    Environment,
    /// The contract of a node with a body.
    Defined,
}

impl Question {
    pub fn named(name: &str) -> Option<Question> {
        Some(match name {
            "contract" => Question::Contract,
            "satisfiability" => Question::Satisfiability,
            "environment" => Question::Environment,
            "defined" => Question::Defined,
            _ => return None,
        })
    }

    /// Is it asked with `--check_environment true` only?
    pub fn needs_environment_check(self) -> bool {
        matches!(self, Question::Environment | Question::Defined)
    }
}

/// An answer within a document.
pub struct Answer {
    pub node: String,
    pub question: Question,
    pub result: String,
    pub has_trace: bool,
    pub has_conflict: bool,
    pub viable_states: Option<String>,
}

/// What one run wrote.
pub struct Ran {
    pub exit: i32,
    /// Of the whole process.
    pub seconds: f64,
    /// `None` if the document is no list of objects.
    pub answers: Option<Vec<Answer>>,
}

impl Ran {
    pub fn answers(&self) -> &[Answer] {
        self.answers.as_deref().unwrap_or_default()
    }

    /// The answer to a question. A defined node is one whose contract is checked.
    pub fn answer(&self, node: &str, question: Question) -> Option<&Answer> {
        let asked = match question {
            Question::Defined => Question::Contract,
            other => other,
        };
        let mut answers = self.answers().iter();
        answers.find(|answer| answer.node == node && answer.question == asked)
    }

    /// The exit code that the answers ask for.
    pub fn expected_exit(&self) -> i32 {
        let checks = || {
            let answers = self.answers().iter();
            answers.filter(|answer| answer.question != Question::Satisfiability)
        };
        if checks().any(|answer| answer.result == "unrealizable") {
            40
        } else if checks().any(|answer| answer.result == "unknown") {
            30
        } else {
            0
        }
    }
}

/// Checks the contracts of a model.
pub fn check(path: &Path, flags: &[&str], limit: f64) -> Ran {
    let flags = [&["--enable", "CONTRACTCK", "-json"], flags].concat();
    let start = Instant::now();
    let (exit, document) = verdict::kindred(&flags, &[path], limit);
    Ran {
        exit,
        seconds: start.elapsed().as_secs_f64(),
        answers: answers(&document),
    }
}

/// What the program says of its options.
pub fn help() -> String {
    let output = Command::new(verdict::binary()).arg("--help").output();
    let text = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&text).into_owned()
}

fn answers(document: &str) -> Option<Vec<Answer>> {
    let Ok(Json::Array(objects)) = parse_json(document) else {
        return None;
    };
    let (mut node, mut context) = (String::new(), None);
    let mut found = Vec::new();
    for object in &objects {
        let is_satisfiability = match text(field(object, "objectType")).as_deref() {
            Some("analysisStart") => {
                node = text(field(object, "top")).unwrap_or_default();
                context = text(field(object, "context"));
                continue;
            }
            Some("realizabilityCheck") => false,
            Some("satisfiabilityCheck") => true,
            _ => continue,
        };
        let question = match (context.as_deref(), is_satisfiability) {
            (Some("environment"), false) => Question::Environment,
            // The satisfiability of assumptions is no row of the table.
            (Some("environment"), true) => continue,
            (_, true) => Question::Satisfiability,
            (_, false) => Question::Contract,
        };
        found.push(Answer {
            node: node.clone(),
            question,
            result: text(field(object, "result")).unwrap_or_default(),
            has_trace: !list(object, "deadlockingTrace").is_empty(),
            has_conflict: field(object, "conflictingSet").is_some(),
            viable_states: text(field(object, "viableStates")),
        });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_belong_to_the_node_before_them() {
        let document = r#"[
            {"objectType": "analysisStart", "top": "A"},
            {"objectType": "realizabilityCheck", "result": "unrealizable",
             "deadlockingTrace": [{}], "conflictingSet": {}},
            {"objectType": "satisfiabilityCheck", "result": "satisfiable"},
            {"objectType": "analysisStop"},
            {"objectType": "analysisStart", "top": "A", "context": "environment"},
            {"objectType": "realizabilityCheck", "result": "realizable"}]"#;
        let ran = Ran {
            exit: 40,
            seconds: 0.0,
            answers: answers(document),
        };
        let result = |question| {
            ran.answer("A", question)
                .map(|answer| answer.result.as_str())
        };
        assert_eq!(result(Question::Contract), Some("unrealizable"));
        assert_eq!(result(Question::Satisfiability), Some("satisfiable"));
        assert_eq!(result(Question::Environment), Some("realizable"));
        assert_eq!(ran.expected_exit(), 40);
        assert!(ran.answers()[0].has_trace && ran.answers()[0].has_conflict);
        assert!(answers("[{").is_none());
    }
}
