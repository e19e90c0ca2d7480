//! `\p{NAME}`: the characters of a Unicode property.

use regex_syntax::hir::{Class, HirKind};

/// The ranges of a property; `None`: there is none of this name.
pub(super) fn ranges(name: &str, negated: bool) -> Option<Vec<(char, char)>> {
    let plain: String = name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).collect::<String>().to_ascii_lowercase();
    if plain.is_empty() || !plain.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    // Oniguruma's names that are those of POSIX.
    let class = match plain.as_str() {
        "alnum" => r"[\p{Alphabetic}\p{Nd}]",
        "alpha" => r"[\p{Alphabetic}]",
        "blank" => r"[\p{Zs}\t]",
        "cntrl" => r"[\p{Cc}]",
        "digit" => r"[\p{Nd}]",
        "graph" => r"[^\p{White_Space}\p{Cc}\p{Cn}]",
        "lower" => r"[\p{Lowercase}]",
        "print" => r"[[^\p{White_Space}\p{Cc}\p{Cn}]\p{Zs}]",
        "punctorsymbol" => r"[\p{P}$+<=>^`|~]",
        "punct" => r"[\p{P}]",
        "space" => r"[\p{White_Space}]",
        "upper" => r"[\p{Uppercase}]",
        "xdigit" => r"[0-9A-Fa-f]",
        "word" => r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]",
        "ascii" => r"[\x00-\x7f]",
        "any" => r"[\x00-\x{10ffff}]",
        // `in…` names blocks, which the tables here have not.
        name if name.starts_with("in") && !name.starts_with("inherited") => return None,
        _ => "",
    };
    let pattern = if class.is_empty() { format!(r"\p{{{plain}}}") } else { class.to_owned() };
    let hir = regex_syntax::Parser::new().parse(&pattern).ok()?;
    let HirKind::Class(Class::Unicode(found)) = hir.kind() else {
        // A class of one character is a literal.
        let HirKind::Literal(literal) = hir.kind() else { return None };
        let c = std::str::from_utf8(&literal.0).ok()?.chars().next()?;
        return (!negated).then(|| vec![(c, c)]);
    };
    let mut found = found.clone();
    if negated {
        found.negate();
    }
    Some(found.ranges().iter().map(|range| (range.start(), range.end())).collect())
}
