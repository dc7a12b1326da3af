//! What is read and written: places that are not plain files, names with control
//! characters, included files that are not models, output that cannot be written, and
//! models for which there is not enough memory.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{Run, Scratch, kindred, read, repository};

/// The models of these tests.
fn folder() -> PathBuf {
    repository().join("crates/kindred/tests/files")
}

fn model(name: &str) -> String {
    folder().join(name).to_str().expect("text").to_owned()
}

/// Runs a line of the shell, in which `$KINDRED` is the program.
#[cfg(unix)]
fn shell(line: &str, folder: &Path) -> Run {
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("KINDRED", env!("CARGO_BIN_EXE_kindred"))
        .stdin(Stdio::null())
        .output()
        .expect("the shell starts");
    Run {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        exit: output.status.code().unwrap_or(-1),
    }
}

/// Has the text control characters that a terminal would act on? Colours may be allowed.
fn acts(text: &str, colours: bool) -> bool {
    let mut rest = text.to_owned();
    if colours {
        for code in ["0", "1;31", "1;32", "1;36", "31", "32", "1"] {
            rest = rest.replace(&format!("\u{1b}[{code}m"), "");
        }
    }
    rest.contains(syntax::is_control)
}

const ESCAPED: &str = "red \\u001b[31m\\u007f\\u009b\\u202e\\u000a<Success> forged";

#[test]
fn names_with_control_characters_are_escaped() {
    let path = model("control.lus");
    for options in [&["-v"][..], &["--color", "true"], &["--color", "false"]] {
        let run = kindred(&folder(), &[options, &[&path]].concat(), "");
        assert_eq!(run.exit, 40, "{}", run.stdout);
        assert!(!acts(&run.stdout, false), "{}", run.stdout);
        assert!(run.stdout.contains(ESCAPED), "{}", run.stdout);
        let forged = run
            .stdout
            .lines()
            .any(|line| line.starts_with("<Success> forged"));
        assert!(!forged, "{}", run.stdout);
    }
    let run = kindred(&folder(), &["-json", &path], "");
    assert!(!acts(&run.stdout, false), "{}", run.stdout);
    let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let names = |object: &serde_json::Value| object["name"] == ESCAPED;
    assert!(document.as_array().expect("a list").iter().any(names));
    let run = kindred(&folder(), &["-xml", &path], "");
    assert!(!acts(&run.stdout, false), "{}", run.stdout);
    let name = ESCAPED.replace('<', "&lt;").replace('>', "&gt;");
    assert!(run.stdout.contains(&name), "{}", run.stdout);
    well_formed(&run.stdout);
}

/// Asks `xmllint`, if it is there.
fn well_formed(text: &str) {
    use std::io::Write;
    let checker = Command::new("xmllint")
        .args(["--noout", "-"])
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut checker) = checker else {
        eprintln!("there is no xmllint: XML is not checked");
        return;
    };
    let mut pipe = checker.stdin.take().expect("a pipe");
    pipe.write_all(text.as_bytes()).expect("it reads");
    drop(pipe);
    assert!(checker.wait().expect("it ends").success(), "{text}");
}

#[test]
fn tables_and_pages_have_no_control_characters() {
    let scratch = Scratch::new("control");
    let path = model("control.lus");
    let options = [
        "--mutation",
        "true",
        "--mutation_json",
        "m.json",
        "--mutation_csv",
        "m.csv",
        "--mutation_html",
        "m.html",
        "--ivc",
        "true",
        "--ivc_html",
        "true",
        "--output_dir",
        "out",
        "--dump_cex",
        "true",
        "--print_invs",
        "true",
        "--log_invs",
        "true",
        "--write_advice",
        "advice",
    ];
    let run = kindred(&scratch.0, &[&options[..], &[&path]].concat(), "");
    assert!(!acts(&run.stdout, false), "{}", run.stdout);
    let mut folders = vec![scratch.0.clone()];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    count += 1;
                    let text = read(&entry.path());
                    assert!(!acts(&text, false), "{}: {text}", entry.path().display());
                }
            }
        }
    }
    assert!(count >= 5, "{count} files");
}

#[test]
fn lines_of_the_source_do_not_reach_the_terminal_as_they_are() {
    for color in ["false", "true"] {
        let options = ["--color", color, "--fake_filepath", "a\u{1b}[2J\nb.lus"];
        let path = model("control_error.lus");
        let run = kindred(&folder(), &[&options[..], &[&path]].concat(), "");
        assert_eq!(run.exit, 3);
        assert!(!acts(&run.stdout, false), "{}", run.stdout);
        assert!(
            run.stdout.contains("--> a\\u001b[2J\\u000ab.lus:3:7"),
            "{}",
            run.stdout
        );
    }
    // Structured formats have errors as log entries.
    for format in ["-json", "-xml"] {
        let run = kindred(&folder(), &[format, &model("control_error.lus")], "");
        assert!(!acts(&run.stdout, false), "{}", run.stdout);
    }
}

/// Which lines of included files with errors are shown.
#[test]
fn only_models_are_shown() {
    for format in [&[][..], &["-json"], &["-xml"]] {
        let path = model("includes_secret.lus");
        let run = kindred(&folder(), &[format, &[&path]].concat(), "");
        assert_eq!(run.exit, 3);
        assert!(run.stdout.contains("E1003"), "{}", run.stdout);
        assert!(run.stdout.contains("line 2, column 1"), "{}", run.stdout);
        for secret in ["hunter2", "password", "root", "c0ffee", "$", "other.conf"] {
            assert!(!run.stdout.contains(secret), "{secret}: {}", run.stdout);
        }
    }
    let run = kindred(&folder(), &[&model("includes_broken.lus")], "");
    assert!(run.stdout.contains("let b = a + ; tel"), "{}", run.stdout);
    let run = kindred(&folder(), &[&model("includes_named.lus")], "");
    assert!(run.stdout.contains("nod helper"), "{}", run.stdout);
}

/// A link is judged by its target, not by its name.
#[cfg(unix)]
#[test]
fn a_link_to_a_secret_is_no_model() {
    let scratch = Scratch::new("secret");
    std::os::unix::fs::symlink(model("secret.conf"), scratch.0.join("named.lus")).expect("a link");
    scratch.write("top.lus", &read(&folder().join("includes_named.lus")));
    let run = kindred(&scratch.0, &["top.lus"], "");
    assert!(run.stdout.contains("E1003"), "{}", run.stdout);
    assert!(!run.stdout.contains("hunter2"), "{}", run.stdout);
}

#[cfg(unix)]
mod outputs {
    use super::*;

    /// Requests of all kinds, in all formats.
    const REQUESTS: [&str; 8] = [
        "counter.lus",
        "-json counter.lus",
        "-xml counter.lus",
        "--enable interpreter --interpreter_steps 2 counter.lus",
        "--only_parse true counter.lus",
        "--help",
        "--version",
        "--help_of all",
    ];

    #[test]
    fn results_that_cannot_be_written_are_an_error() {
        for request in REQUESTS {
            let closed = shell(&format!("\"$KINDRED\" {request} >&-"), &folder());
            assert_eq!(closed.exit, 1, "{request}");
            assert!(
                closed.stderr.contains("standard output is closed"),
                "{request}"
            );
            let unreadable = shell(&format!("\"$KINDRED\" {request} 1</dev/null"), &folder());
            assert_eq!(unreadable.exit, 1, "{request}");
            let unread = format!("{{ \"$KINDRED\" {request}; echo $? >&2; }} | true");
            let unread = shell(&unread, &folder());
            let code = unread.stderr.lines().last().unwrap_or_default().to_owned();
            // The program may have written all output before the pipe was closed.
            let fits = code == "1" || !unread.stderr.contains("error");
            assert!(fits, "{request}: {}", unread.stderr);
            if Path::new("/dev/full").exists() {
                let full = shell(&format!("\"$KINDRED\" {request} >/dev/full"), &folder());
                assert_eq!(full.exit, 1, "{request}");
                assert!(
                    full.stderr.contains("cannot write the results"),
                    "{request}"
                );
            }
        }
    }

    #[test]
    fn output_that_is_not_wanted_is_no_error() {
        for request in REQUESTS {
            let run = shell(&format!("\"$KINDRED\" {request} >/dev/null"), &folder());
            let expected = if request.ends_with("counter.lus") && !request.contains("rue") {
                [0, 40].contains(&run.exit)
            } else {
                run.exit == 0
            };
            assert!(expected, "{request}: {}", run.exit);
            let run = shell(&format!("\"$KINDRED\" {request} 1<>/dev/null"), &folder());
            assert_ne!(run.exit, 1, "{request}");
        }
    }

    /// Runs with an option that names a file, and gives back what was written before.
    fn mutate(scratch: &Scratch, place: &str) -> Run {
        let path = model("counter.lus");
        let options = ["--mutation", "true", "--mutation_json", place, &path];
        kindred(&scratch.0, &options, "")
    }

    fn is_report(text: &str) -> bool {
        serde_json::from_str::<serde_json::Value>(text).is_ok_and(|json| json["version"] == 1)
    }

    #[test]
    fn links_are_followed() {
        use std::os::unix::fs::symlink;
        let scratch = Scratch::new("links");
        std::fs::create_dir(scratch.0.join("below")).expect("a folder");
        scratch.write("below/there.json", "old");
        for (link, target) in [
            ("one", "below/there.json"),
            ("two", "one"),
            ("below/dangling", "../new.json"),
            ("three", "below/dangling"),
            ("ring", "ring2"),
            ("ring2", "ring"),
        ] {
            symlink(target, scratch.0.join(link)).expect("a link");
        }
        for (link, file) in [("two", "below/there.json"), ("three", "new.json")] {
            assert_eq!(mutate(&scratch, link).exit, 40);
            assert!(is_report(&read(&scratch.0.join(file))), "{link}");
            let kind = std::fs::symlink_metadata(scratch.0.join(link)).expect("it is there");
            assert!(kind.is_symlink(), "{link}");
        }
        let run = mutate(&scratch, "ring");
        assert_eq!(run.exit, 1);
        assert!(run.stdout.contains("cannot write ring"), "{}", run.stdout);
        assert!(scratch.0.join("ring").is_symlink());
        let left = std::fs::read_dir(&scratch.0).expect("a folder").flatten();
        let left = left.filter(|e| e.file_name().to_string_lossy().ends_with(".part"));
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn modes_owners_and_other_names_are_kept() {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
        let scratch = Scratch::new("modes");
        scratch.write("private", "old");
        let private = scratch.0.join("private");
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&private, mode).expect("a mode");
        // Only root may give files away.
        let given = chown(&private, Some(65534), Some(65534)).is_ok();
        scratch.write("first", "old");
        std::fs::hard_link(scratch.0.join("first"), scratch.0.join("second")).expect("a name");
        for place in ["private", "first"] {
            assert_eq!(mutate(&scratch, place).exit, 40);
            assert!(is_report(&read(&scratch.0.join(place))), "{place}");
        }
        let found = std::fs::metadata(&private).expect("it is there");
        assert_eq!(found.mode() & 0o7777, 0o600);
        assert!(!given || (found.uid(), found.gid()) == (65534, 65534));
        assert!(is_report(&read(&scratch.0.join("second"))));
    }

    #[test]
    fn pipes_and_devices_are_written_through() {
        use std::os::unix::fs::FileTypeExt;
        let scratch = Scratch::new("devices");
        let line = format!(
            "mkfifo pipe && (cat pipe > read &) && \
             \"$KINDRED\" --mutation true --mutation_json pipe {} >/dev/null; echo $?; \
             for i in 1 2 3 4 5 6 7 8 9; do [ -s read ] || sleep 0.2; done",
            model("counter.lus")
        );
        let run = shell(&line, &scratch.0);
        assert_eq!(run.stdout.trim(), "40", "{}", run.stderr);
        assert!(is_report(&read(&scratch.0.join("read"))));
        let pipe = std::fs::metadata(scratch.0.join("pipe")).expect("it is there");
        assert!(pipe.file_type().is_fifo());
        // Only root may make a device.
        let made = shell("mknod null c 1 3 2>/dev/null && echo x > null", &scratch.0);
        if made.exit == 0 {
            assert_eq!(mutate(&scratch, "null").exit, 40);
            let null = std::fs::metadata(scratch.0.join("null")).expect("it is there");
            assert!(null.file_type().is_char_device());
        } else {
            eprintln!("devices cannot be made here: one test less");
        }
    }

    #[test]
    fn standard_output_keeps_what_it_has() {
        let scratch = Scratch::new("stdout");
        let path = model("counter.lus");
        let line = format!(
            "\"$KINDRED\" --mutation true --mutation_json /dev/stdout {path} > all; echo $?"
        );
        let run = shell(&line, &scratch.0);
        assert_eq!(run.stdout.trim(), "40");
        let text = read(&scratch.0.join("all"));
        assert!(text.contains("Summary of properties"), "{text}");
        assert!(text.contains("\"analyses\""), "{text}");
        let run = mutate(&scratch, "/dev/stdout");
        assert!(run.stdout.contains("\"analyses\""), "{}", run.stdout);
    }

    /// Files in folders, whose names are given by Kindred.
    #[test]
    fn files_of_folders_follow_links_too() {
        use std::os::unix::fs::symlink;
        let scratch = Scratch::new("folders");
        let (mixed, valid) = (model("counter.lus"), model("counter_valid.lus"));
        let lemma = model("lemma.lus");
        let cases: [(&str, &[&str]); 5] = [
            ("cex/1.txt", &["--dump_cex", "true", &mixed]),
            (
                "counter.html",
                &["--ivc", "true", "--ivc_html", "true", &valid],
            ),
            ("counters_invariants.lus", &["--log_invs", "true", &lemma]),
            (
                "counter.csv",
                &["--ivc", "true", "--ivc_matrix", "true", &valid],
            ),
            ("certif/certificate.smt2", &["--certif", "true", &valid]),
        ];
        for (name, options) in cases {
            let first = Scratch::new("folders_first");
            kindred(&first.0, &[&["--output_dir", "out"], options].concat(), "");
            let file = find(&first.0.join("out"), name);
            let place = file.strip_prefix(&first.0).expect("below").to_owned();
            let link = scratch.0.join(&place);
            std::fs::create_dir_all(link.parent().expect("a folder")).expect("a folder");
            let target = scratch
                .0
                .join(format!("target of {}", place.display()).replace('/', "_"));
            std::fs::write(&target, "old").expect("a file");
            symlink(&target, &link).expect("a link");
            let run = kindred(
                &scratch.0,
                &[&["--output_dir", "out"], options].concat(),
                "",
            );
            assert_ne!(run.exit, 1, "{name}: {}", run.stdout);
            assert!(link.is_symlink(), "{name}");
            assert_ne!(read(&target), "old", "{name}");
            let run = kindred(
                &scratch.0,
                &[&["--output_dir", "out"], options].concat(),
                "",
            );
            assert_ne!(run.exit, 1, "{name} again: {}", run.stdout);
            assert!(link.is_symlink(), "{name} again");
            assert_ne!(read(&target), "old", "{name} again");
        }
    }

    /// A file that ends as given; there is one.
    fn find(folder: &Path, name: &str) -> PathBuf {
        let mut open = vec![folder.to_owned()];
        let mut all = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                match path.is_dir() {
                    true => open.push(path),
                    false => all.push(path),
                }
            }
        }
        let ends = |path: &&PathBuf| {
            let (extension, stem) = (Path::new(name).extension(), Path::new(name));
            path.ends_with(stem) || (path.extension() == extension && !name.contains('/'))
        };
        let found = all.iter().find(ends).cloned();
        found.unwrap_or_else(|| panic!("there is no {name} among {all:?}"))
    }
}

/// Little memory, by `ulimit -v`: a message and a whole document, no crash.
#[cfg(target_os = "linux")]
mod memory {
    use super::*;

    fn limited(options: &str, name: &str) -> Run {
        let line = format!(
            "ulimit -v 3000000; \"$KINDRED\" --timeout 100 {options} {}",
            model(name)
        );
        shell(&line, &folder())
    }

    #[test]
    fn what_is_too_large_is_refused() {
        for name in ["many_instances.lus", "many_scalars.lus"] {
            let run = limited("-json", name);
            assert_eq!(run.exit, 1, "{name}: {}{}", run.stdout, run.stderr);
            let document: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
            let is_error = |object: &serde_json::Value| {
                let value = object["value"].as_str().unwrap_or_default();
                object["level"] == "error" && value.contains("too large")
            };
            assert!(
                document.as_array().expect("a list").iter().any(is_error),
                "{name}"
            );
            let run = limited("-xml", name);
            assert_eq!(run.exit, 1, "{name}");
            well_formed(&run.stdout);
        }
    }

    #[test]
    fn the_interpreter_refuses_it_too() {
        let run = limited(
            "-json --enable interpreter --interpreter_steps 1",
            "many_instances.lus",
        );
        assert_eq!(run.exit, 1, "{}{}", run.stdout, run.stderr);
        assert!(run.stdout.trim_end().ends_with(']'), "{}", run.stdout);
    }

    #[test]
    fn what_only_looks_large_is_analysed() {
        let run = limited("", "large_array.lus");
        assert_eq!(run.exit, 0, "{}{}", run.stdout, run.stderr);
    }
}
