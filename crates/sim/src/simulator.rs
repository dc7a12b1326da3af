//! Steps of a run: what is computed when, and what is kept.

use std::collections::{BTreeSet, HashMap, HashSet};

use lang::{
    CallId, ChoiceId, ConstId, Expr, ExprKind, InstancePath, Node, NodeId, PathStep, Program, Type,
    Value, VarId,
};

use crate::effort::{Effort, limit_instances, with_stack};
use crate::error::{SimError, internal};
use crate::instance::{At, Instance, InstanceId, Past};
use crate::trace::{InstanceTrace, Trace};
use crate::unknown::{Undefined, Unknowns};

/// How often a value is tried for streams that are chosen by their own value.
const MAX_GUESSES: usize = 100;

/// Where a choice is to be made.
#[derive(Clone, Debug)]
pub struct ChoiceSite {
    pub path: InstancePath,
    pub node: NodeId,
    pub choice: ChoiceId,
    /// Within an array definition: for which element.
    pub indices: Vec<usize>,
    pub step: usize,
}

/// Makes choices; `None` leaves one to the default.
pub trait Oracle {
    fn choose(&mut self, site: &ChoiceSite) -> Option<Value>;

    /// The value of a type that an operation has outside of its domain. It is asked for
    /// once in a run. `name` is the operation as it is written.
    fn unknown(
        &mut self,
        undefined: &Undefined,
        name: &str,
        ty: &Type,
    ) -> Result<Option<Value>, SimError>;
}

/// Leaves every choice to the default.
pub struct NoChoices;

impl Oracle for NoChoices {
    fn choose(&mut self, _: &ChoiceSite) -> Option<Value> {
        None
    }

    fn unknown(&mut self, _: &Undefined, _: &str, _: &Type) -> Result<Option<Value>, SimError> {
        Ok(None)
    }
}

/// Runs one node of a program.
pub struct Simulator<'p> {
    pub(crate) program: &'p Program,
    pub(crate) instances: Vec<Instance>,
    /// Values of constants, free ones included.
    pub(crate) consts: Vec<Option<Value>>,
    pub(crate) step: usize,
    pub(crate) effort: Effort,
    /// How many past ticks an instance must remember.
    depth: usize,
    /// Choices and free constants that took their default.
    defaulted: BTreeSet<String>,
    pub(crate) unknowns: Unknowns,
}

pub(crate) const TOP: InstanceId = InstanceId(0);

impl<'p> Simulator<'p> {
    /// Starts a run of a node. Free constants that are not given take their
    /// default.
    pub fn new(program: &'p Program, top: NodeId, consts: HashMap<ConstId, Value>) -> Self {
        let mut values = vec![None; program.consts.len()];
        for (id, value) in consts {
            values[id.index()] = Some(value);
        }
        Simulator {
            program,
            instances: vec![Instance::new(top, program.node(top), None, 0)],
            consts: values,
            step: 0,
            effort: Effort::default(),
            depth: deepest_pre(program, top) + 1,
            defaulted: BTreeSet::new(),
            unknowns: Unknowns::default(),
        }
    }

    /// Runs one step with the values of the inputs in the order of their
    /// declaration.
    pub fn step(&mut self, inputs: &[Value], oracle: &mut dyn Oracle) -> Result<(), SimError> {
        self.effort = Effort::default();
        with_stack(|| self.solve(inputs, oracle))
    }

    /// Computes the step, anew as long as streams that are chosen by their own
    /// value have another one than was assumed.
    fn solve(&mut self, inputs: &[Value], oracle: &mut dyn Oracle) -> Result<(), SimError> {
        for _ in 0..MAX_GUESSES {
            self.compute(inputs, oracle)?;
            if self.guesses_hold(oracle)? {
                self.commit(TOP)?;
                self.step += 1;
                return Ok(());
            }
        }
        let instances = self.instances.iter();
        let stream = instances
            .flat_map(|i| i.guesses.keys().map(move |id| (i.node, *id)))
            .map(|(node, id)| self.program.node(node).var(id).name.to_string())
            .next();
        Err(SimError::NoSolution {
            stream: stream.unwrap_or_default(),
        })
    }

    /// Computes every stream of every active instance.
    fn compute(&mut self, inputs: &[Value], oracle: &mut dyn Oracle) -> Result<(), SimError> {
        let program = self.program;
        for instance in &mut self.instances {
            instance.clear_present(program.node(instance.node));
        }
        let top = &mut self.instances[TOP.0];
        top.present.active = true;
        let node = program.node(top.node);
        if inputs.len() != node.inputs.len() {
            return internal("wrong number of inputs");
        }
        for (id, value) in node.inputs.iter().zip(inputs) {
            top.present.values[id.index()] = Some(value.clone());
        }
        for (id, value) in node.inputs.iter().zip(inputs) {
            let var = node.var(*id);
            self.check_size(value, &var.ty, var.name.as_str(), oracle)?;
        }
        self.force(TOP, oracle)
    }

    fn force(&mut self, id: InstanceId, oracle: &mut dyn Oracle) -> Result<(), SimError> {
        let node = self.node_of(id);
        for var in node.var_ids() {
            self.cursor(id, oracle).present(var)?;
        }
        for call in node.live_calls() {
            for indices in self.index_tuples(id, call, oracle)? {
                if self.cursor(id, oracle).call_active(call, &indices)? {
                    let child = self.instances[id.0].children[&(call, indices)];
                    self.force(child, oracle)?;
                    continue;
                }
                // Outputs that are held may be asked for at later steps.
                for output in 0..node.call(call).output_types.len() {
                    let mut cursor = self.cursor(id, oracle);
                    cursor.call_output(call, &indices, output)?;
                }
            }
        }
        Ok(())
    }

    /// An array input is as large as its type says, which may depend on other
    /// inputs.
    fn check_size(
        &mut self,
        value: &Value,
        ty: &Type,
        input: &str,
        oracle: &mut dyn Oracle,
    ) -> Result<(), SimError> {
        let (Value::Array(values), Type::Array(array)) = (value, ty) else {
            return Ok(());
        };
        let expected = self.cursor(TOP, oracle).size(&array.size)?;
        if values.len() != expected {
            return Err(SimError::WrongSize {
                input: input.to_owned(),
                expected,
                found: values.len(),
            });
        }
        let mut values = values.iter();
        values.try_for_each(|value| self.check_size(value, &array.element, input, oracle))
    }

    /// Every combination of the indices that a call depends on.
    fn index_tuples(
        &mut self,
        id: InstanceId,
        call: CallId,
        oracle: &mut dyn Oracle,
    ) -> Result<Vec<Vec<usize>>, SimError> {
        let node = self.node_of(id);
        let mut tuples = vec![Vec::new()];
        for bound in &node.call(call).indices {
            let lang::BoundKind::Index(size) = &node.bound(*bound).kind else {
                return internal("a call depends on a quantified variable");
            };
            let size = self.cursor(id, oracle).size(size)?;
            self.effort.spend(tuples.len().saturating_mul(size))?;
            tuples = tuples
                .into_iter()
                .flat_map(|tuple| {
                    (0..size).map(move |at| {
                        let mut longer: Vec<usize> = tuple.clone();
                        longer.push(at);
                        longer
                    })
                })
                .collect();
        }
        Ok(tuples)
    }

    /// Do the streams that are chosen by their own value have the values that
    /// were assumed? If not, others are assumed.
    fn guesses_hold(&mut self, oracle: &mut dyn Oracle) -> Result<bool, SimError> {
        let mut hold = true;
        for at in 0..self.instances.len() {
            let instance = &self.instances[at];
            if !instance.present.active {
                continue;
            }
            let node = self.program.node(instance.node);
            for var in node.var_ids().filter(|id| node.var(*id).looped.is_some()) {
                let Some(def) = &node.var(var).def else {
                    continue;
                };
                let given = self.instances[at].present.values[var.index()].clone();
                let fixed = !self.instances[at].guesses.contains_key(&var);
                let computed = self.cursor(InstanceId(at), oracle).eval(&def.expr)?;
                let Some(given) = given.filter(|given| *given != computed) else {
                    continue;
                };
                if fixed {
                    return Err(SimError::Inconsistent {
                        stream: node.var(var).name.to_string(),
                        given: given.into(),
                        computed: computed.into(),
                    });
                }
                self.instances[at].guesses.insert(var, computed);
                hold = false;
            }
        }
        Ok(hold)
    }

    /// Ends the step: the present becomes the past.
    fn commit(&mut self, id: InstanceId) -> Result<(), SimError> {
        let mut children: Vec<_> = self.instances[id.0].children.clone().into_iter().collect();
        children.sort_by(|a, b| a.0.cmp(&b.0));
        let depth = self.depth;
        if self.instances[id.0].present.active {
            let calls = self.past_calls(id)?;
            let instance = &mut self.instances[id.0];
            let present = std::mem::take(&mut instance.present);
            let restarted = present.restarted;
            if restarted {
                instance.forget();
            }
            let Some(values) = present.values.into_iter().collect::<Option<Vec<Value>>>() else {
                return internal("a stream was not computed");
            };
            instance.recorded.push(Some(values.clone()));
            instance.first_choices.extend(present.first_choices);
            instance.history.push_front(Past {
                step: self.step,
                values,
                calls,
                choices: present.choices,
            });
            instance.history.truncate(depth);
            instance.age += 1;
            for (_, child) in &children {
                if restarted && !self.instances[child.0].present.active {
                    self.forget_all(*child);
                }
            }
        } else {
            self.instances[id.0].recorded.push(None);
        }
        for (_, child) in children {
            self.commit(child)?;
        }
        Ok(())
    }

    fn forget_all(&mut self, id: InstanceId) {
        self.instances[id.0].forget();
        let children: Vec<InstanceId> = self.instances[id.0].children.values().copied().collect();
        for child in children {
            self.forget_all(child);
        }
    }

    /// The outputs of all calls at this tick.
    fn past_calls(&mut self, id: InstanceId) -> Result<HashMap<At<CallId>, Vec<Value>>, SimError> {
        let node = self.node_of(id);
        let mut all = HashMap::new();
        let calls: Vec<_> = self.instances[id.0].present.calls.keys().cloned().collect();
        for (call, indices) in calls {
            let count = self.program.node(node.call(call).node).outputs.len();
            let mut outputs = Vec::with_capacity(count);
            for at in 0..count {
                let oracle = &mut NoChoices;
                let mut cursor = self.cursor(id, oracle);
                outputs.push(cursor.call_output(call, &indices, at)?);
            }
            all.insert((call, indices), outputs);
        }
        Ok(all)
    }

    pub(crate) fn node_of(&self, id: InstanceId) -> &'p Node {
        self.program.node(self.instances[id.0].node)
    }

    /// The path from the top node to an instance.
    pub(crate) fn path(&self, id: InstanceId) -> InstancePath {
        let mut path = Vec::new();
        let mut at = id;
        while let Some((parent, step)) = &self.instances[at.0].parent {
            path.push(step.clone());
            at = *parent;
        }
        path.reverse();
        path
    }

    pub(crate) fn note_default(&mut self, what: String) {
        self.defaulted.insert(what);
    }

    /// The choices and free constants that took their default value.
    pub fn defaulted(&self) -> impl Iterator<Item = &str> {
        self.defaulted.iter().map(String::as_str)
    }

    /// How many steps were run.
    pub fn steps(&self) -> usize {
        self.step
    }

    /// The value of a stream of the top node at the last step.
    pub fn last(&self, var: VarId) -> Option<&Value> {
        self.instances[TOP.0]
            .history
            .front()?
            .values
            .get(var.index())
    }

    /// The value of an expression of the top node at the last step, for
    /// properties and contracts.
    pub fn eval_last(&mut self, expr: &Expr, oracle: &mut dyn Oracle) -> Result<Value, SimError> {
        self.effort = Effort::default();
        self.eval_before(TOP, expr, oracle)
    }

    /// As [`Simulator::eval_last`], for the instance at the end of a path;
    /// `None` if it did not tick at the last step.
    pub fn eval_at(
        &mut self,
        path: &[PathStep],
        expr: &Expr,
        oracle: &mut dyn Oracle,
    ) -> Result<Option<Value>, SimError> {
        self.effort = Effort::default();
        match self.find(path) {
            Some(id) if self.ticked(id) => self.eval_before(id, expr, oracle).map(Some),
            _ => Ok(None),
        }
    }

    /// The value of an expression at the last tick of an instance, which is over.
    fn eval_before(
        &mut self,
        id: InstanceId,
        expr: &Expr,
        oracle: &mut dyn Oracle,
    ) -> Result<Value, SimError> {
        with_stack(|| {
            let mut cursor = self.cursor(id, oracle);
            cursor.back = 1;
            cursor.eval(expr)
        })
    }

    /// The value of a stream of an instance at the last step, if it ticked.
    pub fn value_at(&self, path: &[PathStep], var: VarId) -> Option<&Value> {
        let id = self.find(path).filter(|id| self.ticked(*id))?;
        let past = self.instances[id.0].history.front()?;
        past.values.get(var.index())
    }

    /// Was the last step the first of the instance, or the first since a
    /// restart?
    pub fn has_just_started(&self, path: &[PathStep]) -> bool {
        let found = self.find(path).filter(|id| self.ticked(*id));
        found.is_some_and(|id| self.instances[id.0].age == 1)
    }

    /// Every instance that ticked at the last step.
    pub fn active(&self) -> Vec<(InstancePath, NodeId)> {
        let ids = (0..self.instances.len()).map(InstanceId);
        ids.filter(|id| self.ticked(*id))
            .map(|id| (self.path(id), self.instances[id.0].node))
            .collect()
    }

    fn find(&self, path: &[PathStep]) -> Option<InstanceId> {
        path.iter().try_fold(TOP, |id, step| {
            let key = (step.call, step.indices.clone());
            self.instances[id.0].children.get(&key).copied()
        })
    }

    fn ticked(&self, id: InstanceId) -> bool {
        matches!(self.instances[id.0].recorded.last(), Some(Some(_)))
    }

    /// All that was computed.
    pub fn trace(&self) -> Trace {
        Trace {
            top: self.instance_trace(TOP),
            steps: self.step,
            unknowns: self.unknowns.all.clone(),
        }
    }

    fn instance_trace(&self, id: InstanceId) -> InstanceTrace {
        let instance = &self.instances[id.0];
        let mut children: Vec<_> = instance.children.iter().collect();
        children.sort();
        InstanceTrace {
            node: instance.node,
            call: instance.parent.as_ref().map(|(_, step)| step.clone()),
            steps: instance.recorded.clone(),
            children: children
                .into_iter()
                .map(|(_, child)| self.instance_trace(*child))
                .collect(),
        }
    }

    /// The instance that a call ticks, made when it is first needed.
    pub(crate) fn child(
        &mut self,
        id: InstanceId,
        call: CallId,
        indices: &[usize],
    ) -> Result<InstanceId, SimError> {
        let key = (call, indices.to_vec());
        if let Some(child) = self.instances[id.0].children.get(&key) {
            return Ok(*child);
        }
        limit_instances(self.instances.len())?;
        let node = self.node_of(id).call(call).node;
        let step = PathStep {
            call,
            indices: indices.to_vec(),
        };
        let child = InstanceId(self.instances.len());
        self.instances.push(Instance::new(
            node,
            self.program.node(node),
            Some((id, step)),
            self.step,
        ));
        self.instances[id.0].children.insert(key, child);
        Ok(child)
    }
}

impl PartialOrd for InstanceId {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for InstanceId {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

/// How deep `pre` nests in a node and those below it.
fn deepest_pre(program: &Program, top: NodeId) -> usize {
    let mut seen = HashSet::from([top]);
    let mut open = vec![top];
    let mut deepest = 0;
    while let Some(id) = open.pop() {
        let node = program.node(id);
        deepest = deepest.max(pre_depth(node));
        let called = node.live_calls().map(|call| node.call(call).node);
        open.extend(called.filter(|id| seen.insert(*id)));
    }
    deepest
}

/// How deep `pre` nests in a node.
fn pre_depth(node: &Node) -> usize {
    fn depth(expr: &Expr) -> usize {
        let mut deepest = 0;
        expr.for_each_part(|part| deepest = deepest.max(depth(part)));
        deepest + usize::from(matches!(expr.kind, ExprKind::Pre(..)))
    }
    let defs = node.vars.iter().filter_map(|var| var.def.as_ref());
    let defs = defs.map(|def| &def.expr);
    let calls = node.calls.iter().flat_map(|call| {
        let clocks = call.clock.iter().chain(&call.restart);
        call.args
            .iter()
            .chain(clocks)
            .chain(call.defaults.iter().flatten())
    });
    let properties = node.properties.iter().map(|property| &property.expr);
    let asserts = node.asserts.iter().map(|assertion| &assertion.expr);
    let contract = node.contract.iter().flat_map(|contract| {
        let modes = contract.modes.iter();
        let clauses = contract.assumptions.iter().chain(&contract.guarantees);
        clauses
            .chain(modes.flat_map(|mode| mode.requires.iter().chain(&mode.ensures)))
            .map(|clause| &clause.expr)
    });
    let all = defs.chain(calls).chain(properties).chain(asserts);
    all.chain(contract).map(depth).max().unwrap_or(0) + 1
}
