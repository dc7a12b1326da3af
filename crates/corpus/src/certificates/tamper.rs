//! Certificates that someone has changed.
//!
//! A certificate has one conjunct a line, so a change is one of a line. Whether a
//! changed certificate is a lie is asked of a solver: its questions no longer have
//! the right answers, or what it says of the system is not what the model says.

use artifacts::run::Answer;

use super::answers;

/// A change of a certificate.
pub struct Tampered {
    /// Which definitions were changed, and how.
    pub what: String,
    pub text: String,
    /// The first of them before and after, as texts.
    definitions: (String, String),
}

/// What a solver says of a changed certificate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Its own questions fail.
    Broken,
    /// It is about another system.
    Differs,
    /// It still is a certificate, or no one can tell.
    Harmless,
}

/// What a certificate defines for each step.
const DEFINED: [&str; 5] = ["step", "init", "trans", "prop", "phi"];

/// A definition in the lines of a certificate: where it begins and ends, and where its
/// conjuncts are.
struct Definition {
    start: usize,
    end: usize,
    conjuncts: Vec<usize>,
}

/// The definitions of a name, one for each step.
fn definitions(lines: &[&str], name: &str) -> Vec<Definition> {
    let head = format!("(define-fun {name}.");
    let starts = (0..lines.len()).filter(|at| lines[*at].starts_with(&head));
    let definitions = starts.map(|start| {
        let end = lines[start..].iter().position(|line| *line == "))");
        let end = start + end.unwrap_or(0);
        let conjuncts = (start + 1..end).filter(|at| !lines[*at].starts_with("  ;"));
        Definition {
            start,
            end,
            conjuncts: conjuncts.collect(),
        }
    });
    definitions.collect()
}

/// All changes of single conjuncts of a certificate, at all steps alike.
pub fn tampered(certificate: &str) -> Vec<Tampered> {
    let lines: Vec<&str> = certificate.lines().collect();
    let mut all = Vec::new();
    for name in DEFINED {
        let copies = definitions(&lines, name);
        let Some(first) = copies.first() else {
            continue;
        };
        for place in 0..first.conjuncts.len() {
            let change = |copy: &Definition| {
                let next = copy.conjuncts.get(place + 1).map(|at| lines[*at]);
                changes(lines[copy.conjuncts[place]], next)
            };
            for (how, (kind, _)) in change(first).into_iter().enumerate() {
                let mut text: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
                for copy in &copies {
                    text[copy.conjuncts[place]] = change(copy).swap_remove(how).1;
                }
                let before = lines[first.start..=first.end].join("\n");
                let after = text[first.start..=first.end].join("\n");
                all.push(Tampered {
                    what: format!("{name}: {kind}"),
                    text: text.join("\n") + "\n",
                    definitions: (before, after),
                });
            }
        }
    }
    all
}

/// Changes of a whole certificate that make its answers worthless, whatever it says.
pub fn forged(certificate: &str) -> Vec<(&'static str, String)> {
    let question = "(echo \"Checking base case\")";
    let before_questions = |text: &str| {
        let text = format!("{text}\n{question}");
        certificate.replacen(question, &text, 1)
    };
    let phi = certificate.split_once("(assert phi.0)");
    let all = [
        ("`false` asserted", before_questions("(assert false)")),
        (
            "`false` asserted in a question",
            certificate.replacen("(push 1)", "(push 1)\n(assert false)", 1),
        ),
        (
            "the invariant defined once more",
            before_questions("(define-fun phi.1 () Bool true)"),
        ),
        (
            "another k",
            certificate.replacen(":kindred-k ", ":kindred-k 1", 1),
        ),
        (
            "a question answered beforehand",
            certificate.replacen("(check-sat)", "(echo \"unsat\")", 1),
        ),
        (
            "a premise of a question dropped",
            phi.map_or(String::new(), |(a, b)| format!("{a}(assert true){b}")),
        ),
    ];
    let changed = all.into_iter().filter(|(_, text)| text != certificate);
    changed.collect()
}

/// What can be done to a conjunct.
fn changes(line: &str, next: Option<&str>) -> Vec<(&'static str, String)> {
    let term = line.trim();
    let mut all = vec![
        ("a conjunct removed", "  true".to_owned()),
        ("a conjunct negated", format!("  (not {term})")),
    ];
    let other = next.map(str::trim).filter(|line| line.starts_with('('));
    if let Some(other) = other.filter(|other| balanced(other)) {
        all.push(("a conjunct weakened", format!("  (or {term} {other})")));
    }
    let swaps = [
        ("(< ", "(<= "),
        ("(<= ", "(< "),
        ("(and ", "(or "),
        ("(+ ", "(* "),
        (" true)", " false)"),
        (" false)", " true)"),
        (" 0)", " 1)"),
        ("(ite (", "(ite (not ("),
    ];
    for (from, to) in swaps {
        let changed = line.replacen(from, to, 1);
        if changed != line && balanced(&changed) {
            all.push(("an operator or a value changed", changed));
        }
    }
    all
}

fn balanced(text: &str) -> bool {
    text.matches('(').count() == text.matches(')').count()
}

impl Tampered {
    /// What a solver says of it; the script is the whole of it.
    pub fn fate(&self, solver: &str, script: &str) -> Fate {
        let unsat = [Answer::Unsat, Answer::Unsat, Answer::Unsat];
        match answers(solver, script) {
            Ok(answers) if answers.contains(&Answer::Sat) => Fate::Broken,
            Ok(answers) if answers == unsat && !self.what.starts_with("phi") => {
                self.other_system(solver, script)
            }
            _ => Fate::Harmless,
        }
    }

    /// Do the two definitions mean different things?
    fn other_system(&self, solver: &str, script: &str) -> Fate {
        let (before, after) = &self.definitions;
        let name = after.split_whitespace().nth(1).unwrap_or_default();
        let head = format!("(define-fun {name} ");
        let Some(start) = script.find(&head) else {
            return Fate::Harmless;
        };
        let original = before.replacen(&head, &format!("(define-fun {name}.original "), 1);
        let question = format!(
            "{}{after}\n{original}\n(assert (not (= {name} {name}.original)))\n(check-sat)\n(exit)\n",
            &script[..start]
        );
        match answers(solver, &question) {
            Ok(answers) if answers == [Answer::Sat] => Fate::Differs,
            _ => Fate::Harmless,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = "\
(define-fun phi.0 () Bool (and true
  ; a comment
  c@0
  (< 0 |a b@0|)
))
(define-fun phi.1 () Bool (and true
  c@1
  (< 0 |a b@1|)
))
";

    #[test]
    fn every_line_is_changed() {
        let all = tampered(CERTIFICATE);
        assert!(all.iter().all(|changed| changed.text != CERTIFICATE));
        let whats: Vec<&str> = all.iter().map(|changed| changed.what.as_str()).collect();
        let count = |what: &str| whats.iter().filter(|w| w.ends_with(what)).count();
        assert_eq!(count("removed"), 2);
        assert_eq!(count("weakened"), 1);
        assert_eq!(count("value changed"), 1);
    }

    #[test]
    fn forgeries_are_other_texts() {
        let certificate = format!(
            "(set-info :kindred-k 1)\n{CERTIFICATE}(echo \"Checking base case\")\n(push 1)\n\
             (assert phi.0)\n(check-sat)\n"
        );
        let all = forged(&certificate);
        assert_eq!(all.len(), 6);
        assert!(all.iter().all(|(_, text)| *text != certificate));
    }

    #[test]
    fn all_steps_are_changed() {
        let all = tampered(CERTIFICATE);
        let negated = all.iter().find(|changed| changed.what.ends_with("negated"));
        let text = negated.map_or("", |changed| changed.text.as_str());
        assert!(
            text.contains("(not c@0)") && text.contains("(not c@1)"),
            "{text}"
        );
    }
}
