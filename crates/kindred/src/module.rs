//! The modules that `--enable` and `--disable` name: engines, and what is done instead.

use analysis::Engine;
use clap::builder::{PossibleValuesParser, TypedValueParser};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Module {
    Engine(Engine),
    /// Both engines of IC3.
    Ic3,
    /// Cut sets.
    Mcs,
    /// Contract checks.
    ContractCheck,
    Interpreter,
}

impl Module {
    /// All modules by name.
    fn all() -> Vec<(&'static str, Module)> {
        let engines = Engine::ALL.iter();
        let engines = engines.map(|engine| (engine.flag(), Module::Engine(*engine)));
        let others = [
            ("IC3", Module::Ic3),
            ("MCS", Module::Mcs),
            ("CONTRACTCK", Module::ContractCheck),
            ("interpreter", Module::Interpreter),
        ];
        engines.chain(others).collect()
    }

    /// Reads a name, in any case.
    pub fn parser() -> impl TypedValueParser<Value = Module> {
        let names = Module::all().into_iter().map(|(name, _)| name);
        PossibleValuesParser::new(names).try_map(|name| {
            let mut all = Module::all().into_iter();
            let found = all.find(|(known, _)| known.eq_ignore_ascii_case(&name));
            found
                .map(|(_, module)| module)
                .ok_or("there is no such module")
        })
    }

    /// Is the engine, or a family that it belongs to, in the list?
    pub fn is_in(engine: Engine, list: &[Module]) -> bool {
        let is_ic3 = matches!(engine, Engine::Ic3ia | Engine::Ic3qe);
        list.contains(&Module::Engine(engine)) || (is_ic3 && list.contains(&Module::Ic3))
    }
}
