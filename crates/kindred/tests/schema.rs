//! All JSON and XML output follows Kind 2's schemas.
//!
//! The schemas are not part of the repository; where they, or `xmllint`, are not
//! there, the tests pass and say so.

mod common;

use std::path::{Path, PathBuf};

use common::schema::{Schema, has_xmllint, reference, xml_problem};
use common::{files, kindred, repository};

/// Options that produce different kinds of output.
const WAYS: &[&[&str]] = &[
    &[],
    &["-v", "--disable", "BMC"],
    &["-vv", "--enable", "BMC", "--unroll_max", "2"],
    &[
        "-vvv",
        "--check_modes",
        "false",
        "--check_nonvacuity",
        "false",
    ],
    &["-s", "--lus_strict", "true"],
    &["-q"],
    &["--only_parse", "true"],
    &["--ind_print_cex", "true", "--ind_compress", "false"],
    &["--enable", "interpreter", "--interpreter_steps", "2"],
    &["--lus_main", "nobody"],
    &["--exit_code_mode", "only_errors", "--print_cex", "false"],
    &[
        "-v", "--enable", "IND2", "--enable", "BMC", "--enable", "IND",
    ],
    &["--dump_cex", "true", "--real_precision", "float"],
    &["--modular", "true"],
    &["--compositional", "true"],
    &["-v", "--modular", "true", "--compositional", "true"],
    &[
        "--ivc",
        "true",
        "--ivc_all",
        "true",
        "--ivc_must_set",
        "true",
        "--print_ivc_complement",
        "true",
    ],
    &["-v", "--ivc", "true", "--ivc_per_property", "true"],
    &["--print_invs", "true", "--smooth", "true"],
    &["-v", "--mutation", "true", "--mutators", "equation"],
    &[
        "--enable",
        "MCS",
        "--mcs_all",
        "true",
        "--mcs_category",
        "equations",
        "--mcs_category",
        "annotations",
        "--print_mcs_cex",
        "true",
        "--print_mcs_complement",
        "true",
    ],
];

/// Validates the output of the program for a model.
struct Judge {
    json: Schema,
    xml: Option<PathBuf>,
}

impl Judge {
    fn new() -> Option<Judge> {
        let Some(folder) = reference() else {
            eprintln!("there are no schemas: nothing is validated");
            return None;
        };
        let xml = has_xmllint().then(|| folder.join("kind2-output.xsd"));
        if xml.is_none() {
            eprintln!("there is no xmllint: XML is not validated");
        }
        Some(Judge {
            json: Schema::read(&folder.join("kind2-output.json")),
            xml,
        })
    }

    /// Returns the number of objects.
    fn judge(&self, model: &Path, way: &[&str]) -> usize {
        let model = model.display().to_string();
        let shown = format!("{way:?} {model}");
        let run = |format| {
            let mut args = vec![format, "--timeout", "1"];
            args.extend(way);
            args.push(&model);
            kindred(&repository(), &args, "").stdout
        };
        let document = serde_json::from_str(&run("-json"));
        let document = document.unwrap_or_else(|error| panic!("{shown}: {error}"));
        if let Some(problem) = self.json.problem(&document) {
            panic!("-json {shown}: {problem}");
        }
        if let Some(schema) = &self.xml
            && let Some(problem) = xml_problem(schema, &run("-xml"))
        {
            panic!("-xml {shown}: {problem}");
        }
        document.as_array().map_or(0, Vec::len)
    }
}

#[test]
fn examples_in_many_ways() {
    let Some(judge) = Judge::new() else { return };
    let models = files(&repository().join("examples"), "lus");
    let mut objects = 0;
    // Each way with some models, and each model in some ways.
    for (at, model) in models.iter().enumerate() {
        for turn in 0..4 {
            objects += judge.judge(model, WAYS[(at + turn * 3) % WAYS.len()]);
        }
    }
    assert!(objects > 100, "only {objects} objects were seen");
}

#[test]
fn test_models_good_and_bad() {
    let Some(judge) = Judge::new() else { return };
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut models = files(&tests.join("cli"), "lus");
    models.extend(files(&tests.join("vacuity"), "lus"));
    models.extend(files(&tests.join("loops"), "lus"));
    models.extend(files(
        &repository().join("crates/analysis/tests/models"),
        "lus",
    ));
    for (at, model) in models.iter().enumerate() {
        judge.judge(model, &[]);
        judge.judge(model, WAYS[1 + at % (WAYS.len() - 1)]);
    }
    judge.judge(Path::new("nowhere.lus"), &[]);
}

#[test]
fn models_of_others() {
    let Some(judge) = Judge::new() else { return };
    let Some(corpus) = reference().map(|folder| folder.join("../corpus")) else {
        return;
    };
    let folders = [
        "regression/success",
        "regression/falsifiable",
        "regression/error",
        "documentation",
        "machine_integers",
        "parametric_arrays",
    ];
    for folder in folders {
        let models = files(&corpus.join(folder), "lus");
        let stride = models.len().div_ceil(8).max(1);
        for (at, model) in models.iter().step_by(stride).enumerate() {
            judge.judge(model, &[]);
            judge.judge(model, WAYS[1 + at % (WAYS.len() - 1)]);
        }
    }
}

/// The validation refuses wrong documents.
#[test]
fn faults_are_found() {
    let Some(judge) = Judge::new() else { return };
    let faulty = [
        r#"[{"objectType": "surprise"}]"#,
        r#"[{"objectType": "log", "level": "loud", "source": "x", "value": "y"}]"#,
        r#"[{"objectType": "progress", "source": "bmc", "k": -1}]"#,
        r#"[{"objectType": "execution", "trace": [{"blockType": "node"}]}]"#,
        r#"[{"objectType": "analysisStart", "top": "x", "concrete": [], "abstract": [],
             "assumptions": [["y"]]}]"#,
    ];
    for text in faulty {
        let document = serde_json::from_str(text).expect("JSON");
        assert!(judge.json.problem(&document).is_some(), "{text}");
    }
    if let Some(schema) = &judge.xml {
        let document = "<Results><Progress>5</Progress></Results>";
        assert!(xml_problem(schema, document).is_some());
    }
}
