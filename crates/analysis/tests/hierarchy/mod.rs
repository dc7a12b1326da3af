//! Random hierarchies of nodes with contracts, right and wrong ones.

use std::fmt::Write;

/// A small generator of numbers that are random enough.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1);
        ((self.0 >> 33) % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// An expression over streams; of functions, without memory.
    fn int(&mut self, streams: &[&str], depth: usize, memory: bool) -> String {
        let choice = if depth == 0 { 0 } else { self.below(6) };
        let less = depth.saturating_sub(1);
        match choice {
            0 | 1 => match self.chance(60) {
                true => self.pick(streams).to_owned(),
                false => self.below(5).to_string(),
            },
            2 => {
                let op = self.pick(&["+", "-"]);
                let a = self.int(streams, less, memory);
                format!("({a} {op} {})", self.int(streams, less, memory))
            }
            3 if memory => {
                let first = self.below(3);
                format!("({first} -> pre {})", self.int(streams, less, memory))
            }
            _ => {
                let c = self.bool(streams, less, memory);
                let a = self.int(streams, less, memory);
                let b = self.int(streams, less, memory);
                format!("(if {c} then {a} else {b})")
            }
        }
    }

    fn bool(&mut self, streams: &[&str], depth: usize, memory: bool) -> String {
        let less = depth.saturating_sub(1);
        if depth > 0 && memory && self.chance(15) {
            return format!("(true -> pre {})", self.bool(streams, less, memory));
        }
        let op = self.pick(&["<", "<=", ">", ">=", "="]);
        let a = self.int(streams, less, memory);
        format!("({a} {op} {})", self.int(streams, less, memory))
    }
}

/// Claims that hold for clamped outputs, and claims that may not.
const CLAIMS: [&str; 5] = ["y >= 0", "y <= 5", "y + 1 > 0", "y < 5", "y >= x"];

/// A model of a few nodes, each of which may call those before it.
pub fn model(random: &mut Random) -> String {
    let mut out = String::new();
    let count = 2 + random.below(2);
    let functions: Vec<bool> = (0..count).map(|_| random.chance(20)).collect();
    for at in 0..count {
        node(random, at, &functions, &mut out);
    }
    let inputs = ["p", "q"];
    let (a, b) = (random.int(&inputs, 1, true), random.int(&inputs, 1, true));
    let (last, other) = (count - 1, random.below(count));
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "node top (p, q: int) returns (y, z: int);\nlet\n  y = n{last}({a}, {b});\n  \
         z = n{other}(y, {});",
        random.int(&["p", "q", "y"], 1, true)
    );
    for at in 0..3 {
        let claim = match random.chance(50) {
            true => random
                .pick(&["y >= 0", "z <= 5", "y + z >= 0", "z < 5"])
                .to_owned(),
            false => random.bool(&["y", "z", "p"], 2, true),
        };
        let _ = writeln!(out, "  check \"top{at}\" {claim};");
    }
    out + "tel\n"
}

fn node(random: &mut Random, at: usize, functions: &[bool], out: &mut String) {
    let memory = !functions[at];
    let kind = if memory { "node" } else { "function" };
    let mut ranged = || random.pick(&["int", "int", "subrange [0, 5] of int"]);
    let (input, output) = (ranged(), ranged());
    let _ = writeln!(
        out,
        "{kind} n{at} (x: {input}; w: int) returns (y: {output});"
    );
    contract(random, memory, out);
    let callees = (0..at).filter(|callee| memory || functions[*callee]);
    let callees: Vec<usize> = callees.filter(|_| random.chance(60)).collect();
    if !callees.is_empty() {
        let names: Vec<String> = callees.iter().map(|callee| format!("a{callee}")).collect();
        let _ = writeln!(out, "var {}: int;", names.join(", "));
    }
    out.push_str("let\n");
    let mut streams = vec!["x".to_owned(), "w".to_owned()];
    for callee in callees {
        let known: Vec<&str> = streams.iter().map(String::as_str).collect();
        let (a, b) = (random.int(&known, 1, memory), random.int(&known, 1, memory));
        let clock = random.bool(&known, 1, memory);
        let name = match random.below(4) {
            0 if memory && !functions[callee] => format!("(restart n{callee} every {clock})"),
            1 if memory && !functions[callee] => {
                format!("(activate n{callee} every {clock} initial default 1)")
            }
            _ => format!("n{callee}"),
        };
        let _ = writeln!(out, "  a{callee} = {name}({a}, {b});");
        streams.push(format!("a{callee}"));
    }
    let known: Vec<&str> = streams.iter().map(String::as_str).collect();
    let value = match random.below(4) {
        // As good as the input.
        0 => "x".to_owned(),
        1 if memory => "(x -> if x < pre y then x else pre y)".to_owned(),
        _ => cut_off(&random.int(&known, 2, memory)),
    };
    let _ = writeln!(out, "  y = {value};");
    if random.chance(50) {
        let _ = writeln!(out, "  check \"own{at}\" {};", random.pick(&CLAIMS));
    }
    out.push_str("tel\n\n");
}

fn cut_off(value: &str) -> String {
    format!("if {value} > 5 then 5 else if {value} < 0 then 0 else {value}")
}

fn contract(random: &mut Random, memory: bool, out: &mut String) {
    if random.chance(20) {
        return;
    }
    out.push_str("(*@contract\n");
    match random.below(3) {
        0 => out.push_str("  assume 0 <= x and x <= 5;\n"),
        1 => {
            let _ = writeln!(out, "  assume {};", random.bool(&["x", "w"], 1, memory));
        }
        _ => {}
    }
    let _ = writeln!(out, "  guarantee {};", random.pick(&CLAIMS));
    if random.chance(30) {
        let situation = random.bool(&["x", "w"], 1, memory);
        let (one, other) = (random.pick(&CLAIMS), random.pick(&CLAIMS));
        let _ = writeln!(
            out,
            "  mode one (require {situation}; ensure {one};);\n  \
             mode other (require not {situation}; ensure {other};);"
        );
    }
    out.push_str("*)\n");
}
