//! `--help_of`: the options of a module.

use clap::CommandFactory;
use session::standard_output;

use crate::args::Args;
use crate::exit;
use crate::kind2::{MODULES, Module};

/// Explains a module, or all; returns the exit code.
pub fn of_module(name: &str) -> u8 {
    let is_meant = |module: &&Module| match name {
        "all" => true,
        _ => module.name == name && !name.is_empty(),
    };
    let meant: Vec<&Module> = MODULES.iter().filter(is_meant).collect();
    if meant.is_empty() {
        let names = MODULES.iter().map(|module| module.name);
        let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
        eprintln!(
            "error: there is no module `{name}`; the modules are {}, and all",
            names.join(", ")
        );
        return exit::USAGE;
    }
    let texts: Vec<String> = meant.into_iter().map(explain).collect();
    match standard_output::write(&(texts.join("\n") + "\n")) {
        Ok(()) => exit::SUCCESS,
        Err(error) => {
            standard_output::report_write_error(&error);
            exit::ERROR
        }
    }
}

fn explain(module: &Module) -> String {
    let mut out = match module.name {
        "" => String::new(),
        name => format!("Module {name}\n\n{}\n\n", module.about),
    };
    let options = options(module.title);
    if !options.is_empty() {
        out += &options;
    }
    if !module.refused.is_empty() {
        out += "Options of Kind 2 that are not supported yet:\n";
        for flag in module.refused {
            out += &format!("  --{flag}\n");
        }
    }
    out
}

/// The part of the help under a heading.
fn options(title: &str) -> String {
    let command = Args::command().mut_args(|arg| {
        let heading = arg.get_help_heading().unwrap_or("Options");
        let elsewhere = heading != title;
        arg.hide(elsewhere)
    });
    let command = command.disable_help_flag(true).disable_version_flag(true);
    let mut command = command.help_template("{options}").max_term_width(100);
    let text = command.render_help().to_string();
    match text.trim().is_empty() {
        true => String::new(),
        false => format!("{}\n\n", text.trim_end()),
    }
}
