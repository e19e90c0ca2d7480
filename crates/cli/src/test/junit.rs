//! Results as JUnit's XML, in the form that Jenkins, GitLab and GitHub's reporters read.

use std::time::Duration;

use super::{CaseReport, ErrorReport, Report, cut};
use crate::output::is_hidden;

/// All of them, a suite for each file.
pub(super) fn report(report: &Report, elapsed: Duration) -> String {
    let mut files: Vec<&str> = Vec::new();
    let all =
        report.cases.iter().map(|case| case.file.as_str()).chain(report.errors.iter().map(|error| error.file.as_str()));
    for file in all {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    xml.push_str(&format!(
        "<testsuites name=\"hookshell\" tests=\"{}\" failures=\"{}\" errors=\"{}\" time=\"{}\">\n",
        report.cases.len() + report.errors.len(),
        report.failed,
        report.errors.len(),
        seconds(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
    ));
    for file in files {
        let cases: Vec<&CaseReport> = report.cases.iter().filter(|case| case.file == file).collect();
        let errors: Vec<&ErrorReport> = report.errors.iter().filter(|error| error.file == file).collect();
        suite(&mut xml, file, &cases, &errors);
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn suite(xml: &mut String, file: &str, cases: &[&CaseReport], errors: &[&ErrorReport]) {
    let name = escaped(file);
    xml.push_str(&format!(
        "  <testsuite name=\"{name}\" file=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{}\">\n",
        cases.len() + errors.len(),
        cases.iter().filter(|case| !case.ok).count(),
        errors.len(),
        seconds(cases.iter().map(|case| case.ms).sum())
    ));
    for case in cases {
        let open = format!(
            "    <testcase name=\"{}\" classname=\"{name}\" time=\"{}\"",
            escaped(&case.name),
            seconds(case.ms)
        );
        if case.ok {
            xml.push_str(&format!("{open}/>\n"));
            continue;
        }
        let first = case.failures.first().map(|failure| failure.what).unwrap_or_default();
        let text = format!("{}:{}\n{}", case.file, case.line, case.mismatches());
        xml.push_str(&format!(
            "{open}>\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
            escaped(first),
            escaped(&case.mismatches()),
            escaped(&text)
        ));
        let stderr: String = case.verdict.hooks.iter().map(|hook| hook.stderr.as_str()).collect();
        if !stderr.is_empty() {
            xml.push_str(&format!("      <system-err>{}</system-err>\n", escaped(&cut(&stderr))));
        }
        xml.push_str("    </testcase>\n");
    }
    for error in errors {
        xml.push_str(&format!(
            "    <testcase name=\"the fixture can be used\" classname=\"{name}\">\n      <error type=\"fixture\" message=\"{}\"/>\n    </testcase>\n",
            escaped(&error.message)
        ));
    }
    xml.push_str("  </testsuite>\n");
}

/// Without a comma after the thousands, which the schema allows and readers take for the end of the number.
fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// Text of an element or attribute. What XML 1.0 cannot hold at all is written as an escape of Rust's; what is hidden, and the first of two
/// `#`, with which a command of Azure's runner begins, as a reference.
fn escaped(text: &str) -> String {
    let mut xml = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '#' if characters.peek() == Some(&'#') => xml.push_str("&#35;"),
            '&' => xml.push_str("&amp;"),
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '"' => xml.push_str("&quot;"),
            '\n' => xml.push_str("&#10;"),
            '\t' => xml.push_str("&#9;"),
            '\r' => xml.push_str("&#13;"),
            '\u{fffe}' | '\u{ffff}' => xml.extend(character.escape_unicode()),
            other if other < ' ' => xml.extend(other.escape_unicode()),
            other if is_hidden(other) => xml.push_str(&format!("&#{};", u32::from(other))),
            other => xml.push(other),
        }
    }
    xml
}

#[cfg(test)]
mod tests {
    use super::{escaped, seconds};

    #[test]
    fn times_and_texts_are_as_the_schema_wants_them() {
        assert_eq!([seconds(5), seconds(61_250), seconds(1_234_567)], ["0.005", "61.250", "1234.567"]);
        assert_eq!(escaped("<a & \"b\">\n\u{1b}[0m"), "&lt;a &amp; &quot;b&quot;&gt;&#10;\\u{1b}[0m");
        assert_eq!(escaped("###[error]\u{9b}\u{202e}]]>#"), "&#35;&#35;#[error]&#155;&#8238;]]&gt;#");
    }
}
