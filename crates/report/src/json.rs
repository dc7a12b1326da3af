//! The JSON form of results and traces.

use lang::{Program, Type, Value};
use num_bigint::BigInt;
use results::{
    Amount, AnalysisReport, Block, ContractModes, Log, PropertyReport, PropertyVerdict, Statistics,
    Stream, active_modes,
};
use serde_json::{Map, Value as Json, json};
use syntax::ast::NodeKind;

use crate::reporter::RunOptions;

pub fn log(log: &Log) -> Json {
    let mut object = Map::new();
    object.insert("objectType".into(), "log".into());
    object.insert("level".into(), log.level.name().into());
    object.insert("source".into(), log.source.into());
    if let Some((file, at)) = &log.place {
        object.insert("file".into(), file.as_str().into());
        object.insert("line".into(), at.line.into());
        object.insert("column".into(), at.column.into());
    }
    object.insert("value".into(), log.value.as_str().into());
    object.into()
}

/// The options that were given.
pub fn options(options: &RunOptions) -> Json {
    let mut object = json!({
        "objectType": "kind2Options",
        "enabled": options.enabled,
        "timeout": options.timeout,
        "bmcMax": options.bmc_max,
        "compositional": options.compositional,
        "modular": options.modular,
    });
    if let Some(ivc) = &options.ivc {
        object["ivc"] = json!({
            "ivcCategory": ivc.category,
            "ivcAll": ivc.all,
            "ivcApproximate": ivc.approximate,
            "ivcSmallestFirst": ivc.smallest_first,
            "ivcOnlyMainNode": ivc.only_main_node,
            "ivcMustSet": ivc.must_set,
        });
    }
    if let Some(mcs) = &options.mcs {
        object["mcs"] = json!({
            "mcsCategory": mcs.category,
            "mcsAll": mcs.all,
            "mcsOnlyMainNode": mcs.only_main_node,
        });
    }
    object
}

pub fn analysis_start(analysis: &AnalysisReport) -> Json {
    let mut object = json!({
        "objectType": "analysisStart",
        "top": analysis.top,
        "concrete": analysis.concrete,
        "abstract": analysis.abstracted,
        "assumptions": analysis.proved,
    });
    if let Some(context) = analysis.check.as_ref().and_then(|check| check.context) {
        object["context"] = context.into();
    }
    object
}

pub fn statistics(statistics: &Statistics) -> Json {
    let items = statistics.items.iter().map(|(name, amount)| match amount {
        Amount::Count(count) => json!({ "name": name, "type": "int", "value": count }),
        Amount::Seconds(time) => json!({ "name": name, "type": "float", "value": round(*time) }),
    });
    json!({
        "objectType": "stat",
        "source": statistics.source,
        "sections": [{ "name": statistics.title, "items": items.collect::<Vec<_>>() }],
    })
}

pub fn property(program: &Program, property: &PropertyReport) -> Json {
    let mut object = Map::new();
    object.insert("objectType".into(), "property".into());
    object.insert("name".into(), property.name.as_str().into());
    object.insert("scope".into(), property.scope.as_str().into());
    object.insert("file".into(), property.file.as_str().into());
    object.insert("line".into(), property.position.line.into());
    object.insert("column".into(), property.position.column.into());
    object.insert("source".into(), property.source.into());
    object.insert(
        "runtime".into(),
        json!({
            "unit": "sec",
            "timeout": property.timed_out,
            "value": round(property.seconds),
        }),
    );
    let mut answer = Map::new();
    if let Some((engine, _)) = property.engine {
        answer.insert("source".into(), engine.into());
    }
    answer.insert("value".into(), property.verdict.word().into());
    let trace = |trace: &Block| json!([block(program, trace)]);
    if let Some(k) = property.verdict.k() {
        object.insert("k".into(), k.into());
    }
    match &property.verdict {
        PropertyVerdict::Valid { .. } | PropertyVerdict::Unreachable { .. } => {
            object.insert("answer".into(), answer.into());
        }
        PropertyVerdict::Falsifiable { step, trace: run } => {
            object.insert("falseAt".into(), (*step).into());
            object.insert("answer".into(), answer.into());
            object.insert("counterExample".into(), trace(run));
        }
        PropertyVerdict::Reachable { step, trace: run } => {
            object.insert("reachableAt".into(), (*step).into());
            object.insert("answer".into(), answer.into());
            object.insert("witness".into(), trace(run));
        }
        PropertyVerdict::Unknown { clear, reach } => {
            let key = match reach {
                true => "unreachableFor",
                false => "trueFor",
            };
            object.insert(key.into(), (*clear).into());
            object.insert("answer".into(), answer.into());
        }
    }
    object.into()
}

/// To milliseconds.
pub(crate) fn round(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

pub fn block(program: &Program, instance: &Block) -> Json {
    let mut object = Map::new();
    let kind = match instance.kind {
        NodeKind::Node => "node",
        NodeKind::Function => "function",
    };
    object.insert("blockType".into(), kind.into());
    object.insert("name".into(), instance.name.as_str().into());
    if let Some((file, at)) = &instance.site {
        object.insert("file".into(), file.as_str().into());
        object.insert("line".into(), at.line.into());
        object.insert("column".into(), at.column.into());
    }
    if !instance.modes.is_empty() {
        let modes = active_modes(&instance.modes);
        let modes = modes.iter().enumerate().filter_map(|(step, modes)| {
            let modes = modes.as_ref()?;
            Some(json!({
                "instant": step,
                "topModes": modes.own,
                "contractModes": contract_modes(&modes.imported),
            }))
        });
        object.insert("activeModes".into(), modes.collect());
    }
    let streams = instance.streams.iter();
    let streams = streams.map(|each| stream(program, each));
    object.insert("streams".into(), streams.collect());
    if !instance.children.is_empty() {
        let children = instance.children.iter();
        let children = children.map(|child| block(program, child));
        object.insert("subnodes".into(), children.collect());
    }
    object.into()
}

fn contract_modes(imported: &[ContractModes]) -> Json {
    let all = imported.iter().map(|import| {
        json!({
            "contract": import.contract,
            "modes": import.modes.own,
            "subcontractModes": contract_modes(&import.modes.imported),
        })
    });
    all.collect()
}

fn stream(program: &Program, stream: &Stream) -> Json {
    let mut object = Map::new();
    object.insert("name".into(), stream.name.as_str().into());
    let (name, info) = type_info(program, &stream.ty);
    object.insert("type".into(), name.into());
    if let Some(info) = info {
        object.insert("typeInfo".into(), info);
    }
    object.insert("class".into(), stream.class.schema_name().into());
    let values = stream.values.iter().enumerate();
    let values = values.filter_map(|(step, each)| {
        let at_step = each.as_ref()?;
        Some(json!([step, value(program, at_step)]))
    });
    object.insert("instantValues".into(), values.collect());
    object.into()
}

/// The name of the type in the schema, and its further attributes.
fn type_info(program: &Program, ty: &Type) -> (String, Option<Json>) {
    match ty {
        Type::Range(range) => {
            let mut info = Map::new();
            if let Some(low) = &range.low {
                info.insert("min".into(), integer(low));
            }
            if let Some(high) = &range.high {
                info.insert("max".into(), integer(high));
            }
            ("subrange".into(), Some(info.into()))
        }
        Type::Enum(id) => {
            let decl = program.enumeration(*id);
            let values: Vec<&str> = decl.values.iter().map(|value| value.as_str()).collect();
            let info = json!({ "name": decl.name.as_str(), "values": values });
            ("enum".into(), Some(info))
        }
        Type::Abstract(_) => {
            let info = json!({ "name": program.type_name(ty) });
            ("abstr".into(), Some(info))
        }
        Type::Array(_) => {
            let mut sizes = Vec::new();
            let mut element = ty;
            while let Type::Array(array) = element {
                sizes.push(array.size.known().map_or(Json::Null, Json::from));
                element = &array.element;
            }
            let (base, base_info) = type_info(program, element);
            let mut info = Map::new();
            info.insert("baseType".into(), base.into());
            if let Some(base_info) = base_info {
                info.insert("baseTypeInfo".into(), base_info);
            }
            info.insert("sizes".into(), sizes.into());
            ("array".into(), Some(info.into()))
        }
        other => (program.type_name(other), None),
    }
}

fn value(program: &Program, of: &Value) -> Json {
    match of {
        Value::Bool(truth) => (*truth).into(),
        Value::Int(number) | Value::Abstract(number) => integer(number),
        Value::Machine(_, number) => integer(&BigInt::from(*number)),
        Value::Real(number) => json!({
            "num": integer(number.numer()),
            "den": integer(number.denom()),
        }),
        Value::Enum(id, at) => program.enumeration(*id).values[*at as usize]
            .as_str()
            .into(),
        Value::Array(parts) | Value::Fields(parts) => {
            parts.iter().map(|part| value(program, part)).collect()
        }
    }
}

/// An integer of any size as a JSON number.
fn integer(number: &BigInt) -> Json {
    match number.to_string().parse::<serde_json::Number>() {
        Ok(number) => Json::Number(number),
        Err(_) => Json::Null,
    }
}
