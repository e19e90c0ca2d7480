//! Functions print as bash's `declare -f` prints them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

mod support;

use std::process::Command as Process;

use hookshell_syntax::ast::Command;
use hookshell_syntax::{ParseOptions, decode_dollar_single, parse_program, print_function};
use hookshell_test_support::has;

/// Bodies whose layout agrees with bash to the byte. (It differs where the tree does: `elif` stays `elif` here and becomes
/// a nested `if` there, `|&` stays, quotes may be spelled differently; a body that is no
/// `{ }` gets one in bash; and here-documents in the middle of a list.)
const FUNCTIONS: [&str; 29] = [
    "f() { echo a; }",
    "f() { a; b; c & d; e & }",
    "f() { a && b || c | d; ! e; }",
    "f() { if a; then b; fi; c; }",
    "f() { if a; b; then c; d & else e; fi; }",
    "f() { if { a; } then b; fi; }",
    "f() { for i in a b; do c; done; for i in; do d; done; }",
    "f() { while a; b; do c; done; until d; do e; done; }",
    "f() { case $x in a|b) c;; (d) ;; *) e ;& f) g; h ;;& esac; case x in esac; }",
    "f() { (a); (a; b); ( if x; then y; fi ); }",
    "f() { { a; }; { a; b & }; a && { b; } || ( c ); }",
    "f() { a | { b; c; } | d; }",
    "f() { [[ a == b && ! -f c || ( d -nt e ) ]]; [[ x =~ ^(a b|c)$ ]]; [[ -n $x ]]; }",
    "f() { ((1+2)); (( a = 1, b )); for ((i=0;i<1;i++)); do x; done; }",
    "f() { select x in a b; do y; done; }",
    "f() { time -p a; time ! b; }",
    "f() { time -a; }",
    "f() { coproc N { a; }; }",
    "f() { a=1 b=(1 [2]=3) c; d=$(e; g | h); }",
    "f() { a=1 <x >y b 2>&1 &>>z >|q {v}>w <<<$h >&w; }",
    "f() { a; } >out 2>&1",
    "f() { echo \"a $x ${y:-z}\" `b` $((1+2)) ~/c {a,b} *.d; }",
    "f() { cat <<E\nhi $x\nE\n}",
    "f() { function g { a; }; function h() { b; } >x; }",
    "function f { g() { a; }; h() ( b ); }",
    "f() ( a; b )",
    "f() for i; do a; done >x",
    "function f [[ a && ! b ]]",
    "f() { if a; then while b; do case c in d) e;; esac; done; fi; }",
];

#[test]
fn functions_print_as_declare_prints_them() {
    if !has("bash") {
        return;
    }
    let mut wrong = Vec::new();
    for source in FUNCTIONS {
        let program = parse_program(source.as_bytes(), &ParseOptions::default());
        assert_eq!(program.error, None, "{source}");
        let Command::Function(function) = &program.units[0].list.items[0].and_or.first.stages[0].command else {
            panic!("{source}");
        };
        let mut printed = String::from_utf8(print_function(function, false)).unwrap();
        printed.push('\n');
        let output = Process::new("bash").arg("-c").arg(format!("{source}\ndeclare -f f")).output().unwrap();
        let expected = String::from_utf8(output.stdout).unwrap();
        if printed != expected {
            wrong.push(format!("{source}\n--- here\n{printed}--- bash\n{expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dollar_single_quotes_decode() {
    let cases: &[(&str, &[u8])] = &[
        ("a\\nb\\tc", b"a\nb\tc"),
        ("\\a\\b\\e\\E\\f\\r\\v", b"\x07\x08\x1b\x1b\x0c\r\x0b"),
        ("\\\\\\'\\\"\\?", b"\\'\"?"),
        ("\\101\\1012\\0", b"AA2"),
        ("\\x41\\x4g\\xg", b"A\x04g\\xg"),
        ("\\x{41}b", b"Ab"),
        ("\\u00e9\\U0001F600", "é😀".as_bytes()),
        ("\\u", b"\\u"),
        ("\\ca\\cA\\c?", b"\x01\x01\x7f"),
        ("a\\0b", b"a"),
        ("\\z", b"\\z"),
        ("a\\", b"a\\"),
    ];
    for (text, expected) in cases {
        assert_eq!(decode_dollar_single(text.as_bytes()), *expected, "{text}");
    }
}
