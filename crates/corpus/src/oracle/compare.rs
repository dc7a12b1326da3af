//! What the checker says of a program, held against what the search found.

use std::collections::HashMap;
use std::path::Path;

use sim::input::Json;

use super::claim::{Claim, Role};
use super::generate::LIMITS;
use super::mixes::{Analyses, Mix};
use super::model::{Definition, NodeId, Program, PropertyKind};
use super::print::{Printed, range_name};
use super::search::Explored;
use crate::json::{field, number, objects, text};

/// What came of a run.
#[derive(Default)]
pub struct Compared {
    /// Claims with the right verdict.
    pub right: usize,
    /// Of these, violated or reached after more steps than need be.
    pub long: usize,
    pub unknown: usize,
    /// Those of which nothing can be said, since a contract stands for a callee.
    pub open: usize,
    /// Each with what is wrong.
    pub wrong: Vec<String>,
}

/// The claims of an analysis, by where the checker tells them to be: the lines of the
/// calls on the way, and a line or the name of a range.
type Claims = HashMap<(Vec<usize>, Place), (NodeId, Claim, usize)>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Line(usize),
    Range(String),
    OneModeActive,
}

/// A program with what the search has found.
pub struct Oracle<'p> {
    program: &'p Program,
    printed: &'p Printed,
    found: HashMap<(NodeId, bool), Option<(Explored, Claims)>>,
}

impl<'p> Oracle<'p> {
    pub fn new(program: &'p Program, printed: &'p Printed) -> Oracle<'p> {
        Oracle {
            program,
            printed,
            found: HashMap::new(),
        }
    }

    /// The search of a node, with the claims; `None` if there are too many states.
    fn explored(&mut self, node: NodeId, alone: bool) -> Option<&mut (Explored, Claims)> {
        let (program, printed) = (self.program, self.printed);
        let found = self.found.entry((node, alone)).or_insert_with(|| {
            let role = match alone {
                true => Role::ContractAlone,
                false => Role::Top,
            };
            let explored = Explored::new(program, node, role, LIMITS)?;
            let claims = places(program, printed, &explored, node);
            Some((explored, claims))
        });
        found.as_mut()
    }

    /// Holds the document of a run against the search.
    pub fn compare(&mut self, mix: &Mix, exit: i32, document: &str) -> Compared {
        let mut compared = Compared::default();
        let objects = objects(document);
        if objects.is_empty() {
            compared
                .wrong
                .push(format!("exit code {exit}, and no document"));
            return compared;
        }
        let mut analysis: Option<(NodeId, bool)> = None;
        let mut seen: HashMap<NodeId, usize> = HashMap::new();
        let mut said: Vec<(Vec<usize>, Place)> = Vec::new();
        let mut worst = 0;
        for object in &objects {
            match text(field(object, "objectType")).as_deref() {
                Some("analysisStart") => {
                    let top = text(field(object, "top")).unwrap_or_default();
                    let node = self.program.nodes.iter().position(|node| node.name == top);
                    let Some(node) = node else { continue };
                    let times = seen.entry(node).or_insert(0);
                    let contract = self.program.nodes[node].contract.as_ref();
                    let modes = contract.is_some_and(|contract| !contract.modes.is_empty());
                    analysis = Some((node, modes && *times == 0));
                    *times += 1;
                    said.clear();
                }
                Some("property") => {
                    let Some((node, alone)) = analysis else {
                        continue;
                    };
                    let answer = field(object, "answer").and_then(|a| text(field(&a, "value")));
                    match answer.as_deref() {
                        Some("falsifiable" | "unreachable") => worst = 40,
                        Some("unknown") if worst == 0 => worst = 30,
                        _ => {}
                    }
                    if let Some(place) = self.judge(mix, (node, alone), object, &mut compared) {
                        said.push(place);
                    }
                }
                Some("analysisStop") => {
                    if let Some((node, alone)) = analysis.take() {
                        self.missing(mix, (node, alone), &said, &mut compared);
                    }
                }
                _ => {}
            }
        }
        // Part by part, time may not have been enough for all nodes.
        let unfinished = mix.analyses == Analyses::Abstract && exit == 30;
        if exit != worst && !unfinished {
            let wrong = format!("exit code {exit} where {worst} is expected");
            compared.wrong.push(wrong);
        }
        compared
    }

    /// Judges a verdict; gives back which claim it is about.
    fn judge(
        &mut self,
        mix: &Mix,
        (node, alone): (NodeId, bool),
        object: &Json,
        compared: &mut Compared,
    ) -> Option<(Vec<usize>, Place)> {
        let name = text(field(object, "name")).unwrap_or_default();
        let (path, rest) = split(&name);
        let place = match text(field(object, "source")).as_deref() {
            Some("OneModeActive") => Place::OneModeActive,
            _ if rest.starts_with("((") => Place::Range(rest.to_owned()),
            _ => Place::Line(number(field(object, "line")).unwrap_or(0.0) as usize),
        };
        let answer = field(object, "answer").and_then(|a| text(field(&a, "value")))?;
        let depth = |key| number(field(object, key)).map(|depth| depth as usize);
        let program = self.program;
        let trusted = mix.analyses != Analyses::Abstract || self.respected(node, alone);
        let Some((explored, claims)) = self.explored(node, alone) else {
            compared.open += 1;
            return None;
        };
        let key = (path, place);
        let Some((owner, claim, number)) = claims.get(&key) else {
            compared.wrong.push(format!("{name}: nobody claims that"));
            return Some(key);
        };
        let (from, within) = bounds(program, *owner, *claim);
        let expected = explored.first(*number, from, within);
        let reach = claim.is_reachability(&program.nodes[*owner]);
        let (shown, happens) = match (answer.as_str(), reach) {
            ("valid", false) | ("unreachable", true) => (None, false),
            ("falsifiable", false) => (depth("falseAt"), true),
            ("reachable", true) => (depth("reachableAt"), true),
            ("unknown", _) => {
                compared.unknown += 1;
                return Some(key);
            }
            _ => {
                compared.wrong.push(format!("{name}: {answer}"));
                return Some(key);
            }
        };
        let abstracted = mix.analyses == Analyses::Abstract && !alone;
        if abstracted && (happens || !trusted) {
            compared.open += 1;
            return Some(key);
        }
        let expected_text = match expected {
            Some(depth) => format!("happens after {depth} steps"),
            None => "never happens".to_owned(),
        };
        if happens != expected.is_some() {
            compared
                .wrong
                .push(format!("{name}: {answer}, but {expected_text}"));
            return Some(key);
        }
        if happens {
            let possible = shown.is_some_and(|shown| {
                let last = within.unwrap_or(usize::MAX);
                (from..=last).contains(&shown) && explored.happens_after(*number, shown)
            });
            if !possible {
                compared.wrong.push(format!(
                    "{name}: {answer} after {shown:?} steps, but {expected_text}"
                ));
                return Some(key);
            }
            compared.long += usize::from(shown != expected);
        }
        compared.right += 1;
        Some(key)
    }

    /// Do all callees of a node do what their contracts say?
    fn respected(&mut self, node: NodeId, alone: bool) -> bool {
        let Some((explored, _)) = self.explored(node, alone) else {
            return false;
        };
        let promises: Vec<usize> = explored
            .claims()
            .into_iter()
            .filter(|(path, _, claim, _)| {
                let promise = matches!(
                    claim,
                    Claim::Guarantee(_) | Claim::Ensure(..) | Claim::Range(_)
                );
                promise && !path.is_empty()
            })
            .map(|(_, _, _, number)| number)
            .collect();
        promises
            .iter()
            .all(|number| explored.first(*number, 0, None).is_none())
    }

    /// Claims of which nothing was said.
    fn missing(
        &mut self,
        mix: &Mix,
        (node, alone): (NodeId, bool),
        said: &[(Vec<usize>, Place)],
        compared: &mut Compared,
    ) {
        if mix.analyses == Analyses::Abstract {
            return;
        }
        let program = self.program;
        let Some((_, claims)) = self.explored(node, alone) else {
            return;
        };
        for (key, (owner, claim, _)) in claims {
            let own = key.0.is_empty() || matches!(claim, Claim::Assumption(_));
            let wanted = own || mix.analyses == Analyses::Whole;
            // What is in range by its type need not be checked.
            let optional = match claim {
                Claim::ArgumentRange(_) => true,
                Claim::Range(var) => {
                    let definition = &program.nodes[*owner].definitions[*var];
                    matches!(definition, Definition::Open)
                }
                _ => false,
            };
            if wanted && !optional && !said.contains(key) {
                let missing = format!("{key:?}: nothing is said of {claim:?}");
                compared.wrong.push(missing);
            }
        }
    }
}

fn bounds(program: &Program, node: NodeId, claim: Claim) -> (usize, Option<usize>) {
    match claim {
        Claim::Property(at) => match program.nodes[node].properties[at].kind {
            PropertyKind::Reachable { from, within } => (from.unwrap_or(0), within),
            _ => (0, None),
        },
        _ => (0, None),
    }
}

/// Where the claims of a search stand in the text.
fn places(program: &Program, printed: &Printed, explored: &Explored, top: NodeId) -> Claims {
    let mut places = Claims::new();
    for (path, owner, claim, number) in explored.claims() {
        let mut at = top;
        let mut lines = Vec::new();
        for call in path {
            lines.push(printed.calls[&(at, call)]);
            at = program.nodes[at].calls[call].node;
        }
        let place = match claim {
            Claim::OneModeActive => Place::OneModeActive,
            Claim::Range(var) | Claim::ArgumentRange(var) => {
                Place::Range(range_name(&program.nodes[owner].vars[var]))
            }
            _ => Place::Line(printed.claims[&(owner, claim)]),
        };
        places.insert((lines, place), (owner, claim, number));
    }
    places
}

/// The lines of the calls that a name begins with, as `n[l3c5].m[l9c2].`, and the rest.
fn split(name: &str) -> (Vec<usize>, &str) {
    let mut lines = Vec::new();
    let mut rest = name;
    while let Some((line, after)) = call(rest) {
        lines.push(line);
        rest = after;
    }
    (lines, rest)
}

fn call(name: &str) -> Option<(usize, &str)> {
    let (callee, after) = name.split_once("[l")?;
    if !callee.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let (place, rest) = after.split_once(']')?;
    let (line, _) = place.split_once('c')?;
    Some((line.parse().ok()?, rest.strip_prefix('.')?))
}

/// Writes a program, has it checked, and compares.
pub fn check(
    binary: &Path,
    oracle: &mut Oracle,
    model: &Path,
    mix: &Mix,
    timeout: u32,
) -> std::io::Result<Compared> {
    let output = std::process::Command::new(binary)
        .args(["--json", "--timeout", &timeout.to_string()])
        .args(mix.flags)
        .arg(model)
        .output()?;
    let document = String::from_utf8_lossy(&output.stdout);
    let exit = output.status.code().unwrap_or(-1);
    let mut compared = oracle.compare(mix, exit, &document);
    let errors = String::from_utf8_lossy(&output.stderr);
    if !errors.trim().is_empty() {
        compared.wrong.push(errors.trim().to_owned());
    }
    Ok(compared)
}
