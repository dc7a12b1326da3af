//! The version of a library file.
//!
//! The library cannot be loaded at build time, as it may be for another machine. Z3 carries its
//! version as a text of four numbers, `5.3.2.0`, between two zero bytes. Where a compiler has put
//! it elsewhere, a header beside the library tells.

use std::fs;
use std::path::Path;

use crate::{MINIMUM, VERSION};

/// The version of a library; an error if it is too old or has none.
pub fn checked(library: &Path) -> Result<String, String> {
    let shown = library.display();
    let bytes = fs::read(library).map_err(|error| format!("cannot read {shown}: {error}"))?;
    let version = find(&bytes)
        .or_else(|| in_header(library))
        .ok_or_else(|| format!("{shown} does not say which version of Z3 it is"))?;
    if numbers(&version) < numbers(MINIMUM) {
        return Err(format!(
            "{shown} is Z3 {version}, and the oldest that can be used is {MINIMUM}"
        ));
    }
    Ok(version)
}

/// Is it the one version that Kindred is tested with?
pub fn is_ours(version: &str) -> bool {
    numbers(version)[..3] == numbers(VERSION)[..3]
}

/// The version in a library, if there is one and only one.
fn find(bytes: &[u8]) -> Option<String> {
    let mut found: Option<&str> = None;
    for text in bytes.split(|byte| *byte == 0) {
        let is_candidate = (7..=19).contains(&text.len())
            && text.iter().all(|b| b.is_ascii_digit() || *b == b'.')
            && text.iter().filter(|b| **b == b'.').count() == 3;
        let Some(text) = is_candidate.then(|| str::from_utf8(text).ok()).flatten() else {
            continue;
        };
        if text.split('.').any(|part| part.parse::<u32>().is_err()) {
            continue;
        }
        match found {
            Some(other) if other != text => return None,
            _ => found = Some(text),
        }
    }
    found.map(str::to_owned)
}

/// The version in `include/z3_version.h` beside the folder of a library, or in it.
fn in_header(library: &Path) -> Option<String> {
    let folder = library.parent()?;
    let headers = [Some(folder), folder.parent()].into_iter().flatten();
    let headers = headers.map(|folder| folder.join("include/z3_version.h"));
    let text = headers
        .into_iter()
        .find_map(|path| fs::read_to_string(path).ok())?;
    let number = |name: &str| {
        let rest = text.lines().find_map(|line| {
            let line = line.trim().strip_prefix("#define")?.trim();
            line.strip_prefix(name)
        })?;
        rest.trim().parse::<u32>().ok()
    };
    let major = number("Z3_MAJOR_VERSION")?;
    let (minor, build) = (number("Z3_MINOR_VERSION")?, number("Z3_BUILD_NUMBER")?);
    Some(format!("{major}.{minor}.{build}.0"))
}

fn numbers(version: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = version.split('.').map_while(|n| n.parse().ok()).collect();
    numbers.resize(4, 0);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_and_compared() {
        assert_eq!(
            find(b"\x7fELF\0..\x005.3.2.0\0ok\0").as_deref(),
            Some("5.3.2.0")
        );
        assert_eq!(find(b"\x005.3.2.0\x005.4.0.0\0"), None);
        assert_eq!(find(b"/z3-5.3.2.0/core\x005.3.2\0 5.3.2.0\0"), None);
        assert!(numbers("4.13.3.0") >= numbers(MINIMUM));
        assert!(numbers("4.8.12.0") < numbers(MINIMUM));
        assert!(is_ours("5.3.2.0") && is_ours("5.3.2.1") && !is_ours("5.3.3.0"));
    }
}
