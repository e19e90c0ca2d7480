//! The cost of growth: how the time of hookshell grows with the size of what it is given.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use super::report::{duration, thousands};
use super::{Bench, write};
use crate::error::Error;

/// Work whose size can be chosen.
pub(super) struct Curve {
    name: &'static str,
    work: Growing,
    sizes: &'static [u32],
}

enum Growing {
    /// A script; `@N@` is the size.
    Script(&'static str),
    /// A script of so many of these parts; `@N@` is the number of the part. Before and after them stand the others.
    Parts(&'static str, &'static str, &'static str),
    /// So many hooks of one event.
    Hooks(&'static str),
}

/// Above this the time grows more than the size does, by more than measuring is uncertain.
const LIMIT: f64 = 1.1;

/// Runs of each size; the shortest counts, because what disturbs a run only makes it longer.
const ROUNDS: usize = 5;

const TO_100_000: &[u32] = &[1_000, 10_000, 100_000];
const TO_1_000_000: &[u32] = &[1_000, 10_000, 100_000, 1_000_000];

const CURVES: &[Curve] = &[
    Curve {
        name: "loop turn",
        work: Growing::Script(r#"i=0; while [ "$i" -lt @N@ ]; do i=$((i+1)); done"#),
        sizes: TO_1_000_000,
    },
    Curve {
        name: "variable",
        work: Growing::Script(
            r#"i=0; while [ "$i" -lt @N@ ]; do eval "v$i=$i"; i=$((i+1)); done; x=$v5; x=$(echo "$v7"); (x=1)"#,
        ),
        sizes: &[10, 100, 1_000, 10_000, 30_000, 100_000],
    },
    Curve {
        name: "array element, a+=(x)",
        work: Growing::Script(r"a=(); for ((i = 0; i < @N@; i++)); do a+=(x); done"),
        sizes: TO_1_000_000,
    },
    Curve {
        name: "array element, a[${#a[@]}]=x",
        work: Growing::Script(r"a=(); for ((i = 0; i < @N@; i++)); do a[${#a[@]}]=x; done"),
        sizes: TO_1_000_000,
    },
    Curve {
        name: "array element read by index",
        work: Growing::Script(r"a=({1..@N@}); for ((i = 0; i < @N@; i++)); do x=${a[i]}; done"),
        sizes: TO_1_000_000,
    },
    Curve {
        name: "element of an associative array",
        work: Growing::Script(r#"declare -A a; for ((i = 0; i < @N@; i++)); do a[k$i]=$i; x=${a[k$i]}; done"#),
        sizes: &[1_000, 10_000, 30_000, 100_000],
    },
    Curve {
        name: "s+=x",
        work: Growing::Script(r"s=; for ((i = 0; i < @N@; i++)); do s+=x; done"),
        sizes: TO_1_000_000,
    },
    Curve {
        name: "line read by while read",
        work: Growing::Parts("while read -r line; do n=$line; done <<'END'\n", "line @N@ of a text\n", "END\n"),
        sizes: TO_1_000_000,
    },
    // The longest is nearly as long as a line may be.
    Curve {
        name: "byte of a line that read reads",
        work: Growing::Script(r"{ head -c @N@ /dev/zero | tr '\0' a; echo; } | read -r x"),
        sizes: &[100_000, 1_000_000, 10_000_000, 100_000_000],
    },
    Curve {
        name: "script line",
        work: Growing::Parts("", "x=@N@; : \"$x\"\n", ""),
        sizes: &[1, 10, 100, 1_000, 10_000, 30_000, 100_000],
    },
    Curve {
        name: "pipeline stage",
        // Twenty times: one of 20 stages takes too little time to be seen.
        work: Growing::Parts(
            "i=0; while [ $((i += 1)) -le 20 ]; do echo x",
            " | while read -r line; do echo \"$line\"; done",
            "; done\n",
        ),
        sizes: &[2, 20, 200],
    },
    // What is looked up for each match of a line must not look through all of it.
    Curve {
        name: "match of sed's back-reference in a line",
        work: Growing::Parts("sed 's/\\(.\\)\\1/<&>/g' <<'END'\n", "a@N@bb,", "\nEND\n"),
        sizes: TO_100_000,
    },
    Curve {
        name: "match of grep -oP in a line",
        work: Growing::Parts("grep -oP '(?<=a)[0-9]+(?=bb)' <<'END'\n", "a@N@bb,", "\nEND\n"),
        sizes: TO_100_000,
    },
    Curve {
        name: "match of jq's gsub in a text",
        work: Growing::Parts("jq -R 'gsub(\"bb\";\"<>\")|length' <<'END'\n", "a@N@bb,", "\nEND\n"),
        sizes: TO_100_000,
    },
    Curve {
        name: "slice of parameters, ${@:i:1}",
        work: Growing::Script(r"set -- {1..@N@}; for ((i = 1; i <= @N@; i++)); do x=${@:i:1}; done"),
        sizes: TO_100_000,
    },
    Curve {
        name: "look for elements, ${a[@]:+x}",
        work: Growing::Script(r#"a=({1..@N@}); for ((i = 0; i < @N@; i++)); do x="${a[@]:+x}"; done"#),
        sizes: TO_100_000,
    },
    Curve { name: "assignment before a command", work: Growing::Parts("", "a@N@=1 ", ":\n"), sizes: TO_100_000 },
    Curve {
        name: "line with an alias",
        work: Growing::Parts("shopt -s expand_aliases\nalias a=:\n", "a @N@\n", ""),
        sizes: TO_100_000,
    },
    Curve {
        name: "string that awk appends to",
        work: Growing::Script(r#"awk 'BEGIN { for (i = 0; i < @N@; i++) s = s i ";"; print length(s) }'"#),
        sizes: TO_1_000_000,
    },
    Curve {
        name: "rule of awk",
        work: Growing::Parts("awk '", "/a@N@x/ { n += @N@ }\n", "' <<<x\n"),
        sizes: &[100, 1_000, 10_000],
    },
    Curve { name: "label of sed", work: Growing::Parts("sed '", "b@N@\n:@N@\n", "' <<<x\n"), sizes: TO_100_000 },
    Curve {
        name: "expression of grep",
        work: Growing::Parts("grep -c -f /dev/fd/3 <<<x 3<<'END' || :\n", "x@N@.y\n", "END\n"),
        sizes: TO_100_000,
    },
    Curve {
        name: "hook of one event",
        work: Growing::Hooks(r#"echo '{"decision":"allow"}'"#),
        sizes: &[1, 10, 100, 1_000],
    },
];

/// How often the hooks are run: one of them takes too little time to be seen.
const EVENTS: u32 = 20;

impl Bench {
    /// Measures all curves; the text is a part of the report. The second: what grows too fast.
    pub(super) fn growth(&self) -> Result<(String, Vec<&'static str>), Error> {
        let mut text = String::from(
            "## Cost of growth\n\nThe shortest of several runs, less the start-up. Exponent: of the power of the size \
             that the time grows with; 1 is in step with it.\n\n| for each | size: time | exponent |\n| --- | --- | --- |\n",
        );
        let mut defects = Vec::new();
        let mut empty = self.program(&self.programs.hookshell);
        empty.args(["sh", "-c", ":"]);
        let start = self.shortest(&mut empty)?.0;
        let mut peaks = Vec::new();
        for curve in CURVES {
            eprintln!("growth: {}", curve.name);
            let mut points = Vec::new();
            for &size in curve.sizes.iter().filter(|size| !self.options.quick || **size <= 10_000) {
                let (time, stdout) = self.shortest(&mut self.growing(curve, size)?)?;
                if let Growing::Hooks(_) = curve.work {
                    let peak = String::from_utf8_lossy(&stdout)
                        .split_whitespace()
                        .next_back()
                        .and_then(|kb| kb.parse::<f64>().ok());
                    peaks.extend(peak.filter(|kb| *kb > 0.0).map(|kb| (size, kb)));
                }
                points.push((size, time.saturating_sub(start)));
            }
            let times: Vec<String> =
                points.iter().map(|(size, time)| format!("{}: {}", thousands(*size), duration(*time))).collect();
            let exponent = match exponent(&points) {
                Some(exponent) if exponent > LIMIT => {
                    defects.push(curve.name);
                    format!("**{exponent:.2}**")
                }
                Some(exponent) => format!("{exponent:.2}"),
                None => "too short to tell".to_owned(),
            };
            let _ = writeln!(text, "| {} | {} | {exponent} |", curve.name, times.join(", "));
        }
        if let (Some(first), Some(last)) = (peaks.first(), peaks.last())
            && first.0 < last.0
        {
            let slope: f64 = (last.1 - first.1) / f64::from(last.0 - first.0);
            let _ = writeln!(
                text,
                "\nPeak of the resident memory with {} hooks at once: {:.1} MB, with one {:.1} MB: {slope:.0} kB for each.",
                last.0,
                last.1 / 1024.0,
                first.1 / 1024.0,
            );
        }
        Ok((text, defects))
    }

    fn growing(&self, curve: &Curve, size: u32) -> Result<Command, Error> {
        let number = size.to_string();
        let script = match curve.work {
            Growing::Hooks(hook) => {
                let mut command = self.program(&self.programs.repeat);
                command.args([&EVENTS.to_string(), hook, r#"{"command":"ls"}"#, &number]);
                return Ok(command);
            }
            Growing::Script(script) => script.replace("@N@", &number),
            Growing::Parts(before, part, after) => {
                let parts = (0..size).map(|n| part.replace("@N@", &n.to_string()));
                std::iter::once(before.to_owned()).chain(parts).chain([after.to_owned()]).collect()
            }
        };
        let file = self.directory.join("growing.sh");
        write(&file, &script)?;
        let mut command = self.program(&self.programs.hookshell);
        command.arg("sh").arg(file);
        Ok(command)
    }

    /// The shortest time of several runs, and the stdout of one.
    fn shortest(&self, command: &mut Command) -> Result<(Duration, Vec<u8>), Error> {
        let mut best: Option<(Duration, Vec<u8>)> = None;
        for _ in 0..ROUNDS {
            let run = self.clock.run(command, 0, &self.directory.join("stderr.txt"));
            let run = run.map_err(|why| Error::Unexpected(format!("hookshell failed at {command:?}: {why}")))?;
            if best.as_ref().is_none_or(|best| run.time < best.0) {
                best = Some((run.time, run.stdout));
            }
        }
        best.ok_or_else(|| Error::Unexpected("no run".to_owned()))
    }
}

/// The exponent of the power that fits best (least squares of the logarithms), of those times that are long enough to
/// mean something: the start-up is taken off each of them, and is itself known to half a millisecond at best. `None` with
/// fewer than two of them.
fn exponent(points: &[(u32, Duration)]) -> Option<f64> {
    const LEAST: Duration = Duration::from_millis(5);
    let points: Vec<(f64, f64)> = points
        .iter()
        .filter(|(_, time)| *time >= LEAST)
        .map(|(size, time)| (f64::from(*size).ln(), time.as_secs_f64().ln()))
        .collect();
    if points.len() < 2 {
        return None;
    }
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let (above, below) = points.iter().fold((0.0, 0.0), |(above, below), point| {
        (above + (point.0 - x) * (point.1 - y), below + (point.0 - x) * (point.0 - x))
    });
    Some(above / below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_is_that_of_the_power() {
        let points = |power: f64| -> Vec<(u32, Duration)> {
            [10, 100, 1000].map(|n| (n, Duration::from_secs_f64(0.005 * f64::from(n).powf(power)))).to_vec()
        };
        for power in [0.5, 1.0, 1.5, 2.0] {
            assert!((exponent(&points(power)).unwrap() - power).abs() < 1e-3, "{power}");
        }
        // What is too short is noise.
        let points =
            [(1, Duration::from_micros(4_900)), (10, Duration::from_millis(10)), (100, Duration::from_millis(100))];
        assert!((exponent(&points).unwrap() - 1.0).abs() < 1e-6);
        assert_eq!(exponent(&points[..2]), None);
    }

    #[test]
    fn sizes_ascend_and_names_are_unique() {
        for (index, curve) in CURVES.iter().enumerate() {
            assert!(curve.sizes.is_sorted(), "{}", curve.name);
            assert!(CURVES.iter().skip(index + 1).all(|other| other.name != curve.name), "{}", curve.name);
        }
    }
}
