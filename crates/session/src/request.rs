//! The request of a run: nodes, engines and post-analyses.

use std::path::PathBuf;
use std::time::Duration;

use analysis::{Settings, Strategy};
use lang::NodeId;

use crate::model::Model;
use crate::output_folder::OutputFolder;
use crate::post::PostOptions;

/// Which nodes are analysed, how, and what is made of the results.
pub struct Request {
    /// The top nodes: those whose results are asked for.
    pub tops: Vec<NodeId>,
    pub strategy: Strategy,
    /// How the model is translated.
    pub lower: lower::LowerOptions,
    /// The settings of the engines; deadlines come from [`Control`](crate::Control).
    pub settings: Settings,
    /// The timeout of each analysis.
    pub analysis_time: Option<Duration>,
    pub post: PostOptions,
    /// Search for cut sets instead of proofs, with the options in `post`.
    pub finds_cut_sets: bool,
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
            finds_cut_sets: false,
            folder: OutputFolder::new("kindred.out".into()),
            minimized: "kindred.ivc".into(),
        }
    }

    /// Are all nodes analysed, or one of several tops?
    pub(crate) fn has_many(&self) -> bool {
        self.strategy.modular || self.tops.len() > 1
    }
}
