//! The Unicode properties of `\p{NAME}`, as PCRE2 10.42 knows them.

/// Properties of one bit, by their long and their short names.
const BOOLEAN: [&str; 62] = [
    "ascii",
    "asciihexdigit",
    "ahex",
    "alphabetic",
    "alpha",
    "bidicontrol",
    "bidic",
    "cased",
    "caseignorable",
    "ci",
    "changeswhencasefolded",
    "cwcf",
    "changeswhencasemapped",
    "cwcm",
    "changeswhenlowercased",
    "cwl",
    "changeswhentitlecased",
    "cwt",
    "changeswhenuppercased",
    "cwu",
    "dash",
    "defaultignorablecodepoint",
    "di",
    "deprecated",
    "dep",
    "diacritic",
    "dia",
    "emoji",
    "emojicomponent",
    "ecomp",
    "emojimodifier",
    "emod",
    "emojimodifierbase",
    "ebase",
    "emojipresentation",
    "epres",
    "extendedpictographic",
    "extpict",
    "extender",
    "ext",
    "graphemebase",
    "grbase",
    "graphemeextend",
    "grext",
    "hexdigit",
    "hex",
    "idcontinue",
    "idc",
    "idstart",
    "ids",
    "ideographic",
    "ideo",
    "lowercase",
    "lower",
    "math",
    "uppercase",
    "upper",
    "whitespace",
    "wspace",
    "space",
    "xidcontinue",
    "xidstart",
];

const CATEGORIES: [&str; 38] = [
    "c", "cc", "cf", "cn", "co", "cs", "l", "ll", "lm", "lo", "lt", "lu", "lc", "m", "mc", "me", "mn", "n", "nd", "nl",
    "no", "p", "pc", "pd", "pe", "pf", "pi", "po", "ps", "s", "sc", "sk", "sm", "so", "z", "zl", "zp", "zs",
];

/// The class of a name in the syntax of the `regex` crate; `None`: PCRE knows no such property.
pub fn class(name: &str) -> Option<String> {
    let (kind, name) = match name.split_once([':', '=']) {
        Some((kind, name)) => (Some(plain(kind)), name),
        None => (None, name),
    };
    let name = plain(name);
    let class = match kind.as_deref() {
        Some("sc" | "script") => format!(r"\p{{sc={name}}}"),
        Some("scx" | "scriptextensions") => format!(r"\p{{scx={name}}}"),
        Some(_) => return None,
        None if name == "any" => r"\p{any}".to_owned(),
        None if name == "l&" || name == "lc" => r"\p{LC}".to_owned(),
        // There are no surrogates in a text.
        None if name == "cs" => r"[^\x00-\x{10FFFF}]".to_owned(),
        None if name == "xuc" => r"[\x24\x40\x60\x{A0}-\x{10FFFF}]".to_owned(),
        None if name == "unknown" || name == "zzzz" => r"[\p{gc=cn}\p{gc=co}]".to_owned(),
        None if name == "xan" => r"[\p{L}\p{N}]".to_owned(),
        None if name == "xwd" => r"[\p{L}\p{N}_]".to_owned(),
        None if name == "xps" || name == "xsp" => r"[\p{Z}\t-\r\x{85}]".to_owned(),
        None if CATEGORIES.contains(&name.as_str()) => format!(r"\p{{gc={name}}}"),
        None if BOOLEAN.contains(&name.as_str()) => format!(r"\p{{{name}}}"),
        // A script by its name is one of several that a character may belong to.
        None => format!(r"\p{{scx={name}}}"),
    };
    let known = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'&');
    (known && regex_syntax::Parser::new().parse(&class).is_ok()).then_some(class)
}

/// Case, blanks, hyphens and underscores do not count.
fn plain(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).collect::<String>().to_ascii_lowercase()
}
