//! What may become a part of the program: licences and sources, as `deny.toml` says it for
//! `cargo deny`, for machines that do not have that. Advisories need its database.

use crate::packages::Package;

/// The allowed licences: they ask no more of a user of Kindred than to pass on their texts.
pub const LICENCES: [&str; 11] = [
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// The one place that crates come from is cargo's own registry.
fn is_known(source: &str) -> bool {
    source.starts_with("registry+") && source.ends_with("/crates.io-index")
}

/// What is wrong with the crates.
pub fn problems(packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    for package in packages {
        let (name, version) = (&package.name, &package.version);
        if !is_allowed(&package.license) {
            let license = &package.license;
            problems.push(format!(
                "{name} {version}: the licence {license:?} is not allowed"
            ));
        }
        match &package.source {
            None => {}
            Some(source) if !is_known(source) => {
                problems.push(format!("{name} {version} comes from {source}"));
            }
            Some(_) if package.checksum.is_none() => {
                problems.push(format!("{name} {version} has no checksum in Cargo.lock"));
            }
            Some(_) => {}
        }
    }
    problems
}

/// Do the allowed licences satisfy an SPDX expression?
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = spaced.split_whitespace().collect();
    words.reverse();
    let allowed = either(&mut words);
    allowed == Some(true) && words.is_empty()
}

/// `a OR b`; words are taken from the end.
fn either(words: &mut Vec<&str>) -> Option<bool> {
    let mut allowed = both(words)?;
    while words.last() == Some(&"OR") {
        words.pop();
        allowed |= both(words)?;
    }
    Some(allowed)
}

/// `a AND b`, which binds more closely.
fn both(words: &mut Vec<&str>) -> Option<bool> {
    let mut allowed = one(words)?;
    while words.last() == Some(&"AND") {
        words.pop();
        allowed &= one(words)?;
    }
    Some(allowed)
}

fn one(words: &mut Vec<&str>) -> Option<bool> {
    let word = words.pop()?;
    if word == "(" {
        let allowed = either(words)?;
        return (words.pop() == Some(")")).then_some(allowed);
    }
    let mut name = word.to_owned();
    if words.last() == Some(&"WITH") {
        words.pop();
        name = format!("{name} WITH {}", words.pop()?);
    }
    Some(LICENCES.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_understood() {
        for allowed in [
            "MIT",
            "MIT OR GPL-3.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT",
            "MIT )",
            "MIT MIT",
            "OR",
        ] {
            assert!(!is_allowed(refused), "{refused}");
        }
    }
}
