//! What the tagged system says of a model: its elements, where they stand, and
//! the streams and constraints of each.

use std::fmt::Write;
use std::path::Path;

/// The calls that lead to an instance.
fn shown_place(place: Option<&lower::Place>) -> String {
    let calls = place.expect("every part of an element has a place").iter();
    let calls: Vec<String> = calls.map(|call| format!("/{}", call.0)).collect();
    match calls.is_empty() {
        true => "/".to_owned(),
        false => calls.concat(),
    }
}

#[test]
fn elements_know_their_places() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let path = folder.join("elements.lus");
    let text = std::fs::read_to_string(&path).unwrap();
    let loaded = syntax::load("elements.lus", &path, text, &[]);
    let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
    let program = checked.program.expect("a program without errors");
    let top = program.top_nodes()[0];
    let lowered = lower::lower(&program, &loaded.sources, top, &Default::default());
    let lowered = lowered.expect("a program that can be lowered");
    let system = &lowered.tagged;

    let mut shown = String::new();
    for (at, element) in system.elements.iter().enumerate() {
        let part = lowered.parts[at];
        let described = part.describe(&program, &loaded.sources);
        assert_eq!(described.as_ref(), Some(element));
        let position = loaded.sources.position(element.span);
        let own = |id: system::ElementId| id.0 as usize == at;
        let streams = system.vars.iter().enumerate();
        let streams: Vec<String> = streams
            .filter(|(_, var)| var.def.as_ref().is_some_and(|def| own(def.element)))
            .map(|(at, var)| {
                let place = lowered.places.stream(system::Var(at as u32));
                format!("{} in {}", var.name, shown_place(place))
            })
            .collect();
        let constraints = system.constraints.iter().enumerate();
        let constraints: Vec<String> = constraints
            .filter(|(_, c)| c.element.is_some_and(own))
            .map(|(at, _)| shown_place(lowered.places.constraint(at)))
            .collect();
        writeln!(
            shown,
            "{}{:?} `{}` of {} at {}:{}: streams [{}], constraints [{}]",
            if element.weak { "weak " } else { "" },
            element.kind,
            element.name,
            element.node,
            position.line,
            position.column,
            streams.join(", "),
            constraints.join(", ")
        )
        .unwrap();
    }
    let expected = folder.join("elements.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&expected, &shown).unwrap();
    }
    assert_eq!(shown, std::fs::read_to_string(&expected).unwrap());

    // Nothing of the streams is left in the reduced form.
    let reduced = &lowered.system;
    let next = reduced.vars.iter().filter_map(|var| var.next.as_ref());
    let constraints = reduced.constraints.iter().map(|c| &c.term);
    let properties = reduced.properties.iter().map(|p| &p.term);
    for term in next.chain(constraints).chain(properties) {
        for var in term.vars() {
            assert_ne!(system.var(var).role, system::Role::Stream);
        }
    }
}
