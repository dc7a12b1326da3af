//! `cargo run --release -p corpus --example hierarchy`: how the time for a
//! hierarchy of nodes grows with their number, part by part and as a whole.

use corpus::{hierarchy, verdict};

/// Seconds after which a run is given up.
const LIMIT: f64 = 20.0;

const SIZES: [usize; 6] = [5, 10, 20, 50, 100, 200];

const PART_BY_PART: [&str; 4] = ["--modular", "true", "--compositional", "true"];

fn main() {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("hierarchy{}.lus", std::process::id()));
    println!("nodes  part by part  as a whole");
    let mut whole_fails = false;
    for count in SIZES {
        if let Err(error) = std::fs::write(&path, hierarchy::model(count)) {
            eprintln!("cannot write {}: {error}", path.display());
            return;
        }
        let parts = verdict::run(&path, &PART_BY_PART, LIMIT);
        let parts = shown(parts.exit, parts.seconds);
        // What fails for some number of nodes fails for more.
        let whole = match whole_fails {
            true => "-".to_owned(),
            false => {
                let whole = verdict::run(&path, &[], LIMIT);
                whole_fails = whole.exit != 0;
                shown(whole.exit, whole.seconds)
            }
        };
        println!("{count:>5}  {parts:>12}  {whole:>10}");
    }
    // The file is in the folder for such files; it does no harm there.
    let _ = std::fs::remove_file(&path);
}

fn shown(exit: i32, seconds: f64) -> String {
    match exit {
        0 => format!("{seconds:.2} s"),
        30 => "unknown".to_owned(),
        code => format!("exit {code}"),
    }
}
