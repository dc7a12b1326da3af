//! Cores and cut sets, from the command line to files.

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use common::{Scratch, files, kindred, read, repository};
use serde_json::Value as Json;

/// The names of the elements of each set of a class, in the order in which the
/// sets are found.
fn sets(model: &str, class: &str, args: &[&str]) -> Vec<BTreeSet<String>> {
    let mut all = vec!["-json"];
    all.extend(args);
    let run = kindred(&repository(), &all, model);
    let document: Json = serde_json::from_str(&run.stdout).expect("JSON");
    let list = |json: &Json| json.as_array().cloned().unwrap_or_default();
    let objects = list(&document).into_iter();
    let is_set = |object: &Json| object["objectType"] == "modelElementSet";
    let sets = objects.filter(|object| is_set(object) && object["class"] == class);
    let sets = sets.map(|object| {
        let elements = list(&object["nodes"]).into_iter();
        let elements = elements.flat_map(|node| list(&node["elements"]));
        let names = elements.filter_map(|element| Some(element["name"].as_str()?.to_owned()));
        names.collect()
    });
    sets.collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

const CUT_SETS: [&str; 2] = ["--enable", "MCS"];

/// `low` and `high` take turns; `spare` is not needed.
const TURNS: &str = "
    node top (x: int) returns (ok, fine: bool);
    var low, high, spare: int;
    let
      low = 0 -> pre high;
      high = 0 -> pre low;
      spare = x -> pre spare + 1;
      ok = low >= 0 and high >= 0;
      fine = low <= 0;
      check \"ok\" ok;
      check \"fine\" fine;
    tel";

#[test]
fn streams_in_question_are_named() {
    let flat = ["--ivc", "true", "--ivc_flat", "true", "--ivc_all", "true"];
    assert_eq!(
        sets(TURNS, "ivc", &flat),
        [set(&["low", "high", "ok", "fine"])]
    );
    let named = TURNS.replace("check \"ok\"", "--%IVC low, spare;\n check \"ok\"");
    assert_eq!(sets(&named, "ivc", &flat), [set(&["low"])]);
    // The elements are those of Kind 2.
    let stateful = ["--ivc", "true", "--ivc_all", "true"];
    assert_eq!(
        sets(&named, "ivc", &stateful),
        sets(TURNS, "ivc", &stateful)
    );
    let unknown = TURNS.replace("check \"ok\"", "--%IVC nobody;\n check \"ok\"");
    assert_eq!(kindred(&repository(), &[], &unknown).exit, 3);
}

#[test]
fn the_matrix_tells_properties_apart() {
    let scratch = Scratch::new("matrix");
    scratch.write("m.lus", TURNS);
    let args = [
        "--ivc",
        "true",
        "--ivc_matrix",
        "true",
        "--ivc_html",
        "true",
    ];
    let mut all = args.to_vec();
    all.extend(["--print_ivc", "false", "m.lus"]);
    let run = kindred(&scratch.0, &all, "");
    assert_eq!(run.exit, 0, "{}", run.stdout);
    for line in [
        "  P1 = ok",
        "  P2 = fine",
        "    Equation low [l5c7]   MUST MUST",
        "    Equation spare [l7c7]    -    -",
    ] {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
    let table = read(&scratch.0.join("m.lus.out/top.csv"));
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(
        rows,
        [
            "node,category,element,file,line,column,ok,fine",
            "top,equation,low,m.lus,5,7,must,must",
            "top,equation,high,m.lus,6,7,must,must",
            "top,equation,spare,m.lus,7,7,irrelevant,irrelevant",
            "top,equation,ok,m.lus,8,7,must,irrelevant",
            "top,equation,fine,m.lus,9,7,irrelevant,must",
        ]
    );
    let page = read(&scratch.0.join("m.lus.out/top.html"));
    assert!(page.contains("<span class=\"p0-irrelevant p1-irrelevant p2-irrelevant\" title=\"Equation spare; irrelevant\">spare = x -&gt; pre spare + 1;</span>"), "{page}");
    assert!(!page.contains("<script"));
}

/// Calls, one of which does not matter, and a contract.
const HIERARCHY: &str = "
    node bounded (x: int) returns (y: int);
    (*@contract
      guarantee y >= 0;
      guarantee y <= 9;
    *)
    var before: int;
    let
      before = 0 -> pre y;
      y = if x > before and before < 9 then before + 1 else 0;
    tel
    node top (a, b: int) returns (sum, other: int);
    let
      sum = bounded(a) + bounded(b);
      other = bounded(a - b);
      check \"small\" sum <= 18;
    tel";

/// The minimised program is valid, and its properties hold.
#[test]
fn smaller_programs_are_proved_again() {
    let scratch = Scratch::new("smaller");
    let greenhouse = read(&repository().join("examples/greenhouse.lus"));
    for (at, model) in [TURNS, HIERARCHY, &example(), &greenhouse]
        .iter()
        .enumerate()
    {
        let folder = at.to_string();
        scratch.write("m.lus", model);
        let mut args = vec!["--ivc", "true", "--ivc_all", "true", "--minimize_program"];
        args.extend(["valid_lustre", "--ivc_output_dir", &folder, "m.lus"]);
        let run = kindred(&scratch.0, &args, "");
        assert_eq!(run.exit, 0, "{}", run.stdout);
        let programs = files(&scratch.0.join(folder), "lus");
        assert!(!programs.is_empty(), "{}", run.stdout);
        for path in programs {
            let path = path.display().to_string();
            let run = kindred(&scratch.0, &[&path], "");
            assert_eq!(run.exit, 0, "{path}: {}", run.stdout);
            assert!(run.stdout.contains("valid (k="), "{path}: {}", run.stdout);
        }
    }
}

#[test]
fn smaller_programs_lie_beside_the_model() {
    let scratch = Scratch::new("beside");
    scratch.write("m.lus", TURNS);
    let args = ["--minimize_program", "concise", "m.lus"];
    let run = kindred(&scratch.0, &args, "");
    let path = PathBuf::from("m").join("top_ivc_1.lus");
    let told = format!("is in {}", path.display());
    assert!(run.stdout.contains(&told), "{}", run.stdout);
    let text = read(&scratch.0.join(path));
    assert!(text.contains("spare = _;"), "{text}");
    assert!(text.contains("low = 0 -> pre high;"), "{text}");
}

fn example() -> String {
    read(&repository().join("examples/triplex.lus"))
}

#[test]
fn faults_are_cut_sets() {
    let mut args = CUT_SETS.to_vec();
    args.extend(["--mcs_all", "true"]);
    let found: BTreeSet<BTreeSet<String>> = sets(&example(), "mcs", &args).into_iter().collect();
    let expected = [
        set(&["broken1", "broken2"]),
        set(&["broken1", "stuck3"]),
        set(&["broken2", "stuck3"]),
        set(&["power"]),
    ];
    assert_eq!(found, BTreeSet::from(expected));
}

/// The smallest set costs more than another.
#[test]
fn the_least_costly_cut_set_is_found() {
    let scratch = Scratch::new("costs");
    let mut global = CUT_SETS.to_vec();
    global.extend(["--mcs_approximate", "false"]);
    let size = |args: &[&str], model: &str| sets(model, "mcs", args)[0].len();
    assert_eq!(size(&global, &example()), 2);
    assert_eq!(size(&CUT_SETS, &example()), 2);
    assert_eq!(size(&global, &example().replace("cost 3", "")), 1);

    scratch.write(
        "costs.csv",
        "node,element,cost\ntank,power,1\ntank, stuck3 ,7\n",
    );
    let path = scratch.0.join("costs.csv").display().to_string();
    global.extend(["--mcs_cost", &path]);
    assert_eq!(sets(&example(), "mcs", &global), [set(&["power"])]);

    scratch.write("costs.csv", "tank,power,9\ntank,broken1,9\ntank,nobody,1\n");
    let run = kindred(&repository(), &global, &example());
    let warned = format!("{path}:3: no element `nobody` of tank is looked at");
    assert!(run.stdout.contains(&warned), "{}", run.stdout);
    let cost = "the cost of this cut set is 2";
    assert!(run.stdout.contains(cost), "{}", run.stdout);

    scratch.write("costs.csv", "tank,power\n");
    assert_eq!(kindred(&repository(), &global, &example()).exit, 1);
}

/// The flag of a fault is a stream: properties and assertions may use it.
#[test]
fn flags_of_faults_are_streams() {
    let model = "
        node top (x: int) returns (y: int);
        let
          y = x;
          --%FAULT off : y = 0;
          check \"same\" y = x;
          check \"same unless off\" y = x or (off and y = 0);
        tel";
    assert_eq!(sets(model, "mcs", &CUT_SETS), [set(&["off"])]);
    let late = model.replace("check \"same\"", "assert not off -> true; check \"same\"");
    assert_eq!(sets(&late, "mcs", &CUT_SETS), [set(&["off"])]);
    let never = model.replace("check \"same\"", "assert not off; check \"same\"");
    assert!(sets(&never, "mcs", &CUT_SETS).is_empty());
}

/// Two instances with the same arguments fail independently.
#[test]
fn instances_fail_by_themselves() {
    let model = "
        node gauge (x: int) returns (y: int);
        let
          y = x;
          --%FAULT broken : y;
        tel
        node top (x: int) returns (a, b: int);
        let
          a = gauge(x);
          b = gauge(x);
          check \"one is right\" a = x or b = x;
        tel";
    assert_eq!(sets(model, "mcs", &CUT_SETS), [set(&["broken"])]);
    let mut flat = CUT_SETS.to_vec();
    flat.extend(["--mcs_flat", "true"]);
    let both = set(&["gauge[l9c15].broken", "gauge[l10c15].broken"]);
    assert_eq!(sets(model, "mcs", &flat), [both]);
}

#[test]
fn faults_in_the_wrong_place_are_refused() {
    let body = |kind: &str, fault: &str| {
        format!("{kind} top (x: int) returns (y: int);\nlet\n y = x;\n {fault}\ntel")
    };
    for (kind, fault, expected) in [
        (
            "node",
            "--%FAULT f : x;",
            "no definition here that could fail",
        ),
        ("node", "--%FAULT f : z;", "`z` is not declared"),
        ("node", "--%FAULT y : y;", "`y` is declared twice"),
        ("node", "--%FAULT f : y = true;", "bool"),
        ("node", "--%FAULT f cost 0 : y;", "a cost"),
        ("function", "--%FAULT f : y = 0 -> 1;", "function"),
        ("node", "--%FAULT f y;", "`:`"),
    ] {
        let run = kindred(&repository(), &[], &body(kind, fault));
        assert_eq!(run.exit, 3, "{fault}: {}", run.stdout);
        assert!(run.stdout.contains(expected), "{fault}: {}", run.stdout);
    }
}

#[test]
fn who_has_nothing_to_look_at_is_told() {
    let run = |model: &str, args: &[&str]| {
        let run = kindred(&repository(), args, model);
        let words: Vec<&str> = run.stdout.split_whitespace().collect();
        (words.join(" "), run.exit)
    };
    let (said, exit) = run(TURNS, &CUT_SETS);
    assert!(
        said.contains("nothing can fail: no element is in the categories"),
        "{said}"
    );
    assert_eq!(exit, 0);
    let wrong = TURNS.replace("low <= 0", "x <= 0");
    let (said, exit) = run(&wrong, &["--ivc", "true"]);
    assert!(
        said.contains("no core of top: not all of its properties are proved"),
        "{said}"
    );
    assert_eq!(exit, 40);
    let (said, _) = run(TURNS, &["--ivc", "true", "--ivc_category", "node_calls"]);
    assert!(
        said.contains("no element of top is in the categories looked at"),
        "{said}"
    );
}
