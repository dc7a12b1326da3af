//! Games against the environment: who wins, the evidence for it, and plays.
//!
//! Most games are random. `KINDRED_GAMES=2000` tries so many in each test.

mod contract;
mod evidence;
mod expr;
mod laws;
mod linear;
mod search;

/// How many random games a test tries.
fn count(usual: u64) -> u64 {
    let number = std::env::var("KINDRED_GAMES").ok();
    number.and_then(|text| text.parse().ok()).unwrap_or(usual)
}
