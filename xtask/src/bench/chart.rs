//! The report as a bar chart.

use std::fmt::Write as _;

use super::report::Row;

/// Sizes in the units of the drawing, about pixels.
const NAMES: f64 = 330.0;
const BARS: f64 = 420.0;
const NUMBERS: f64 = 170.0;
const LINE: f64 = 22.0;
const TOP: f64 = 64.0;

/// A bar for each workload: how many times faster hookshell is than the fastest rival, on a logarithmic scale. A line
/// marks the goal.
pub(crate) fn chart(rows: &[Row<'_>]) -> String {
    let values = rows.iter().flat_map(|row| [row.speed_up().map(|found| found.1), row.workload.goal]).flatten();
    let (low, high) = values.fold((0.5_f64, 2.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    let (low, high) = (low.log10().floor_to_half(), high.log10().ceil_to_half());
    let place = |factor: f64| NAMES + (factor.log10() - low) / (high - low) * BARS;
    let width = NAMES + BARS + NUMBERS;
    let height = TOP + LINE * rows.len() as f64 + 16.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"12\" y=\"22\" font-size=\"15\" font-weight=\"bold\">Times faster than the fastest rival</text>\n\
         <text x=\"12\" y=\"40\" fill=\"#555\">Medians of interleaved runs, logarithmic scale; the dark line is the goal.</text>\n",
    );
    for factor in [0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0] {
        let x = place(factor);
        if !(NAMES..=NAMES + BARS).contains(&x) {
            continue;
        }
        let colour = if factor == 1.0 { "#888" } else { "#ddd" };
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{factor}×</text>",
            TOP - 4.0,
            height - 12.0,
            TOP - 8.0,
        );
    }
    let one = place(1.0);
    for (index, row) in rows.iter().enumerate() {
        let goal = row.workload.goal;
        let top = TOP + LINE * index as f64;
        let base = top + LINE * 0.68;
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{base:.1}\" text-anchor=\"end\">{}</text>",
            NAMES - 10.0,
            escape(&row.label())
        );
        match row.speed_up() {
            Some((rival, factor)) => {
                let x = place(factor);
                let (left, length) = (x.min(one), (x - one).abs().max(1.0));
                let missed = goal.is_some_and(|goal| factor < goal);
                let colour = if missed { "#d08040" } else { "#3a7ebf" };
                let _ = write!(
                    out,
                    "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>\
                     <text x=\"{:.1}\" y=\"{base:.1}\">{factor:.2}× {}</text>",
                    top + 3.0,
                    LINE - 6.0,
                    NAMES + BARS + 12.0,
                    escape(rival),
                );
            }
            None => {
                let _ = write!(
                    out,
                    "<text x=\"{:.1}\" y=\"{base:.1}\" fill=\"#888\">not measured</text>",
                    NAMES + BARS + 12.0
                );
            }
        }
        if let Some(goal) = goal {
            let x = place(goal);
            let _ = write!(
                out,
                "<line x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"#222\" stroke-width=\"2\"/>",
                top + 1.0,
                top + LINE - 1.0,
            );
        }
        out.push('\n');
    }
    out.push_str("</svg>\n");
    out
}

/// Rounds to halves.
trait Halves {
    fn floor_to_half(self) -> f64;
    fn ceil_to_half(self) -> f64;
}

impl Halves for f64 {
    fn floor_to_half(self) -> f64 {
        (self * 2.0).floor() / 2.0
    }

    fn ceil_to_half(self) -> f64 {
        (self * 2.0).ceil() / 2.0
    }
}

fn escape(text: &str) -> String {
    // A cell of the table has its bars escaped already.
    text.replace("\\|", "|").replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::stats::Times;
    use super::super::workload::{Work, Workload};
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_the_factor_says_and_names_are_escaped() {
        let workload = Workload {
            name: "a<b",
            work: Work::Crowd { hook: "", on_all_cores: false },
            count: 100,
            rounds: 1,
            goal: Some(3.0),
        };
        let times = |ms| Ok(Times::new(vec![Duration::from_millis(ms)]).unwrap());
        let row = |ours, theirs| Row {
            workload: &workload,
            count: 100,
            judged: true,
            hookshell: times(ours),
            rivals: vec![("dash", theirs)],
        };
        let text = chart(&[row(10, times(100)), row(10, Err("not installed".to_owned()))]);
        assert!(text.contains("a&lt;b"), "{text}");
        assert!(text.contains("10.00× dash"), "{text}");
        assert!(text.contains("not measured"), "{text}");
        // From 10^-0.5 to 10: 1 stands at a third of the width, 10 at the end.
        assert!(text.contains("<rect x=\"470.0\" y=\"67.0\" width=\"280.0\""), "{text}");
    }
}
