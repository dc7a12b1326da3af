//! The operators, one row each: how an operator is spelled, how tightly it binds, how a
//! chain of it groups, which operands it takes and what it gives.
//!
//! The table is the only place that says so. The parser and the printer read it, and the
//! checker of types reads the kinds of operands; what an operator computes is said by
//! the interpreter and by the lowering, each on its own. A test runs through all rows and
//! compares them (`artifacts/tests/operators.rs`).
//!
//! The levels, loosest first, are those of Kind 2's grammar:
//!
//! | level | operators |
//! |---|---|
//! | `OPEN` | conversions `uint8 e` … (take all that follows) |
//! | `WHEN` | `when`, `|` |
//! | `ELSE` | `else e` |
//! | `ARROW` | `->`, `fby` (right) |
//! | `QUANTIFIER` | quantifiers |
//! | `IMPLIES` | `=>` (right) |
//! | `OR` | `or`, `xor` |
//! | `AND` | `and` |
//! | `COMPARISON` | `=`, `<>`, `<`, `<=`, `>`, `>=` |
//! | `SUM` | `+`, `-`, prefix `-` |
//! | `PRODUCT` | `*`, `/`, `div`, `mod` |
//! | `BIT_OR` | `||` |
//! | `BIT_AND` | `&&` |
//! | `SHIFT` | `lsh`, `rsh` (do not chain) |
//! | `PREFIX` | `pre`, `int`, `real`, `not`, `!` |
//! | `CARET` | `^` |
//! | `POSTFIX` | `e[i]`, `e.f`, `e.%n` |
//!
//! So `-a * b` is `-(a * b)`, `not a = b` is `(not a) = b` and `pre x + 1` is
//! `(pre x) + 1`.

use std::fmt;

use crate::ast::Machine;
use crate::token::Token;

/// How tightly an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(u8);

impl Level {
    /// Any expression may stand here.
    pub const OPEN: Level = Level(0);
    pub const WHEN: Level = Level(1);
    pub const ELSE: Level = Level(2);
    pub const ARROW: Level = Level(3);
    pub const QUANTIFIER: Level = Level(4);
    pub const IMPLIES: Level = Level(5);
    pub const OR: Level = Level(6);
    pub const AND: Level = Level(7);
    pub const COMPARISON: Level = Level(8);
    pub const SUM: Level = Level(9);
    pub const PRODUCT: Level = Level(10);
    pub const BIT_OR: Level = Level(11);
    pub const BIT_AND: Level = Level(12);
    pub const SHIFT: Level = Level(13);
    pub const PREFIX: Level = Level(14);
    pub const CARET: Level = Level(15);
    pub const POSTFIX: Level = Level(16);

    /// The next level, which binds more tightly.
    pub const fn tighter(self) -> Level {
        Level(self.0 + 1)
    }
}

/// How `a op b op c` is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grouping {
    /// `(a op b) op c`
    Left,
    /// `a op (b op c)`
    Right,
    /// Not at all: it needs parentheses.
    None,
}

/// The operands that an operator takes. Two operands are of the same type, but for the
/// amount of a shift.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operands {
    /// Streams of any type, and lists of them, whose earlier values count.
    Streams,
    /// Values of any type, and lists of them.
    Values,
    Bools,
    /// Integers, reals and machine integers.
    Numbers,
    /// Integers and machine integers.
    Integers,
    Machines,
    /// A machine integer and an unsigned one of the same width.
    Shift,
    /// Numbers that can be converted to the type that the operator names.
    Convertible,
    Arrays,
}

/// The type of what an operator gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gives {
    Bool,
    /// That of its operands; of a shift, that of the left one.
    Operand,
}

/// The row of an operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Binary {
    /// How it is written; the parser knows other spellings of some.
    pub text: &'static str,
    pub level: Level,
    pub grouping: Grouping,
    pub operands: Operands,
    pub gives: Gives,
}

impl Binary {
    /// The level from which on its left operand needs no parentheses.
    pub fn left(&self) -> Level {
        match self.grouping {
            Grouping::Left => self.level,
            Grouping::Right | Grouping::None => self.level.tighter(),
        }
    }

    /// The level from which on its right operand needs no parentheses.
    pub fn right(&self) -> Level {
        match self.grouping {
            Grouping::Right => self.level,
            Grouping::Left | Grouping::None => self.level.tighter(),
        }
    }
}

/// The row of an operator before one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unary {
    pub level: Level,
    /// The level of the operators that its operand may have.
    pub operand: Level,
    pub operands: Operands,
}

macro_rules! binary_operators {
    ($($(#[$doc:meta])* $op:ident: $text:literal $(, $token:ident)+;
        $level:ident, $grouping:ident, $operands:ident -> $gives:ident;)*) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum BinaryOp {
            $($(#[$doc])* $op,)*
        }

        const BINARY: &[Binary] = &[$(Binary {
            text: $text,
            level: Level::$level,
            grouping: Grouping::$grouping,
            operands: Operands::$operands,
            gives: Gives::$gives,
        },)*];

        impl BinaryOp {
            /// Every operator, in the order of the table.
            pub const ALL: &[BinaryOp] = &[$(BinaryOp::$op,)*];

            /// The operator that is written so.
            pub(crate) fn of(token: Token) -> Option<BinaryOp> {
                match token {
                    $($(Token::$token)|+ => Some(BinaryOp::$op),)*
                    _ => None,
                }
            }
        }
    };
}

binary_operators! {
    // operator: spelling and tokens; level, grouping, operands -> what it gives
    Concat: "|", Bar, At; WHEN, Left, Arrays -> Operand;
    Arrow: "->", Arrow; ARROW, Right, Streams -> Operand;
    /// `a fby b`: `a -> pre b`.
    Fby: "fby", Fby; ARROW, Right, Streams -> Operand;
    Implies: "=>", Implies; IMPLIES, Right, Bools -> Bool;
    Or: "or", Or; OR, Left, Bools -> Bool;
    Xor: "xor", Xor; OR, Left, Bools -> Bool;
    And: "and", And; AND, Left, Bools -> Bool;
    Eq: "=", Equals; COMPARISON, Left, Values -> Bool;
    Neq: "<>", NotEquals; COMPARISON, Left, Values -> Bool;
    Lt: "<", Less; COMPARISON, Left, Numbers -> Bool;
    Le: "<=", LessEq; COMPARISON, Left, Numbers -> Bool;
    Gt: ">", Greater; COMPARISON, Left, Numbers -> Bool;
    Ge: ">=", GreaterEq; COMPARISON, Left, Numbers -> Bool;
    Add: "+", Plus; SUM, Left, Numbers -> Operand;
    Sub: "-", Minus; SUM, Left, Numbers -> Operand;
    Mul: "*", Star; PRODUCT, Left, Numbers -> Operand;
    Div: "/", Slash; PRODUCT, Left, Numbers -> Operand;
    IntDiv: "div", IntDiv; PRODUCT, Left, Integers -> Operand;
    Mod: "mod", Mod; PRODUCT, Left, Integers -> Operand;
    BitOr: "||", BitOr; BIT_OR, Left, Machines -> Operand;
    BitAnd: "&&", BitAnd; BIT_AND, Left, Machines -> Operand;
    Lsh: "lsh", Lsh; SHIFT, None, Shift -> Operand;
    Rsh: "rsh", Rsh; SHIFT, None, Shift -> Operand;
}

impl BinaryOp {
    pub fn row(self) -> &'static Binary {
        &BINARY[self as usize]
    }
}

macro_rules! unary_operators {
    ($($op:ident: $text:literal, $token:ident;
        $level:ident, $operand:ident, $operands:ident;)*
        [$machine:ident; $m_level:ident, $m_operand:ident, $m_operands:ident;]) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum UnaryOp {
            $($op,)*
            $machine(Machine),
        }

        impl UnaryOp {
            /// Every operator, in the order of the table.
            pub fn all() -> impl Iterator<Item = UnaryOp> {
                let machines = Machine::ALL.iter();
                let conversions = machines.map(|machine| UnaryOp::$machine(*machine));
                [$(UnaryOp::$op,)*].into_iter().chain(conversions)
            }

            /// The operator that is written so.
            pub(crate) fn of(token: Token) -> Option<UnaryOp> {
                match token {
                    $(Token::$token => Some(UnaryOp::$op),)*
                    _ => Machine::of(token).map(UnaryOp::$machine),
                }
            }

            pub fn row(self) -> Unary {
                let (level, operand, operands) = match self {
                    $(UnaryOp::$op => (Level::$level, Level::$operand, Operands::$operands),)*
                    UnaryOp::$machine(_) => {
                        (Level::$m_level, Level::$m_operand, Operands::$m_operands)
                    }
                };
                Unary { level, operand, operands }
            }
        }

        /// How it is written.
        impl fmt::Display for UnaryOp {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(UnaryOp::$op => f.write_str($text),)*
                    UnaryOp::$machine(machine) => machine.fmt(f),
                }
            }
        }
    };
}

unary_operators! {
    // operator: spelling and token; level, level of its operand, operands
    Not: "not", Not; PREFIX, PREFIX, Bools;
    // `--` starts a comment, so that `-(-a)` needs its parentheses.
    Minus: "-", Minus; SUM, PRODUCT, Numbers;
    BitNot: "!", BitNot; PREFIX, PREFIX, Machines;
    Pre: "pre", Pre; PREFIX, PREFIX, Streams;
    ToInt: "int", Int; PREFIX, PREFIX, Convertible;
    ToReal: "real", Real; PREFIX, PREFIX, Convertible;
    // One for each machine integer.
    [ToMachine; OPEN, OPEN, Convertible;]
}

macro_rules! machine_integers {
    ($($token:ident: $signed:literal, $width:literal;)*) => {
        impl Machine {
            /// The machine integers that have a name.
            pub const ALL: &[Machine] = &[$(Machine { signed: $signed, width: $width },)*];

            /// The machine integer that is written so.
            pub(crate) fn of(token: Token) -> Option<Machine> {
                let (signed, width) = match token {
                    $(Token::$token => ($signed, $width),)*
                    _ => return None,
                };
                Some(Machine { signed, width })
            }
        }
    };
}

machine_integers! {
    Int8: true, 8;
    Int16: true, 16;
    Int32: true, 32;
    Int64: true, 64;
    Uint8: false, 8;
    Uint16: false, 16;
    Uint32: false, 32;
    Uint64: false, 64;
}

#[cfg(test)]
mod tests {
    use logos::Logos;

    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        Token::lexer(text).map(|token| token.unwrap()).collect()
    }

    #[test]
    fn the_spelling_of_a_row_is_its_token() {
        for op in BinaryOp::ALL {
            let [token] = tokens(op.row().text)[..] else {
                panic!("{op:?} is not one token");
            };
            assert_eq!(BinaryOp::of(token), Some(*op));
        }
        for op in UnaryOp::all() {
            let [token] = tokens(&op.to_string())[..] else {
                panic!("{op:?} is not one token");
            };
            assert_eq!(UnaryOp::of(token), Some(op));
        }
    }

    /// The parser stops at an operator of a level that is too loose, and the operators
    /// of one level share the loop of it.
    #[test]
    fn operators_of_one_level_group_alike() {
        for a in BinaryOp::ALL {
            for b in BinaryOp::ALL {
                if a.row().level == b.row().level {
                    assert_eq!(a.row().grouping, b.row().grouping, "{a:?} and {b:?}");
                }
            }
        }
    }
}
