//! Archives in the format of `tar` (POSIX ustar) that depend on nothing but what is in
//! them: sorted by name, owned by root, dated alike.

use std::collections::BTreeMap;

use crate::Made;

/// A file in the archive.
#[derive(Clone, Debug)]
pub struct Entry {
    pub bytes: Vec<u8>,
    pub is_program: bool,
}

/// The files of an archive by their paths.
pub type Files = BTreeMap<String, Entry>;

/// The archive; all files have the same date, in seconds since 1970.
pub fn tar(files: &Files, date: u64) -> Made<Vec<u8>> {
    let mut out = Vec::new();
    for (path, entry) in files {
        out.extend(header(path, entry, date)?);
        out.extend(&entry.bytes);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    // Two empty blocks are the end.
    out.resize(out.len() + 1024, 0);
    Ok(out)
}

fn header(path: &str, entry: &Entry, date: u64) -> Made<[u8; 512]> {
    let mut block = [0u8; 512];
    let (prefix, name) = split(path)?;
    let mode = if entry.is_program { 0o755 } else { 0o644 };
    let mut put = |at: usize, text: &[u8]| block[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, format!("{mode:07o}\0").as_bytes());
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", entry.bytes.len()).as_bytes());
    put(136, format!("{date:011o}\0").as_bytes());
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    put(265, b"root");
    put(297, b"root");
    put(345, prefix.as_bytes());
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

/// A path in the two parts that there is room for.
fn split(path: &str) -> Made<(&str, &str)> {
    if path.len() <= 100 {
        return Ok(("", path));
    }
    let mut places = path.match_indices('/').map(|(at, _)| at);
    let place = places.find(|at| path.len() - at - 1 <= 100 && *at <= 155);
    let at = place.ok_or_else(|| format!("the path is too long: {path}"))?;
    Ok((&path[..at], &path[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(text: &str) -> Entry {
        Entry {
            bytes: text.into(),
            is_program: false,
        }
    }

    #[test]
    fn archives_have_whole_blocks_and_true_sums() {
        let long = format!("{}/file", "folder/".repeat(20).trim_end_matches('/'));
        let files = Files::from([("b".to_owned(), entry("two")), (long.clone(), entry("one"))]);
        let bytes = tar(&files, 1).expect("an archive");
        assert_eq!(bytes.len() % 512, 0);
        assert_eq!(bytes, tar(&files, 1).expect("an archive"));
        let header = &bytes[..512];
        let sum = std::str::from_utf8(&header[148..154]).expect("digits");
        let sum = u32::from_str_radix(sum, 8).expect("octal");
        let own: u32 = header[148..156].iter().map(|b| u32::from(*b)).sum();
        let all: u32 = header.iter().map(|b| u32::from(*b)).sum();
        assert_eq!(all - own + 8 * 32, sum);
    }
}
