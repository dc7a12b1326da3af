//! Hierarchies of nodes with contracts, to see how analyses scale.
//!
//! Each node filters its input and calls the two nodes before it, so that with
//! every node the number of instances grows by more than half. Part by part, the
//! work for each is the same.

use std::fmt::Write;

/// A model with so many nodes, each of which respects its contract.
pub fn model(count: usize) -> String {
    let mut out = String::from("const top_level = 100;\n");
    for at in 0..count {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "
node part{at} (x: int; reset: bool) returns (y: int);
(*@contract
  assume \"level\" 0 <= x and x <= top_level;
  guarantee \"stays a level\" 0 <= y and y <= top_level;
  mode starts (
    require reset;
    ensure y <= x;
  );
  mode runs (
    require not reset;
    ensure true -> y <= x;
  );
*)
var low, held: int;
let
  held = if reset then x else (x -> pre low);
  low = if held < x then held else x;
{}
tel
",
            body(at)
        );
    }
    let last = count.saturating_sub(1);
    let _ = write!(
        out,
        "
node top (x: subrange [0, 100] of int; reset: bool) returns (y: int);
let
  y = part{last}(x, reset);
  check \"a level\" 0 <= y and y <= top_level;
  check \"starts low\" reset => y <= x;
tel
"
    );
    out
}

/// The output: what the nodes before say, if it is lower.
fn body(at: usize) -> String {
    match at {
        0 => "  y = low;".to_owned(),
        1 => "  y = if part0(low, reset) < low then part0(low, reset) else low;".to_owned(),
        _ => {
            let (one, other) = (at - 1, at - 2);
            format!("  y = if reset then part{one}(low, reset) else part{other}(low, reset);")
        }
    }
}
