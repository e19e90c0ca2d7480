//! Splitting a pattern into path components.

use hookshell_text::pattern::{Options, Pattern, has_special, is_cut, unescape};

use super::GlobOptions;

/// One component and the slashes before it. The component after a trailing slash is an empty literal.
#[derive(Debug)]
pub(super) struct Component {
    pub(super) slashes: usize,
    pub(super) kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A name without special characters, unescaped. Empty only at the end, or when the pattern is empty.
    Literal(Vec<u8>),
    Pattern(Name),
    /// `**` under `globstar`; `repeated` for several in a row.
    Globstar {
        repeated: bool,
    },
}

/// A pattern for one name, with the rule for leading dots.
#[derive(Debug)]
pub(super) struct Name {
    pattern: Pattern,
    /// What a name with a leading dot is compared with instead: the parts of the pattern whose dot is explicit.
    dotted: Dotted,
    /// Its own dot stands at its start.
    starts_with_dot: bool,
}

#[derive(Debug)]
enum Dotted {
    /// The whole pattern, either because it starts with a dot or by `dotglob`.
    Same,
    Any(Vec<Pattern>),
}

impl Name {
    fn new(escaped: &[u8], options: &GlobOptions) -> Self {
        let matching = effective(options);
        let dotted = if options.dotglob || starts_with_dot(escaped) {
            Dotted::Same
        } else if matching.extglob {
            Dotted::Any(dotted_patterns(escaped).iter().map(|escaped| Pattern::new(escaped, matching)).collect())
        } else {
            Dotted::Any(Vec::new())
        };
        Self { pattern: Pattern::new(escaped, matching), dotted, starts_with_dot: starts_with_dot(escaped) }
    }

    /// Does it match `.` or `..`? Only where its dot is explicit.
    pub(super) fn matches_dots(&self, name: &[u8]) -> bool {
        match &self.dotted {
            _ if self.starts_with_dot => self.pattern.matches(name),
            Dotted::Same => false,
            Dotted::Any(patterns) => patterns.iter().any(|pattern| pattern.matches(name)),
        }
    }

    pub(super) fn matches(&self, name: &[u8]) -> bool {
        if name.first() != Some(&b'.') {
            return self.pattern.matches(name);
        }
        match &self.dotted {
            Dotted::Same => self.pattern.matches(name),
            Dotted::Any(patterns) => patterns.iter().any(|pattern| pattern.matches(name)),
        }
    }
}

/// File names have no case on Windows.
fn effective(options: &GlobOptions) -> Options {
    Options { nocase: options.pattern.nocase || cfg!(windows), ..options.pattern }
}

fn starts_with_dot(escaped: &[u8]) -> bool {
    matches!(escaped, [b'.', ..] | [b'\\', b'.', ..])
}

/// The ways in which a pattern that starts with a group can match an explicit leading dot: through an alternative
/// that starts with a dot, or by skipping the group.
fn dotted_patterns(escaped: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let mut rest = escaped;
    // Each turn skips one leading group that may match nothing.
    while let [kind @ (b'?' | b'*' | b'+' | b'@'), b'(', after @ ..] = rest
        && let Some((alternatives, tail)) = split_group(after)
    {
        for alternative in alternatives.iter().filter(|alternative| starts_with_dot(alternative)) {
            let mut pattern = alternative.to_vec();
            if matches!(kind, b'*' | b'+') {
                // Later occurrences may be any alternative.
                pattern.extend_from_slice(b"*(");
                pattern.extend_from_slice(&after[..after.len() - tail.len()]);
            }
            pattern.extend_from_slice(tail);
            found.push(pattern);
        }
        if matches!(kind, b'+' | b'@') && !alternatives.iter().any(|alternative| alternative.is_empty()) {
            return found;
        }
        rest = tail;
        if starts_with_dot(rest) {
            found.push(rest.to_vec());
            return found;
        }
    }
    found
}

/// The alternatives of a group whose `(` has been read, and what follows its `)`.
fn split_group(after: &[u8]) -> Option<(Vec<&[u8]>, &[u8])> {
    let mut alternatives = Vec::new();
    let (mut start, mut at, mut depth) = (0, 0, 0_usize);
    loop {
        match after.get(at)? {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' if depth == 0 => {
                alternatives.push(&after[start..at]);
                return Some((alternatives, &after[at + 1..]));
            }
            b')' => depth -= 1,
            b'|' if depth == 0 => {
                alternatives.push(&after[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Splits at slashes. A slash is never part of a bracket expression or group (POSIX XCU 2.14.3).
pub(super) fn split(escaped: &[u8], options: &GlobOptions) -> Vec<Component> {
    let mut components: Vec<Component> = Vec::new();
    let mut at = 0;
    let mut before = 0;
    loop {
        let mut slashes = std::mem::take(&mut before);
        while escaped.get(at) == Some(&b'/') {
            at += 1;
            slashes += 1;
        }
        // bash keeps `//` as written only in front of the first special component.
        if slashes > 1 && components.iter().any(|component| !matches!(component.kind, Kind::Literal(_))) {
            slashes = 1;
        }
        let start = at;
        while let Some(&byte) = escaped.get(at) {
            match byte {
                b'/' => break,
                // What is after the slash is another name: the backslash is the last of this one (bash).
                b'\\' if escaped.get(at + 1) != Some(&b'/') => at += 1,
                _ => {}
            }
            at += 1;
        }
        at = at.min(escaped.len());
        let text = &escaped[start..at];
        let kind = if options.globstar && text == b"**" {
            Kind::Globstar { repeated: false }
        } else if has_special(text, options.pattern) {
            Kind::Pattern(Name::new(text, options))
        } else {
            let mut name = Vec::with_capacity(text.len());
            unescape(text, &mut name);
            if is_cut(text) {
                // As bash takes the escapes off a name (`dequote_pathname`).
                name.pop();
            }
            if name.is_empty() && at < escaped.len() {
                // `*/\/x` is `*/x`, and `./\/x` is `.//x`.
                before = slashes;
                continue;
            }
            Kind::Literal(name)
        };
        match (&kind, components.last_mut()) {
            // `**/**` finds no more than `**`.
            (Kind::Globstar { .. }, Some(Component { kind: Kind::Globstar { repeated }, .. })) => *repeated = true,
            _ => components.push(Component { slashes, kind }),
        }
        if at >= escaped.len() {
            return components;
        }
    }
}
