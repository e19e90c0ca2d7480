//! The command line of `cargo xtask bench`.

use std::path::PathBuf;

use super::workload::Workload;
use crate::error::Error;

/// With `--quick` the loops are this many times shorter, and so are the rounds.
pub(super) const QUICK: u32 = 10;
/// Fewer rounds than this have no median worth the name.
const MIN_ROUNDS: usize = 3;

/// What the command line asks for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) quick: bool,
    /// The hookshell to time instead of the one built here, such as the distributed one.
    pub(super) binary: Option<PathBuf>,
    /// Only the workloads whose names hold one of these; all when there is none.
    pub(super) only: Vec<String>,
    /// Only the cost of growth.
    pub(super) growth: bool,
    /// Only `hookshell serve`, seen by its clients.
    pub(super) serve: bool,
}

impl Options {
    pub(super) fn read(arguments: &[String]) -> Result<Self, Error> {
        let mut options = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => options.quick = true,
                "--growth" => options.growth = true,
                "--serve" => options.serve = true,
                "--binary" => {
                    let path = arguments.next();
                    options.binary = Some(path.ok_or_else(|| Error::Usage("--binary needs a PATH".into()))?.into());
                }
                "--only" => {
                    let part = arguments.next();
                    options
                        .only
                        .push(part.ok_or_else(|| Error::Usage("--only needs a part of a name".into()))?.clone());
                }
                other => return Err(Error::Usage(format!("bench: unknown argument {other}"))),
            }
        }
        Ok(options)
    }

    /// Is not all of it wanted?
    pub(super) fn is_narrowed(&self) -> bool {
        self.growth || self.serve || !self.only.is_empty()
    }

    pub(super) fn wants(&self, workload: &Workload) -> bool {
        !self.is_narrowed()
            || self.serve && workload.is_of_client()
            || self.only.iter().any(|part| workload.name.contains(part.as_str()))
    }

    pub(super) fn rounds(&self, workload: &Workload) -> usize {
        let divisor = if self.quick { QUICK as usize } else { 1 };
        (workload.rounds / divisor).max(MIN_ROUNDS)
    }

    pub(super) fn count(&self, workload: &Workload) -> u32 {
        (workload.count / self.divisor()).max(1)
    }

    /// How many times smaller loops and files are than in a full benchmark.
    pub(super) fn divisor(&self) -> u32 {
        if self.quick { QUICK } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::workload::workloads;
    use super::*;

    fn read(arguments: &[&str]) -> Result<Options, Error> {
        Options::read(&arguments.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read() {
        assert_eq!(read(&[]).unwrap(), Options::default());
        let expected = Options {
            quick: true,
            binary: Some(PathBuf::from("/x/hookshell")),
            only: vec!["grep".into(), "jq".into()],
            growth: true,
            serve: true,
        };
        let all = ["--binary", "/x/hookshell", "--quick", "--growth", "--serve", "--only", "grep", "--only", "jq"];
        assert_eq!(read(&all).unwrap(), expected);
        for bad in [&["--binary"][..], &["--fast"], &["quick"]] {
            assert!(matches!(read(bad), Err(Error::Usage(_))), "{bad:?}");
        }
    }

    #[test]
    fn the_rows_of_clients_can_be_had_alone() {
        let options = read(&["--serve"]).unwrap();
        let wanted: Vec<_> = workloads().filter(|workload| options.wants(workload)).map(|one| one.name).collect();
        assert_eq!(wanted.len(), 6, "{wanted:?}");
        assert!(wanted.iter().all(|name| name.contains("serve") || name.contains("shell/exec")), "{wanted:?}");
    }

    #[test]
    fn a_quick_run_is_shorter_but_keeps_a_median() {
        let quick = Options { quick: true, ..Options::default() };
        for workload in workloads() {
            assert!(quick.rounds(workload) >= 3, "{}", workload.name);
            assert!(quick.count(workload) >= 1, "{}", workload.name);
            assert_eq!(Options::default().count(workload), workload.count);
        }
    }
}
