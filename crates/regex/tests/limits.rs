//! Expressions that are too large are errors.
#![allow(clippy::expect_used, reason = "a test that cannot continue fails so")]

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

#[test]
fn repetitions_of_nothing_have_an_end_and_quantifiers_in_a_row_nest_no_deeper_than_ten() {
    use hookshell_regex::oniguruma::{Options, Regex};
    let build = |pattern: &str| Regex::new(pattern, Options::default()).map(drop).map_err(|fault| fault.to_string());
    let too_large: Result<(), String> = Err("so large a repetition".to_owned());
    for nothing in ["(?:){1000}{1000}{1000}{1000}", "(?:(?:(?:){1000}){1000}){1000}", "(?:){0,1000}{0,1000}"] {
        assert_eq!(build(nothing), too_large, "{nothing}");
    }
    assert_eq!(build("(?:){1000}{50}"), Ok(()));
    let too_deep: Result<(), String> = Err("repetitions nested so deep".to_owned());
    for quantifier in ["{1}", "*", "?+"] {
        assert_eq!(build(&format!("a{}", quantifier.repeat(10))), Ok(()), "{quantifier}");
        assert_eq!(build(&format!("a{}", quantifier.repeat(11))), too_deep, "{quantifier}");
        assert_eq!(build(&format!("a{}", quantifier.repeat(50_000))), too_deep, "{quantifier}");
    }
    let nested = |quantifiers: &str| (0..90).fold("a".to_owned(), |inner, _| format!("(?:{inner}){quantifiers}"));
    assert_eq!(build(&nested("{1}")), Ok(()));
    assert_eq!(build(&nested("{1}{1}{1}")), too_deep);
}

#[test]
fn what_perl_expressions_repeat_or_call_without_a_step_back_has_an_end() {
    use hookshell_regex::pcre::{Machine, Matched, Options, Regex};
    let search = |pattern: &str| {
        let regex = Regex::new(pattern, Options::default()).unwrap();
        Machine::new(&regex, b"aab", (true, true), &|bytes| bytes < 1 << 26).search(0)
    };
    let nothing = "(?:(?:(?:){65535}){65535}){65535}b";
    assert!(matches!(search(nothing), Matched::TooLong | Matched::Stopped), "{nothing}");
    let calls: String = (1..40).map(|group| format!("((?{group})(?{group})){{0}}")).collect();
    assert!(matches!(search(&format!("(){calls}(?40)")), Matched::TooLong | Matched::Stopped));
    assert!(matches!(search("(?R)"), Matched::TooLong));
    assert!(matches!(search("a(?R)?"), Matched::Yes(0, 2)));
    let deep = "(".repeat(260);
    assert!(Regex::new(&format!("{deep}{}", ")".repeat(260)), Options::default()).is_err());
    assert!(Regex::new(&deep[..200], Options::default()).is_err());
}
