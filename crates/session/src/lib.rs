//! Kindred as a library: open a model, choose analyses, receive events.
//!
//! A [`Model`] is read and checked. A [`Request`] says which nodes are analysed, with which
//! engines, and which analyses follow on the results: invariants, inductive validity cores,
//! mutants, certificates ([`post`]); or that cut sets are looked for instead ([`cut_sets`]).
//! [`run`] does all of it, and tells a [`Listener`] each result when it is known, as an
//! [`results::Event`]. A [`Control`] ends it early, and knows what is not finished.
//!
//! ```
//! use results::{PropertyVerdict, Event};
//! use session::{Control, Listener, Model, Request};
//!
//! /// Collects the verdicts.
//! #[derive(Default)]
//! struct Verdicts(Vec<(String, bool)>);
//!
//! impl Listener for Verdicts {
//!     fn tell(&mut self, event: &Event) -> std::io::Result<()> {
//!         if let Event::Property { report, .. } = event {
//!             let holds = matches!(report.verdict, PropertyVerdict::Valid { .. });
//!             self.0.push((report.name.clone(), holds));
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let text = "
//!     node counter(reset: bool) returns (n: int);
//!     let
//!       n = 0 -> if reset then 0 else pre n + 1;
//!       check \"never negative\" n >= 0;
//!       check \"small\" n < 3;
//!     tel
//! ";
//! let opened = Model::open("counter.lus", text, &Default::default());
//! let model = opened.model.expect("the model is well formed");
//! let request = Request::new(&model);
//! let mut verdicts = Verdicts::default();
//! let tally = session::run(&model, request, &Control::new(None), &mut verdicts)?;
//! verdicts.0.sort();
//! assert_eq!(
//!     verdicts.0,
//!     [("never negative".to_owned(), true), ("small".to_owned(), false)]
//! );
//! assert_eq!((tally.properties, tally.disproved), (2, 1));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! This crate does not know how events are shown: that is up to the listener, for example with
//! `report`.

mod advice_file;
mod analysed;
pub mod atomic_write;
pub mod contract_check;
mod control;
pub mod cut_sets;
mod describe;
mod distance;
mod elements;
mod learnt_options;
mod listener;
mod model;
mod narrate;
mod output_folder;
pub mod post;
mod request;
mod run;
pub mod standard_output;
mod tally;
mod unfinished;

pub use analysed::{Analysed, canonical};
pub use contract_check::check_contracts;
pub use control::{Control, SolverGuard};
pub use learnt_options::LearntOptions;
pub use listener::Listener;
pub use model::{Model, Opened, ReadOptions};
pub use output_folder::{Dumped, OutputFolder};
pub use request::Request;
pub use run::run;
pub use tally::{PostOutcome, Tally};
pub use unfinished::Unfinished;
