//! Modular and compositional analyses: which there are, and what each finds.

mod common;

use common::analyses::analyses;
use common::{kindred, repository};
use expect_test::{Expect, expect};

const MODULAR: &[&str] = &["--modular", "true"];
const COMPOSITIONAL: &[&str] = &["--compositional", "true"];
const BOTH: &[&str] = &["--modular", "true", "--compositional", "true"];

fn check(model: &str, args: &[&str], expected: Expect) {
    expected.assert_eq(&analyses(model, args));
}

#[test]
fn parts_are_opened_where_contracts_do_not_say_enough() {
    let mut args = BOTH.to_vec();
    args.push("examples/greenhouse.lus");
    check(
        "",
        &args,
        expect![[r#"
            latch []
              switch._one_mode_active: valid
            latch []
              switch[l32c3].left_alone.ensure[l26c5]: valid
              switch[l32c3].turned_off.ensure[l22c5]: valid
              switch[l32c3].turned_on.ensure[l18c5]: valid
            thermometer []
              _one_mode_active: valid
            thermometer []
              ((-30 <= t) and (t <= 60)): valid
              plausible.ensure[l43c5]: valid
            heating [latch]
              heats when it is cold: valid
              only then: valid
            window [latch]
              opens when it is hot: valid
              shut against the cold: valid
            greenhouse [heating thermometer window]
              frost is heated away: falsifiable
              no heating with open windows: valid
              the window does not flap: falsifiable
              window[l81c10].no heating in the heat: valid
            greenhouse [heating window]
              frost is heated away: valid
              the window does not flap: falsifiable
            greenhouse [heating latch]
              the window does not flap: valid
            exit 40
        "#]],
    );
    args.extend(["--refinement", "false"]);
    let without = analyses("", &args);
    assert!(without.contains("the window does not flap: falsifiable"));
    assert!(!without.contains("the window does not flap: valid"));
}

/// Neither contract says that the output is the input.
const TWINS: &str = "
    node up (x: int) returns (y: int);
    (*@contract guarantee \"up\" y >= x; *)
    let y = x; tel
    node down (x: int) returns (y: int);
    (*@contract guarantee \"down\" y <= x; *)
    let y = x; tel
    node top (x: int) returns (y, z: int);
    let
      y = up(x);
      z = down(x);
      check CLAIM;
    tel";

#[test]
fn no_more_nodes_are_opened_than_it_takes() {
    check(
        &TWINS.replace("CLAIM", "\"up\" y = x"),
        BOTH,
        expect![[r#"
            up []
              up: valid
            down []
              down: valid
            top [down up]
              up: falsifiable
            top [down]
              up: valid
            exit 40
        "#]],
    );
    let one = analyses(&TWINS.replace("CLAIM", "\"one\" y = x or z = x"), BOTH);
    let opened = ["top [down]\n  one: valid", "top [up]\n  one: valid"];
    assert!(opened.iter().any(|last| one.contains(last)), "{one}");
    let both = analyses(&TWINS.replace("CLAIM", "\"both\" y + z = 2 * x"), BOTH);
    assert!(both.contains("top []\n  both: valid"), "{both}");
}

#[test]
fn no_node_is_opened_for_a_real_counterexample() {
    let model = TWINS.replace("CLAIM", "\"positive\" y > 0");
    check(
        &model,
        BOTH,
        expect![[r#"
        up []
          up: valid
        down []
          down: valid
        top [down up]
          positive: falsifiable
        exit 40
    "#]],
    );
    let run = kindred(&repository(), BOTH, &model);
    let real = "  disproved without abstraction, too: positive\n";
    assert!(run.stdout.contains(real), "{}", run.stdout);
}

/// As long as `half` is abstract, the outer call seems to be a mistake.
#[test]
fn a_node_that_only_seems_misused_is_opened() {
    check(
        "node half (x: int) returns (y: int);
         (*@contract assume \"natural\" x >= 0; guarantee \"less\" y <= x; *)
         let y = x div 2; tel
         node top (x: int) returns (y: int);
         (*@contract assume x >= 0; guarantee \"quarter\" 4 * y <= x; *)
         let y = half(half(x)); tel",
        BOTH,
        expect![[r#"
            half []
              less: valid
            top [half]
              half[l6c18].natural: falsifiable
              half[l6c23].natural: valid
              quarter: falsifiable
            top []
              half[l6c18].natural: valid
              quarter: valid
            exit 40
        "#]],
    );
}

/// `passes` needs more than the contract of `abs`; `takes` is misused as long as
/// `abs` is abstract.
const CHAIN: &str = "
    node abs (x: int) returns (y: int);
    (*@contract guarantee \"bounded\" y >= x; *)
    let y = if x < 0 then -x else x; tel
    node takes (x: int) returns (y: int);
    (*@contract
      assume \"positive\" x >= 0;
      guarantee \"larger\" y > x;
    *)
    let y = x + 1; tel
    node top (x: int) returns (y: int);
    let y = takes(abs(x)); check \"passes\" y > 0; tel";

#[test]
fn a_node_that_is_misused_is_not_opened() {
    check(
        CHAIN,
        BOTH,
        expect![[r#"
        abs []
          bounded: valid
        takes []
          larger: valid
        top [abs takes]
          passes: falsifiable
          takes[l12c13].positive: falsifiable
        top [takes]
          passes: valid
          takes[l12c13].positive: valid
        exit 40
    "#]],
    );
}

/// The sum is negative for long after a first input that is not allowed.
const DEBT: &str = "
    node sum (x: int) returns (y: int);
    (*@contract
      assume \"gain\" x >= 0;
      guarantee \"grows\" true -> y >= pre y;
    *)
    let
      y = x + (0 -> pre y);
      check \"positive\" y >= 0;
    tel
    node top (x: int) returns (y: int);
    var step: int;
    let
      step = 0 -> if pre step > 5 then 6 else pre step + 1;
      y = sum(if step = 0 then -9 else 1);
      check \"later\" step > 2 and step < 6 => y >= 0;
    tel";

#[test]
fn what_is_proved_of_a_node_holds_while_its_assumptions_have_held() {
    check(
        DEBT,
        &[MODULAR, &["--unroll_max", "6"]].concat(),
        expect![[r#"
            sum []
              grows: valid
              positive: valid
            top []
              later: falsifiable
              sum[l15c11].gain: falsifiable
            exit 40
        "#]],
    );
    check(
        DEBT,
        &[BOTH, &["--unroll_max", "6"]].concat(),
        expect![[r#"
            sum []
              grows: valid
              positive: valid
            top [sum]
              later: falsifiable
              sum[l15c11].gain: falsifiable
            exit 40
        "#]],
    );
}

#[test]
fn a_restart_forgives() {
    let restarted = DEBT.replace(
        "sum(if step = 0 then -9 else 1)",
        "(restart sum every step = 2)(if step = 0 then -9 else 1)",
    );
    for flags in [MODULAR, BOTH] {
        let flags = [flags, &["--unroll_max", "10"]].concat();
        let found = analyses(&restarted, &flags);
        assert!(found.contains("  later: valid\n"), "{found}");
    }
}

#[test]
fn a_function_forgives_at_once() {
    let model = |kind: &str| {
        format!(
            "{kind} half (x: int) returns (y: int);
             (*@contract assume \"even\" x mod 2 = 0; guarantee \"half\" 2 * y = x; *)
             let y = x div 2; tel
             node top () returns (y: int);
             let
               y = half(1 -> 2);
               check \"later\" true -> y = 1;
             tel"
        )
    };
    let function = analyses(&model("function"), COMPOSITIONAL);
    assert!(function.contains("later: valid"), "{function}");
    let node = analyses(&model("node"), COMPOSITIONAL);
    assert!(node.contains("later: falsifiable"), "{node}");
}

#[test]
fn abstract_nodes_tick_with_their_clocks() {
    check(
        "node count (x: bool) returns (n: int);
         (*@contract
           var ticks: int = 1 -> pre ticks + 1;
           guarantee \"at most\" 0 <= n and n <= ticks;
         *)
         let n = (0 -> pre n) + (if x then 1 else 0); tel
         node top (c: bool) returns (n: int);
         let
           n = (activate count every c initial default 7)(true);
           check \"default\" (not c => n = 7) -> true;
           check \"first tick\" (c => n <= 1) -> true;
           check \"all ticks\" c => n <= 1;
           check \"held\" true -> not c => n = pre n;
         tel",
        &[COMPOSITIONAL, &["--unroll_max", "6"]].concat(),
        expect![[r#"
            top [count]
              all ticks: falsifiable
              default: valid
              first tick: valid
              held: valid
            exit 40
        "#]],
    );
}

/// A proof is as good as the contracts that it relies on.
#[test]
fn contracts_that_are_relied_on_are_named() {
    let model = "
        node liar (x: int) returns (y: int);
        (*@contract guarantee \"more\" y > x; *)
        let y = x; tel
        node top (x: int) returns (y: int);
        let y = liar(x); check \"more\" y > x; tel";
    let args = [BOTH, &["--print_cex", "false"]].concat();
    let run = kindred(&repository(), &args, model);
    let last = "relies on contracts that are not proved: liar";
    assert!(run.stdout.contains(last), "{}", run.stdout);
    assert_eq!(run.exit, 40);
    let honest = model.replace("y = x;", "y = x + 1;");
    let run = kindred(&repository(), &args, &honest);
    assert!(!run.stdout.contains("not proved"), "{}", run.stdout);
    assert_eq!(run.exit, 0);
}

/// The declared range of an output is a promise like others.
#[test]
fn abstract_outputs_are_in_their_ranges() {
    let model = |assumed: &str| {
        format!(
            "node digit (x: int) returns (y: subrange [0, 9] of int);
             (*@contract
               assume \"digit\" 0 <= x and x <= 9;
               guarantee \"same\" x > 5 => y = x;
             *)
             let y = x; tel
             node top (x: int) returns (y: int);
             let y = digit(x); assert {assumed}; check \"top\" y < 10; tel"
        )
    };
    let found = analyses(&model("0 <= x and x < 10"), BOTH);
    assert!(
        found.contains("top [digit]\n  digit[l8c22].digit: valid\n  top: valid"),
        "{found}"
    );
    let found = analyses(&model("0 <= x"), BOTH);
    assert!(
        found.contains("top [digit]\n  digit[l8c22].digit: falsifiable\n  top: falsifiable"),
        "{found}"
    );
}

/// The declared range of an input is an assumption that may be violated.
#[test]
fn inputs_may_be_out_of_their_ranges() {
    let model = "
        node same (x: subrange [0, 2] of int) returns (y: subrange [0, 2] of int);
        (*@contract guarantee \"same\" y = x; *)
        let y = x; tel
        node top (x: subrange [-1, 1] of int) returns (y: subrange [0, 2] of int; z: int);
        let
          y = x;
          z = same(y);
          check \"z\" z >= 0;
        tel";
    for flags in [MODULAR, BOTH] {
        let found = analyses(model, flags);
        let expected = "  ((0 <= y) and (y <= 2)): falsifiable\n  \
                        same[l8c15].((0 <= x) and (x <= 2)): falsifiable\n  z: falsifiable\n";
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn arguments_are_in_the_ranges_of_inputs() {
    check(
        "node small (x: subrange [0, 2] of int) returns (y: int);
         let y = x; check \"small\" y <= 2; tel
         node top (x: int; z: subrange [0, 2] of int) returns (y: int);
         let
           y = small(x) + small(if x > 2 then 2 else 0) + small(z);
           check \"large\" y > 2 or y <= 2;
         tel",
        MODULAR,
        expect![[r#"
            small []
              small: valid
            top []
              large: valid
              small[l5c16].((0 <= x) and (x <= 2)): falsifiable
              small[l5c27].((0 <= x) and (x <= 2)): valid
              small[l5c59].((0 <= x) and (x <= 2)): valid
            exit 40
        "#]],
    );
}

/// A property of a node without a contract is known where it is called.
#[test]
fn what_is_proved_of_a_node_is_used_by_its_callers() {
    let model = "
        node even (up: bool) returns (n: int);
        var half: int;
        let
          half = 0 -> pre half + (if up then 1 else 0);
          n = 2 * half;
          check \"bounded\" half >= 0;
        tel
        node top (up: bool) returns (n: int);
        let n = even(up); check \"positive\" n >= 0; tel";
    let found = analyses(model, MODULAR);
    assert!(
        found.ends_with("top []\n  positive: valid\nexit 0\n"),
        "{found}"
    );
    let run = kindred(&repository(), &[MODULAR, &["-xml"]].concat(), model);
    assert!(run.stdout.contains("assumptions=\"(even,1)\""));
}

#[test]
fn modes_of_contracts_are_checked_for_imported_nodes_too() {
    check(
        "node imported sensor (x: int) returns (y: int);
         (*@contract
           mode low (require x < 0; ensure y = 0;);
           mode high (require x > 0; ensure y > 0;);
         *)
         node top (x: int) returns (y: int);
         let y = sensor(x); check \"low\" x < 0 => y = 0; tel",
        MODULAR,
        expect![[r#"
            sensor []
              _one_mode_active: falsifiable
            top [sensor]
              low: valid
            exit 40
        "#]],
    );
}

/// With a timeout of almost zero nothing is decided, and most nodes are not analysed.
#[test]
fn nodes_that_are_not_analysed_are_unknown() {
    let args = [BOTH, &["--timeout", "0.000001", "examples/greenhouse.lus"]].concat();
    assert_eq!(kindred(&repository(), &args, "").exit, 30);
}
