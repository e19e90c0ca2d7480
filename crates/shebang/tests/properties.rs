//! No bytes panic, and what is borrowed lies inside the head.

use std::borrow::Cow;

use hookshell_shebang::{Head, Interpreter, Shebang, classify};
use proptest::prelude::*;

fn is_inside(head: &[u8], part: &[u8]) -> bool {
    let (head, part) = (head.as_ptr_range(), part.as_ptr_range());
    head.start <= part.start && part.end <= head.end
}

fn check(head: &[u8]) {
    let Head::Shebang(shebang) = classify(head) else {
        return;
    };
    assert_shebang(head, &shebang);
    let lookup = |name: &[u8]| match name {
        b"A" => Some(b"-S'${B} x".to_vec()),
        b"B" => Some(b"-S${A}${B}".to_vec()),
        _ => None,
    };
    match shebang.resolve(&lookup) {
        Ok(resolved) => {
            assert!(!resolved.interpreter.as_bytes().is_empty());
            match &resolved.interpreter {
                Interpreter::Path(path) => assert!(is_inside(head, path)),
                Interpreter::Name(Cow::Borrowed(name)) => assert!(is_inside(head, name)),
                Interpreter::Name(Cow::Owned(_)) => assert!(shebang.is_env()),
            }
            for arg in &resolved.args {
                if let Cow::Borrowed(arg) = arg {
                    assert!(is_inside(head, arg));
                }
            }
            assert!(resolved.assignments.iter().all(|(name, _)| !name.is_empty()));
            let _ = resolved.hint().map(|hint| hint.to_string());
        }
        Err(error) => {
            assert!(shebang.is_env());
            assert!(error.at <= shebang.line().len(), "{error:?}");
            assert!(!error.to_string().is_empty());
        }
    }
}

fn assert_shebang(head: &[u8], shebang: &Shebang<'_>) {
    assert!(is_inside(head, shebang.line()));
    assert!(is_inside(shebang.line(), shebang.interpreter()));
    assert!(!shebang.interpreter().is_empty());
    if let Some(argument) = shebang.argument() {
        assert!(is_inside(shebang.line(), argument));
        assert!(argument.first().is_none_or(|byte| !matches!(byte, b' ' | b'\t')));
    }
    assert!(shebang.line().len() < 256);
    assert!(!shebang.line().contains(&0) && !shebang.line().contains(&b'\n'));
}

/// Bytes that mean something somewhere, more often than others.
fn lively_byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        8 => proptest::sample::select(b"  \t\n\r\0#!$\\'\"{}=-Sciv_/aAB".to_vec()),
        1 => any::<u8>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic(head in proptest::collection::vec(any::<u8>(), 0..300)) {
        check(&head);
    }

    #[test]
    fn no_shebang_panics(rest in proptest::collection::vec(lively_byte(), 0..300)) {
        check(&[&b"#!"[..], &rest].concat());
        check(&[&b"\xef\xbb\xbf#!"[..], &rest].concat());
    }

    #[test]
    fn no_env_line_panics(rest in proptest::collection::vec(lively_byte(), 0..300)) {
        check(&[&b"#!/usr/bin/env "[..], &rest].concat());
        check(&[&b"#!/usr/bin/env -S"[..], &rest].concat());
    }

    #[test]
    fn what_stands_past_the_head_changes_nothing(
        head in proptest::collection::vec(lively_byte(), 254..254 + 1),
        rest in proptest::collection::vec(any::<u8>(), 0..20),
    ) {
        let head = [&b"#!"[..], &head].concat();
        let longer = [&head[..], &rest].concat();
        prop_assert_eq!(classify(&longer), classify(&head));
    }
}
