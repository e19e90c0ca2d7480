use bstr::{BStr, BString};

use super::case::{Case, Scope};
use super::getopts::{Argument, State, Step};
use super::*;
use hookshell_test_support::bash;

fn collect(fill: impl FnOnce(&mut Vec<u8>)) -> BString {
    let mut out = Vec::new();
    fill(&mut out);
    out.into()
}

/// A value, and how `%q`, `@Q`, `declare -p`, `set`, the subscript of an associative array and `set -x` show it.
const QUOTED: &[(&[u8], [&[u8]; 6])] = &[
    (b"", [b"''", b"''", b"\"\"", b"", b"\"\"", b"''"]),
    (b"a", [b"a", b"'a'", b"\"a\"", b"a", b"a", b"a"]),
    (b"a b", [br"a\ b", b"'a b'", b"\"a b\"", b"'a b'", b"\"a b\"", b"'a b'"]),
    (b"it's", [br"it\'s", br"'it'\''s'", b"\"it's\"", br"'it'\''s'", b"\"it's\"", br"'it'\''s'"]),
    (b"'", [br"\'", br"\'", b"\"'\"", br"\'", b"\"'\"", br"\'"]),
    (b"a\nb", [br"$'a\nb'", br"$'a\nb'", br"$'a\nb'", br"$'a\nb'", br"$'a\nb'", b"'a\nb'"]),
    (b"\x01", [br"$'\001'", br"$'\001'", br"$'\001'", br"$'\001'", br"$'\001'", br"$'\001'"]),
    (b"\xFF", [br"$'\377'", br"$'\377'", br"$'\377'", br"$'\377'", br"$'\377'", br"$'\377'"]),
    (
        "é".as_bytes(),
        ["é".as_bytes(), "'é'".as_bytes(), "\"é\"".as_bytes(), "é".as_bytes(), "é".as_bytes(), "é".as_bytes()],
    ),
    (b"~a", [br"\~a", b"'~a'", b"\"~a\"", b"'~a'", b"\"~a\"", b"'~a'"]),
    (b"a~", [b"a~", b"'a~'", b"\"a~\"", b"a~", b"a~", b"a~"]),
    (b"a:~b", [br"a:\~b", b"'a:~b'", b"\"a:~b\"", b"'a:~b'", b"\"a:~b\"", b"'a:~b'"]),
    (b"#a", [br"\#a", b"'#a'", b"\"#a\"", b"'#a'", b"\"#a\"", b"'#a'"]),
    (b"a#", [b"a#", b"'a#'", b"\"a#\"", b"a#", b"a#", b"a#"]),
    (b"a=b", [b"a=b", b"'a=b'", b"\"a=b\"", b"a=b", b"a=b", b"a=b"]),
    (b"a,b", [br"a\,b", b"'a,b'", b"\"a,b\"", b"a,b", b"a,b", b"a,b"]),
    (b"$x", [br"\$x", b"'$x'", br#""\$x""#, b"'$x'", br#""\$x""#, b"'$x'"]),
    (b"`\"\\", [br#"\`\"\\"#, br#"'`"\'"#, br#""\`\"\\""#, br#"'`"\'"#, br#""\`\"\\""#, br#"'`"\'"#]),
    (b"@", [b"@", b"'@'", b"\"@\"", b"@", b"\"@\"", b"@"]),
    (b"%+-./:_^", [br"%+-./:_\^", b"'%+-./:_^'", b"\"%+-./:_^\"", b"'%+-./:_^'", b"\"%+-./:_^\"", b"'%+-./:_^'"]),
    (
        b"\x1B\x07\x08\x0B\r\x0C\x7F\t'\\",
        [
            br"$'\E\a\b\v\r\f\177\t\'\\'",
            br"$'\E\a\b\v\r\f\177\t\'\\'",
            br"$'\E\a\b\v\r\f\177\t\'\\'",
            br"$'\E\a\b\v\r\f\177\t\'\\'",
            br"$'\E\a\b\v\r\f\177\t\'\\'",
            b"'\x1B\x07\x08\x0B\r\x0C\x7F\t'\\''\\'",
        ],
    ),
    (
        "a\u{85}é".as_bytes(),
        [
            r"$'a\302\205é'".as_bytes(),
            r"$'a\302\205é'".as_bytes(),
            r"$'a\302\205é'".as_bytes(),
            r"$'a\302\205é'".as_bytes(),
            r"$'a\302\205é'".as_bytes(),
            r"$'a\302\205é'".as_bytes(),
        ],
    ),
];

#[test]
fn values_are_quoted_as_in_bash() {
    for (value, expected) in QUOTED {
        let forms = [
            collect(|out| quote::backslashes(value, false, out)),
            collect(|out| quote::transform(value, false, out)),
            collect(|out| quote::declaration(value, false, out)),
            collect(|out| quote::assignment(value, false, false, out)),
            collect(|out| quote::subscript(value, false, out)),
            collect(|out| quote::trace(value, false, out)),
        ];
        assert_eq!(forms, expected.map(BString::from), "{}", BStr::new(value));
    }
}

#[test]
fn bash_agrees_with_the_quoted_values() {
    let script = r#"
        v=$1; printf '%q\n' "$v"; echo "${v@Q}"; declare -p v; set | grep -a '^v='
        if [ -n "$v" ]; then declare -A m=(["$v"]=x); declare -p m; else echo 'declare -A m=([""]="x" )'; fi
        exec 2>&1; PS4='+ '; set -x; : "$v""#;
    for (value, [q, transformed, declared, assigned, subscript, traced]) in QUOTED {
        let Some(answer) = bash(script, &[value]) else { return };
        let expected = [
            *q,
            b"\n",
            transformed,
            b"\ndeclare -- v=",
            declared,
            b"\nv=",
            assigned,
            b"\ndeclare -A m=([",
            subscript,
            b"]=\"x\" )\n+ : ",
            traced,
            b"\n",
        ]
        .concat();
        assert_eq!(BStr::new(&answer.stdout), BStr::new(&expected), "{}", BStr::new(value));
    }
}

#[test]
fn posix_mode_and_the_c_locale_change_the_quoting() {
    assert_eq!(collect(|out| quote::assignment(b"a\nb", true, false, out)), "'a\nb'");
    assert_eq!(collect(|out| quote::backslashes("é".as_bytes(), true, out)), r"$'\303\251'");
}

/// Arguments of `echo` and its output.
const ECHOED: &[(&[&[u8]], &[u8])] = &[
    (&[], b"\n"),
    (&[b"a", b"b  c"], b"a b  c\n"),
    (&[b"-n", b"a"], b"a"),
    (&[b"-"], b"-\n"),
    (&[b"--", b"a"], b"-- a\n"),
    (&[b"-nx", b"a"], b"-nx a\n"),
    (&[b"-n", b"-e", b"-E", br"a\n"], br"a\n"),
    (&[b"-nE", b"-e", br"a\n"], b"a\n"),
    (&[br"a\n"], b"a\\n\n"),
    (&[b"-e", br"a\0101\101\x41\x4\u41\U00000041\e\E\a\b\q"], b"aA\\101A\x04AA\x1B\x1B\x07\x08\\q\n"),
    (&[b"-e", br"a\cb", b"c"], b"a"),
    (&[b"-e", br#"\0\00777\08\xZ\u\"\'\?\\"#], b"\0\x3F7\x008\\xZ\\u\\\"\\'\\?\\\n"),
    (&[b"-e", br"tail\"], b"tail\\\n"),
    (&[b"-e", br"\ud800\U110000\Uffffffff\u80"], b"\xED\xA0\x80\xF4\x90\x80\x80\xC2\x80\n"),
    (&[b"-e", br"\0400\x414"], b"\0A4\n"),
];

#[test]
fn echo_prints_as_in_bash() {
    for (arguments, expected) in ECHOED {
        let printed = collect(|out| echo::echo(arguments, false, false, false, out));
        assert_eq!(printed, *expected, "{arguments:?}");
    }
}

#[test]
fn bash_agrees_with_the_echoes() {
    for (arguments, expected) in ECHOED {
        let Some(answer) = bash("echo \"$@\"", arguments) else { return };
        assert_eq!(BStr::new(&answer.stdout), BStr::new(expected), "{arguments:?}");
    }
}

#[test]
fn xpg_echo_expands_and_takes_no_options_in_posix_mode() {
    assert_eq!(collect(|out| echo::echo(&[b"-E", br"a\tb"], true, false, false, out)), "a\\tb\n");
    assert_eq!(collect(|out| echo::echo(&[b"-n", br"a\tb"], true, false, false, out)), "a\tb");
    assert_eq!(collect(|out| echo::echo(&[b"-n", br"a\tb"], true, true, false, out)), "-n a\tb\n");
    assert_eq!(collect(|out| echo::echo(&[b"-e", br"a\tb"], false, true, false, out)), "a\tb\n");
}

#[test]
fn letter_case_changes_one_character_at_a_time() {
    for (text, case, scope, expected) in [
        ("abc éß", Case::Upper, Scope::All, "ABC Éß"),
        ("abc", Case::Upper, Scope::First, "Abc"),
        ("éa", Case::Upper, Scope::First, "Éa"),
        ("ABC É", Case::Lower, Scope::All, "abc é"),
        ("aBc É", Case::Toggle, Scope::All, "AbC é"),
        ("hELLO wORLD", Case::Capitalize, Scope::All, "Hello world"),
        ("", Case::Upper, Scope::First, ""),
    ] {
        let changed = collect(|out| case::convert(text.as_bytes(), case, scope, false, &mut |_| true, out));
        assert_eq!(changed, expected, "{text}");
        let script = match (case, scope) {
            (Case::Upper, Scope::All) => "printf %s \"${1^^}\"",
            (Case::Upper, Scope::First) => "printf %s \"${1^}\"",
            (Case::Lower, _) => "printf %s \"${1,,}\"",
            (Case::Toggle, _) => "printf %s \"${1~~}\"",
            (Case::Capitalize, _) => "declare -c v=\"$1\"; printf %s \"$v\"",
        };
        if let Some(answer) = bash(script, &[text.as_bytes()]) {
            assert_eq!(BStr::new(&answer.stdout), expected, "{text}");
        }
    }
    let selected = collect(|out| case::convert(b"banana", Case::Upper, Scope::All, false, &mut |c| c == b"a", out));
    assert_eq!(selected, "bAnAnA");
    assert_eq!(collect(|out| case::convert_all("éa".as_bytes(), Case::Upper, true, out)), "éA");
}

/// A mask, a mode and the mask that it gives, or bash 5.2's complaint.
const MODES: &[(u32, &str, Result<u32, &str>)] = &[
    (0o022, "077", Ok(0o077)),
    (0o022, "7", Ok(0o007)),
    (0o022, "7777", Ok(0o777)),
    (0o022, "9", Err("9: octal number out of range")),
    (0o022, "77777", Err("77777: octal number out of range")),
    (0o022, "u=rwx,g=,o-w", Ok(0o072)),
    (0o022, "u=rwx,g=rx,o=", Ok(0o027)),
    (0o077, "a+x", Ok(0o066)),
    (0o022, "+w", Ok(0o000)),
    (0o022, "-r", Ok(0o466)),
    (0o022, "=", Ok(0o777)),
    (0o022, "o=rr", Ok(0o023)),
    (0o022, "ug-x,o+w", Ok(0o130)),
    (0o022, "z", Err("`z': invalid symbolic mode operator")),
    (0o022, "u+q", Err("`q': invalid symbolic mode character")),
];

#[test]
fn modes_give_the_masks_that_bash_sets() {
    for (current, mode, expected) in MODES {
        let given = umask::parse(mode.as_bytes(), *current).map_err(|error| match error {
            umask::UmaskError::OctalOutOfRange => format!("{mode}: {error}"),
            error => error.to_string(),
        });
        assert_eq!(given, expected.map_err(str::to_owned), "{mode}");
        let script = "umask \"$1\"; umask -- \"$2\" && umask && umask -S";
        let octal = umask::octal(*current);
        let Some(answer) = bash(script, &[octal.as_bytes(), mode.as_bytes()]) else { return };
        match expected {
            Ok(mask) => {
                let printed = format!("{}\n{}\n", umask::octal(*mask), umask::symbolic(*mask));
                assert_eq!(String::from_utf8_lossy(&answer.stdout), printed, "{mode}");
            }
            Err(complaint) => assert_eq!(answer.stderr, format!("umask: {complaint}\n"), "{mode}"),
        }
    }
}

#[test]
fn modes_of_posix_that_bash_rejects_are_taken() {
    assert_eq!(umask::parse(b"g=u", 0o077), Ok(0o007));
    assert_eq!(umask::parse(b"o=g-w", 0o007), Ok(0o002));
    assert_eq!(umask::parse(b"g+X", 0o077), Ok(0o067));
    assert_eq!(umask::parse(b"", 0o022), Err(umask::UmaskError::InvalidOperator(None)));
    assert_eq!(umask::parse(b"u+r,", 0o022), Err(umask::UmaskError::InvalidOperator(None)));
}

#[test]
fn masks_are_shown_as_permissions() {
    assert_eq!(umask::symbolic(0o022), "u=rwx,g=rx,o=rx");
    assert_eq!(umask::symbolic(0o777), "u=,g=,o=");
    assert_eq!(umask::octal(0o22), "0022");
}

/// An option string, words, and what `getopts` says for each call: name, OPTARG, OPTIND, separated by colons.
const OPTIONS: &[(&str, &[&str], &str)] = &[
    ("ab:c", &["-a", "-b", "x", "-c", "y"], "a::2 b:x:4 c::5 ?::5"),
    ("ab:c", &["-acbx", "y"], "a::1 c::1 b:x:2 ?::2"),
    ("ab:c", &["-a", "--", "-b"], "a::2 ?::3"),
    ("ab:c", &["-a", "-", "-b"], "a::2 ?::2"),
    ("ab:c", &["y", "-a"], "?::1"),
    ("ab:c", &[], "?::1"),
    ("a", &["-x", "-a"], "?::2 a::3 ?::3"),
    ("a", &["-xa"], "?::1 a::2 ?::2"),
    (":a", &["-x", "-a"], "?:x:2 a::3 ?::3"),
    ("b:", &["-b"], "?::2 ?::2"),
    (":b:", &["-b"], "::b:2 ?::2"),
    ("b:", &["-b", "--", "-b"], "b:--:3 ?::4 ?::4"),
    (":a", &["-:"], "?:::2 ?::2"),
    ("a", &["-a-"], "a::1 ?::2 ?::2"),
    ("b:", &["-b", ""], "b::3 ?::3"),
];

#[test]
fn getopts_walks_as_in_bash() {
    for (options, words, expected) in OPTIONS {
        let arguments: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        let mut state = State::default();
        let mut said = Vec::new();
        loop {
            let step = getopts::next(options.as_bytes(), &arguments, &mut state);
            let report = step.report(options.as_bytes());
            let argument = match report.argument {
                Some(Argument::Word(word)) => String::from_utf8_lossy(word).into_owned(),
                Some(Argument::Letter(letter)) => char::from(letter).to_string(),
                None => String::new(),
            };
            said.push(format!("{}:{argument}:{}", char::from(report.name), state.index));
            if step == Step::End {
                break;
            }
        }
        assert_eq!(said.join(" "), *expected, "{options} {words:?}");
        let script = r#"o=$1; shift; while getopts "$o" n; do printf '%s:%s:%s ' "$n" "$OPTARG" "$OPTIND"; done; printf '%s:%s:%s' "$n" "$OPTARG" "$OPTIND""#;
        let mut all = vec![options.as_bytes()];
        all.extend(&arguments);
        if let Some(answer) = bash(script, &all) {
            assert_eq!(BStr::new(&answer.stdout), *expected, "bash: {options} {words:?}");
        }
    }
}

#[test]
fn getopts_names_what_is_wrong() {
    let mut state = State::default();
    let report = getopts::next(b"a", &[b"-x"], &mut state).report(b"a");
    assert_eq!(report.message, Some(("illegal option -- ", b'x')));
    let report = getopts::next(b"b:", &[b"-b"], &mut State::default()).report(b"b:");
    assert_eq!(report.message, Some(("option requires an argument -- ", b'b')));
    // The words may shrink between two calls.
    let mut state = State { index: 5, letters: 3 };
    assert_eq!(getopts::next(b"a", &[], &mut state), Step::End);
}

#[test]
fn integers_are_strict_decimal() {
    for (text, expected) in [
        ("0", Some(0)),
        ("300", Some(300)),
        ("-7", Some(-7)),
        ("+7", Some(7)),
        (" \t\n7 \t", Some(7)),
        ("007", Some(7)),
        ("9223372036854775807", Some(i64::MAX)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("-9223372036854775809", None),
        ("000000000000000000000000000012", Some(12)),
        ("", None),
        (" ", None),
        ("-", None),
        ("+-1", None),
        ("1 2", None),
        ("0x1", None),
        ("7\n", None),
        ("1e3", None),
    ] {
        assert_eq!(integer::parse_integer(text.as_bytes()), expected, "{text:?}");
    }
}

proptest::proptest! {
    #[test]
    fn integers_come_back(value: i64) {
        let text = collect(|out| integer::push_decimal(value, out));
        proptest::prop_assert_eq!(&text, &value.to_string());
        proptest::prop_assert_eq!(integer::parse_integer(&text), Some(value));
    }

    #[test]
    fn no_bytes_panic(text in proptest::collection::vec(proptest::num::u8::ANY, 0..20), bytes: bool) {
        let _ = collect(|out| { echo::expand(&text, bytes, out); });
        let _ = collect(|out| quote::backslashes(&text, bytes, out));
        let _ = collect(|out| quote::ansi_c(&text, bytes, out));
        let _ = collect(|out| case::convert_all(&text, Case::Toggle, bytes, out));
        let _ = umask::parse(&text, 0o22);
        let _ = getopts::next(&text, &[&text], &mut State::default());
    }
}
