//! Faults at every write: a disk that is full, a reader that is gone, a signal.
//!
//! Each way to write something is run once undisturbed. Then it is run with a limit on the
//! size of files, which takes all values that matter for the files of the first run
//! (`RLIMIT_FSIZE` with its signal ignored, so that a write beyond it fails as it does on
//! a full disk); with a standard output that takes nothing, or whose reader leaves; and
//! with signals at moments spread over the run. A file must be whole or not there, the exit
//! code must tell that something could not be written, a document must be closed where someone reads
//! it, and neither a process nor an unfinished file may be left.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sim::input::parse_json;

use crate::option_fuzz::run::{Run, empty, watch};

/// Seconds for a run, and how long it may go on after a signal.
const TIMEOUT: f64 = 20.0;
const AFTER_SIGNAL: f64 = 2.0;

const ERROR: i32 = 1;

/// Signals that ask a run to end.
pub const SIGNALS: &[&str] = &["INT", "TERM", "HUP"];

/// Something that is written: the options for it. `@` is the folder for files.
pub struct Way {
    pub name: &'static str,
    pub options: &'static [&'static str],
}

pub const WAYS: &[Way] = &[
    Way {
        name: "JSON",
        options: &["--json"],
    },
    Way {
        name: "XML",
        options: &["--xml"],
    },
    Way {
        name: "text",
        options: &["-v"],
    },
    Way {
        name: "counterexamples",
        options: &["--dump_cex", "true", "--dump_witness", "true"],
    },
    Way {
        name: "invariants",
        options: &["--json", "--log_invs", "true"],
    },
    Way {
        name: "advice",
        options: &["--json", "--write_advice", "@/advice"],
    },
    Way {
        name: "certificates",
        options: &["--json", "--certif", "true"],
    },
    Way {
        name: "cores",
        options: &[
            "--json",
            "--ivc",
            "true",
            "--ivc_html",
            "true",
            "--minimize_program",
            "concise",
            "--ivc_output_dir",
            "@/cores",
        ],
    },
    Way {
        name: "mutants",
        options: &[
            "--json",
            "--mutation",
            "true",
            "--mutation_json",
            "@/mutants.json",
            "--mutation_csv",
            "@/mutants.csv",
            "--mutation_html",
            "@/mutants.html",
        ],
    },
    Way {
        name: "clauses",
        options: &["--json", "--ic3qe_print_to_file", "@/clauses"],
    },
];

/// The text of each file.
type Files = BTreeMap<PathBuf, String>;

/// Injects faults into runs of a program on a model.
pub struct Injector {
    pub binary: PathBuf,
    pub folder: PathBuf,
    pub model: PathBuf,
}

/// What came of it.
#[derive(Default)]
pub struct Injected {
    pub runs: usize,
    /// Runs in which the fault struck.
    pub struck: usize,
    pub wrong: Vec<String>,
}

impl Injected {
    pub fn add(&mut self, other: Injected) {
        self.runs += other.runs;
        self.struck += other.struck;
        self.wrong.extend(other.wrong);
    }
}

impl Injector {
    fn arguments(&self, way: &Way) -> Vec<String> {
        let folder = self.folder.display().to_string();
        let mut args = vec!["--timeout".to_owned(), TIMEOUT.to_string()];
        args.extend(["--output_dir".to_owned(), format!("{folder}/out")]);
        let options = way.options.iter();
        args.extend(options.map(|option| option.replace('@', &folder)));
        args.push(self.model.display().to_string());
        args
    }

    fn run(&self, command: &mut Command) -> Run {
        empty(&self.folder);
        let limit = TIMEOUT + AFTER_SIGNAL;
        watch(command, &self.folder, limit, &mut |_, _| ())
    }

    /// The program below a script, which has its arguments in `"$@"`.
    fn below(&self, script: &str, way: &Way) -> Run {
        let mut command = Command::new("bash");
        command.args(["-c", script, "bash"]).arg(&self.binary);
        self.run(command.args(self.arguments(way)))
    }

    fn undisturbed(&self, way: &Way) -> (Run, Files) {
        let mut command = Command::new(&self.binary);
        let run = self.run(command.args(self.arguments(way)));
        (run, self.files())
    }

    /// The files of a run but those that catch its output.
    fn files(&self) -> Files {
        let mut files = Files::new();
        collect(&self.folder, &mut files);
        files.remove(&self.folder.join("stdout"));
        files.remove(&self.folder.join("stderr"));
        files
    }

    /// A disk that takes so many bytes of each file. What goes to standard output is
    /// passed on by a process without a limit.
    pub fn full_disk(&self, way: &Way) -> Injected {
        let mut injected = Injected::default();
        let (_, whole) = self.undisturbed(way);
        let mut limits: Vec<usize> = Vec::new();
        for size in whole.values().map(String::len) {
            limits.extend([0, 1, size / 2, size.saturating_sub(1)]);
        }
        limits.sort_unstable();
        limits.dedup();
        for limit in limits {
            let script = format!(
                "trap '' XFSZ; prlimit --fsize={limit} \"$@\" 2> >(cat >&2) | cat; \
                 exit ${{PIPESTATUS[0]}}"
            );
            let run = self.below(&script, way);
            let files = self.files();
            let mut wrong = self.leftovers(&run);
            wrong.extend(broken(&files, &whole));
            let missing = whole.keys().any(|path| !files.contains_key(path));
            if missing && run.exit != Some(ERROR) {
                wrong.push(format!("exit code {:?} without a file", run.exit));
            }
            wrong.extend(open_document(way, &run));
            injected.runs += 1;
            injected.struck += usize::from(missing);
            injected.note(way, &format!("files of {limit} bytes"), wrong);
        }
        injected
    }

    /// Standard output that takes nothing, or some bytes.
    pub fn lost_output(&self, way: &Way) -> Injected {
        let mut injected = Injected::default();
        let (plain, whole) = self.undisturbed(way);
        let size = plain.stdout.len();
        let mut scripts = vec![("a full device".to_owned(), "\"$@\" > /dev/full".to_owned())];
        for count in [0, 1, size / 2, size.saturating_sub(1)] {
            let script = format!("\"$@\" | head -c {count}; exit ${{PIPESTATUS[0]}}");
            scripts.push((format!("a reader of {count} bytes"), script));
        }
        for (fault, script) in scripts {
            let run = self.below(&script, way);
            let mut wrong = self.leftovers(&run);
            wrong.extend(broken(&self.files(), &whole));
            // Who reads all but the last byte may still be there when that is written.
            let certain = fault.contains("device") || run.stdout.len() < size / 2;
            if certain && size > 0 && run.exit != Some(ERROR) {
                wrong.push(format!("exit code {:?}", run.exit));
            }
            injected.runs += 1;
            injected.struck += usize::from(run.exit == Some(ERROR));
            injected.note(way, &fault, wrong);
        }
        injected
    }

    /// Each of some signals at so many moments.
    pub fn signals(&self, way: &Way, signals: &[&str], moments: u32) -> Injected {
        let mut injected = Injected::default();
        let (plain, whole) = self.undisturbed(way);
        for signal in signals {
            for moment in 0..moments {
                let at = plain.seconds * f64::from(moment) / f64::from(moments);
                let at = Duration::from_secs_f64(at);
                let mut sent = None;
                empty(&self.folder);
                let mut command = Command::new(&self.binary);
                command.args(self.arguments(way));
                let limit = TIMEOUT + AFTER_SIGNAL;
                let run = watch(&mut command, &self.folder, limit, &mut |child, elapsed| {
                    if sent.is_none() && elapsed >= at {
                        let id = child.id().to_string();
                        // It may be over.
                        let _ = Command::new("kill").args(["-s", signal, &id]).output();
                        sent = Some(elapsed.as_secs_f64());
                    }
                });
                let mut wrong = self.leftovers(&run);
                wrong.extend(broken(&self.files(), &whole));
                if let Some(sent) = sent
                    && run.seconds - sent > AFTER_SIGNAL
                {
                    wrong.push(format!("went on for {:.1} s", run.seconds - sent));
                }
                match run.exit {
                    // Before anything is written, a signal may end it at once.
                    None if run.stdout.is_empty() => {}
                    None => wrong.push("it ended in the middle of a document".to_owned()),
                    Some(_) => wrong.extend(open_document(way, &run)),
                }
                injected.runs += 1;
                injected.struck += usize::from(sent.is_some());
                injected.note(
                    way,
                    &format!("{signal} after {:.3} s", at.as_secs_f64()),
                    wrong,
                );
            }
        }
        injected
    }

    /// What a run leaves behind, or says when it crashes.
    fn leftovers(&self, run: &Run) -> Vec<String> {
        let mut wrong = Vec::new();
        wrong.extend(run.left.iter().map(|left| format!("process left: {left}")));
        wrong.extend(run.unfinished.iter().map(|file| format!("left: {file}")));
        let said = format!("{}{}", run.stderr, run.stdout);
        let panic = said.lines().find(|line| line.contains("panicked at"));
        wrong.extend(panic.map(|line| line.to_owned()));
        wrong
    }
}

impl Injected {
    fn note(&mut self, way: &Way, fault: &str, wrong: Vec<String>) {
        let wrong = wrong.into_iter();
        self.wrong
            .extend(wrong.map(|what| format!("{}, {fault}: {what}", way.name)));
    }
}

fn collect(folder: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            let text = crate::files::read(&path);
            files.insert(path, text);
        }
    }
}

/// Files that are not whole. What they have in them depends on how far a run came, but
/// they end as they do in a run without faults, and close what they open.
fn broken(files: &Files, whole: &Files) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, text) in files {
        let Some(expected) = whole.get(path) else {
            continue;
        };
        let ends = |text: &str| text.trim_end().chars().last().map(is_closing);
        let page = path.extension().is_some_and(|kind| kind == "html");
        let whole = match page {
            true => text.trim_end().ends_with("</html>"),
            false => text.ends_with('\n') == expected.ends_with('\n'),
        };
        let structured = ends(expected) == Some(true) && !page;
        if !whole || structured && open(text) != open(expected) {
            wrong.push(format!(
                "{} is cut off after {} bytes",
                path.display(),
                text.len()
            ));
        }
    }
    wrong
}

fn is_closing(last: char) -> bool {
    [')', ']', '}'].contains(&last)
}

/// How many brackets of each kind are open at the end.
fn open(text: &str) -> [isize; 3] {
    [('(', ')'), ('[', ']'), ('{', '}')].map(|(opening, closing)| {
        let count = |bracket| text.matches(bracket).count() as isize;
        count(opening) - count(closing)
    })
}

/// A document that someone reads must be closed.
fn open_document(way: &Way, run: &Run) -> Option<String> {
    let text = run.stdout.trim();
    let open = match way.options[0] {
        "--json" => !text.is_empty() && parse_json(text).is_err(),
        "--xml" => !text.is_empty() && !text.ends_with("</Results>"),
        _ => false,
    };
    open.then(|| "the document is not closed".to_owned())
}
