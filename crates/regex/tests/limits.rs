//! Expressions that are too large are errors.
#![allow(clippy::expect_used, reason = "a test that cannot go on fails so")]

use hookshell_regex::{Builder, Error, Subject, Syntax};

#[test]
fn operators_in_a_row_nest_no_deeper_than_groups() {
    let build = |tail: &str| Builder::new(Syntax::Extended).build(format!("a{}", tail.repeat(100_000)).as_bytes());
    let stars = build("*").expect("`a****` is `a*`");
    assert_eq!(stars.find(&Subject::new(b"xaaa")), Ok(Some((0, 0))));
    assert!(build("*+?").is_ok());
    for tail in ["+?", "?+", "{1,2}", "+"] {
        assert_eq!(build(tail).err(), Some(Error::Memory), "{tail}");
    }
}

#[test]
fn the_size_limit_holds_for_automata_and_back_references() {
    for pattern in [&b"(a{1,200}){1,200}"[..], br"((a{1,200}){1,200})\1"] {
        let builder = Builder::new(Syntax::Extended);
        assert!(builder.build(pattern).is_ok());
        assert_eq!(builder.size_limit(10_000).build(pattern).err(), Some(Error::Memory));
    }
}

#[test]
fn a_look_behind_is_measured_once_at_each_depth_and_its_length_has_an_end() {
    use hookshell_regex::oniguruma::{Options, Regex};
    let nested = (0..90).fold("a".to_owned(), |inner, _| format!("(?:{inner}|b)"));
    assert!(Regex::new(&format!("(?<={nested})x"), Options::default()).is_ok());
    let large = (0..8).fold("a".to_owned(), |inner, _| format!("(?:{inner}){{1000}}"));
    assert!(Regex::new(&format!("(?<={large})x"), Options::default()).is_err());
}
