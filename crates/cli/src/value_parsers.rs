//! What completions offer for an argument that takes other values too.

use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use hookshell_runner::{Dialect, EventKind, FindingCode};
use hookshell_shell::Limit;

/// A parser, and the values that completions offer. The parser alone decides which are taken.
#[derive(Clone)]
struct Offering<P> {
    parser: P,
    values: Vec<&'static str>,
}

impl<P: TypedValueParser> TypedValueParser for Offering<P> {
    type Value = P::Value;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<P::Value, Error> {
        self.parser.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values.iter().copied().map(PossibleValue::new)))
    }
}

/// A parser, with the values that completions offer.
pub(crate) fn offering<P: TypedValueParser>(
    parser: P,
    values: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = P::Value> {
    Offering { parser, values: values.into_iter().collect() }
}

/// The events, under our names; every agent's are taken.
pub(crate) fn event() -> impl TypedValueParser<Value = String> {
    offering(clap::builder::StringValueParser::new(), EventKind::ALL.map(EventKind::as_str))
}

/// The agents.
pub(crate) fn agent() -> impl TypedValueParser<Value = Dialect> {
    offering(Dialect::from_str, Dialect::ALL.map(Dialect::as_str).into_iter().chain(["crush"]))
}

/// The codes of findings.
pub(crate) fn code() -> impl TypedValueParser<Value = FindingCode> {
    offering(FindingCode::from_str, FindingCode::ALL.iter().map(|code| code.as_str()))
}

/// The code of a directory that cannot be looked into: the only one that `test` has.
pub(crate) fn code_of_directories() -> impl TypedValueParser<Value = FindingCode> {
    let parse = |text: &str| match text.parse() {
        Ok(FindingCode::UnreadableConfig) => Ok(FindingCode::UnreadableConfig),
        _ => Err(format!("`test` has only {}", FindingCode::UnreadableConfig)),
    };
    offering(parse, [FindingCode::UnreadableConfig.as_str()])
}

/// The commands, each of which has a page.
pub(crate) const PAGES: [&str; 15] = [
    "run",
    "serve",
    "exec",
    "explain",
    "check",
    "doctor",
    "test",
    "trust",
    "log",
    "install",
    "uninstall",
    "status",
    "completions",
    "man",
    "sh",
];

/// What has a manual page; directories are taken too.
pub(crate) fn page() -> impl TypedValueParser<Value = PathBuf> {
    offering(clap::builder::PathBufValueParser::new(), PAGES)
}

/// How many of something that there must be one of.
pub(crate) fn count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "it must be a whole number from 1 on".to_owned())
}

/// Words that are all that is taken.
pub(crate) fn words<T, const N: usize>(words: [&'static str; N]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    offering(T::from_str, words)
}

/// The limits' names.
pub(crate) fn limit<P: TypedValueParser>(parser: P) -> impl TypedValueParser<Value = P::Value> {
    offering(parser, Limit::ALL.map(Limit::name))
}
