//! Results as TAP version 14 (<https://testanything.org/tap-version-14-specification.html>).

use super::Report;
use crate::output::{one_line, visible};

/// All of them.
pub(super) fn report(report: &Report) -> String {
    let total = report.cases.len() + report.errors.len();
    let mut text = format!("TAP version 14\n1..{total}\n");
    for (index, case) in report.cases.iter().enumerate() {
        let ok = if case.ok { "ok" } else { "not ok" };
        text.push_str(&format!("{ok} {} - {}\n", index + 1, name(&format!("{}: {}", case.file, case.name))));
        if !case.ok {
            text.push_str(&format!("  ---\n  message: {}\n", quoted(&case.mismatches())));
            text.push_str(&format!("  at:\n    file: {}\n    line: {}\n", quoted(&case.file), case.line));
            text.push_str(&format!("  duration_ms: {}\n  ...\n", case.ms));
        }
    }
    for (index, error) in report.errors.iter().enumerate() {
        let number = report.cases.len() + index + 1;
        text.push_str(&format!(
            "not ok {number} - {}\n  ---\n  message: {}\n  ...\n",
            name(&format!("{}: it cannot be used", error.file)),
            quoted(&error.message)
        ));
    }
    text
}

/// A description on one line, in which `#` begins no directive.
fn name(text: &str) -> String {
    one_line(&text.replace('\\', "\\\\").replace('#', "\\#"))
}

/// A string of YAML's, which is one of JSON's. (In a block of YAML's a line could be a command for a CI's runner.)
fn quoted(text: &str) -> String {
    serde_json::Value::from(visible(text)).to_string()
}
