//! Tokens, and what is a comment.
//!
//! Annotations look like comments (`--%PROPERTY`, `(*@contract`, `/*!MAIN`),
//! so comments are taken apart here: an opening that starts an annotation is a
//! token and the lexer goes on inside it, everything else up to the end of the
//! comment is skipped. Comments do not nest. `-- %PROPERTY` and
//! `--  --%PROPERTY` are plain comments.

use logos::{FilterResult, Lexer, Logos};

/// Why the lexer stopped at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LexError {
    #[default]
    BadCharacter,
    OpenComment,
    OpenString,
}

/// An annotation that is written as a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Annotation {
    Property,
    Main,
    Contract,
    /// The streams whose equations are candidates for inductive validity cores.
    Ivc,
    Realizable,
    /// How a stream may fail.
    Fault,
}

#[derive(Logos, Clone, Copy, PartialEq, Eq, Debug)]
#[logos(error = LexError)]
#[logos(skip r"[ \t\r\n\f]+")]
pub enum Token {
    /// `--%PROPERTY`, `--!MAIN`: the annotation ends at its semicolon.
    #[token("--", line_comment)]
    LineAnnotation(Annotation),
    /// `(*%PROPERTY`, `(*@contract`: up to `*)`.
    #[token("(*", |lex| block_comment(lex, "*)"))]
    ParenAnnotation(Annotation),
    /// `/*!PROPERTY`, `/*@contract`: up to `*/`.
    #[token("/*", |lex| block_comment(lex, "*/"))]
    SlashAnnotation(Annotation),
    #[token("*)")]
    ParenEnd,
    #[token("*/")]
    SlashEnd,

    #[regex(r"[A-Za-z_~][A-Za-z0-9_~']*")]
    Ident,
    #[regex(r"[0-9]+")]
    #[regex(r"0[xX][0-9a-fA-F]+", priority = 4)]
    Numeral,
    #[regex(r"[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+")]
    #[regex(
        r"0[xX]([0-9a-fA-F]+\.[0-9a-fA-F]*|\.[0-9a-fA-F]+)([pP][+-]?[0-9]+)?",
        priority = 5
    )]
    #[regex(r"0[xX][0-9a-fA-F]+[pP][+-]?[0-9]+", priority = 6)]
    Decimal,
    #[token("\"", string)]
    String,

    #[token("node")]
    Node,
    #[token("function")]
    Function,
    #[token("returns")]
    Returns,
    #[token("imported")]
    Imported,
    #[token("contract")]
    Contract,
    #[token("import")]
    Import,
    #[token("var")]
    Var,
    #[token("const")]
    Const,
    #[token("param")]
    Param,
    #[token("type")]
    Type,
    #[token("let")]
    Let,
    #[token("tel")]
    Tel,
    #[token("assert")]
    Assert,
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("with")]
    With,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("not")]
    Not,
    #[token("and")]
    And,
    #[token("or")]
    Or,
    #[token("xor")]
    Xor,
    #[token("nor")]
    Nor,
    #[token("forall")]
    Forall,
    #[token("exists")]
    Exists,
    #[token("div")]
    IntDiv,
    #[token("mod")]
    Mod,
    #[token("lsh")]
    Lsh,
    #[token("rsh")]
    Rsh,
    #[token("pre")]
    Pre,
    #[token("fby")]
    Fby,
    #[token("current")]
    Current,
    #[token("when")]
    When,
    #[token("merge")]
    Merge,
    #[token("condact")]
    Condact,
    #[token("activate")]
    Activate,
    #[token("restart")]
    Restart,
    #[token("every")]
    Every,
    #[token("bool")]
    Bool,
    #[token("int")]
    Int,
    #[token("real")]
    Real,
    #[token("int8")]
    Int8,
    #[token("int16")]
    Int16,
    #[token("int32")]
    Int32,
    #[token("int64")]
    Int64,
    #[token("uint8")]
    Uint8,
    #[token("uint16")]
    Uint16,
    #[token("uint32")]
    Uint32,
    #[token("uint64")]
    Uint64,
    #[token("subrange")]
    Subrange,
    #[token("of")]
    Of,
    #[token("enum")]
    Enum,
    #[token("struct")]
    Struct,

    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("::")]
    ColonColon,
    #[token(":=")]
    Assign,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token(".%")]
    DotPercent,
    #[token("->")]
    Arrow,
    #[token("=>")]
    Implies,
    #[token("=")]
    Equals,
    #[token("<>")]
    NotEquals,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEq,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEq,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("&&")]
    BitAnd,
    #[token("||")]
    BitOr,
    #[token("!")]
    BitNot,
    #[token("^")]
    Caret,
    #[token("#")]
    Hash,
    #[token("@")]
    At,
    #[token("|")]
    Bar,

    EndOfFile,
}

impl Token {
    /// How to name the token in "expected …, found …".
    pub fn describe(self) -> &'static str {
        use Token::*;
        match self {
            LineAnnotation(Annotation::Property) => "`--%PROPERTY`",
            LineAnnotation(Annotation::Main) => "`--%MAIN`",
            LineAnnotation(Annotation::Ivc) => "`--%IVC`",
            LineAnnotation(Annotation::Realizable) => "`--%REALIZABLE`",
            LineAnnotation(Annotation::Fault) => "`--%FAULT`",
            LineAnnotation(Annotation::Contract) => "`--@contract`",
            ParenAnnotation(Annotation::Contract) => "`(*@contract`",
            ParenAnnotation(_) => "`(*%`",
            SlashAnnotation(Annotation::Contract) => "`/*@contract`",
            SlashAnnotation(_) => "`/*%`",
            ParenEnd => "`*)`",
            SlashEnd => "`*/`",
            Ident => "a name",
            Numeral => "a number",
            Decimal => "a real number",
            String => "a string",
            Node => "`node`",
            Function => "`function`",
            Returns => "`returns`",
            Imported => "`imported`",
            Contract => "`contract`",
            Import => "`import`",
            Var => "`var`",
            Const => "`const`",
            Param => "`param`",
            Type => "`type`",
            Let => "`let`",
            Tel => "`tel`",
            Assert => "`assert`",
            If => "`if`",
            Then => "`then`",
            Else => "`else`",
            With => "`with`",
            True => "`true`",
            False => "`false`",
            Not => "`not`",
            And => "`and`",
            Or => "`or`",
            Xor => "`xor`",
            Nor => "`nor`",
            Forall => "`forall`",
            Exists => "`exists`",
            IntDiv => "`div`",
            Mod => "`mod`",
            Lsh => "`lsh`",
            Rsh => "`rsh`",
            Pre => "`pre`",
            Fby => "`fby`",
            Current => "`current`",
            When => "`when`",
            Merge => "`merge`",
            Condact => "`condact`",
            Activate => "`activate`",
            Restart => "`restart`",
            Every => "`every`",
            Bool => "`bool`",
            Int => "`int`",
            Real => "`real`",
            Int8 => "`int8`",
            Int16 => "`int16`",
            Int32 => "`int32`",
            Int64 => "`int64`",
            Uint8 => "`uint8`",
            Uint16 => "`uint16`",
            Uint32 => "`uint32`",
            Uint64 => "`uint64`",
            Subrange => "`subrange`",
            Of => "`of`",
            Enum => "`enum`",
            Struct => "`struct`",
            LParen => "`(`",
            RParen => "`)`",
            LBracket => "`[`",
            RBracket => "`]`",
            LBrace => "`{`",
            RBrace => "`}`",
            Comma => "`,`",
            Semicolon => "`;`",
            Colon => "`:`",
            ColonColon => "`::`",
            Assign => "`:=`",
            Dot => "`.`",
            DotDot => "`..`",
            DotPercent => "`.%`",
            Arrow => "`->`",
            Implies => "`=>`",
            Equals => "`=`",
            NotEquals => "`<>`",
            Less => "`<`",
            LessEq => "`<=`",
            Greater => "`>`",
            GreaterEq => "`>=`",
            Plus => "`+`",
            Minus => "`-`",
            Star => "`*`",
            Slash => "`/`",
            BitAnd => "`&&`",
            BitOr => "`||`",
            BitNot => "`!`",
            Caret => "`^`",
            Hash => "`#`",
            At => "`@`",
            Bar => "`|`",
            EndOfFile => "the end of the file",
        }
    }
}

/// The annotation that `rest`, the text behind a comment's opening, starts
/// with, and how many bytes its opening takes.
fn annotation(rest: &str) -> Option<(Annotation, usize)> {
    const OPENINGS: [(&str, Annotation); 8] = [
        ("%PROPERTY", Annotation::Property),
        ("!PROPERTY", Annotation::Property),
        ("%MAIN", Annotation::Main),
        ("!MAIN", Annotation::Main),
        ("%IVC", Annotation::Ivc),
        ("%REALIZABLE", Annotation::Realizable),
        ("%FAULT", Annotation::Fault),
        ("@contract", Annotation::Contract),
    ];
    let &(opening, annotation) = OPENINGS
        .iter()
        .find(|(opening, _)| rest.starts_with(opening))?;
    let next = rest[opening.len()..].chars().next();
    let goes_on = next.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    (!goes_on).then_some((annotation, opening.len()))
}

fn line_comment(lex: &mut Lexer<Token>) -> FilterResult<Annotation, LexError> {
    let rest = lex.remainder();
    match annotation(rest) {
        Some((Annotation::Contract, _)) | None => {
            lex.bump(rest.find('\n').unwrap_or(rest.len()));
            FilterResult::Skip
        }
        Some((annotation, length)) => {
            lex.bump(length);
            FilterResult::Emit(annotation)
        }
    }
}

fn block_comment(lex: &mut Lexer<Token>, end: &str) -> FilterResult<Annotation, LexError> {
    let rest = lex.remainder();
    if let Some((annotation, length)) = annotation(rest) {
        lex.bump(length);
        return FilterResult::Emit(annotation);
    }
    match rest.find(end) {
        Some(at) => {
            lex.bump(at + end.len());
            FilterResult::Skip
        }
        None => {
            lex.bump(rest.len());
            FilterResult::Error(LexError::OpenComment)
        }
    }
}

fn string(lex: &mut Lexer<Token>) -> Result<(), LexError> {
    let rest = lex.remainder();
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => {
                lex.bump(at + 1);
                return Ok(());
            }
            _ => {}
        }
    }
    lex.bump(rest.len());
    Err(LexError::OpenString)
}
