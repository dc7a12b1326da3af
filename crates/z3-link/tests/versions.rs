//! The wheel and the source that `--features vendored` compiles are one version of Z3.

use std::path::Path;

use z3_link::{VERSION, WHEEL};

/// The crate `z3-src` has the version of Z3 in its own: 503.2.x is 5.3.2.
#[test]
fn the_vendored_source_is_the_version_of_the_wheel() {
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    let lock = std::fs::read_to_string(lock).expect("there is a lock file");
    let (_, rest) = lock
        .split_once("name = \"z3-src\"")
        .expect("z3-src is locked");
    let (_, rest) = rest.split_once("version = \"").expect("it has a version");
    let (version, _) = rest.split_once('"').expect("it is quoted");
    let numbers: Vec<u32> = version.split('.').map_while(|n| n.parse().ok()).collect();
    let vendored = format!("{}.{}.{}", numbers[0] / 100, numbers[0] % 100, numbers[1]);
    assert_eq!(vendored, VERSION);
    assert!(WHEEL.starts_with(&format!("{VERSION}.")));
}

#[test]
fn the_documents_name_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("docs/building.md")).expect("a document");
    assert!(text.contains(&format!("`z3-solver` {WHEEL}")));
    assert!(text.contains(&format!("Z3 {VERSION} from the source")));
}
