//! Diagnostics: what is wrong, where, and what to do about it.
//!
//! Every diagnostic has a stable [`Code`]. Codes are grouped in classes that
//! follow the stages of the front end, so that tools which know Kind 2's
//! classes of errors find their way: the hundreds of a code give its class.

use crate::source::Span;

/// The stage of the front end that refuses a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Class {
    /// The text is not Lustre.
    Parse,
    /// A rule on where constructs may stand, or a name that means nothing.
    Syntax,
    /// Names declared twice, cycles, definitions that do not fit.
    Dependency,
    /// Types.
    Type,
    /// Constants that must be known and are not, or do not fit.
    Constant,
    /// Array definitions that are not well founded.
    ArrayDependency,
    /// Constants outside of their declared range.
    Range,
    /// Blocks inside `if … fi`.
    IfBlock,
    /// Blocks inside `frame … tel`.
    FrameBlock,
    /// Input that is not the Lustre text: files, options, interpreter inputs.
    Input,
}

macro_rules! codes {
    ($($name:ident = $text:literal, $class:ident, $title:literal;)*) => {
        /// A stable name of one kind of diagnostic.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Code { $($name),* }

        impl Code {
            /// Every code there is, for documentation and tests.
            pub const ALL: &'static [Code] = &[$(Code::$name),*];

            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text),* }
            }

            pub fn class(self) -> Class {
                match self { $(Code::$name => Class::$class),* }
            }

            /// What the code stands for, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title),* }
            }
        }
    };
}

codes! {
    UnexpectedToken = "E0101", Parse, "the text is not Lustre here";
    BadCharacter = "E0102", Parse, "a character that no token starts with";
    OpenComment = "E0103", Parse, "a comment or string without an end";
    BadNumber = "E0104", Parse, "a number that cannot be read";
    TooDeep = "E0105", Parse, "nested too deeply";
    Unsupported = "E0106", Parse, "an operator that is not supported";
    MisplacedQuantifier = "E0107", Parse, "a quantifier outside of a specification";

    UnknownName = "E0201", Syntax, "a name that is not declared";
    UnknownNode = "E0202", Syntax, "a call to a node that is not declared";
    UnknownContract = "E0203", Syntax, "an import of a contract that is not declared";
    UnknownMode = "E0204", Syntax, "a reference to a mode that is not declared";
    UndefinedLocal = "E0205", Syntax, "a local variable without a definition";
    DefinedTwice = "E0206", Syntax, "a stream with two definitions";
    UndeclaredLeft = "E0207", Syntax, "a definition of an undeclared stream";
    StatefulFunction = "E0208", Syntax, "state in a function";
    ClockMismatch = "E0209", Syntax, "a merge branch on the wrong clock";
    MisplacedClock = "E0210", Syntax, "`when` or `activate` outside of `merge`";
    RefinedNodeInContract = "E0211", Syntax, "a contract that calls a node with a contract";
    PreOfBoundVariable = "E0212", Syntax, "`pre` of a quantified variable";
    BoundVariableInCall = "E0213", Syntax, "a bound variable in an argument of a call";
    NotInFrame = "E0214", Syntax, "a definition of a stream that the frame does not list";
    StatefulInitialization = "E0215", Syntax, "state in an initialization of a frame";
    ClockedDeclaration = "E0216", Syntax, "a declaration on a clock";
    UnguardedPre = "E0217", Syntax, "`pre` without an initial value";
    AmbiguousMain = "E0218", Syntax, "no single top node";
    NotAnInput = "E0219", Syntax, "`--%REALIZABLE` names something that is no input, or an input twice";

    Redeclared = "E0301", Dependency, "a name declared twice";
    Cycle = "E0302", Dependency, "a cyclic definition";
    AssumeOutput = "E0303", Dependency, "an assumption on the current outputs";
    AssignInput = "E0304", Dependency, "a definition of an input";
    EquationWidth = "E0305", Dependency, "an equation whose sides differ in width";

    TypeMismatch = "E0401", Type, "an expression of the wrong type";
    UnknownType = "E0402", Type, "a type that is not declared";
    UnknownConstant = "E0403", Type, "a constant that is not declared";
    NotConstant = "E0404", Type, "a constant is needed here";
    WrongArity = "E0405", Type, "the wrong number of arguments";
    BadRecord = "E0406", Type, "a record that does not fit its type";
    NoSuchField = "E0407", Type, "no such field";
    BadMerge = "E0408", Type, "a merge whose branches do not fit its clock";
    AssignConstant = "E0409", Type, "a definition of a constant";
    Shadowed = "E0410", Type, "a name that hides a constant or a stream";
    EnumRedeclared = "E0411", Type, "an enumeration value declared twice";
    BadRange = "E0412", Type, "a subrange that is empty or has no bound";
    BadSize = "E0413", Type, "an array size that is not a positive integer constant";
    ArrayEquality = "E0414", Type, "an equality between arrays";
    GhostWidth = "E0415", Type, "a ghost definition whose sides differ in width";

    OutOfBounds = "E0501", Constant, "a constant index outside of the array";
    SymbolicBound = "E0502", Constant, "a subrange bound whose value is not known";
    DivisionByZero = "E0503", Constant, "a division by the constant zero";
    HugeConstant = "E0504", Constant, "a constant that is too large to be computed";

    IllFoundedArray = "E0601", ArrayDependency, "an array definition that is not well founded";

    OutOfRange = "E0701", Range, "a constant that may lie outside of its range";

    MisplacedInIf = "E0801", IfBlock, "only equations may stand in an if block";

    MisplacedInFrame = "E0901", FrameBlock, "only equations and if blocks may stand in a frame block";

    CannotRead = "E1001", Input, "a file that cannot be read";
    BadInput = "E1002", Input, "an input of the interpreter that does not fit";
    NotAModel = "E1003", Input, "an included file that is not a model";

    WarnUnguardedPre = "W0001", Syntax, "`pre` without an initial value";
    WarnUninitializedFrame = "W0002", FrameBlock, "a frame variable without an initial value";
    WarnAssertion = "W0003", Syntax, "an assertion that nothing checks";
    WarnConstParameter = "W0004", Type, "a stream for a constant parameter";
    WarnLoop = "W0005", Dependency, "an instantaneous loop that always has a solution";
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    Error,
    Warning,
}

/// One message about a place in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// `None` for messages about the run as a whole.
    pub span: Option<Span>,
    pub message: String,
    /// What stands at the caret, when it says more than the message.
    pub label: Option<String>,
    /// Other places that matter, each with a few words.
    pub related: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            severity: Severity::Error,
            span: Some(span),
            message: message.into(),
            label: None,
            related: Vec::new(),
            help: None,
        }
    }

    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// An error about no place in particular.
    pub fn global(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            span: None,
            ..Diagnostic::error(code, Span::default(), message)
        }
    }

    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    pub fn label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = Some(label.into());
        self
    }

    pub fn related(mut self, span: Span, words: impl Into<String>) -> Diagnostic {
        self.related.push((span, words.into()));
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
