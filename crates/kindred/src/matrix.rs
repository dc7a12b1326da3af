//! Which property needs which element of the model.

use std::collections::HashSet;
use std::io;

use report::{Level, Log, Matrix, Need, Row};
use system::Element;
use traceability::ivc::Cores;
use traceability::{Model, Set};

use crate::dump::OutputFolder;
use crate::element_args::IvcArgs;
use crate::elements::{Elements, Question, describe};
use crate::run::Out;

/// What the elements are to one property.
pub struct Column {
    property: String,
    /// By position in the model.
    needs: Vec<Need>,
}

impl Column {
    /// From the cores that were found, if any, and whether they are known to be minimal.
    pub fn new(property: String, count: usize, cores: Option<(&Cores, bool)>) -> Column {
        let need = |at| cores.map_or(Need::Open, |(cores, exact)| need(cores, exact, at));
        let needs = (0..count).map(need);
        Column {
            property,
            needs: needs.collect(),
        }
    }
}

fn need(cores: &Cores, exact: bool, at: usize) -> Need {
    let has = |set: &Set| set.contains(&at);
    match () {
        () if cores.must.as_ref().is_some_and(has) => Need::Must,
        () if exact && cores.ivcs.iter().any(has) => Need::May,
        () if !exact || cores.incomplete => Need::Open,
        () => Need::Irrelevant,
    }
}

/// Shows the matrix, and writes the files that are asked for. Gives back how many
/// of them could not be written.
pub fn run(
    args: &IvcArgs,
    question: &Question,
    elements: &Elements,
    columns: &[Column],
    folder: &OutputFolder,
    out: &mut Out,
) -> io::Result<usize> {
    let matrix = matrix(question, elements, columns);
    let mut files = Vec::new();
    if args.matrix {
        out.matrix(&matrix)?;
        files.push(("csv", "matrix", matrix.csv()));
    }
    if args.html {
        files.push(("html", "page", report::page(&matrix, question.sources)));
    }
    let mut errors = 0;
    for (extension, what, text) in files {
        let name = format!("{}.{extension}", matrix.top);
        let (level, message) = match folder.write(&name, &text) {
            Ok(path) => {
                let path = path.display();
                let message = format!("the traceability {what} of {} is in {path}", matrix.top);
                (Level::Note, message)
            }
            Err(error) => {
                errors += 1;
                (Level::Error, error.to_string())
            }
        };
        out.log(&Log::new(level, "ivc", message))?;
    }
    Ok(errors)
}

fn matrix(question: &Question, elements: &Elements, columns: &[Column]) -> Matrix {
    let row = |element: &Element, needs: Vec<Need>| Row {
        element: describe(question.sources, element),
        span: element.span,
        needs,
    };
    let parts = elements.model.parts.iter().enumerate();
    let needs = |at: usize| columns.iter().map(|column| column.needs[at]).collect();
    let mut rows: Vec<Row> = parts
        .map(|(at, part)| row(&part.element, needs(at)))
        .collect();
    let unreached = unreached(question, elements);
    let irrelevant = vec![Need::Irrelevant; columns.len()];
    rows.extend(
        unreached
            .iter()
            .map(|element| row(element, irrelevant.clone())),
    );
    rows.sort_by_cached_key(|row| (row.element.node.clone(), row.span));
    Matrix {
        top: question.program.node(question.top).name.to_string(),
        properties: columns.iter().map(|c| c.property.clone()).collect(),
        rows,
    }
}

/// The elements that no property reaches: they are not even part of the system.
fn unreached(question: &Question, elements: &Elements) -> Vec<Element> {
    let options = lower::Options {
        all_streams: true,
        ..elements.options.lower.clone()
    };
    let whole = lower::lower(question.program, question.sources, question.top, &options);
    let Ok(whole) = whole else {
        return Vec::new();
    };
    let reached = elements.model.parts.iter().map(|part| &part.element);
    let reached: HashSet<&Element> = reached.chain(&elements.model.tagged.elements).collect();
    let whole = Model::new(whole.tagged, question.granularity, question.wanted);
    let all = whole.parts.into_iter().map(|part| part.element);
    all.filter(|element| !reached.contains(element)).collect()
}
