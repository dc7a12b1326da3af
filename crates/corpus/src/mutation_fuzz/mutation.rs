//! Ways to damage a text.
//!
//! Some texts are damaged roughly, byte by byte and token by token: most of
//! those end in the parser. Others are damaged gently, so that a fair part is
//! refused only by the checks, or runs. And some are damaged gently many times,
//! where only what is still accepted is kept: those run, and do what no one
//! would write.

use std::ops::Range;

use super::pieces::*;
use system::Random;

/// Mutations of a text of which only those are kept that leave it accepted.
const GENERATIONS: usize = 12;

/// One of the texts, small ones more often, with some mutations.
pub fn mutated(texts: &[String], random: &mut Random, accepted: impl Fn(&str) -> bool) -> String {
    let mut text = pick_small(texts, random).as_bytes().to_vec();
    match random.below(3) {
        0 => repeat(&mut text, random, |text, random| {
            mutate_roughly(text, texts, random)
        }),
        1 => repeat(&mut text, random, mutate_gently),
        _ => {
            for _ in 0..GENERATIONS {
                let mut next = text.clone();
                mutate_gently(&mut next, random);
                if accepted(&String::from_utf8_lossy(&next)) {
                    text = next;
                }
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Once, and again with a chance of one half.
fn repeat(
    text: &mut Vec<u8>,
    random: &mut Random,
    mut mutate: impl FnMut(&mut Vec<u8>, &mut Random),
) {
    mutate(text, random);
    while random.once_in(2) {
        mutate(text, random);
    }
}

fn pick_small<'t>(texts: &'t [String], random: &mut Random) -> &'t str {
    let pair = [random.below(texts.len()), random.below(texts.len())];
    let texts = pair.iter().filter_map(|at| texts.get(*at));
    texts.min_by_key(|text| text.len()).map_or("", |t| t)
}

fn mutate_roughly(text: &mut Vec<u8>, texts: &[String], random: &mut Random) {
    match random.below(12) {
        0 => flip_byte(text, random),
        1 => insert_odd_byte(text, random),
        2 => delete_token(text, random),
        3 => swap_tokens(text, random),
        4 => duplicate_token(text, random),
        5 => replace_by_own_token(text, random),
        6 => replace_by_any_token(text, random),
        7 => insert_piece(text, random),
        8 => insert_prefix(text, random),
        9 => delete_line(text, random),
        10 => duplicate_line(text, random),
        _ => splice(text, pick_small(texts, random).as_bytes(), random),
    }
}

fn mutate_gently(text: &mut Vec<u8>, random: &mut Random) {
    match random.below(4) {
        0 => replace_operand(text, random),
        1 => replace_type(text, random),
        _ => replace_by_like_token(text, random),
    }
}

fn flip_byte(text: &mut [u8], random: &mut Random) {
    let at = random.below(text.len());
    if let Some(byte) = text.get_mut(at) {
        *byte ^= 1 << random.below(8);
    }
}

fn insert_odd_byte(text: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(text.len() + 1);
    if let Some(odd) = random.pick(ODD_BYTES) {
        text.splice(at..at, odd.iter().copied());
    }
}

fn delete_token(text: &mut Vec<u8>, random: &mut Random) {
    let token = any_token(text, random);
    text.drain(token);
}

fn swap_tokens(text: &mut Vec<u8>, random: &mut Random) {
    let (a, b) = (any_token(text, random), any_token(text, random));
    let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
    if first.end > second.start {
        return;
    }
    let swapped = [
        &text[second.clone()],
        &text[first.end..second.start],
        &text[first.clone()],
    ];
    let swapped = swapped.concat();
    text.splice(first.start..second.end, swapped);
}

fn duplicate_token(text: &mut Vec<u8>, random: &mut Random) {
    let token = any_token(text, random);
    let copy = text[token.clone()].to_vec();
    insert(text, token.end, &copy);
}

fn replace_by_own_token(text: &mut Vec<u8>, random: &mut Random) {
    let other = any_token(text, random);
    let other = text[other].to_vec();
    let token = any_token(text, random);
    replace(text, token, &other);
}

/// A name by a name, a number by a number, an operator by one of its kind.
fn replace_by_like_token(text: &mut Vec<u8>, random: &mut Random) {
    let token = any_of(text, random, |text, token| {
        let word = &text[token.clone()];
        is_operand(word) || operators_like(word).is_some()
    });
    let Some(word) = text.get(token.clone()).filter(|word| !word.is_empty()) else {
        return;
    };
    let new = if let Some(like) = operators_like(word) {
        random.pick(like).unwrap_or_default().as_bytes().to_vec()
    } else if word[0].is_ascii_digit() {
        let real = token.start > 0 && text[token.start - 1] == b'.';
        let numbers = if real { DECIMALS } else { INTEGERS };
        random.pick(numbers).unwrap_or_default().as_bytes().to_vec()
    } else {
        let other = any_of(text, random, |text, token| is_name(&text[token.clone()]));
        text[other].to_vec()
    };
    replace(text, token, &new);
}

fn operators_like(word: &[u8]) -> Option<&'static [&'static str]> {
    let like = |list: &&&[&str]| list.iter().any(|other| other.as_bytes() == word);
    OPERATORS.iter().find(like).copied()
}

/// Puts an expression in the place of a name or number that is one.
fn replace_operand(text: &mut Vec<u8>, random: &mut Random) {
    let token = any_of(text, random, |text, token| {
        let next = text[token.end..].iter().find(|b| !b.is_ascii_whitespace());
        let before = text[..token.start].trim_ascii_end();
        let begins = before.ends_with(b"=") || before.ends_with(b"then");
        let inside = matches!(before.last(), Some(b'(' | b',' | b'+' | b'-' | b'<' | b'>'));
        is_operand(&text[token.clone()])
            && (begins || inside)
            && !matches!(next, Some(b'(' | b':' | b'{'))
    });
    fill_pattern(text, token, EXPRESSIONS, random);
}

fn replace_type(text: &mut Vec<u8>, random: &mut Random) {
    let token = any_of(text, random, |text, token| {
        let before = text[..token.start].trim_ascii_end();
        before.ends_with(b":") && starts_name(text[token.start])
    });
    fill_pattern(text, token, TYPES, random);
}

fn fill_pattern(text: &mut Vec<u8>, token: Range<usize>, patterns: &[&str], random: &mut Random) {
    let old = String::from_utf8_lossy(&text[token.clone()]).into_owned();
    let pattern = random.pick(patterns).unwrap_or_default();
    replace(text, token, pattern.replace('$', &old).as_bytes());
}

fn replace_by_any_token(text: &mut Vec<u8>, random: &mut Random) {
    let token = any_token(text, random);
    let operators = OPERATORS[random.below(OPERATORS.len())];
    let list = [INTEGERS, DECIMALS, operators, PREFIXES, WORDS][random.below(5)];
    let new = random.pick(list).unwrap_or_default();
    replace(text, token, new.as_bytes());
}

fn insert_piece(text: &mut Vec<u8>, random: &mut Random) {
    let piece = random.pick(PIECES).unwrap_or_default();
    let token = any_token(text, random);
    if random.once_in(2) {
        insert(text, token.start, piece.as_bytes());
    } else {
        replace(text, token, piece.as_bytes());
    }
}

/// Operators in front of an operand, at times very many of them.
fn insert_prefix(text: &mut Vec<u8>, random: &mut Random) {
    let prefix = random.pick(PREFIXES).unwrap_or_default();
    let times = if random.once_in(8) { 1000 } else { 1 };
    let token = any_token(text, random);
    insert(
        text,
        token.start,
        format!("{prefix} ").repeat(times).as_bytes(),
    );
}

fn delete_line(text: &mut Vec<u8>, random: &mut Random) {
    let line = any_line(text, random);
    text.drain(line);
}

fn duplicate_line(text: &mut Vec<u8>, random: &mut Random) {
    let line = any_line(text, random);
    let copy = text[line].to_vec();
    let at = any_line(text, random).start;
    text.splice(at..at, copy);
}

/// The start of one text and the end of another, or all of both.
fn splice(text: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    if random.once_in(3) {
        text.extend(other);
        return;
    }
    let cut = any_token(text, random).start;
    let from = any_token(other, random).start;
    text.truncate(cut);
    text.extend(&other[from..]);
}

fn insert(text: &mut Vec<u8>, at: usize, new: &[u8]) {
    replace(text, at..at, new);
}

fn replace(text: &mut Vec<u8>, range: Range<usize>, new: &[u8]) {
    let spaced = [b" ", new, b" "].concat();
    text.splice(range, spaced);
}

fn any_line(text: &[u8], random: &mut Random) -> Range<usize> {
    let at = random.below(text.len());
    let is_end = |byte: &u8| *byte == b'\n';
    let start = text[..at].iter().rposition(is_end).map_or(0, |end| end + 1);
    let length = text[at..].iter().position(is_end);
    start..length.map_or(text.len(), |length| at + length + 1)
}

fn any_token(text: &[u8], random: &mut Random) -> Range<usize> {
    any_of(text, random, |_, _| true)
}

/// One of the tokens that `fits` accepts; an empty range if there is none.
fn any_of(
    text: &[u8],
    random: &mut Random,
    fits: impl Fn(&[u8], &Range<usize>) -> bool,
) -> Range<usize> {
    let mut tokens = tokens(text);
    tokens.retain(|token| fits(text, token));
    let token = tokens.get(random.below(tokens.len()));
    token.cloned().unwrap_or_default()
}

/// Words, numbers, and other characters one by one, except for operators of
/// two.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    const PAIRS: [&[u8; 2]; 13] = [
        b"->", b"=>", b"<>", b"<=", b">=", b"::", b":=", b"..", b"(*", b"*)", b"--", b"&&", b"||",
    ];
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text.get(at) {
        let rest = &text[at..];
        let length = if goes_on(first) {
            rest.iter().position(|byte| !goes_on(byte))
        } else if PAIRS.iter().any(|pair| rest.starts_with(*pair)) {
            Some(2)
        } else {
            Some(1)
        };
        let length = length.unwrap_or(rest.len());
        if !first.is_ascii_whitespace() {
            tokens.push(at..at + length);
        }
        at += length;
    }
    tokens
}

fn goes_on(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

fn is_operand(word: &[u8]) -> bool {
    word[0].is_ascii_digit() || is_name(word)
}

fn is_name(word: &[u8]) -> bool {
    starts_name(word[0]) && !WORDS.iter().any(|other| other.as_bytes() == word)
}

fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_numbers_and_operators() {
        let text = b"x1 <= 0->pre y;";
        let shown = tokens(text).into_iter().map(|token| &text[token]);
        let shown: Vec<&[u8]> = shown.collect();
        let expected: [&[u8]; 7] = [b"x1", b"<=", b"0", b"->", b"pre", b"y", b";"];
        assert_eq!(shown, expected);
    }

    #[test]
    fn every_mutation_works_on_every_text() {
        for text in ["", "x", "\n", "node n"] {
            for index in 0..500 {
                let mut random = Random::new(0, index);
                mutate_roughly(&mut text.as_bytes().to_vec(), &[], &mut random);
                mutate_gently(&mut text.as_bytes().to_vec(), &mut random);
            }
        }
    }
}
