//! A trace in the shape in which it is shown: blocks of scalar streams.
//!
//! Records and tuples are flattened into streams of their own (`r.f`,
//! `t.%0`), as Kind 2 shows them; an array of records becomes one array for
//! each field.

use lang::{Node, Program, Type, Value, VarClass};
use sim::{InstanceTrace, Trace};
use syntax::{Position, SourceMap, ast::NodeKind};

use crate::modes::{self, Mode};

/// One instance of a node.
#[derive(Clone, Debug)]
pub struct Block {
    pub kind: NodeKind,
    pub name: String,
    /// Where it is called: file and position; `None` for the top node.
    pub site: Option<(String, Position)>,
    pub modes: Vec<Mode>,
    pub streams: Vec<Stream>,
    pub children: Vec<Block>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamClass {
    Input,
    Output,
    Ghost,
    Local,
    /// An operation outside of its domain, such as `7 div 0`.
    Unknown,
}

impl StreamClass {
    pub const ALL: [StreamClass; 5] = [
        StreamClass::Input,
        StreamClass::Output,
        StreamClass::Ghost,
        StreamClass::Local,
        StreamClass::Unknown,
    ];

    /// The name in the schemas, which have neither ghosts nor unknown values.
    pub fn schema_name(self) -> &'static str {
        match self {
            StreamClass::Input => "input",
            StreamClass::Output => "output",
            StreamClass::Ghost | StreamClass::Local | StreamClass::Unknown => "local",
        }
    }

    fn of(class: VarClass) -> Option<StreamClass> {
        match class {
            VarClass::Input { .. } => Some(StreamClass::Input),
            VarClass::Output => Some(StreamClass::Output),
            VarClass::Local => Some(StreamClass::Local),
            VarClass::Ghost => Some(StreamClass::Ghost),
            VarClass::Const | VarClass::ContractInput | VarClass::Mode => None,
        }
    }
}

/// A stream without records or tuples in its type.
#[derive(Clone, Debug)]
pub struct Stream {
    pub name: String,
    pub ty: Type,
    pub class: StreamClass,
    /// By step; `None` where the instance is not active.
    pub values: Vec<Option<Value>>,
}

/// The blocks of a trace, the top node first. It has the unknown values of the run, at the
/// steps where they are met.
pub fn blocks(program: &Program, trace: &Trace, sources: &SourceMap) -> Block {
    let mut top = block(program, &trace.top, None, sources);
    for unknown in &trace.unknowns {
        let steps = 0..trace.steps;
        let value = |step| unknown.steps.contains(&step).then(|| unknown.value.clone());
        flatten(
            program,
            &unknown.name,
            &unknown.ty,
            StreamClass::Unknown,
            steps.map(value).collect(),
            &mut top.streams,
        );
    }
    top
}

fn block(
    program: &Program,
    instance: &InstanceTrace,
    caller: Option<&Node>,
    sources: &SourceMap,
) -> Block {
    let node = program.node(instance.node);
    let site = caller.zip(instance.call.as_ref()).map(|(caller, step)| {
        let span = caller.call(step.call).span;
        (sources.file(span.file).name.clone(), sources.position(span))
    });
    let mut name = node.name.to_string();
    for index in instance.call.iter().flat_map(|step| &step.indices) {
        name.push_str(&format!("[{index}]"));
    }
    Block {
        kind: node.kind,
        name,
        site,
        modes: modes::modes(node, instance),
        streams: streams(program, node, instance),
        children: instance
            .children
            .iter()
            .map(|child| block(program, child, Some(node), sources))
            .collect(),
    }
}

fn streams(program: &Program, node: &Node, instance: &InstanceTrace) -> Vec<Stream> {
    let mut all = Vec::new();
    for wanted in StreamClass::ALL {
        for id in node.var_ids() {
            let var = node.var(id);
            if StreamClass::of(var.class) != Some(wanted) {
                continue;
            }
            // A local stream has no meaning without the body of its node.
            if wanted == StreamClass::Local && !node.has_body {
                continue;
            }
            let steps = 0..instance.steps.len();
            let values = steps
                .map(|step| instance.value(step, id).cloned())
                .collect();
            flatten(
                program,
                var.name.as_str(),
                &var.ty,
                wanted,
                values,
                &mut all,
            );
        }
    }
    all
}

fn flatten(
    program: &Program,
    name: &str,
    ty: &Type,
    class: StreamClass,
    values: Vec<Option<Value>>,
    all: &mut Vec<Stream>,
) {
    let Some(parts) = parts(program, ty) else {
        all.push(Stream {
            name: name.to_owned(),
            ty: ty.clone(),
            class,
            values,
        });
        return;
    };
    for (at, (suffix, part)) in parts.into_iter().enumerate() {
        let values = values
            .iter()
            .map(|value| value.as_ref().map(|value| part_of(value, at)))
            .collect();
        flatten(
            program,
            &format!("{name}{suffix}"),
            &part,
            class,
            values,
            all,
        );
    }
}

/// The fields of a record or tuple, also behind array dimensions.
fn parts(program: &Program, ty: &Type) -> Option<Vec<(String, Type)>> {
    match ty {
        Type::Record(id) => {
            let fields = program.record(*id).fields.iter();
            Some(
                fields
                    .map(|(name, ty)| (format!(".{name}"), ty.clone()))
                    .collect(),
            )
        }
        Type::Tuple(types) => {
            let types = types.iter().enumerate();
            Some(
                types
                    .map(|(at, ty)| (format!(".%{at}"), ty.clone()))
                    .collect(),
            )
        }
        Type::Array(array) => {
            let inner = parts(program, &array.element)?.into_iter();
            Some(
                inner
                    .map(|(suffix, ty)| (suffix, Type::array(ty, array.size.clone())))
                    .collect(),
            )
        }
        _ => None,
    }
}

fn part_of(value: &Value, at: usize) -> Value {
    match value {
        Value::Fields(fields) => fields[at].clone(),
        Value::Array(values) => Value::Array(values.iter().map(|v| part_of(v, at)).collect()),
        other => other.clone(),
    }
}
