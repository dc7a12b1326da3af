//! What is asked of a run.

use std::path::PathBuf;
use std::time::Duration;

use analysis::{Settings, Strategy};
use lang::NodeId;

use crate::cut_sets::CutSetOptions;
use crate::model::Model;
use crate::output_folder::OutputFolder;
use crate::post::PostOptions;

/// Which nodes are analysed, how, and what is made of the results.
pub struct Request {
    /// The nodes that are analysed for their own sake.
    pub tops: Vec<NodeId>,
    pub strategy: Strategy,
    /// How the model is translated.
    pub lower: lower::LowerOptions,
    /// Of the engines. When to end is up to [`Control`](crate::Control).
    pub settings: Settings,
    /// For each analysis.
    pub analysis_time: Option<Duration>,
    pub post: PostOptions,
    /// Cut sets are looked for, and nothing is proved.
    pub cut_sets: Option<CutSetOptions>,
    pub folder: OutputFolder,
    /// Where programs with a core are written.
    pub minimized: PathBuf,
}

impl Request {
    /// All top nodes of a model, with the default engines and nothing more.
    pub fn new(model: &Model) -> Request {
        Request {
            tops: model.program.top_nodes(),
            strategy: Strategy::default(),
            lower: lower::LowerOptions::default(),
            settings: Settings::default(),
            analysis_time: None,
            post: PostOptions::default(),
            cut_sets: None,
            folder: OutputFolder::new("kindred.out".into()),
            minimized: "kindred.ivc".into(),
        }
    }

    /// Are all nodes analysed, or one of several tops?
    pub(crate) fn has_many(&self) -> bool {
        self.strategy.modular || self.tops.len() > 1
    }
}
