//! Kind 2's modules: groups of options, and the options that Kindred does not have.

use analysis::{IC3IA, IC3QE, IND, INVGEN, QE};
use session::post::headings::{CERTIF, CONTRACTS, IVC, MCS, MUTATION};

/// A group of options that `--help_of` explains.
pub struct Module {
    /// As Kind 2 names it; empty for what belongs to no module.
    pub name: &'static str,
    /// The heading of its options in the help; empty if it has none.
    pub title: &'static str,
    pub about: &'static str,
    /// Options of Kind 2 2.1.1 that are refused by name.
    pub refused: &'static [&'static str],
}

pub const SMT: &str = "Solver";
pub const INTERPRETER: &str = "Interpreter";
pub const ARRAYS: &str = "Arrays";
pub const LSP: &str = "Language servers";

pub const MODULES: &[Module] = &[
    Module {
        name: "",
        title: "Options",
        about: "What is analysed, and how results are shown.",
        refused: &[
            "input_format",
            "old_frontend",
            "compile",
            "lus_push_pre",
            "debug",
            "debug_log",
        ],
    },
    Module {
        name: "smt",
        title: SMT,
        about: "The solver answers the questions of the engines. It is Z3, a library inside\nof the program, unless another is asked for: that one is a process of its own,\nand these options say where it is and how it is spoken to.",
        refused: &["yices_bin"],
    },
    Module {
        name: "ind",
        title: IND,
        about: "Bounded model checking looks for runs that violate a property. The step of\nk-induction proves that no such run exists: k steps with a property are\nfollowed by another. These options shape the two.",
        refused: &[],
    },
    Module {
        name: "ic3qe",
        title: IC3QE,
        about: "IC3 with quantifier elimination.",
        refused: &[],
    },
    Module {
        name: "ic3ia",
        title: IC3IA,
        about: "IC3 with implicit abstraction.",
        refused: &[],
    },
    Module {
        name: "invgen",
        title: INVGEN,
        about: "Invariants that are found without being asked for.",
        refused: &[],
    },
    Module {
        name: "c2i",
        title: "",
        about: "Invariants by learning.",
        refused: &["c2i_dnf", "c2i_int_cubes", "c2i_real_cubes", "c2i_modes"],
    },
    Module {
        name: "test",
        title: "",
        about: "Test cases from contracts.",
        refused: &["testgen", "testgen_graph_only", "testgen_len"],
    },
    Module {
        name: "interpreter",
        title: INTERPRETER,
        about: "With `--enable interpreter` a node is run on the inputs of a file, and all\nits streams are shown.",
        refused: &[],
    },
    Module {
        name: "qe",
        title: QE,
        about: "Quantifier elimination, for IC3 and contract checks.",
        refused: &["order_var_by_elim", "general_lbound"],
    },
    Module {
        name: "contracts",
        title: CONTRACTS,
        about: "Assumptions, guarantees and modes of nodes. With `--enable CONTRACTCK`: can a\ncomponent honour the contracts of nodes without a body, whatever its inputs are?",
        refused: &["translate_contracts", "contract_gen", "contract_gen_depth"],
    },
    Module {
        name: "ivc",
        title: IVC,
        about: "An inductive validity core is a set of elements of the model (equations, calls,\nassumptions, guarantees, assertions) that is enough to prove the properties. It\nis looked for when all of them are proved.",
        refused: &[],
    },
    Module {
        name: "mcs",
        title: MCS,
        about: "With `--enable MCS`: a cut set is a set of elements of the model whose failure\nviolates a property.",
        refused: &[],
    },
    Module {
        name: "mutation",
        title: MUTATION,
        about: "A mutant is the model with a small error in an equation. Properties that hold of a\nmutant do not notice the error: the model is not pinned down there.",
        refused: &[],
    },
    Module {
        name: "arrays",
        title: ARRAYS,
        about: "Arrays in the solver.",
        refused: &["arrays_rec", "var_array_size"],
    },
    Module {
        name: "certif",
        title: CERTIF,
        about: "A certificate is a script for any solver that shows why properties hold, and\nwith which `kindred verify-certificate` checks them against the model.",
        refused: &[
            "proof",
            "smaller_holes",
            "flatten_proof",
            "log_trust",
            "jkind_bin",
            "only_user_candidates",
        ],
    },
    Module {
        name: "lsp",
        title: LSP,
        about: "For editors.",
        refused: &["lsp"],
    },
];

/// Why an option is refused, if it is one of Kind 2.
pub fn refusal(flag: &str) -> Option<String> {
    let known = MODULES.iter().any(|module| module.refused.contains(&flag));
    known.then(|| match flag {
        "arrays_rec" => "--arrays_rec defines arrays by recursive functions in the solver; \
             Kind 2 does that with cvc5 alone, and Kindred with no solver"
            .to_owned(),
        "yices_bin" => "--yices_bin names an executable of Yices 1, which is not supported: \
             --smt_solver Yices2 is its successor (--yices2_bin)"
            .to_owned(),
        "proof" | "smaller_holes" | "flatten_proof" | "log_trust" => format!(
            "--{flag} is about proofs in LFSC, which only cvc5 can write; Kindred writes \
             certificates that any solver can check (--certif true)"
        ),
        "jkind_bin" => "--jkind_bin names a second translation of the model, which Kindred has \
             itself: its certificates need no JKind"
            .to_owned(),
        _ => format!("the option --{flag} of Kind 2 is not supported yet"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Args;
    use clap::CommandFactory;

    #[test]
    fn options_are_either_there_or_refused() {
        let command = Args::command();
        for module in MODULES {
            for flag in module.refused {
                let there = command
                    .get_arguments()
                    .flat_map(|arg| arg.get_long_and_visible_aliases().unwrap_or_default())
                    .any(|name| name == *flag);
                assert!(!there, "{flag}");
            }
        }
    }

    #[test]
    fn headings_belong_to_modules() {
        for arg in Args::command().get_arguments() {
            let heading = arg.get_help_heading().unwrap_or("Options");
            assert!(MODULES.iter().any(|module| module.title == heading));
        }
    }
}
