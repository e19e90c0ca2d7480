//! Brace expansion (bash).

use std::ops::ControlFlow;

use hookshell_syntax::ast::{BraceExpansion, Word, WordPart};

use crate::args::Args;
use crate::flow::{Flow, NEXT};
use crate::shell::Shell;

/// Words that one brace expansion may give: past it an error instead of the host's memory.
const MAX_WORDS: u64 = 5_000_000;

impl Shell {
    /// Expands a word with braces: first the braces to several words, then each of those.
    pub(super) fn expand_braces(&mut self, word: &Word, out: &mut Args) -> Flow {
        let count = count_words(&word.parts);
        if count > MAX_WORDS {
            return self.exceed(format!("brace expansion: {count} words are more than the limit of {MAX_WORDS}"));
        }
        if let [WordPart::Brace(sequence)] = &*word.parts
            && let Some(items) = sequence_items(sequence)
        {
            for item in items {
                out.push(if item == b"\\" { b"" } else { &item });
            }
            return NEXT;
        }
        let mut words = vec![Vec::new()];
        product(&word.parts, &mut words);
        for parts in &words {
            if self.is_stopping() {
                return ControlFlow::Break(crate::flow::Divert::Stop);
            }
            if parts.is_empty() {
                // An empty alternative standing alone (`{a,}`) gives no field.
                continue;
            }
            match with_tilde(parts) {
                Some(parts) => self.expand_parts_to_fields(&parts, out)?,
                None => self.expand_parts_to_fields(parts, out)?,
            }
        }
        NEXT
    }
}

/// A word made by braces whose first literals are a tilde-prefix (`~{a,b}`, `{~,x}/y`), which is found only now.
fn with_tilde(parts: &[WordPart]) -> Option<Vec<WordPart>> {
    let literals = parts.iter().take_while(|part| matches!(part, WordPart::Literal(_))).count();
    let mut text: Vec<u8> = Vec::new();
    for part in &parts[..literals] {
        if let WordPart::Literal(literal) = part {
            text.extend_from_slice(literal);
        }
    }
    let prefix = text.strip_prefix(b"~")?;
    let end = memchr::memchr(b'/', prefix);
    if end.is_none() && literals < parts.len() {
        return None;
    }
    let (user, rest) = prefix.split_at(end.unwrap_or(prefix.len()));
    let mut made = vec![WordPart::Tilde(user.into())];
    if !rest.is_empty() {
        made.push(WordPart::Literal(rest.into()));
    }
    made.extend(parts[literals..].iter().cloned());
    Some(made)
}

fn count_words(parts: &[WordPart]) -> u64 {
    let mut count: u64 = 1;
    for part in parts {
        if let WordPart::Brace(expansion) = part {
            let own = match &**expansion {
                BraceExpansion::Alternatives(list) => {
                    list.iter().map(|parts| count_words(parts)).fold(0, u64::saturating_add)
                }
                BraceExpansion::Integers { first, last, step, .. } => steps(*first, *last, *step),
                BraceExpansion::Characters { first, last, step } => steps(i64::from(*first), i64::from(*last), *step),
            };
            count = count.saturating_mul(own);
        }
    }
    count
}

fn steps(first: i64, last: i64, step: i64) -> u64 {
    first.abs_diff(last) / step.unsigned_abs().max(1) + 1
}

/// The words of a sequence; `None` for alternatives.
fn sequence_items(expansion: &BraceExpansion) -> Option<Box<dyn Iterator<Item = Vec<u8>> + '_>> {
    fn values(first: i64, last: i64, step: i64) -> impl Iterator<Item = i64> {
        let size = step.unsigned_abs().max(1);
        (0..steps(first, last, step)).map(move |n| {
            let distance = n.wrapping_mul(size);
            if first <= last { first.wrapping_add_unsigned(distance) } else { first.wrapping_sub_unsigned(distance) }
        })
    }
    match expansion {
        BraceExpansion::Alternatives(_) => None,
        &BraceExpansion::Integers { first, last, step, width } => {
            Some(Box::new(values(first, last, step).map(move |value| {
                let width = width as usize;
                format!("{value:0width$}").into_bytes()
            })))
        }
        &BraceExpansion::Characters { first, last, step } => {
            Some(Box::new(values(i64::from(first), i64::from(last), step).map(|value| vec![value as u8])))
        }
    }
}

/// Multiplies the words so far by the parts.
fn product(parts: &[WordPart], words: &mut Vec<Vec<WordPart>>) {
    for part in parts {
        let WordPart::Brace(expansion) = part else {
            for word in words.iter_mut() {
                word.push(part.clone());
            }
            continue;
        };
        let mut alternatives: Vec<Vec<WordPart>> = Vec::new();
        match &**expansion {
            BraceExpansion::Alternatives(list) => {
                for parts in list {
                    let mut expanded = vec![Vec::new()];
                    product(parts, &mut expanded);
                    alternatives.append(&mut expanded);
                }
            }
            sequence => {
                for item in sequence_items(sequence).into_iter().flatten() {
                    // A backslash between `Z` and `a` is removed like one of the source.
                    let part = match &*item {
                        b"\\" => WordPart::Quoted((*b"").into()),
                        _ => WordPart::Literal(item.into()),
                    };
                    alternatives.push(vec![part]);
                }
            }
        }
        let mut next = Vec::with_capacity(words.len() * alternatives.len());
        for word in words.iter() {
            for alternative in &alternatives {
                let mut combined = word.clone();
                combined.extend(alternative.iter().cloned());
                next.push(combined);
            }
        }
        *words = next;
    }
}
