//! Mixes of engines and ways to analyse, each of which must give the same answers.

/// Which analyses a run consists of, and so which claims it makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analyses {
    /// The top node with all that it calls.
    Whole,
    /// The top node, but not the properties of its callees.
    TopOnly,
    /// Every node by itself, with the bodies of its callees.
    EachNode,
    /// Contracts stand for callees: what is proved holds, if they are respected.
    Abstract,
}

pub struct Mix {
    pub name: &'static str,
    pub flags: &'static [&'static str],
    pub analyses: Analyses,
    /// Are all small programs decided?
    pub complete: bool,
}

const fn whole(name: &'static str, flags: &'static [&'static str]) -> Mix {
    Mix {
        name,
        flags,
        analyses: Analyses::Whole,
        complete: false,
    }
}

pub const MIXES: &[Mix] = &[
    Mix {
        complete: true,
        ..whole("default", &[])
    },
    whole(
        "BMC and k-induction",
        &["--enable", "BMC", "--enable", "IND"],
    ),
    whole("IC3IA", &["--enable", "IC3IA"]),
    whole("IC3QE", &["--enable", "IC3QE"]),
    whole("Spacer", &["--enable", "SPACER", "--enable", "BMC"]),
    whole(
        "invariant generation",
        &[
            "--enable",
            "BMC",
            "--enable",
            "IND2",
            "--enable",
            "INVGEN",
            "--enable",
            "INVGENOS",
            "--enable",
            "INVGENINT",
            "--enable",
            "INVGENINTOS",
            "--enable",
            "INVGENMACH",
            "--enable",
            "INVGENMACHOS",
            "--invgen_all_out",
            "true",
        ],
    ),
    Mix {
        analyses: Analyses::EachNode,
        complete: true,
        ..whole("modular", &["--modular", "true"])
    },
    Mix {
        analyses: Analyses::Abstract,
        ..whole("compositional", &["--compositional", "true"])
    },
    Mix {
        analyses: Analyses::Abstract,
        ..whole(
            "modular and compositional",
            &["--modular", "true", "--compositional", "true"],
        )
    },
    Mix {
        complete: true,
        ..whole("without slicing", &["--slice_nodes", "false"])
    },
    Mix {
        complete: true,
        ..whole("one thread", &["--threads", "1"])
    },
    whole(
        "all paths in k-induction",
        &[
            "--enable",
            "BMC",
            "--enable",
            "IND",
            "--ind_compress",
            "false",
        ],
    ),
    whole(
        "few paths in k-induction",
        &[
            "--enable",
            "BMC",
            "--enable",
            "IND",
            "--ind_compress_same_succ",
            "true",
            "--ind_compress_same_pred",
            "true",
            "--ind_lazy_invariants",
            "true",
        ],
    ),
    Mix {
        complete: true,
        ..whole("arrays of the solver", &["--inline_arrays", "false"])
    },
    Mix {
        complete: true,
        ..whole(
            "arrays as a theory",
            &["--inline_arrays", "false", "--smt_arrays", "true"],
        )
    },
    whole(
        "IC3QE, precise",
        &[
            "--enable",
            "IC3QE",
            "--qe_method",
            "precise",
            "--ic3qe_inductively_generalize",
            "2",
        ],
    ),
    Mix {
        analyses: Analyses::TopOnly,
        complete: true,
        ..whole(
            "properties of the top node",
            &["--check_subproperties", "false"],
        )
    },
];
