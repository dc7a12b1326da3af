//! The text of a certificate.

use std::fmt::Write;

use smt::smtlib::{self, Theories, functions, symbol};
use system::{ElementKind, Function, Sort, System, Term, Var};

use super::{Certificate, certified};
use crate::names::{At, Names};

/// What has to be unsatisfiable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Query {
    Base,
    Step,
    Subsumption,
}

impl Query {
    pub const ALL: [Query; 3] = [Query::Base, Query::Step, Query::Subsumption];

    pub fn name(self) -> &'static str {
        match self {
            Query::Base => "base case",
            Query::Step => "inductive step",
            Query::Subsumption => "property subsumption",
        }
    }
}

/// A certificate as text.
pub struct Script {
    /// What solvers are told before all else.
    pub prelude: String,
    /// What is said in comments and about the script itself.
    pub(crate) head: String,
    pub(crate) definitions: String,
    /// What is asked, with what is said before.
    pub(crate) queries: Vec<(Query, String, String)>,
}

impl Script {
    /// The whole certificate, without its prelude.
    pub fn certificate(&self) -> String {
        let mut text = format!("{}\n{}", self.head, self.definitions);
        for (_, announced, asserted) in &self.queries {
            let _ = write!(
                text,
                "\n(echo \"{announced}\")\n(push 1)\n{asserted}(check-sat)\n(pop 1)\n"
            );
        }
        text.push_str("\n(exit)\n");
        text
    }

    /// Definitions and the assertions of one query, without any commands.
    pub fn query(&self, query: Query) -> String {
        let asserted = self.queries.iter().find(|(which, _, _)| *which == query);
        let asserted = asserted.map_or("", |(_, _, asserted)| asserted);
        format!("{}{}\n{asserted}", self.prelude, self.definitions)
    }
}

/// Did Kindred write this script?
pub fn is_certificate(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    first.starts_with(FIRST_WORDS) && first.ends_with(LAST_WORDS)
}

/// The first line of a script.
pub(crate) fn first_line(of: &str) -> String {
    format!("{FIRST_WORDS} {of}, {LAST_WORDS}\n")
}

const FIRST_WORDS: &str = "; A certificate that";
const LAST_WORDS: &str = "written by Kindred.";

/// The checker: it gives the certificate to a solver, and fails unless all answers
/// are `unsat`.
pub fn checker(name: &str) -> String {
    CHECKER.replace("CERTIFICATE", name)
}

const CHECKER: &str = r#"#!/bin/sh
# Checks this certificate with a solver: a name on the path, or a path.
#   ./CERTIFICATE_checker z3
#   ./CERTIFICATE_checker cvc5
folder=$(dirname "$0")
solver=${1:-z3}
case $(basename "$solver") in
  z3*) set -- -smt2 -in ;;
  cvc5* | cvc4*) set -- --lang smt2 --incremental ;;
  yices*) set -- --incremental ;;
  *) set -- ;;
esac
answers=$(cat "$folder/CERTIFICATE_prelude.smt2" "$folder/CERTIFICATE.smt2" | "$solver" "$@" 2>&1 | sed 's/^"\(.*\)"$/\1/')
printf '%s\n' "$answers"
test "$(printf '%s\n' "$answers" | grep -c '^unsat$')" = 3 &&
  test "$(printf '%s\n' "$answers" | grep -vc '^unsat$\|^Checking ')" = 0
"#;

/// Functions of the script.
const STEP: &str = "step";
const INIT: &str = "init";
const TRANS: &str = "trans";
const PROP: &str = "prop";
pub(super) const PHI: &str = "phi";

impl Certificate<'_> {
    pub fn script(&self) -> Script {
        let writer = Writer {
            certificate: self,
            system: &self.system,
            names: Names::of(&self.system),
        };
        Script {
            prelude: writer.prelude(),
            head: writer.head(),
            definitions: writer.definitions(),
            queries: writer.queries(),
        }
    }
}

struct Writer<'w> {
    certificate: &'w Certificate<'w>,
    system: &'w System,
    names: Names,
}

/// A conjunct, and the comment that says where it comes from.
type Conjunct = (String, String);

impl Writer<'_> {
    fn prelude(&self) -> String {
        let mut theories = Theories::of_system(self.system);
        let invariant = self.certificate.invariant.iter();
        invariant.for_each(|term| theories.add(term));
        prelude(Some(&theories))
    }

    fn head(&self) -> String {
        let subject = &self.certificate.subject;
        let mut text = first_line(&format!("the properties of `{}` hold", subject.node));
        let _ = write!(
            text,
            ";\n\
             ; A run is a sequence of steps: `step` holds of each of them, `init` of the first,\n\
             ; and `trans` of one and the next. `prop` are the properties, and `phi` is an\n\
             ; invariant that implies them and is {}-inductive. All are functions of the values\n\
             ; of the streams of the model, of its memory and of what it leaves open.\n",
            self.certificate.k
        );
        for name in &subject.abstracted {
            let _ = writeln!(
                text,
                "; `{name}` is known by its contract only: this rests on a proof that its body \
                 respects it."
            );
        }
        let info = |text: &str| text.replace('"', "'");
        let _ = write!(
            text,
            "\n(set-info :kindred-node \"{}\")\n(set-info :kindred-abstract \"{}\")\n\
             (set-info :kindred-k {})\n",
            info(&subject.node),
            info(&subject.abstracted.join(" ")),
            self.certificate.k
        );
        text
    }

    fn vars(&self) -> impl Iterator<Item = (Var, &Sort)> {
        let vars = self.system.vars.iter().enumerate();
        let vars = vars.map(|(at, var)| (Var(at as u32), &var.sort));
        vars.filter(|(var, _)| !self.names.is_constant(*var))
    }

    fn text(&self, term: &Term) -> String {
        term_now(&self.names, term)
    }

    fn definitions(&self) -> String {
        let mut text = String::from("; What is the same at all steps.\n");
        text += &self.declarations();
        text += "\n; What the model says of each step.\n";
        text += &self.function(STEP, &[At::Now], self.step());
        text += "\n; The first step of a run.\n";
        text += &self.function(INIT, &[At::Now], self.init());
        text += "\n; A step and the next.\n";
        text += &self.function(TRANS, &[At::Now, At::Next], self.trans());
        text += "\n; The properties.\n";
        text += &self.function(PROP, &[At::Now], self.prop());
        text += "\n; The invariant.\n";
        text += &self.function(PHI, &[At::Now], self.phi());
        text += "\n; The steps of a path.\n";
        for step in 0..=self.certificate.k {
            for (var, sort) in self.vars() {
                let name = self.names.at(var, At::Step(step));
                let _ = writeln!(text, "{}", smtlib::declaration(&name, &[], sort));
            }
        }
        text
    }

    fn declarations(&self) -> String {
        let mut text = declared_functions(self.system);
        for (at, var) in self.system.vars.iter().enumerate() {
            let at = Var(at as u32);
            if self.names.is_constant(at) {
                let name = self.names.at(at, At::Now);
                let _ = writeln!(text, "{}", smtlib::declaration(&name, &[], &var.sort));
            }
        }
        text
    }

    fn function(&self, name: &str, at: &[At], conjuncts: Vec<Conjunct>) -> String {
        let params = at.iter().flat_map(|at| {
            let vars = self.vars();
            vars.map(|(var, of)| format!("({} {})", self.names.at(var, *at), smtlib::sort(of)))
        });
        let params: Vec<String> = params.collect();
        let mut text = format!("(define-fun {name} ({}) Bool (and true\n", params.join(" "));
        for (conjunct, comment) in &conjuncts {
            if !comment.is_empty() {
                let _ = writeln!(text, "  ; {}", comment.replace(char::is_control, " "));
            }
            let _ = writeln!(text, "  {conjunct}");
        }
        if conjuncts.is_empty() {
            text += "  true\n";
        }
        text + "))\n"
    }

    /// A function of the script, applied at steps.
    fn applied(&self, name: &str, at: &[At]) -> String {
        let args = at.iter().flat_map(|at| {
            let vars = self.vars();
            vars.map(|(var, _)| self.names.at(var, *at))
        });
        let args: Vec<String> = args.collect();
        match args.is_empty() {
            true => name.to_owned(),
            false => format!("({name} {})", args.join(" ")),
        }
    }

    fn step(&self) -> Vec<Conjunct> {
        let mut all = Vec::new();
        for (at, var) in self.system.vars.iter().enumerate() {
            let Some(definition) = &var.def else {
                continue;
            };
            let name = self.names.at(Var(at as u32), At::Now);
            let value = self.text(&definition.term);
            let comment = self.origin(Some(definition.element));
            all.push((format!("(= {name} {value})"), comment));
        }
        for constraint in &self.system.constraints {
            let comment = self.origin(constraint.element);
            all.push((self.text(&constraint.term), comment));
        }
        all
    }

    /// The part of the model that something comes from.
    fn origin(&self, element: Option<system::ElementId>) -> String {
        let Some(element) = element else {
            return "the values of a type".to_owned();
        };
        let element = self.system.element(element);
        let kind = match element.kind {
            ElementKind::Equation => "equation",
            ElementKind::Fault => "fault",
            ElementKind::Call => "call of",
            ElementKind::Binding => "argument",
            ElementKind::Assumption => "assumption",
            ElementKind::Guarantee => "guarantee",
            ElementKind::Require => "require",
            ElementKind::Ensure => "ensure",
            ElementKind::Assertion => "assertion",
            ElementKind::Ghost => "contract variable",
        };
        let sources = self.certificate.sources;
        let place = sources.position(element.span);
        let file = &sources.file(element.span.file).name;
        format!(
            "{kind} {} in {}, {file}:{}:{}",
            element.name, element.node, place.line, place.column
        )
    }

    fn init(&self) -> Vec<Conjunct> {
        let mut all = Vec::new();
        for (var, declared) in self.system.state_vars() {
            if let Some(init) = &declared.init {
                let name = self.names.at(var, At::Now);
                all.push((format!("(= {name} {})", self.text(init)), String::new()));
            }
        }
        all
    }

    fn trans(&self) -> Vec<Conjunct> {
        let mut all = Vec::new();
        for (var, declared) in self.system.state_vars() {
            if let Some(next) = &declared.next {
                let name = self.names.at(var, At::Next);
                all.push((format!("(= {name} {})", self.text(next)), String::new()));
            }
        }
        all
    }

    fn prop(&self) -> Vec<Conjunct> {
        let properties = certified(self.system).into_iter();
        let properties = properties.map(|at| &self.system.properties[at]);
        let named = properties.map(|p| (self.text(&p.term), format!("property {}", p.name)));
        named.collect()
    }

    fn phi(&self) -> Vec<Conjunct> {
        let conjuncts = self.certificate.invariant.iter();
        let conjuncts = conjuncts.map(|term| (self.text(term), String::new()));
        conjuncts.collect()
    }

    fn queries(&self) -> Vec<(Query, String, String)> {
        let k = self.certificate.k;
        let all = Query::ALL.into_iter();
        let all = all.map(|query| match query {
            Query::Base => (query, "Checking base case".to_owned(), self.base()),
            Query::Step => (
                query,
                format!("Checking {k}-inductive case"),
                self.inductive(),
            ),
            Query::Subsumption => (
                query,
                "Checking property subsumption".to_owned(),
                self.subsumption(),
            ),
        });
        all.collect()
    }

    fn at(&self, name: &str, steps: &[usize]) -> String {
        let steps: Vec<At> = steps.iter().map(|step| At::Step(*step)).collect();
        self.applied(name, &steps)
    }

    /// A run need not have k steps: each of the first k is reached on its own.
    fn base(&self) -> String {
        let k = self.certificate.k;
        let mut violated = format!("(not {})", self.at(PHI, &[k - 1]));
        for step in (1..k).rev() {
            let here = self.at(PHI, &[step - 1]);
            let reached = self.at(TRANS, &[step - 1, step]);
            let next = self.at(STEP, &[step]);
            violated = format!("(or (not {here}) (and\n  {reached}\n  {next}\n  {violated}))");
        }
        let (init, step) = (self.at(INIT, &[0]), self.at(STEP, &[0]));
        format!("(assert {init})\n(assert {step})\n(assert {violated})\n")
    }

    fn inductive(&self) -> String {
        let k = self.certificate.k;
        let mut all = Vec::new();
        for step in 0..k {
            all.push(self.at(STEP, &[step]));
            all.push(self.at(PHI, &[step]));
            all.push(self.at(TRANS, &[step, step + 1]));
        }
        all.push(self.at(STEP, &[k]));
        all.push(format!("(not {})", self.at(PHI, &[k])));
        let asserted = all.iter().map(|term| format!("(assert {term})\n"));
        asserted.collect()
    }

    fn subsumption(&self) -> String {
        format!(
            "(assert {})\n(assert (not {}))\n",
            self.at(PHI, &[0]),
            self.at(PROP, &[0])
        )
    }
}

/// What solvers are told first: which logic it is, if that is known.
pub(crate) fn prelude(theories: Option<&Theories>) -> String {
    // Not all solvers have a name for what else there is.
    let plain = |t: &&Theories| !t.lambdas && !t.constant_arrays && !t.conversions;
    let logic = theories.filter(plain).map(Theories::logic);
    let logic = logic.unwrap_or_else(|| "ALL".to_owned());
    format!("(set-option :print-success false)\n(set-logic {logic})\n")
}

pub(crate) fn function_name(function: &Function) -> String {
    symbol(&format!("{}@fun", function.name))
}

/// All that is written of a system.
pub(crate) fn terms_of(system: &System) -> impl Iterator<Item = &Term> {
    let vars = system.vars.iter().flat_map(|var| {
        let definition = var.def.as_ref().map(|definition| &definition.term);
        var.init.iter().chain(&var.next).chain(definition)
    });
    let constraints = system.constraints.iter().map(|c| &c.term);
    let properties = system.properties.iter().map(|p| &p.term);
    vars.chain(constraints).chain(properties)
}

/// Declarations of the functions without a body, by their names.
pub(crate) fn declared_functions(system: &System) -> String {
    let mut all: Vec<Function> = Vec::new();
    for function in terms_of(system).flat_map(functions) {
        if !all.contains(&function) {
            all.push(function);
        }
    }
    all.sort_by_key(|function| function.name.to_string());
    let mut text = String::new();
    for function in all {
        let name = function_name(&function);
        let line = smtlib::declaration(&name, &function.args, &function.result);
        let _ = writeln!(text, "{line}");
    }
    text
}

/// A term over the values of a step.
pub(crate) fn term_now(names: &Names, term: &Term) -> String {
    let var = |var: Var| names.at(var, At::Now);
    let function = |function: &Function| function_name(function);
    let names = smtlib::Names {
        var: &var,
        function: &function,
    };
    smtlib::term(term, names)
}
