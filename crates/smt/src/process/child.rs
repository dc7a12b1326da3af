//! A solver in a process of its own, and the pipes to it.
//!
//! One thread writes and one reads, so that neither pipe can fill up and hold the other. The caller
//! waits for an answer, a deadline or an interrupt, and never for a pipe. When a `Child` is
//! dropped, its process is killed with all processes that it has started.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::splitter::Splitter;
use crate::context::SolverContext;

/// The running solver processes, so that they can be killed before this process ends.
#[derive(Default)]
pub(crate) struct ProcessTable(Mutex<Processes>);

#[derive(Default)]
struct Processes {
    running: HashMap<u32, Arc<Mutex<std::process::Child>>>,
    /// This process is about to end: no new process may be started.
    closed: bool,
}

impl ProcessTable {
    fn lock(&self) -> MutexGuard<'_, Processes> {
        self.0.lock().unwrap_or_else(|e| e.into_inner())
    }

    pub fn end_all(&self) {
        let mut table = self.lock();
        table.closed = true;
        for (_, child) in table.running.drain() {
            kill(&child);
        }
    }

    pub fn count(&self) -> usize {
        self.lock().running.len()
    }
}

impl std::fmt::Debug for ProcessTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} processes", self.count())
    }
}

/// Kills a process with its group, and waits for it, so that no zombie process stays.
fn kill(child: &Mutex<std::process::Child>) {
    let mut child = child.lock().unwrap_or_else(|e| e.into_inner());
    // The process has ended, and its id may belong to another one by now.
    if let Ok(Some(_)) = child.try_wait() {
        return;
    }
    #[cfg(unix)]
    if let Some(group) = rustix::process::Pid::from_raw(child.id() as i32) {
        // The group may have ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

pub(super) struct Child {
    commands: Sender<String>,
    answers: Receiver<String>,
    /// Killed when this is dropped.
    _process: TrackedProcess,
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoAnswer {
    Died,
    Late,
    Interrupted,
}

/// How often interrupts are polled while waiting.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A longer answer is treated as the end of the process.
const MAX_ANSWER_BYTES: usize = 1 << 28;

/// A process in the table, killed when this is dropped.
struct TrackedProcess {
    id: u32,
    process: Arc<Mutex<std::process::Child>>,
    processes: Arc<ProcessTable>,
}

impl TrackedProcess {
    /// Starts a process in a group of its own; returns its pipes.
    fn start(
        program: &str,
        args: &[String],
        processes: &Arc<ProcessTable>,
    ) -> std::io::Result<(TrackedProcess, Option<ChildStdin>, Option<ChildStdout>)> {
        let mut command = Command::new(program);
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut table = processes.lock();
        if table.closed {
            return Err(std::io::Error::other("all is over"));
        }
        let mut process = command.spawn()?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let id = process.id();
        let process = Arc::new(Mutex::new(process));
        table.running.insert(id, process.clone());
        drop(table);
        let tracked = TrackedProcess {
            id,
            process,
            processes: processes.clone(),
        };
        Ok((tracked, input, output))
    }
}

impl Drop for TrackedProcess {
    fn drop(&mut self) {
        kill(&self.process);
        self.processes.lock().running.remove(&self.id);
    }
}

/// The output of a program, if it ends in time.
pub(super) fn output(
    program: &str,
    args: &[String],
    processes: &Arc<ProcessTable>,
    time: Duration,
) -> std::io::Result<Option<String>> {
    let (_process, input, output) = TrackedProcess::start(program, args, processes)?;
    // The program gets no input.
    drop(input);
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(mut output) = output
            && output.read_to_end(&mut text).is_ok()
        {
            // The receiver is gone after a timeout.
            let _ = sender.send(text);
        }
    });
    let text = receiver.recv_timeout(time).ok();
    Ok(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
}

impl Child {
    pub fn start(
        program: &str,
        args: &[String],
        processes: &Arc<ProcessTable>,
    ) -> std::io::Result<Child> {
        let (process, input, output) = TrackedProcess::start(program, args, processes)?;
        let (commands, to_write) = channel::<String>();
        let (read, answers) = channel();
        if let Some(input) = input {
            std::thread::spawn(move || write_all(input, &to_write));
        }
        if let Some(output) = output {
            std::thread::spawn(move || read_all(output, &read));
        }
        Ok(Child {
            commands,
            answers,
            _process: process,
        })
    }

    /// Sends a command. If the process has ended, the next answer reports it.
    pub fn tell(&self, command: &str) {
        let _ = self.commands.send(format!("{command}\n"));
    }

    /// The next answer.
    pub fn receive(
        &self,
        context: &SolverContext,
        deadline: Option<Instant>,
    ) -> Result<String, NoAnswer> {
        loop {
            if context.is_interrupted() {
                return Err(NoAnswer::Interrupted);
            }
            let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
            let wait = left.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL);
            match self.answers.recv_timeout(wait) {
                Ok(answer) => return Ok(answer),
                Err(RecvTimeoutError::Disconnected) => return Err(NoAnswer::Died),
                Err(RecvTimeoutError::Timeout) if left == Some(Duration::ZERO) => {
                    return Err(NoAnswer::Late);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

fn write_all(mut input: impl Write, commands: &Receiver<String>) {
    while let Ok(mut command) = commands.recv() {
        // Writes all waiting commands at once: a write for each line is slow.
        while let Ok(next) = commands.try_recv() {
            command.push_str(&next);
        }
        let written = input.write_all(command.as_bytes());
        if written.and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_all(mut output: impl Read, answers: &Sender<String>) {
    let mut splitter = Splitter::default();
    let mut buffer = [0; 1 << 14];
    let mut size = 0;
    while let Ok(count @ 1..) = output.read(&mut buffer) {
        for byte in &buffer[..count] {
            size += 1;
            if let Some(answer) = splitter.push(*byte) {
                size = 0;
                if answers.send(answer).is_err() {
                    return;
                }
            }
        }
        if size > MAX_ANSWER_BYTES {
            return;
        }
    }
}
