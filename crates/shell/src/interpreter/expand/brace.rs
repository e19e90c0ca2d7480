//! Brace expansion (bash).

use std::ops::ControlFlow;

use hookshell_syntax::Text;
use hookshell_syntax::ast::{BraceExpansion, Word, WordPart};
use hookshell_utility::Args;

use super::Patterns;
use crate::flow::{Flow, NEXT};
use crate::limits::Limit;
use crate::shell::Shell;

/// After so many words it is looked whether the run was told to stop.
const BETWEEN_LOOKS: usize = 4096;

impl Shell {
    /// Expands a word with braces: first the braces to several words, then each of those.
    pub(super) fn expand_braces(&mut self, word: &Word, out: &mut Args, patterns: &mut Patterns) -> Flow {
        let count = word.parts.iter().fold(1_u64, |count, part| match part {
            WordPart::Brace(expansion) => count.saturating_mul(expansion.count()),
            _ => count,
        });
        if count > self.host.limits.expansion_words {
            return self.exceed(Limit::ExpansionWords, format_args!("a brace expansion gives {count} words"));
        }
        if let [WordPart::Brace(expansion)] = &*word.parts {
            match &**expansion {
                BraceExpansion::Alternatives(_) => {}
                BraceExpansion::Words { words, .. } => {
                    for parts in words {
                        self.expand_made(parts, out, patterns)?;
                    }
                    return NEXT;
                }
                sequence => {
                    for (index, item) in sequence.sequence().enumerate() {
                        if index % BETWEEN_LOOKS == 0 && self.is_stopping() {
                            return ControlFlow::Break(crate::flow::Divert::Stop);
                        }
                        self.check_words(out)?;
                        out.push(if item == b"\\" { b"" } else { &item });
                    }
                    return NEXT;
                }
            }
        }
        // Each word is a vector of its parts until it is expanded.
        let parts = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(word.parts.len());
        let _held = self.hold(parts.saturating_mul(2 * size_of::<WordPart>()))?;
        let mut words = vec![Vec::new()];
        product(&word.parts, &mut words);
        for parts in &words {
            self.expand_made(parts, out, patterns)?;
        }
        NEXT
    }

    /// Expands a word that braces have made.
    fn expand_made(&mut self, parts: &[WordPart], out: &mut Args, patterns: &mut Patterns) -> Flow {
        if self.is_stopping() {
            return ControlFlow::Break(crate::flow::Divert::Stop);
        }
        if parts.is_empty() {
            // An empty alternative standing alone (`{a,}`) gives no field.
            return NEXT;
        }
        match with_tilde(parts) {
            Some(parts) => self.expand_parts_to_fields(&parts, out, patterns),
            None => self.expand_parts_to_fields(parts, out, patterns),
        }
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
            BraceExpansion::Words { words, .. } => alternatives.extend(words.iter().cloned()),
            sequence => {
                for item in sequence.sequence() {
                    // A backslash between `Z` and `a` is removed like one of the source.
                    let part = match &*item {
                        b"\\" => WordPart::Quoted(Text::default()),
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
