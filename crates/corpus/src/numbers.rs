//! Command lines of the examples: options that are given a number each.

use std::collections::BTreeMap;

/// `--option NUMBER …`, in any order; of an option that is repeated, the last one counts.
pub struct Numbers(BTreeMap<String, u64>);

impl Numbers {
    /// Those on the command line of this process, if each of them is known.
    pub fn given(known: &[&str]) -> Result<Numbers, String> {
        Numbers::read(std::env::args().skip(1), known)
    }

    fn read(mut given: impl Iterator<Item = String>, known: &[&str]) -> Result<Numbers, String> {
        let mut numbers = BTreeMap::new();
        while let Some(option) = given.next() {
            if !known.contains(&option.as_str()) {
                return Err(format!("{option} is not one of {}", known.join(", ")));
            }
            let number = given.next().and_then(|value| value.parse().ok());
            let number = number.ok_or(format!("{option} needs a number"))?;
            numbers.insert(option, number);
        }
        Ok(Numbers(numbers))
    }

    pub fn get(&self, option: &str) -> Option<u64> {
        self.0.get(option).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Numbers, String> {
        Numbers::read(
            line.split_whitespace().map(str::to_owned),
            &["--runs", "--seed"],
        )
    }

    #[test]
    fn options_are_known_and_have_numbers() {
        let numbers = read("--seed 3 --runs 7 --seed 5").expect("well formed");
        let pair = (numbers.get("--runs"), numbers.get("--seed"));
        assert_eq!(pair, (Some(7), Some(5)));
        assert_eq!(read("").expect("well formed").get("--runs"), None);
        for wrong in ["--runs", "--runs x", "--only 3", "7"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
