//! The command line of `fuzz-diff`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::error::Error;

/// What the arguments ask for.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// How many programs.
    pub(crate) count: u64,
    /// Where the random numbers begin.
    pub(crate) seed: u64,
    /// Go on after the first difference.
    pub(crate) keep_going: bool,
    /// Only count differences.
    pub(crate) no_shrink: bool,
    /// Print the coverage of a short run too.
    pub(crate) table: bool,
    /// Check that planted mutations are found.
    pub(crate) mutations: bool,
    /// Run hook projects in place of programs.
    pub(crate) hooks: bool,
    /// Programs that are left out.
    pub(crate) ignored: BTreeSet<u64>,
    /// How many differences are made small.
    pub(crate) max_shrunk: Option<usize>,
    /// The hookshell to run instead of building one.
    pub(crate) binary: Option<PathBuf>,
    /// Print this program and run nothing.
    pub(crate) print: Option<u64>,
}

impl Options {
    /// Reads the arguments. Without a seed the clock gives one, which is printed.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, Error> {
        let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |time| time.as_secs());
        let mut options = Self { count: 20_000, seed: clock, ..Self::default() };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| Error::Usage(format!("{argument} wants a value")));
            let number = |text: &String| {
                text.parse().map_err(|_| Error::Usage(format!("{argument} wants a number, found {text}")))
            };
            match argument.as_str() {
                "--count" => options.count = number(value()?)?,
                "--seed" => options.seed = number(value()?)?,
                "--print" => options.print = Some(number(value()?)?),
                "--max-shrunk" => options.max_shrunk = usize::try_from(number(value()?)?).ok(),
                "--binary" => options.binary = Some(value()?.into()),
                "--keep-going" => options.keep_going = true,
                "--no-shrink" => options.no_shrink = true,
                "--coverage" => options.table = true,
                "--hooks" => options.hooks = true,
                "--mutations" => options.mutations = true,
                other => return Err(Error::Usage(format!("fuzz-diff does not take {other}"))),
            }
        }
        Ok(options)
    }
}
