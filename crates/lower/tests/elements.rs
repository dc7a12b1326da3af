//! What the tagged system says of a model: its elements, where they stand, and
//! the streams and constraints of each.

use std::fmt::Write;
use std::path::Path;

#[test]
fn elements_know_their_places() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let path = folder.join("elements.lus");
    let text = std::fs::read_to_string(&path).unwrap();
    let loaded = syntax::load("elements.lus", &path, text, &[]);
    let checked = lang::check(&loaded.program, &lang::Options::default());
    let program = checked.program.expect("a program without errors");
    let top = program.top_nodes()[0];
    let lowered = lower::lower(&program, &loaded.sources, top, &Default::default());
    let lowered = lowered.expect("a program that can be lowered");
    let system = &lowered.tagged;

    let mut shown = String::new();
    for (at, element) in system.elements.iter().enumerate() {
        let position = loaded.sources.position(element.span);
        let own = |id: system::ElementId| id.0 as usize == at;
        let streams = system.vars.iter();
        let streams: Vec<&str> = streams
            .filter(|var| var.def.as_ref().is_some_and(|def| own(def.element)))
            .map(|var| var.name.as_str())
            .collect();
        let constraints = system.constraints.iter();
        let constraints = constraints.filter(|c| c.element.is_some_and(own)).count();
        writeln!(
            shown,
            "{:?} `{}` of {} at {}:{}: streams {streams:?}, constraints {constraints}",
            element.kind, element.name, element.node, position.line, position.column
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
