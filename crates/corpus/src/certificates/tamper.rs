//! Certificates that someone has changed.
//!
//! A certificate has one conjunct a line, so a change is one of a line. Whether a
//! changed certificate is a lie is asked of a solver: its questions no longer have
//! the right answers, or what it says of the system is not what the model says.

use artifacts::run::Answer;

use super::answers;

/// A change of a certificate.
pub struct Tampered {
    /// Which function was changed, and how.
    pub what: String,
    pub text: String,
    /// The definition before and after, as texts.
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

/// The functions of a certificate.
const FUNCTIONS: [&str; 5] = ["step", "init", "trans", "prop", "phi"];

/// All changes of single conjuncts of a certificate.
pub fn tampered(certificate: &str) -> Vec<Tampered> {
    let lines: Vec<&str> = certificate.lines().collect();
    let mut all = Vec::new();
    for function in FUNCTIONS {
        let Some(start) = lines
            .iter()
            .position(|line| line.starts_with(&format!("(define-fun {function} ")))
        else {
            continue;
        };
        let end = lines[start..].iter().position(|line| *line == "))");
        let end = start + end.unwrap_or(0);
        for at in start + 1..end {
            if lines[at].starts_with("  ;") {
                continue;
            }
            for (how, changed) in changes(lines[at], lines.get(at + 1).copied()) {
                let mut text = lines.clone();
                text[at] = &changed;
                let before = lines[start..=end].join("\n");
                let after = text[start..=end].join("\n");
                all.push(Tampered {
                    what: format!("{function}: {how}"),
                    text: text.join("\n") + "\n",
                    definitions: (before, after),
                });
            }
        }
    }
    all
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

    /// Are the two definitions different functions?
    fn other_system(&self, solver: &str, script: &str) -> Fate {
        let (before, after) = &self.definitions;
        let name = after.split_whitespace().nth(1).unwrap_or_default();
        let head = format!("(define-fun {name} ");
        let Some(start) = script.find(&head) else {
            return Fate::Harmless;
        };
        let original = before.replacen(&head, &format!("(define-fun {name}.original "), 1);
        let params = parameters(after);
        let declared: String = params
            .iter()
            .map(|(name, sort)| format!("(declare-fun {name} () {sort})\n"))
            .collect();
        let names: Vec<&str> = params.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(" ");
        let question = format!(
            "{}{after}\n{original}\n{declared}\
             (assert (not (= ({name} {names}) ({name}.original {names}))))\n(check-sat)\n(exit)\n",
            &script[..start]
        );
        match answers(solver, &question) {
            Ok(answers) if answers == [Answer::Sat] => Fate::Differs,
            _ => Fate::Harmless,
        }
    }
}

/// The names and sorts of the parameters of a definition.
fn parameters(definition: &str) -> Vec<(String, String)> {
    let line = definition.lines().next().unwrap_or_default();
    let (Some(start), Some(end)) = (line.find("(("), line.rfind(")) Bool")) else {
        return Vec::new();
    };
    let list = &line[start + 2..end];
    let all = list
        .split(") (")
        .filter_map(|one| match one.strip_prefix('|') {
            Some(quoted) => {
                let (name, sort) = quoted.split_once("| ")?;
                Some((format!("|{name}|"), sort.to_owned()))
            }
            None => {
                let (name, sort) = one.split_once(' ')?;
                Some((name.to_owned(), sort.to_owned()))
            }
        });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &str = "\
(define-fun phi ((|a b@now| Int) (c@now Bool)) Bool (and true
  ; a comment
  c@now
  (< 0 |a b@now|)
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
    fn parameters_are_found() {
        let found = parameters(CERTIFICATE);
        let expected = [("|a b@now|", "Int"), ("c@now", "Bool")];
        let expected = expected.map(|(name, sort)| (name.to_owned(), sort.to_owned()));
        assert_eq!(found, expected);
    }
}
