//! The figures that are kept in the repository.

use std::fmt::Write as _;
use std::path::Path;

use super::write;
use crate::error::Error;

/// By how much a count may exceed its figure.
pub(super) const TOLERANCE_PERCENT: u64 = 5;

/// What stands at the top of the file.
const HEAD: &str = "\
# Instructions that fixed workloads take, as callgrind counts them: toolchain, workload, count, separated by tabs.
# `cargo xtask instructions` compares, `cargo xtask instructions --record` writes the lines of its toolchain.
";

/// The counts of all toolchains.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Figures(Vec<Figure>);

#[derive(Debug, PartialEq, Eq)]
struct Figure {
    toolchain: String,
    workload: String,
    count: u64,
}

impl Figures {
    /// Reads the file; none is one without figures.
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).map_err(|line| Error::Malformed {
                path: path.to_owned(),
                line,
                expected: "toolchain, workload and count, separated by tabs",
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(Error::File { path: path.to_owned(), source }),
        }
    }

    /// The error is the number of the line that has another form.
    fn parse(text: &str) -> Result<Self, usize> {
        let mut figures = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [toolchain, workload, count] = fields[..] else {
                return Err(index + 1);
            };
            let count = count.parse().map_err(|_| index + 1)?;
            figures.push(Figure { toolchain: toolchain.to_owned(), workload: workload.to_owned(), count });
        }
        Ok(Self(figures))
    }

    pub(super) fn has(&self, toolchain: &str) -> bool {
        self.0.iter().any(|figure| figure.toolchain == toolchain)
    }

    pub(super) fn get(&self, toolchain: &str, workload: &str) -> Option<u64> {
        let figure = self.0.iter().find(|figure| figure.toolchain == toolchain && figure.workload == workload)?;
        Some(figure.count)
    }

    /// Puts these in the place of all that the toolchain had.
    pub(super) fn replace(&mut self, toolchain: &str, counts: &[(&str, u64)]) {
        self.0.retain(|figure| figure.toolchain != toolchain);
        self.0.extend(counts.iter().map(|&(workload, count)| Figure {
            toolchain: toolchain.to_owned(),
            workload: workload.to_owned(),
            count,
        }));
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), Error> {
        write(path, &self.text())
    }

    fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for Figure { toolchain, workload, count } in &self.0 {
            let _ = writeln!(text, "{toolchain}\t{workload}\t{count}");
        }
        text
    }
}

/// Is the count more than the tolerance above the figure?
pub(super) fn is_growth(before: u64, now: u64) -> bool {
    u128::from(now) * 100 > u128::from(before) * u128::from(100 + TOLERANCE_PERCENT)
}

/// What the developer reads of one workload.
pub(super) fn line(name: &str, before: u64, now: u64) -> String {
    #[allow(clippy::cast_precision_loss, reason = "a percentage of which one digit is shown")]
    let change = (now as f64 / before.max(1) as f64 - 1.0) * 100.0;
    let verdict = if is_growth(before, now) { "  GREW" } else { "" };
    format!("{name:<12} {now:>13} instructions, {change:+.1} % against {before}{verdict}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_may_grow_by_five_percent_and_fall_by_any() {
        let cases = [
            (1_000_000, 1_000_000, false),
            (1_000_000, 1_050_000, false),
            (1_000_000, 1_050_001, true),
            (1_000_000, 10, false),
            (u64::MAX, u64::MAX, false),
            (0, 1, true),
        ];
        for (before, now, expected) in cases {
            assert_eq!(is_growth(before, now), expected, "{before} {now}");
        }
    }

    #[test]
    fn the_change_is_shown_in_percent() {
        assert_eq!(line("loop", 1000, 1123), "loop                  1123 instructions, +12.3 % against 1000  GREW");
        assert_eq!(line("loop", 1000, 500), "loop                   500 instructions, -50.0 % against 1000");
    }

    #[test]
    fn what_is_written_is_read_and_only_one_toolchain_changes() {
        let mut figures =
            Figures::parse("# a comment\n\nold x86\tloop\t1\nnew x86\tloop\t2\nnew x86\thook\t3\n").unwrap();
        assert_eq!(figures.get("new x86", "hook"), Some(3));
        assert_eq!(figures.get("new x86", "other"), None);
        assert!(figures.has("old x86") && !figures.has("x86"));
        figures.replace("new x86", &[("loop", 20)]);
        assert_eq!(figures.text(), format!("{HEAD}old x86\tloop\t1\nnew x86\tloop\t20\n"));
        assert_eq!(Figures::parse(&figures.text()), Ok(figures));
    }

    #[test]
    fn a_line_of_another_form_is_named() {
        let cases = [("new\tloop\n", 1), ("#\nnew\tloop\tmany\n", 2), ("new\tloop\t1\t2\n", 1), ("new loop 1", 1)];
        for (text, line) in cases {
            assert_eq!(Figures::parse(text), Err(line), "{text:?}");
        }
    }
}
