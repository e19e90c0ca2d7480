//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use super::Error;

/// What was asked for.
#[derive(Debug, Clone)]
pub(super) struct Options {
    /// How long hooks are run.
    pub(super) time: Duration,
    /// Where the random numbers begin.
    pub(super) seed: u64,
    /// Only cases whose names have this.
    pub(super) only: Option<String>,
    /// A directory that is a small file system of its own.
    pub(super) small_disk: Option<PathBuf>,
    /// Does the process run as a user that nobody else is?
    pub(super) has_own_user: bool,
}

const USAGE: &str = "soak --minutes N [--seed S] [--only PART]";

impl Options {
    /// Reads the arguments.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, Error> {
        let mut options =
            Self { time: Duration::ZERO, seed: fresh_seed(), only: None, small_disk: None, has_own_user: false };
        let mut rest = arguments.iter();
        while let Some(name) = rest.next() {
            let usage = |what: &str| Error::Usage(format!("{name}: {what}; {USAGE}"));
            let mut value = || rest.next().ok_or_else(|| usage("a value is missing"));
            match name.as_str() {
                "--minutes" => {
                    let minutes: f64 = value()?.parse().map_err(|_| usage("not a number"))?;
                    options.time = Duration::try_from_secs_f64(minutes * 60.0).map_err(|_| usage("not a time"))?;
                }
                "--seed" => options.seed = value()?.parse().map_err(|_| usage("not a number"))?,
                "--only" => options.only = Some(value()?.clone()),
                "--small-disk" => options.small_disk = Some(value()?.into()),
                "--own-user" => options.has_own_user = true,
                _ => return Err(usage("no such option")),
            }
        }
        if options.time.is_zero() {
            return Err(Error::Usage(format!("--minutes is missing; {USAGE}")));
        }
        Ok(options)
    }

    /// The arguments that say the same.
    pub(super) fn to_arguments(&self) -> Vec<String> {
        let mut arguments = vec!["--minutes".to_owned(), (self.time.as_secs_f64() / 60.0).to_string()];
        arguments.extend(["--seed".to_owned(), self.seed.to_string()]);
        if let Some(only) = &self.only {
            arguments.extend(["--only".to_owned(), only.clone()]);
        }
        if let Some(disk) = &self.small_disk {
            arguments.extend(["--small-disk".to_owned(), disk.to_string_lossy().into_owned()]);
        }
        if self.has_own_user {
            arguments.push("--own-user".to_owned());
        }
        arguments
    }
}

pub(super) fn fresh_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos()) ^ (now.as_secs() << 20) & 0xffff_ffff
}

#[cfg(test)]
mod tests {
    use super::Options;

    #[test]
    fn options_survive_being_passed_on() {
        let words = ["--minutes", "0.5", "--seed", "7", "--only", "posix/", "--small-disk", "/x", "--own-user"];
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let options = Options::parse(&words).unwrap();
        assert_eq!((options.time.as_secs(), options.seed), (30, 7));
        assert_eq!(options.to_arguments(), words);
        for wrong in [&["--seed", "7"][..], &["--minutes", "-1"], &["--minutes"], &["--minutes", "1", "--x"]] {
            let wrong: Vec<String> = wrong.iter().map(|word| (*word).to_owned()).collect();
            assert!(Options::parse(&wrong).is_err(), "{wrong:?}");
        }
    }
}
