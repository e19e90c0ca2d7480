use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};

use super::*;
use hookshell_test_support::bash;

const PLAIN: Options = Options { extglob: false, nocase: false, bytes: false };
const EXTENDED: Options = Options { extglob: true, nocase: false, bytes: false };
const NOCASE: Options = Options { extglob: true, nocase: true, bytes: false };
const BYTES: Options = Options { extglob: false, nocase: false, bytes: true };

/// Pattern, texts that match, texts that do not; with `extglob`. Each is what bash 5.2 says.
const MATCHES: &[(&str, &[&str], &[&str])] = &[
    ("", &[""], &["a"]),
    ("abc", &["abc"], &["ab", "abcd", "ABC"]),
    ("*", &["", "a", "é", "a/b", ".a"], &[]),
    ("?", &["a", "é", "/", "€", "😀"], &["", "ab"]),
    ("a*c", &["ac", "abc", "accc", "aéc"], &["a", "c", "abcd"]),
    ("*.txt", &[".txt", "a.txt"], &["a.txt ", "txt"]),
    ("a*b*c", &["abc", "axbyc", "abbcc"], &["acb", "ab"]),
    ("??*", &["ab", "éé", "abc"], &["a", "é"]),
    (r"\*", &["*"], &["a", r"\*", ""]),
    (r"a\bc", &["abc"], &[r"a\bc"]),
    (r"\\", &[r"\"], &[r"\\"]),
    (r"a\", &[r"a\"], &["a"]),
    ("[abc]", &["a", "c"], &["d", "", "ab"]),
    ("[!abc]", &["d", "é"], &["a", ""]),
    ("[^abc]", &["d", "!"], &["a"]),
    ("[a-c]", &["a", "b", "c"], &["d", "-", "B"]),
    ("[c-a]", &[], &["a", "b", "c", "-"]),
    ("[a-]", &["a", "-"], &["b"]),
    ("[-a]", &["a", "-"], &["b"]),
    ("[a-c-e]", &["b", "-", "e"], &["d"]),
    ("[!-]", &["a"], &["-"]),
    ("[]x]", &["]", "x"], &["a", "[]x]"]),
    ("[!]x]", &["a"], &["]", "x"]),
    (r"[\]x]", &["]", "x"], &[r"\"]),
    (r"[a\-c]", &["a", "-", "c"], &["b", r"\"]),
    (r"[\!a]", &["!", "a"], &["b"]),
    (r"[\\]", &[r"\"], &["a"]),
    ("[a", &["[a"], &["a"]),
    ("[", &["["], &["a"]),
    ("a[", &["a["], &["a"]),
    ("[!", &["[!"], &["!"]),
    ("[]", &["[]"], &["]"]),
    ("[[:alpha:]]", &["a", "Z", "é"], &["1", ":", "["]),
    ("[![:digit:]]", &["a"], &["1"]),
    ("[[:digit:][:upper:]_]", &["1", "A", "_"], &["a"]),
    ("[[:space:]]", &[" ", "\t"], &["a"]),
    ("[[:word:]]", &["a", "_", "1"], &["-"]),
    ("[[:nonsense:]a]", &["a"], &["n", ":"]),
    (r"[\[:alpha:]", &["a", ":", "["], &["z", "[]"]),
    ("[[=a=]b]", &["a", "b"], &["=", "["]),
    ("[[.a.]]", &["a"], &[".", "["]),
    ("[[.hyphen.]]", &["-"], &["h"]),
    ("[[.-.]a]", &["-", "a"], &["."]),
    ("[[.a.]-c]", &["b"], &["-", "."]),
    ("[[.space.]]", &[" "], &["s"]),
    ("[é-ü]", &["é", "ö"], &["a", "z"]),
    ("[*?]", &["*", "?"], &["a"]),
    ("[a/b]", &["/"], &["[a/b]"]),
    ("@(a|b)c", &["ac", "bc"], &["c", "abc"]),
    ("?(a|b)c", &["ac", "bc", "c"], &["abc"]),
    ("*(a|b)c", &["ac", "bc", "c", "ababc"], &["adc"]),
    ("+(a|b)c", &["ac", "bc", "aabc"], &["c"]),
    ("!(a|b)", &["", "c", "ab"], &["a", "b"]),
    ("!(*.txt)", &["a.c", "txt"], &["a.txt", ".txt"]),
    ("a!(b)c", &["ac", "abbc", "axc"], &["abc"]),
    ("+([0-9])", &["1", "123"], &["", "1a"]),
    ("*([a-z])?(.)+([0-9])", &["1", "a.1", "abc12"], &["a.", "."]),
    ("@(a|@(b|c)d)", &["a", "bd", "cd"], &["b", "d"]),
    ("@(a*|*b)", &["axx", "xxb", "ab"], &["x"]),
    ("!(!(a))", &["a"], &["b", ""]),
    ("@(a[|)]b)", &["a|b", "a)b"], &["ab"]),
    (r"@(a\|b)", &["a|b"], &["a", "b"]),
    ("@(|a)b", &["b", "ab"], &["aab"]),
    ("*(*(a))", &["", "aaa"], &["b"]),
    ("@((a|b))", &["(a|b)"], &["a"]),
    ("(a|b)", &["(a|b)"], &["a"]),
];

#[test]
fn patterns_match_as_in_bash() {
    for (pattern, yes, no) in MATCHES {
        let compiled = Pattern::new(pattern.as_bytes(), EXTENDED);
        for (texts, expected) in [(yes, true), (no, false)] {
            for text in *texts {
                assert_eq!(compiled.matches(text.as_bytes()), expected, "{pattern} on {text:?}");
                assert_eq!(matches(pattern.as_bytes(), text.as_bytes(), EXTENDED), expected, "{pattern} on {text:?}");
            }
        }
    }
}

#[test]
fn bash_agrees_with_the_matches() {
    for (pattern, yes, no) in MATCHES {
        for (texts, expected) in [(yes, 0), (no, 1)] {
            for text in *texts {
                let script = "shopt -s extglob; case $2 in $1) exit 0;; esac; exit 1";
                let Some(answer) = bash(script, &[pattern.as_bytes(), text.as_bytes()]) else { return };
                assert_eq!(answer.status, expected, "{pattern} on {text:?}");
            }
        }
    }
}

/// Pattern, text, and what is left by `#`, `##`, `%` and `%%`, and the text with the first match replaced by `<X>`.
const REMOVALS: &[(&str, &str, [&str; 5])] = &[
    ("*/", "/usr/lib/x", ["usr/lib/x", "x", "/usr/lib/x", "/usr/lib/x", "<X>x"]),
    (".*", "a.tar.gz", ["a.tar.gz", "a.tar.gz", "a.tar", "a", "a<X>"]),
    ("/*", "/usr/lib", ["usr/lib", "", "/usr", "", "<X>"]),
    ("*", "abc", ["abc", "", "abc", "", "<X>"]),
    ("*b*", "abcb", ["cb", "", "abc", "", "<X>"]),
    ("?", "éa", ["a", "a", "é", "é", "<X>a"]),
    ("a", "banana", ["banana", "banana", "banan", "banan", "b<X>nana"]),
    ("a*a", "banana", ["banana", "banana", "ban", "b", "b<X>"]),
    ("[ab]*n", "banana", ["ana", "a", "banana", "banana", "<X>a"]),
    ("*n?", "banana", ["na", "", "bana", "", "<X>"]),
    ("é*", "xéyéz", ["xéyéz", "xéyéz", "xéy", "x", "x<X>"]),
    (r"\.*", "a.b.c", ["a.b.c", "a.b.c", "a.b", "a", "a<X>"]),
    ("+(a)", "aaba", ["aba", "ba", "aab", "aab", "<X>ba"]),
    ("*(a)b", "aabab", ["ab", "ab", "aaba", "aab", "<X>ab"]),
    ("@(ab|abc)", "abcabc", ["cabc", "abc", "abc", "abc", "<X>abc"]),
    ("!(a)", "aab", ["aab", "", "aab", "", "<X>"]),
    ("", "abc", ["abc", "abc", "abc", "abc", "abc"]),
    ("x", "", ["", "", "", "", ""]),
];

#[test]
fn prefixes_and_suffixes_are_the_ones_bash_removes() {
    let cache = Cache::default();
    for (pattern, text, [hash, hashes, percent, percents, replaced]) in REMOVALS {
        let compiled = Pattern::new(pattern.as_bytes(), EXTENDED);
        let bytes = text.as_bytes();
        let ends = [compiled.shortest_prefix(bytes), compiled.longest_prefix(bytes)];
        let starts = [compiled.shortest_suffix(bytes), compiled.longest_suffix(bytes)];
        assert_eq!(ends.map(|end| &text[end.unwrap_or(0)..]), [*hash, *hashes], "{pattern} on {text}");
        assert_eq!(
            starts.map(|start| &text[..start.unwrap_or(text.len())]),
            [*percent, *percents],
            "{pattern} on {text}"
        );
        let escaped = pattern.as_bytes();
        assert_eq!(
            ends,
            [cache.shortest_prefix(escaped, bytes, EXTENDED), cache.longest_prefix(escaped, bytes, EXTENDED)]
        );
        assert_eq!(
            starts,
            [cache.shortest_suffix(escaped, bytes, EXTENDED), cache.longest_suffix(escaped, bytes, EXTENDED)]
        );
        // The expansion itself knows that an empty pattern replaces nothing.
        if !pattern.is_empty() {
            let found = compiled.find(bytes, 0);
            let now =
                found.map_or((*text).to_owned(), |range| format!("{}<X>{}", &text[..range.start], &text[range.end..]));
            assert_eq!(now, *replaced, "{pattern} on {text}");
        }
    }
}

#[test]
fn bash_agrees_with_the_removals() {
    for (pattern, text, expected) in REMOVALS {
        let script = r#"shopt -s extglob; t=$2; printf '%s\n' "${t#$1}" "${t##$1}" "${t%$1}" "${t%%$1}" "${t/$1/<X>}""#;
        let Some(answer) = bash(script, &[pattern.as_bytes(), text.as_bytes()]) else { return };
        assert_eq!(
            String::from_utf8_lossy(&answer.stdout),
            format!("{}\n", expected.join("\n")),
            "{pattern} on {text}"
        );
    }
}

#[test]
fn case_is_ignored_on_request() {
    for (pattern, text, expected) in [
        ("aBc", "AbC", true),
        ("*É", "xé", true),
        ("[a-c]", "B", true),
        ("[A-C]", "b", true),
        ("[Z-a]", "z", false),
        // A class says which letters, whatever the case of the pattern.
        ("[[:upper:]]", "a", false),
        ("[[:upper:]]", "A", true),
        ("@(ab|CD)", "cd", true),
        ("!(ab)", "AB", false),
    ] {
        assert_eq!(Pattern::new(pattern.as_bytes(), NOCASE).matches(text.as_bytes()), expected, "{pattern} on {text}");
    }
}

#[test]
fn without_extglob_groups_are_literal() {
    assert!(matches(b"@(a|b)", b"@(a|b)", PLAIN));
    assert!(!matches(b"@(a|b)", b"a", PLAIN));
    assert!(matches(b"*(a)", b"xx(a)", PLAIN));
}

#[test]
fn stray_bytes_are_one_character_each_and_in_no_class() {
    assert!(matches(b"?", b"\xFF", PLAIN));
    assert!(!matches(b"?", b"\xC3\x28", PLAIN));
    assert!(matches(b"??", b"\xC3\x28", PLAIN));
    assert!(!matches(b"[[:alpha:]]", b"\xFF", PLAIN));
    assert!(matches(b"[\xFF]", b"\xFF", PLAIN));
}

#[test]
fn a_pattern_that_is_not_utf8_is_matched_by_bytes() {
    assert!(matches(b"*\xA9", "é".as_bytes(), PLAIN));
    assert!(matches(b"\xC3*", "é".as_bytes(), PLAIN));
    assert!(matches(b"*[\x80-\xFF]*", "aé日".as_bytes(), PLAIN));
    assert!(!matches(b"*[\x80-\xFF]*", b"abc", PLAIN));
    assert!(matches(b"@([\x80-\xFF])?", "é".as_bytes(), EXTENDED));
    assert_eq!(Pattern::new(b"[\x80-\xFF]", PLAIN).find("aé".as_bytes(), 0), Some(1..2));
    assert_eq!(Pattern::new(b"*\xC3", PLAIN).shortest_prefix("aéb".as_bytes()), Some(2));
}

#[test]
fn in_the_c_locale_bytes_are_characters() {
    assert!(!matches(b"?", "é".as_bytes(), BYTES));
    assert!(matches(b"??", "é".as_bytes(), BYTES));
    assert!(matches(b"*\xA9", "é".as_bytes(), BYTES));
    assert_eq!(Pattern::new(b"?", BYTES).shortest_prefix("é".as_bytes()), Some(1));
}

#[test]
fn special_patterns_are_told_from_literal_words() {
    for (pattern, expected) in [
        ("abc", false),
        ("a*", true),
        ("a?", true),
        (r"a\*", false),
        ("[a]", true),
        ("[a", false),
        ("a]", false),
        (r"\[a]", false),
        (r"[a\]", false),
        ("@(a)", true),
        ("@(a", false),
        ("@(a*", true),
        ("@(a@(b)", true),
        ("@a", false),
        (r"\@(a)", false),
        ("[]", true),
        ("[!]", true),
    ] {
        assert_eq!(has_special(pattern.as_bytes(), EXTENDED), expected, "{pattern}");
    }
    assert!(!has_special(b"@(a)", PLAIN));
}

#[test]
fn a_literal_pattern_gives_its_text() {
    assert_eq!(Pattern::new(br"a\*b", PLAIN).literal(), Some(b"a*b".as_slice()));
    assert_eq!(Pattern::new(b"", PLAIN).literal(), Some(b"".as_slice()));
    assert_eq!(Pattern::new(b"a*", PLAIN).literal(), None);
    assert_eq!(Pattern::new(b"a", NOCASE).literal(), None);
}

#[test]
fn hostile_patterns_stay_fast() {
    let started = std::time::Instant::now();
    let text = vec![b'a'; 100_000];
    assert!(!matches(b"a*a*a*a*a*a*b", &text, PLAIN));
    assert!(!matches(b"*a*a*a*?a*[a]*b", &text, PLAIN));
    assert!(!matches(b"*(a)b", &text, EXTENDED));
    assert!(matches(b"+(a|aa|*a)", &text, EXTENDED));
    assert!(matches(b"*!(a)*!(b)*", &text, EXTENDED));
    assert_eq!(Pattern::new(b"!(b)x", EXTENDED).find(&text, 0), None);
    assert!(!matches(b"+(+(+(a)))b", &text[..2_000], EXTENDED));
    assert!(!matches(b"*!(*!(*!(b)))c", &text[..200], EXTENDED));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn a_group_that_repeats_costs_as_much_as_the_text_is_long() {
    // Quadratic, this takes minutes.
    let started = std::time::Instant::now();
    let text = b"ab,c".repeat(50_000);
    for (pattern, expected) in [("*(ab,c)", true), ("+(ab,c)z", false), ("*(a|ab|,c|b)z", false), ("+(+(ab)|,c)", true)]
    {
        assert_eq!(matches(pattern.as_bytes(), &text, EXTENDED), expected, "{pattern}");
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn deep_nesting_is_bounded() {
    for opening in ["@(", "!(", "[", "@(a|", "(", "*(", "[\\]", "[[.", "[!"] {
        for closing in ["", ")", "]"] {
            let pattern = [opening.repeat(20_000), closing.repeat(20_000)].concat();
            let compiled = Pattern::new(pattern.as_bytes(), EXTENDED);
            let _ = compiled.matches(b"aaa");
            let _ = compiled.find(b"aaa", 0);
            let _ = has_special(pattern.as_bytes(), EXTENDED);
        }
    }
    let pattern = ["@(".repeat(60), "a".to_owned(), ")".repeat(60)].concat();
    assert!(matches(pattern.as_bytes(), b"a", EXTENDED));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_escaped_text_matches_itself_only(text in any::<Vec<u8>>(), other in any::<Vec<u8>>()) {
        let mut escaped = Vec::new();
        escape(&text, &mut escaped);
        prop_assert!(!has_special(&escaped, EXTENDED));
        prop_assert!(matches(&escaped, &text, EXTENDED));
        prop_assert_eq!(matches(&escaped, &other, EXTENDED), text == other);
        let mut plain = Vec::new();
        unescape(&escaped, &mut plain);
        prop_assert_eq!(plain, text);
    }

    #[test]
    fn what_is_not_compiled_matches_as_what_is(
        pattern in r"\*?([abé]|\\[ab*?(\[é-]){0,3}\*?([abé]|\\[b*]){0,2}\*?",
        text in r"[ab*(\[?é-]{0,8}",
        bytes: bool
    ) {
        let options = Options { extglob: true, nocase: false, bytes };
        let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
        let compiled = Pattern::new(pattern, options);
        prop_assert_eq!(compiled.matches(text), matches(pattern, text, options));
        prop_assert_eq!(compiled.shortest_prefix(text), Cache::default().shortest_prefix(pattern, text, options));
        prop_assert_eq!(compiled.longest_prefix(text), Cache::default().longest_prefix(pattern, text, options));
        prop_assert_eq!(compiled.shortest_suffix(text), Cache::default().shortest_suffix(pattern, text, options));
        prop_assert_eq!(compiled.longest_suffix(text), Cache::default().longest_suffix(pattern, text, options));
    }

    #[test]
    fn found_ranges_are_matches(pattern in r"[ab*?(|)@!+\[\]é\\-]{0,10}", text in "[ab()é]{0,10}", bytes: bool, nocase: bool) {
        let options = Options { extglob: true, nocase, bytes };
        let compiled = Pattern::new(pattern.as_bytes(), options);
        let text = text.as_bytes();
        prop_assert_eq!(compiled.matches(text), matches(pattern.as_bytes(), text, options));
        for end in [compiled.shortest_prefix(text), compiled.longest_prefix(text)].into_iter().flatten() {
            prop_assert!(compiled.matches(&text[..end]));
        }
        for start in [compiled.shortest_suffix(text), compiled.longest_suffix(text)].into_iter().flatten() {
            prop_assert!(compiled.matches(&text[start..]));
        }
        match compiled.find(text, 0) {
            Some(range) => prop_assert!(compiled.matches(&text[range])),
            None => prop_assert!(!compiled.matches(text)),
        }
        prop_assert_eq!(compiled.shortest_prefix(text), Cache::default().shortest_prefix(pattern.as_bytes(), text, options));
        prop_assert_eq!(compiled.longest_prefix(text), Cache::default().longest_prefix(pattern.as_bytes(), text, options));
        prop_assert_eq!(compiled.shortest_suffix(text), Cache::default().shortest_suffix(pattern.as_bytes(), text, options));
        prop_assert_eq!(compiled.longest_suffix(text), Cache::default().longest_suffix(pattern.as_bytes(), text, options));
        if compiled.matches(text) {
            prop_assert_eq!(compiled.longest_prefix(text), Some(text.len()));
            prop_assert_eq!(compiled.longest_suffix(text), Some(0));
        }
    }

    #[test]
    fn no_bytes_panic(pattern in any::<Vec<u8>>(), text in any::<Vec<u8>>(), extglob: bool, nocase: bool, bytes: bool) {
        let options = Options { extglob, nocase, bytes };
        let compiled = Pattern::new(&pattern, options);
        let _ = compiled.matches(&text);
        let _ = compiled.find(&text, 0);
        let _ = compiled.shortest_suffix(&text);
        let _ = compiled.longest_prefix(&text);
        let _ = has_special(&pattern, options);
    }
}

#[test]
fn what_was_compiled_before_is_the_same_pattern() {
    let cache = Cache::default();
    let subjects = ["", "a", "B", "b1", "abc", "é"];
    // More patterns than there is room for, each again and again, by both kinds of letters.
    let patterns: Vec<String> =
        (0..100).flat_map(|n| [format!("[a-c]?{n}"), format!("[!a]*{n}*"), "?".into()]).collect();
    for _ in 0..2 {
        for pattern in &patterns {
            for options in [EXTENDED, NOCASE] {
                for text in subjects {
                    let expected = Pattern::new(pattern.as_bytes(), options).matches(text.as_bytes());
                    assert_eq!(
                        cache.matches(pattern.as_bytes(), text.as_bytes(), options),
                        expected,
                        "{pattern} on {text}"
                    );
                }
            }
        }
    }
}
