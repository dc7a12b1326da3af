//! The models in `examples/`: all are accepted, their inputs can be run, and
//! their properties hold or fail as the comment behind each of them says.
//!
//! Behind a property, a guarantee or an ensured condition stands `-- holds`,
//! `-- fails`, `-- reachable` or `-- unreachable`. Two tests look at these marks:
//! one compares them with the verdicts; the other asks no solver and runs the
//! models, with their input files and at random.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::{files, kindred, read, repository};
use lang::{
    CheckOptions, Clause, Expr, Node, NodeId, Program, PropertyKind, Type, Value, VarClass, ops,
};
use num_bigint::BigInt;
use num_rational::BigRational;
use sim::input::{Format, InputOracle, Inputs};
use sim::{ChoiceSite, Oracle, SimError, Simulator, Undefined};
use syntax::{SourceMap, Span};

fn examples() -> Vec<PathBuf> {
    files(&repository().join("examples"), "lus")
}

/// The path within the repository, as a user would type it.
fn shown(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str());
    format!("examples/{}", name.unwrap_or_default())
}

#[test]
fn every_example_is_accepted() {
    assert!(examples().len() >= 10);
    for path in examples() {
        let run = kindred(&repository(), &["--only_parse", "true", &shown(&path)], "");
        assert_eq!(run.exit, 0, "{}", run.stdout);
        // Only the example about warnings has warnings.
        let warned = run.stdout.contains("warning");
        assert_eq!(warned, path.ends_with("undefined.lus"), "{}", run.stdout);
    }
}

#[test]
fn every_input_can_be_run() {
    let mut count = 0;
    for extension in ["json", "csv"] {
        for input in files(&repository().join("examples"), extension) {
            let model = shown(&input.with_extension("lus"));
            let run = kindred(
                &repository(),
                &[
                    "--enable",
                    "interpreter",
                    "--interpreter_input_file",
                    &shown(&input),
                    &model,
                ],
                "",
            );
            assert_eq!(run.exit, 0, "{model}: {}", run.stdout);
            count += 1;
        }
    }
    assert!(count >= 8);
}

/// The command of the README: whatever engines there are, it is no error.
#[test]
fn an_example_can_be_analysed() {
    let run = kindred(&repository(), &["examples/gray_counter.lus"], "");
    assert!([0, 30, 40].contains(&run.exit), "{}", run.stdout);
}

#[test]
fn verdicts_are_as_the_comments_say() {
    let mut decided = 0;
    for path in examples() {
        let marks = Example::read(&path).marks();
        let run = kindred(
            &repository(),
            &["-json", "--timeout", "5", &shown(&path)],
            "",
        );
        let results: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        for result in results.as_array().into_iter().flatten() {
            let place = (result["line"].as_u64(), result["column"].as_u64());
            let verdict = result["answer"]["value"].as_str();
            let (Some(mark), Some(verdict)) = (marks.get(&place), verdict) else {
                continue;
            };
            let expected = match *mark {
                "holds" => "valid",
                "fails" => "falsifiable",
                other => other,
            };
            if verdict != "unknown" {
                assert_eq!(verdict, expected, "{}: {}", shown(&path), result["name"]);
                decided += 1;
            }
        }
    }
    assert!(decided > 50, "only {decided} properties were decided");
}

#[test]
fn runs_are_as_the_comments_say() {
    for path in examples() {
        let example = Example::read(&path);
        for id in example.program.node_ids() {
            if example.can_be_tried(id) {
                // As the program does it: one large stack for all steps.
                stacker::grow(syntax::STACK_SIZE, || example.try_node(id));
            }
        }
    }
}

struct Example {
    path: PathBuf,
    program: Program,
    sources: SourceMap,
}

/// A property that is checked during a run.
struct Watched<'p> {
    expected: &'static str,
    span: Span,
    guard: Vec<&'p Expr>,
    expr: &'p Expr,
    /// For reachability: the first and last step that count.
    steps: (usize, usize),
    reachability: bool,
}

const RUNS: u64 = 500;
const STEPS: usize = 25;

impl Example {
    fn read(path: &Path) -> Example {
        let loaded = syntax::load(&shown(path), path, read(path), &[]);
        assert!(loaded.errors.is_empty(), "{}", path.display());
        let checked = lang::check(&loaded.program, &CheckOptions::default());
        Example {
            path: path.to_owned(),
            program: checked.program.expect("the example is accepted"),
            sources: loaded.sources,
        }
    }

    /// Random values know nothing of the contracts of imported nodes, nor of
    /// sizes that are inputs.
    fn can_be_tried(&self, id: NodeId) -> bool {
        let node = self.program.node(id);
        let sized = node
            .vars
            .iter()
            .any(|var| var.class == VarClass::Input { is_const: true });
        let constrained = node.calls.iter().any(|call| {
            let callee = self.program.node(call.node);
            !callee.has_body && callee.contract.is_some()
        });
        node.has_body && !sized && !constrained
    }

    fn try_node(&self, id: NodeId) {
        let node = self.program.node(id);
        let watched = self.watched(node);
        let mut seen: BTreeMap<usize, bool> = (0..watched.len()).map(|at| (at, false)).collect();
        if self.program.top_nodes() == [id] {
            self.run_file(id, &watched, &mut seen);
        }
        for run in 0..RUNS {
            let mut random = Random(run);
            self.run_randomly(id, &watched, &mut seen, &mut random);
        }
        for (at, happened) in seen {
            let watched = &watched[at];
            let expected = matches!(watched.expected, "fails" | "reachable");
            let place = self.sources.position(watched.span);
            assert_eq!(
                happened,
                expected,
                "{}:{}: this is said to be `{}`",
                self.path.display(),
                place.line,
                watched.expected
            );
        }
    }

    fn watched<'p>(&self, node: &'p Node) -> Vec<Watched<'p>> {
        let mut all = Vec::new();
        for property in &node.properties {
            let (guard, reachability, steps) = match &property.kind {
                PropertyKind::Invariant => (Vec::new(), false, (0, usize::MAX)),
                PropertyKind::Provided(guard) => (vec![guard], false, (0, usize::MAX)),
                PropertyKind::Reachable { from, within } => {
                    let step = |bound: &Option<u64>, or| bound.map_or(or, |n| n as usize);
                    (Vec::new(), true, (step(from, 0), step(within, usize::MAX)))
                }
            };
            all.push(Watched {
                expected: self.mark(property.span),
                span: property.span,
                guard,
                expr: &property.expr,
                steps,
                reachability,
            });
        }
        let clause = |clause: &'p Clause, guard: Vec<&'p Expr>| Watched {
            expected: self.mark(clause.span),
            span: clause.span,
            guard,
            expr: &clause.expr,
            steps: (0, usize::MAX),
            reachability: false,
        };
        if let Some(contract) = &node.contract {
            all.extend(contract.guarantees.iter().map(|c| clause(c, Vec::new())));
            for mode in &contract.modes {
                let requires: Vec<&Expr> = mode.requires.iter().map(|c| &c.expr).collect();
                all.extend(mode.ensures.iter().map(|c| clause(c, requires.clone())));
            }
        }
        all
    }

    /// The marks of the properties of all nodes, by line and column.
    fn marks(&self) -> BTreeMap<(Option<u64>, Option<u64>), &'static str> {
        let nodes = self.program.nodes.iter().filter(|node| node.has_body);
        let watched = nodes.flat_map(|node| self.watched(node));
        watched
            .map(|watched| {
                let place = self.sources.position(watched.span);
                let place = (Some(place.line as u64), Some(place.column as u64));
                (place, watched.expected)
            })
            .collect()
    }

    /// The word behind a property.
    fn mark(&self, span: Span) -> &'static str {
        let text = &self.sources.file(span.file).text;
        let rest = text[span.end as usize..].lines().next().unwrap_or("");
        let word = rest.rsplit_once("-- ").map_or("", |(_, word)| word.trim());
        let known = ["holds", "fails", "reachable", "unreachable"];
        let place = self.sources.position(span);
        let found = known.into_iter().find(|known| *known == word);
        found.unwrap_or_else(|| panic!("{}:{}: no mark", self.path.display(), place.line))
    }

    fn run_file(&self, id: NodeId, watched: &[Watched], seen: &mut BTreeMap<usize, bool>) {
        for (extension, format) in [("json", Format::Json), ("csv", Format::Csv)] {
            let path = self.path.with_extension(extension);
            if !path.is_file() {
                continue;
            }
            let inputs = Inputs::parse(format, &read(&path), &self.program, id, &self.sources);
            let inputs = inputs.expect("the input fits");
            let mut oracle = InputOracle::new(&inputs, &self.program, id);
            let mut run = Simulator::new(&self.program, id, inputs.consts.clone());
            for (step, values) in inputs.steps.iter().enumerate() {
                run.step(values, &mut oracle).expect("the step is run");
                assert!(self.legal(id, &mut run, &mut oracle), "{}", path.display());
                watch(&mut run, &mut oracle, watched, step, seen);
            }
        }
    }

    fn run_randomly(
        &self,
        id: NodeId,
        watched: &[Watched],
        seen: &mut BTreeMap<usize, bool>,
        random: &mut Random,
    ) {
        let node = self.program.node(id);
        let mut run = Simulator::new(&self.program, id, Default::default());
        let mut inputs: Vec<Value> = Vec::new();
        for step in 0..STEPS {
            let fresh = node.inputs.iter().enumerate().map(|(at, var)| {
                // Inputs that stay the same for a while reach more states.
                match inputs.get(at) {
                    Some(old) if random.below(3) > 0 => old.clone(),
                    _ => random.value(&self.program, &node.var(*var).ty),
                }
            });
            inputs = fresh.collect();
            let mut oracle = RandomChoices {
                program: &self.program,
                random: Random(random.next()),
            };
            run.step(&inputs, &mut oracle).expect("the step is run");
            if !self.legal(id, &mut run, &mut oracle) {
                return;
            }
            watch(&mut run, &mut oracle, watched, step, seen);
        }
    }

    /// Do the assumptions and assertions hold at the last step?
    fn legal(&self, id: NodeId, run: &mut Simulator, oracle: &mut dyn Oracle) -> bool {
        let node = self.program.node(id);
        let assumed = node.contract.iter().flat_map(|c| &c.assumptions);
        let assumed = assumed.map(|clause| &clause.expr);
        let mut all = assumed.chain(node.asserts.iter().map(|assertion| &assertion.expr));
        all.all(|expr| holds(run, expr, oracle))
    }
}

fn holds(run: &mut Simulator, expr: &Expr, oracle: &mut dyn Oracle) -> bool {
    let value = run.eval_last(expr, oracle).expect("the value is computed");
    value == Value::Bool(true)
}

/// Records which properties were violated or reached at the last step.
fn watch(
    run: &mut Simulator,
    oracle: &mut dyn Oracle,
    watched: &[Watched],
    step: usize,
    seen: &mut BTreeMap<usize, bool>,
) {
    for (at, watched) in watched.iter().enumerate() {
        let in_time = watched.steps.0 <= step && step <= watched.steps.1;
        if seen[&at] || !in_time || !watched.guard.iter().all(|g| holds(run, g, oracle)) {
            continue;
        }
        if holds(run, watched.expr, oracle) == watched.reachability {
            seen.insert(at, true);
        }
    }
}

/// Numbers that are the same in every run of the tests (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A value of the type; numbers are small, so that they meet.
    fn value(&mut self, program: &Program, ty: &Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(self.below(2) == 0),
            Type::Int => Value::int(self.below(10) as i64 - 3),
            Type::Range(range) => {
                let low = range.low.clone().unwrap_or_else(|| BigInt::from(-9));
                let high = range.high.clone().unwrap_or_else(|| &low + 9);
                let value = BigInt::from(self.below(10)) + &low;
                Value::Int(value.min(high))
            }
            Type::Real => {
                let halves = BigInt::from(self.below(20) as i64 - 4);
                Value::Real(BigRational::new(halves, 2.into()))
            }
            Type::Machine(machine) => {
                let number = BigInt::from(self.next());
                Value::Machine(*machine, ops::wrap(*machine, &number))
            }
            Type::Enum(id) => {
                let count = program.enumeration(*id).values.len() as u64;
                Value::Enum(*id, self.below(count) as u32)
            }
            Type::Tuple(parts) => {
                Value::Fields(parts.iter().map(|ty| self.value(program, ty)).collect())
            }
            Type::Record(id) => {
                let fields = program.record(*id).fields.iter();
                Value::Fields(fields.map(|(_, ty)| self.value(program, ty)).collect())
            }
            Type::Array(array) => {
                let size = array.size.known().unwrap_or(0);
                let values = (0..size).map(|_| self.value(program, &array.element));
                Value::Array(values.collect())
            }
            Type::Abstract(_) | Type::Unknown => Value::Abstract(self.below(3).into()),
        }
    }
}

struct RandomChoices<'p> {
    program: &'p Program,
    random: Random,
}

impl Oracle for RandomChoices<'_> {
    fn choose(&mut self, site: &ChoiceSite) -> Option<Value> {
        let ty = &self.program.node(site.node).choice(site.choice).ty;
        Some(self.random.value(self.program, ty))
    }

    fn unknown(&mut self, _: &Undefined, _: &str, ty: &Type) -> Result<Option<Value>, SimError> {
        Ok(Some(self.random.value(self.program, ty)))
    }
}
