//! The options of certificates.

use analysis::{MinimiseInvariants, MinimiseK};
use clap::{ArgAction, Args, ValueEnum};

use crate::post::headings::CERTIF;

/// The flags `--certif…`.
#[derive(Args, Clone, Debug)]
pub struct CertificateOptions {
    /// Write certificates of what is proved, for others to check
    #[arg(id = "certif", long = "certif", help_heading = CERTIF, value_name = "BOOL")]
    #[arg(action = ArgAction::Set, default_value_t = false)]
    pub wanted: bool,

    /// How a smaller k is looked for
    #[arg(id = "certif_mink", long = "certif_mink", help_heading = CERTIF, value_name = "HOW")]
    #[arg(default_value = "auto")]
    mink: MinK,

    /// How invariants that are not needed are left out
    #[arg(id = "certif_mininvs", long = "certif_mininvs", help_heading = CERTIF, value_name = "HOW")]
    #[arg(default_value = "medium")]
    mininvs: MinInvs,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum MinK {
    /// As it is found
    No,
    /// From 1 up
    Fwd,
    /// Down, until it fails
    Bwd,
    /// By halving
    Dicho,
    /// One less first, then by halving
    Frontierdicho,
    /// From 1 up if it is small, otherwise as frontierdicho
    Auto,
}

#[derive(Clone, Copy, ValueEnum, Debug)]
enum MinInvs {
    /// What no core has
    Easy,
    /// As easy, then what no counterexample to induction violates
    Medium,
    /// The second of these only
    Mediumonly,
    /// As medium, but one at a time for each counterexample
    Hard,
    /// The second of these only
    Hardonly,
}

impl CertificateOptions {
    pub fn minimise(&self) -> (MinimiseK, MinimiseInvariants) {
        let k = match self.mink {
            MinK::No => MinimiseK::No,
            MinK::Fwd => MinimiseK::Forward,
            MinK::Bwd => MinimiseK::Backward,
            MinK::Dicho => MinimiseK::Dichotomy,
            MinK::Frontierdicho => MinimiseK::FrontierDichotomy,
            MinK::Auto => MinimiseK::Auto,
        };
        let invariants = match self.mininvs {
            MinInvs::Easy => MinimiseInvariants::Easy,
            MinInvs::Medium => MinimiseInvariants::Medium,
            MinInvs::Mediumonly => MinimiseInvariants::MediumOnly,
            MinInvs::Hard => MinimiseInvariants::Hard,
            MinInvs::Hardonly => MinimiseInvariants::HardOnly,
        };
        (k, invariants)
    }
}
