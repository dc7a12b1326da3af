//! A run of the program, watched from outside.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::Trial;

/// Seconds beyond its time limit after which a run is ended.
const PATIENCE: f64 = 10.0;

/// The variable by which the processes of a run are known.
const MARK: &str = "KINDRED_FUZZ_RUN";

pub struct Run {
    /// `None` if a signal ended it.
    pub exit: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub seconds: f64,
    /// Processes that are still there.
    pub left: Vec<String>,
    /// Files that are not whole.
    pub unfinished: Vec<String>,
}

pub fn help(binary: &Path) -> std::io::Result<String> {
    let output = Command::new(binary).arg("--help").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a trial in a folder, which is emptied before.
pub fn run(binary: &Path, folder: &Path, trial: &Trial) -> Run {
    empty(folder);
    let mut command = Command::new(binary);
    command.args(trial.arguments(folder));
    watch(
        &mut command,
        folder,
        trial.timeout() + PATIENCE,
        &mut |_, _| (),
    )
}

/// Makes a folder with nothing in it.
pub fn empty(folder: &Path) {
    // It may not be there.
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).expect("a folder can be made");
}

/// Watches a command from start to end, or for so many seconds; `meddle` sees the process
/// and how long it has been running, again and again.
pub fn watch(
    command: &mut Command,
    folder: &Path,
    limit: f64,
    meddle: &mut dyn FnMut(&Child, Duration),
) -> Run {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let mark = format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Relaxed));
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.join(name));
    let file = |path: &Path| File::create(path).expect("a file can be made");
    let start = Instant::now();
    let mut child = command
        .current_dir(folder)
        .env(MARK, &mark)
        .stdin(Stdio::null())
        .stdout(file(&stdout))
        .stderr(file(&stderr))
        .spawn()
        .expect("the program starts");
    let exit = end(&mut child, start, limit, meddle);
    let seconds = start.elapsed().as_secs_f64();
    let read = |path: &Path| {
        let bytes = std::fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Run {
        exit,
        stdout: read(&stdout),
        stderr: read(&stderr),
        seconds,
        left: left(&mark),
        unfinished: unfinished(folder),
    }
}

fn end(
    child: &mut Child,
    start: Instant,
    limit: f64,
    meddle: &mut dyn FnMut(&Child, Duration),
) -> Option<i32> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.code(),
            Ok(None) if start.elapsed().as_secs_f64() < limit => {
                meddle(child, start.elapsed());
                sleep(Duration::from_millis(2));
            }
            _ => {
                // It may have ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
}

/// The processes with the mark, after they had a moment to end.
fn left(mark: &str) -> Vec<String> {
    let found = marked(mark);
    if found.is_empty() {
        return found;
    }
    sleep(Duration::from_millis(300));
    marked(mark)
}

fn marked(mark: &str) -> Vec<String> {
    let mark = format!("{MARK}={mark}");
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let marked = all.filter(|entry| {
        let environment = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|entry| entry == mark.as_bytes())
    });
    let names = marked.map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).replace('\0', " ")
    });
    names.collect()
}

fn unfinished(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.to_string_lossy().ends_with(".part") {
            found.push(path.display().to_string());
        }
        if path.is_dir() && !path.is_symlink() {
            found.extend(unfinished(&path));
        }
    }
    found
}
