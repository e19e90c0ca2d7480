//! The report of a benchmark: a Markdown table for the terminal and the file.

use std::time::Duration;

use super::stats::{Times, speed_up};
use super::workload::Workload;

/// The contestants' results at one workload.
pub(crate) struct Row<'a> {
    pub(crate) workload: &'a Workload,
    pub(crate) count: u32,
    /// Whether there were enough runs to say that the goal is met or missed.
    pub(crate) judged: bool,
    pub(crate) hookshell: Result<Times, String>,
    /// By name; the error says why there is no time.
    pub(crate) rivals: Vec<(&'static str, Result<Times, String>)>,
}

impl Row<'_> {
    /// How many times faster hookshell is than the fastest rival, and that rival's name.
    pub(crate) fn speed_up(&self) -> Option<(&'static str, f64)> {
        let (rival, theirs) = self.fastest_rival()?;
        Some((rival, speed_up(self.hookshell.as_ref().ok()?, theirs)))
    }

    fn fastest_rival(&self) -> Option<(&'static str, &Times)> {
        self.rivals
            .iter()
            .filter_map(|(name, times)| Some((*name, times.as_ref().ok()?)))
            .min_by_key(|(_, times)| times.median())
    }

    /// `| workload | hookshell | fastest rival | speed-up | goal |`
    fn summary(&self) -> String {
        let name = self.label();
        let goal = self.workload.goal.map_or_else(|| "–".to_owned(), |goal| format!("{goal:.2}×"));
        let (Ok(ours), Some((rival, theirs))) = (&self.hookshell, self.fastest_rival()) else {
            let ours = self.hookshell.as_ref().map_or("failed".to_owned(), |t| duration(t.median()));
            return format!("| {name} | {ours} | – | not measured | {goal} |");
        };
        let factor = speed_up(ours, theirs);
        let met = match self.workload.goal {
            Some(needed) if self.judged && factor >= needed => " met",
            Some(_) if self.judged => " missed",
            _ => "",
        };
        let (ours, theirs) = (duration(ours.median()), duration(theirs.median()));
        format!("| {name} | {ours} | {rival} {theirs} | {factor:.2}× | {goal}{met} |")
    }

    /// A line per contestant.
    fn details(&self) -> Vec<String> {
        let ours = std::iter::once(("hookshell", &self.hookshell));
        let rivals = self.rivals.iter().map(|(name, times)| (*name, times));
        let line = |(name, result): (&str, &Result<Times, String>)| match result {
            Ok(times) => {
                let [median, min, max] = [times.median(), times.min(), times.max()].map(duration);
                let factor = match &self.hookshell {
                    Ok(ours) => format!("{:.2}×", speed_up(ours, times)),
                    Err(_) => "–".to_owned(),
                };
                format!("| {} | {name} | {median} | {min} – {max} | {factor} |", self.label())
            }
            Err(why) => format!("| {} | {name} | not measured: {} | – | – |", self.label(), cell(why)),
        };
        ours.chain(rivals).map(line).collect()
    }

    pub(crate) fn label(&self) -> String {
        match self.count {
            _ if !self.workload.shows_count() => cell(self.workload.name),
            1 => cell(self.workload.name),
            count => format!("{} `{}`", thousands(count), self.workload.name),
        }
    }
}

/// The whole report; `setting` says what was measured where.
pub(crate) fn report(setting: &str, rows: &[Row<'_>], growth: Option<&str>) -> String {
    let mut lines = vec!["# Benchmark".to_owned(), String::new(), setting.to_owned(), String::new()];
    if rows.is_empty() {
        lines.extend(growth.map(str::to_owned));
        return lines.join("\n");
    }
    lines.extend([
        "Medians of interleaved runs. Speed-up: the rival's time divided by hookshell's; above 1 hookshell is faster."
            .to_owned(),
        String::new(),
        "| workload | hookshell | fastest rival | speed-up | goal |".to_owned(),
        "| --- | --- | --- | --- | --- |".to_owned(),
    ]);
    lines.extend(rows.iter().map(Row::summary));
    lines.extend([
        String::new(),
        "| workload | contestant | median | min – max | hookshell's speed-up |".to_owned(),
        "| --- | --- | --- | --- | --- |".to_owned(),
    ]);
    lines.extend(rows.iter().flat_map(Row::details));
    lines.push(String::new());
    lines.extend(growth.map(str::to_owned));
    lines.join("\n")
}

/// Three significant digits or so, in the unit that reads best.
pub(super) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 0.1 => format!("{:.0} ms", s * 1e3),
        s if s >= 0.001 => format!("{:.1} ms", s * 1e3),
        s => format!("{:.0} µs", s * 1e6),
    }
}

pub(super) fn thousands(count: u32) -> String {
    match (count / 1000, count % 1000) {
        (0, rest) => rest.to_string(),
        (larger, rest) => format!("{},{rest:03}", thousands(larger)),
    }
}

/// Text inside a table's cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::super::workload::Work;
    use super::*;

    const WORKLOAD: Workload = Workload {
        name: "loop",
        work: Work::Hook { hook: "", stdout_has: "" },
        count: 300_000,
        rounds: 1,
        goal: Some(3.0),
    };

    fn row(ours: Result<u64, &str>, rivals: &[(&'static str, Result<u64, &str>)]) -> Row<'static> {
        let times = |result: Result<u64, &str>| match result {
            Ok(ms) => Ok(Times::new(vec![Duration::from_millis(ms)]).unwrap()),
            Err(why) => Err(why.to_owned()),
        };
        Row {
            workload: &WORKLOAD,
            count: WORKLOAD.count,
            judged: true,
            hookshell: times(ours),
            rivals: rivals.iter().map(|(name, result)| (*name, times(*result))).collect(),
        }
    }

    #[test]
    fn digits_stand_in_threes() {
        let shown = [7, 1_000, 30_050, 1_000_000].map(thousands);
        assert_eq!(shown, ["7", "1,000", "30,050", "1,000,000"]);
    }

    #[test]
    fn the_summary_compares_with_the_fastest_rival() {
        let rivals = [("bash", Ok(900)), ("dash", Ok(210)), ("mksh", Err("not installed"))];
        assert_eq!(row(Ok(60), &rivals).summary(), "| 300,000 `loop` | 60.0 ms | dash 210 ms | 3.50× | 3.00× met |");
        assert_eq!(row(Ok(84), &rivals).summary(), "| 300,000 `loop` | 84.0 ms | dash 210 ms | 2.50× | 3.00× missed |");
    }

    #[test]
    fn a_quick_run_gives_no_judgement() {
        let quick = Row { judged: false, ..row(Ok(60), &[("dash", Ok(210))]) };
        assert_eq!(quick.summary(), "| 300,000 `loop` | 60.0 ms | dash 210 ms | 3.50× | 3.00× |");
    }

    #[test]
    fn what_was_not_measured_is_said() {
        let failed = row(Err("exit status: 1; a|b"), &[("dash", Ok(2000)), ("mksh", Err("not installed"))]);
        assert_eq!(failed.summary(), "| 300,000 `loop` | failed | – | not measured | 3.00× |");
        assert_eq!(
            failed.details(),
            [
                r"| 300,000 `loop` | hookshell | not measured: exit status: 1; a\|b | – | – |",
                "| 300,000 `loop` | dash | 2.00 s | 2.00 s – 2.00 s | – |",
                "| 300,000 `loop` | mksh | not measured: not installed | – | – |",
            ]
        );
        let alone = row(Ok(60), &[("dash", Err("not installed"))]);
        assert_eq!(alone.summary(), "| 300,000 `loop` | 60.0 ms | – | not measured | 3.00× |");
    }

    #[test]
    fn times_are_short() {
        let cases =
            [(850, "850 µs"), (1_234, "1.2 ms"), (99_900, "99.9 ms"), (123_456, "123 ms"), (1_234_567, "1.23 s")];
        for (microseconds, expected) in cases {
            assert_eq!(duration(Duration::from_micros(microseconds)), expected);
        }
    }
}
