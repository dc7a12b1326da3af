//! Where operators stand in the source.
//!
//! The typed program has the spans of operands. The operator is the text between them, without
//! parentheses and comments. If that text is no operator, the source has none there: the checker
//! has made the expression from a block or a list of streams.

use lang::{BinOp, Expr, ExprKind, UnOp};
use syntax::ast::{BinaryOp, UnaryOp};
use syntax::{SourceMap, Span};

/// The place of an expression's own operator, or of the expression if it has none.
pub(super) fn position(sources: &SourceMap, expr: &Expr) -> Span {
    operator(sources, expr).unwrap_or(expr.span)
}

/// The place of the operator, or of `if`.
pub(super) fn operator(sources: &SourceMap, expr: &Expr) -> Option<Span> {
    match &expr.kind {
        ExprKind::Binary(op, left, right) => between(sources, left, right, binary_rows(*op)),
        ExprKind::Arrow(left, right) => {
            between(sources, left, right, &[BinaryOp::Arrow, BinaryOp::Fby])
        }
        ExprKind::Unary(op, _) => prefix(sources, expr.span, *op),
        ExprKind::If(condition, ..) => {
            at(sources, expr.span, &["if"]).or_else(|| before(sources, condition.span))
        }
        ExprKind::Value(_) | ExprKind::Var(_) | ExprKind::Const(_) | ExprKind::Bound(_) => None,
        ExprKind::Choice(_) | ExprKind::Call(..) | ExprKind::Quantified(..) => None,
        ExprKind::Merge(..) | ExprKind::Pre(..) | ExprKind::Convert(_) => None,
        ExprKind::AtMostOne(_) | ExprKind::Fields(_) | ExprKind::Field(..) => None,
        ExprKind::Array(_) | ExprKind::Fill(_) | ExprKind::Index(..) => None,
        ExprKind::Update(..) => None,
    }
}

/// The rows of the table of operators from which the type checker makes the operator.
fn binary_rows(op: BinOp) -> &'static [BinaryOp] {
    match op {
        BinOp::And => &[BinaryOp::And],
        BinOp::Or => &[BinaryOp::Or],
        BinOp::Xor => &[BinaryOp::Xor],
        BinOp::Implies => &[BinaryOp::Implies],
        BinOp::Eq => &[BinaryOp::Eq],
        BinOp::Neq => &[BinaryOp::Neq],
        BinOp::Lt => &[BinaryOp::Lt],
        BinOp::Le => &[BinaryOp::Le],
        BinOp::Gt => &[BinaryOp::Gt],
        BinOp::Ge => &[BinaryOp::Ge],
        BinOp::Add => &[BinaryOp::Add],
        BinOp::Sub => &[BinaryOp::Sub],
        BinOp::Mul => &[BinaryOp::Mul],
        BinOp::Div => &[BinaryOp::Div, BinaryOp::IntDiv],
        BinOp::Mod => &[BinaryOp::Mod],
        BinOp::BitAnd => &[BinaryOp::BitAnd],
        BinOp::BitOr => &[BinaryOp::BitOr],
        BinOp::Lsh => &[BinaryOp::Lsh],
        BinOp::Rsh => &[BinaryOp::Rsh],
    }
}

/// The place of an operator with one operand, if the span begins with it.
pub(super) fn prefix(sources: &SourceMap, span: Span, op: UnOp) -> Option<Span> {
    let row = match op {
        UnOp::Not => UnaryOp::Not,
        UnOp::Neg => UnaryOp::Minus,
        UnOp::BitNot => UnaryOp::BitNot,
    };
    at(sources, span, &[&row.to_string()])
}

/// One of the words at the beginning of a span.
fn at(sources: &SourceMap, span: Span, words: &[&str]) -> Option<Span> {
    let text = sources.text(span);
    let word = words.iter().find(|word| text.starts_with(**word))?;
    let start = span.start as usize;
    Some(Span::new(span.file, start, start + word.len()))
}

/// One of the operators between two operands.
fn between(sources: &SourceMap, left: &Expr, right: &Expr, ops: &[BinaryOp]) -> Option<Span> {
    let (left, right) = (left.span, right.span);
    if left.file != right.file || left.end > right.start {
        return None;
    }
    let gap = Span {
        start: left.end,
        ..right
    };
    let gap = Span {
        end: right.start,
        ..gap
    };
    let skipped = blank(sources.text(gap));
    let start = gap.start + skipped as u32;
    let words: Vec<&str> = ops.iter().map(|op| op.row().text).collect();
    at(sources, Span { start, ..gap }, &words)
}

/// How many bytes of a text are space, comments and closing parentheses.
fn blank(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ')');
        let comment = [("--", "\n"), ("(*", "*)"), ("/*", "*/")].into_iter();
        let mut comment = comment.filter(|(open, _)| rest.starts_with(open));
        match comment.next() {
            Some((_, close)) => {
                let end = rest.find(close).map_or(rest.len(), |at| at + close.len());
                rest = &rest[end..];
            }
            None => return text.len() - rest.len(),
        }
    }
}

/// `if` or `elsif` in front of a condition.
fn before(sources: &SourceMap, condition: Span) -> Option<Span> {
    let text = sources
        .file(condition.file)
        .text
        .get(..condition.start as usize)?;
    let text = text.trim_end_matches(|c: char| c.is_whitespace() || c == '(');
    let word = ["elsif", "if"].iter().find(|word| text.ends_with(**word))?;
    Some(Span::new(
        condition.file,
        text.len() - word.len(),
        text.len(),
    ))
}

/// The name of a stream on the left-hand side of its equation.
pub(super) fn left_hand_side(sources: &SourceMap, equation: Span, name: &str) -> Span {
    let text = sources.text(equation);
    let left = &text[..text.find('=').unwrap_or(text.len())];
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let places = left.match_indices(name).map(|(at, _)| at);
    let mut places = places.filter(|at| {
        let (before, after) = (&left[..*at], &left[at + name.len()..]);
        !is_word(before.chars().next_back()) && !is_word(after.chars().next())
    });
    let start = equation.start as usize + places.next().unwrap_or(0);
    Span::new(equation.file, start, start + name.len())
}
