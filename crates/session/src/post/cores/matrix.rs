//! Which property needs which element of the model.

use std::collections::HashSet;

use results::{Matrix, Need, Row};
use system::Element;
use traceability::ivc::Cores;
use traceability::{Model, Set};

use crate::analysed::Analysed;
use crate::elements::{Elements, Selection, describe};

/// The column of one property: how it needs each element.
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

/// The matrix of the cores that were found.
pub fn matrix(
    analysed: &Analysed,
    selection: &Selection,
    elements: &Elements,
    columns: &[Column],
) -> Matrix {
    let row = |element: &Element, needs: Vec<Need>| Row {
        element: describe(analysed.sources(), element),
        span: element.span,
        needs,
    };
    let parts = elements.model.parts.iter().enumerate();
    let needs = |at: usize| columns.iter().map(|column| column.needs[at]).collect();
    let mut rows: Vec<Row> = parts
        .map(|(at, part)| row(&part.element, needs(at)))
        .collect();
    let unreached = unreached(analysed, selection, elements);
    let irrelevant = vec![Need::Irrelevant; columns.len()];
    rows.extend(
        unreached
            .iter()
            .map(|element| row(element, irrelevant.clone())),
    );
    rows.sort_by_cached_key(|row| (row.element.node.clone(), row.span));
    Matrix {
        top: analysed.name().to_owned(),
        properties: columns.iter().map(|c| c.property.clone()).collect(),
        rows,
    }
}

/// The elements that no property reaches: they are not even part of the system.
fn unreached(analysed: &Analysed, selection: &Selection, elements: &Elements) -> Vec<Element> {
    let options = lower::LowerOptions {
        all_streams: true,
        ..elements.options.lower.clone()
    };
    let Ok(whole) = analysed.lowered(&options) else {
        return Vec::new();
    };
    let reached = elements.model.parts.iter().map(|part| &part.element);
    let reached: HashSet<&Element> = reached.chain(&elements.model.tagged.elements).collect();
    let whole = Model::new(whole.tagged, selection.granularity, &selection.wanted);
    let all = whole.parts.into_iter().map(|part| part.element);
    all.filter(|element| !reached.contains(element)).collect()
}
