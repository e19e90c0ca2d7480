//! What clearly denies, whatever is wrong with the text around it.
//!
//! Two readers: [`in_json`] for a value that is JSON, where texts are data, and [`in_text`] for everything else: JSON that is
//! cut off or broken, several objects, prose around an object, single quotes, JSON in a string. Both are linear in the text,
//! and neither recurses.

mod lines;
mod text;
mod value;

pub use self::lines::{of_line, of_lines};
pub use self::text::{in_text, text_of};
pub use self::value::in_json;

/// A denial that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// What says so, for people: `` `decision` is "deny" ``.
    pub said: String,
    /// Does it end the turn (`halt`, `continue`)?
    pub halts: bool,
}

/// What a key's value says when it denies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A word: `decision`.
    Word,
    /// A word that says more than yes or no elsewhere: only one that denies does: `"status": "blocked"`, but not `"status": 0`.
    Label,
    /// True or false, and false denies: `allow`.
    Allows,
    /// True or false, and true denies: `block`.
    Denies,
    /// True ends the turn.
    Halt,
    /// False ends the turn.
    Continue,
}

/// Whose keys count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Those of a hook's output.
    Envelope,
    /// Those of a model's answer: also words that a model may choose by itself.
    Answer,
}

impl Keys {
    fn find(self, folded: &str) -> Option<Key> {
        match self {
            Self::Answer => strong(folded).or_else(|| weak(folded)),
            Self::Envelope => strong(folded).or(match folded {
                "allow" | "ok" => Some(Key::Allows),
                _ => None,
            }),
        }
    }
}

/// The keys with which agents' hooks decide, folded.
pub(crate) fn strong(folded: &str) -> Option<Key> {
    match folded {
        "decision" | "permissiondecision" | "permission" | "behavior" => Some(Key::Word),
        "halt" => Some(Key::Halt),
        "continue" => Some(Key::Continue),
        _ => None,
    }
}

/// Keys that are no hook's, and say the same where they stand beside what a hook says.
pub(crate) fn weak(folded: &str) -> Option<Key> {
    match folded {
        "verdict" | "action" | "behaviour" | "ruling" | "decide" | "decided" => Some(Key::Word),
        "result" | "status" | "outcome" | "effect" | "response" => Some(Key::Label),
        "allow" | "allowed" | "ok" | "okay" | "approve" | "approved" | "permit" | "permitted" => Some(Key::Allows),
        "deny" | "denied" | "block" | "blocked" | "reject" | "rejected" | "disallow" | "disallowed" | "forbid"
        | "forbidden" => Some(Key::Denies),
        // Cline's hooks.
        "cancel" => Some(Key::Denies),
        _ => None,
    }
}

/// Keys whose values are data of a tool or a person: nothing in them is said by the hook.
pub fn is_data(folded: &str) -> bool {
    matches!(
        folded,
        "updatedinput"
            | "updatedresult"
            | "updatedprompt"
            | "updatedtooloutput"
            | "updatedmcptooloutput"
            | "toolinput"
            | "toolargs"
            | "modifiedargs"
            | "toolresponse"
            | "toolresult"
            | "tooloutput"
            | "input"
            | "arguments"
    )
}

/// A key as it was meant: the last part of a path (`hookSpecificOutput.permissionDecision`), letters and digits only, in
/// lower case.
pub fn fold(key: &str) -> String {
    let last = key.rsplit('.').find(|part| part.contains(char::is_alphanumeric)).unwrap_or(key);
    last.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The words that deny, in lower case.
const DENY: &[&str] = &[
    "deny",
    "denied",
    "denies",
    "block",
    "blocked",
    "blocks",
    "reject",
    "rejected",
    "rejects",
    "refuse",
    "refused",
    "forbid",
    "forbidden",
    "disallow",
    "disallowed",
    "prohibit",
    "prohibited",
    "decline",
    "declined",
];

/// Does a word, or the first word of a text, deny? In any case, whatever signs are around it: `DENY`, `" deny "`, `deny: no`.
pub fn is_deny(text: &str) -> bool {
    let text = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    let first = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default();
    is_deny_word(first) || is_false(text)
}

/// Does a text say that something is denied, and by whom or why at most? `blocked`, `Denied.`, `denied by policy`, `deny: no`; but
/// not `Block 5 written`, `rejected.log`, `blocked: 0`, which tools print.
fn says_denied(text: &str) -> bool {
    let text = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    let end = text.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    if !is_deny_word(word) {
        return false;
    }
    let mut words = rest.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let next = words.next();
    let is_count = next.is_some_and(|next| next.starts_with(|letter: char| letter.is_ascii_digit()));
    let is_reason = |next: &str| ["by", "for", "because", "since", "as", "due"].contains(&&*next.to_ascii_lowercase());
    match rest.trim_start().chars().next() {
        None => true,
        Some(':' | ',' | ';' | '!' | '-' | '–' | '—' | '(') => !is_count && rest.contains(' '),
        Some('.') => rest.starts_with(". "),
        _ => rest.starts_with(' ') && next.is_some_and(is_reason),
    }
}

/// Is it one of the words that deny?
pub(crate) fn is_deny_word(word: &str) -> bool {
    DENY.iter().any(|deny| word.eq_ignore_ascii_case(deny))
}

/// `false`, `no`, `0`: in any case.
pub(crate) fn is_false(word: &str) -> bool {
    ["false", "no", "0"].iter().any(|no| word.trim().eq_ignore_ascii_case(no))
}

/// `true`, `yes`, `1`: in any case.
pub fn is_true(word: &str) -> bool {
    ["true", "yes", "1"].iter().any(|yes| word.trim().eq_ignore_ascii_case(yes))
}

impl Key {
    /// Does this value of the key deny? `quoted`: it is a string.
    pub(crate) fn is_denied_by(self, value: &str, quoted: bool) -> bool {
        let value = if quoted { value } else { number(value) };
        match self {
            Self::Word => is_deny(value),
            Self::Allows => is_false(value) || is_deny(value),
            Self::Continue => is_false(value),
            Self::Label => quoted && says_denied(value),
            // `"blocked": "denied by policy"`
            Self::Denies => is_true(value) || quoted && says_denied(value),
            Self::Halt => is_true(value),
        }
    }

    /// Does its denial end the turn?
    pub fn halts(self) -> bool {
        matches!(self, Self::Halt | Self::Continue)
    }
}

/// A JSON number that is zero or one in another spelling (`0.0`, `-0`, `1e0`) as `0` and `1`.
fn number(value: &str) -> &str {
    match value.parse::<f64>() {
        Ok(0.0) => "0",
        Ok(1.0) => "1",
        _ => value,
    }
}

fn denial(key: &str, value: &str, quoted: bool, halts: bool) -> Denial {
    const CHARS: usize = 40;
    let cut = |text: &str| text.chars().take(CHARS).collect::<String>();
    let quote = if quoted { "\"" } else { "" };
    Denial { said: format!("`{}` is {quote}{}{quote}", cut(key), cut(value)), halts }
}

#[cfg(test)]
mod tests;
