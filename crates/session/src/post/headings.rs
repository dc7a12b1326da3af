//! The headings of options in the help.

pub const IVC: &str = "Inductive validity cores";
pub const MCS: &str = "Minimal cut sets";
pub const MUTATION: &str = "Mutation";
pub const CERTIF: &str = "Certificates";
pub const CONTRACTS: &str = "Contracts";
