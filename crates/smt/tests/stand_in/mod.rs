//! Scripts that stand in for solvers.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A script that answers each command by the first pattern that it fits.
pub fn stand_in(name: &str, cases: &[(&str, &str)]) -> PathBuf {
    let mut script = "#!/bin/sh\nwhile read -r line; do\n  case \"$line\" in\n".to_owned();
    for (pattern, action) in [("(echo", "echo ready")].iter().chain(cases) {
        script += &format!("    *\"{pattern}\"*) {action} ;;\n");
    }
    script += "  esac\ndone\n";
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, script).expect("a script");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, runs).expect("a script that runs");
    wait_for(&path);
    path
}

/// Waits until the script can be run: a program that another thread starts meanwhile has
/// the file open for a moment, as it was written.
fn wait_for(path: &Path) {
    let run = || {
        let mut command = Command::new(path);
        command.arg("--version").stdin(Stdio::null()).output()
    };
    while run().is_err_and(|error| error.kind() == ErrorKind::ExecutableFileBusy) {
        std::thread::yield_now();
    }
}
