//! The notices of third parties: each crate with its licence, and the texts of licences
//! as their authors have written them.

use std::collections::BTreeMap;
use std::fs;

use crate::Made;
use crate::packages::Package;

/// What the files with licences and notices are called.
const NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"];

/// The licence of Z3, which the wheel does not carry.
const Z3: &str = include_str!("z3_license.txt");

pub fn notices(packages: &[Package]) -> Made<String> {
    let mut out = String::from(
        "Kindred contains the work of others, under the licences below.\n\n\
         Components\n==========\n\n",
    );
    let others: Vec<&Package> = packages
        .iter()
        .filter(|package| !package.is_own())
        .collect();
    for package in &others {
        out += &format!(
            "{} {}: {}\n",
            package.name, package.version, package.license
        );
    }
    out += &format!("z3 {}: MIT\n", z3_link::VERSION);
    // A text that several have in common is there once.
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in &others {
        let mut own = 0;
        let entries = fs::read_dir(&package.folder).map_err(crate::at(&package.folder))?;
        let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        files.sort();
        for file in files {
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .to_uppercase();
            if !file.is_file() || !NAMES.iter().any(|known| name.starts_with(known)) {
                continue;
            }
            let text = fs::read(&file).map_err(crate::at(&file))?;
            let text = String::from_utf8_lossy(&text).replace("\r\n", "\n");
            let users = texts.entry(text.trim_end().to_owned()).or_default();
            users.push(format!("{} {}", package.name, package.version));
            own += 1;
        }
        if own == 0 {
            out += &format!("(no file with a licence comes with {})\n", package.name);
        }
    }
    texts
        .entry(Z3.trim_end().to_owned())
        .or_default()
        .push(format!("z3 {}", z3_link::VERSION));
    let mut texts: Vec<(String, Vec<String>)> = texts.into_iter().collect();
    texts.sort_by(|a, b| a.1.cmp(&b.1));
    for (text, mut users) in texts {
        users.dedup();
        let title = users.join(", ");
        out += &format!(
            "\n{}\n{title}\n{}\n\n{text}\n",
            "-".repeat(80),
            "-".repeat(80)
        );
    }
    Ok(out)
}
