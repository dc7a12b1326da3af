//! Writes the events of a run to standard output, and to the files that options ask for.

use std::collections::HashMap;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lang::Program;
use report::{Format, OutputOptions, Reporter, RunOptions, Style};
use results::{
    Block, Event, Level, Matrix, MutationReport, PropertyReport, PropertyVerdict, Realizability,
    RealizabilityReport,
};
use session::{Dumped, Listener, OutputFolder, atomic_write};
use syntax::SourceMap;

use crate::args::Args;

/// Which results go to files, and which traces are shown.
#[derive(Clone)]
pub struct Files {
    folder: OutputFolder,
    /// The style of traces in files.
    style: Style,
    counterexamples: Traces,
    witnesses: Traces,
    deadlocks: Traces,
    matrix: bool,
    page: bool,
    mutation_json: Option<PathBuf>,
    mutation_csv: Option<PathBuf>,
    mutation_page: Option<PathBuf>,
}

#[derive(Clone, Copy)]
struct Traces {
    print: bool,
    dump: bool,
}

impl Files {
    pub fn of(args: &Args) -> Files {
        let is_text = args.format() == Format::Text;
        let (cores, mutants) = (&args.post.cores, &args.post.mutants);
        let checks = &args.post.contract_checks;
        Files {
            folder: args.output_folder(),
            style: args.plain_style(),
            counterexamples: Traces {
                print: args.print_cex,
                dump: args.dump_cex && is_text,
            },
            witnesses: Traces {
                print: args.print_witness,
                dump: args.dump_witness && is_text,
            },
            deadlocks: Traces {
                print: checks.print_deadlock,
                dump: checks.dump_deadlock && is_text,
            },
            matrix: cores.matrix,
            page: cores.html,
            mutation_json: mutants.json.clone(),
            mutation_csv: mutants.csv.clone(),
            mutation_page: mutants.html.clone(),
        }
    }
}

/// Writes events as they come.
pub struct Screen<W: Write> {
    reporter: Reporter<W>,
    output: OutputOptions,
    files: Files,
    /// Files that could not be written.
    pub errors: usize,
    pace: ProgressPace,
}

impl<W: Write> Screen<W> {
    /// Begins a document.
    pub fn start(
        out: W,
        output: OutputOptions,
        files: Files,
        banner: &str,
        options: &RunOptions,
    ) -> io::Result<Screen<W>> {
        let reporter = Reporter::start(out, output, banner, options)?;
        Ok(Screen::new(reporter, output, files))
    }

    /// Continues a document that another screen has begun.
    pub fn resume(out: W, output: OutputOptions, files: Files) -> Screen<W> {
        Screen::new(Reporter::resume(out, output), output, files)
    }

    fn new(reporter: Reporter<W>, output: OutputOptions, files: Files) -> Screen<W> {
        Screen {
            reporter,
            output,
            files,
            errors: 0,
            pace: ProgressPace::default(),
        }
    }

    /// Ends the document.
    pub fn finish(self) -> io::Result<()> {
        self.reporter.finish()
    }

    fn property(
        &mut self,
        program: &Program,
        report: &PropertyReport,
        hide_trace: bool,
    ) -> io::Result<()> {
        let (what, traces, trace) = match &report.verdict {
            PropertyVerdict::Falsifiable { trace, .. } => {
                (Dumped::Counterexample, self.files.counterexamples, trace)
            }
            PropertyVerdict::Reachable { trace, .. } => {
                (Dumped::Witness, self.files.witnesses, trace)
            }
            PropertyVerdict::Valid { .. }
            | PropertyVerdict::Unreachable { .. }
            | PropertyVerdict::Unknown { .. } => {
                return self.reporter.tell(&Event::Property {
                    program,
                    report,
                    hide_trace: true,
                });
            }
        };
        let dumped = traces
            .dump
            .then(|| self.dump(program, what, trace, &report.name));
        // A trace that cannot be written to a file is shown instead.
        let shown = match &dumped {
            Some(dumped) => dumped.is_err(),
            None => traces.print,
        };
        self.reporter.tell(&Event::Property {
            program,
            report,
            hide_trace: hide_trace || !shown,
        })?;
        match dumped {
            Some(Ok(message)) => self.log(Level::Note, "supervisor", message),
            Some(Err(error)) => self.unwritten("supervisor", &error),
            None => Ok(()),
        }
    }

    /// Shows the answer of a contract check, and writes its trace to a file.
    fn realizability(
        &mut self,
        program: &Program,
        report: &RealizabilityReport,
        hide_trace: bool,
    ) -> io::Result<()> {
        let dumped = match &report.answer {
            Realizability::Unrealizable(Some(deadlock)) if self.files.deadlocks.dump => {
                let trace = report::trace_text(program, &deadlock.trace, self.files.style);
                let text = format!("Deadlocking trace:\n\n{trace}");
                Some(self.files.folder.dump(Dumped::Deadlock, &text))
            }
            _ => None,
        };
        let shown = match &dumped {
            Some(dumped) => dumped.is_err(),
            None => self.files.deadlocks.print,
        };
        self.reporter.tell(&Event::Realizability {
            program,
            report,
            hide_trace: hide_trace || !shown,
        })?;
        match dumped {
            Some(Ok(path)) => {
                let message = format!("Deadlocking trace written to '{}'", path.display());
                self.log(Level::Note, "contractck", message)
            }
            Some(Err(error)) => self.unwritten("contractck", &error),
            None => Ok(()),
        }
    }

    /// Writes a trace to a file; returns the message about it.
    fn dump(
        &mut self,
        program: &Program,
        what: Dumped,
        trace: &Block,
        name: &str,
    ) -> io::Result<String> {
        let title = match what {
            Dumped::Counterexample => "Counterexample to",
            Dumped::Witness => "Witness of",
            Dumped::Deadlock => "Deadlocking trace of",
        };
        let table = report::trace_text(program, trace, self.files.style);
        let text = format!("{title} {name}:\n\n{table}");
        let path = self.files.folder.dump(what, &text)?;
        Ok(format!("{title} {name} written to {}", path.display()))
    }

    fn unwritten(&mut self, source: &'static str, error: &io::Error) -> io::Result<()> {
        self.errors += 1;
        self.log(Level::Error, source, error.to_string())
    }

    /// Shows the matrix, and writes the files that are asked for.
    fn matrix(&mut self, matrix: &Matrix, sources: &SourceMap) -> io::Result<()> {
        if self.files.matrix {
            self.reporter.tell(&Event::Matrix { matrix, sources })?;
        }
        let table = self.files.matrix.then(|| report::matrix_csv(matrix));
        let page = self.files.page.then(|| report::page(matrix, sources));
        for (extension, what, text) in [("csv", "matrix", table), ("html", "page", page)] {
            let Some(text) = text else {
                continue;
            };
            let name = format!("{}.{extension}", matrix.top);
            match self.files.folder.write(&name, &text) {
                Ok(path) => {
                    let (top, path) = (&matrix.top, path.display());
                    let message = format!("the traceability {what} of {top} is in {path}");
                    self.log(Level::Note, "ivc", message)?;
                }
                Err(error) => self.unwritten("ivc", &error)?,
            }
        }
        Ok(())
    }

    /// Writes the files about mutants.
    fn mutants(&mut self, reports: &[MutationReport], sources: &SourceMap) -> io::Result<()> {
        let files: [(_, &dyn Fn() -> String); 3] = [
            (self.files.mutation_json.clone(), &|| {
                report::mutation_json(reports)
            }),
            (self.files.mutation_csv.clone(), &|| {
                report::mutation_csv(reports)
            }),
            (self.files.mutation_page.clone(), &|| {
                report::mutation_page(reports, sources)
            }),
        ];
        for (path, text) in files {
            if let Some(path) = path
                && let Err(error) = atomic_write::replace(&path, &text())
            {
                self.unwritten("mutation", &atomic_write::unwritten(&path, &error))?;
            }
        }
        Ok(())
    }

    /// Shows a progress line on the terminal, which the next output erases.
    fn transient(&self, sentence: Option<&str>) {
        let is_terse =
            self.output.format == Format::Text && self.output.verbosity == Some(Level::Note);
        if is_terse && io::stdout().is_terminal() && io::stderr().is_terminal() {
            eprint!("{CLEAR}{}", sentence.unwrap_or_default());
        }
    }
}

/// The escape sequence that clears the current line of a terminal.
const CLEAR: &str = "\r\x1b[K";

impl<W: Write> Listener for Screen<W> {
    fn tell(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::Property {
                program,
                report,
                hide_trace,
            } => self.property(program, report, *hide_trace),
            Event::Realizability {
                program,
                report,
                hide_trace,
            } => self.realizability(program, report, *hide_trace),
            Event::Matrix { matrix, sources } => self.matrix(matrix, sources),
            Event::AllMutants { reports, sources } => self.mutants(reports, sources),
            Event::Transient(sentence) => {
                self.transient(*sentence);
                Ok(())
            }
            Event::Progress { source, .. } if !self.pace.allows(source, &self.output) => Ok(()),
            Event::AnalysisStart(_) => {
                self.pace = ProgressPace::default();
                self.reporter.tell(event)
            }
            _ => self.reporter.tell(event),
        }
    }
}

/// Limits how often progress is shown; with debug output, all of it is.
struct ProgressPace {
    start: Instant,
    /// The time of the last progress message of each engine.
    told: HashMap<&'static str, Instant>,
}

impl Default for ProgressPace {
    fn default() -> ProgressPace {
        ProgressPace {
            start: Instant::now(),
            told: HashMap::new(),
        }
    }
}

/// The least time between two lines about the same engine.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

impl ProgressPace {
    fn allows(&mut self, source: &'static str, output: &OutputOptions) -> bool {
        let now = Instant::now();
        let last = self.told.get(source).unwrap_or(&self.start);
        if now - *last < MIN_INTERVAL && output.verbosity < Some(Level::Debug) {
            return false;
        }
        self.told.insert(source, now);
        true
    }
}

/// Messages about the source, and how many of them are errors.
pub fn diagnostics(
    all: &[syntax::Diagnostic],
    sources: &SourceMap,
    out: &mut dyn Listener,
) -> io::Result<()> {
    for diagnostic in all {
        out.tell(&Event::Diagnostic {
            diagnostic,
            sources,
        })?;
    }
    let errors = all.iter().filter(|diagnostic| diagnostic.is_error());
    match errors.count() {
        0 | 1 => Ok(()),
        errors => out.tell(&Event::Line(&format!("{errors} errors."))),
    }
}
