//! The report as SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/>).

use hookshell_runner::{CheckReport, Finding, FindingCode, Severity};
use serde_json::{Value, json};

/// Where a finding is explained.
const PAGE: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/findings.md");

/// The whole log.
pub(super) fn log(report: &CheckReport) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "hookshell",
                    "version": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": FindingCode::ALL.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn rule(code: FindingCode) -> Value {
    json!({
        "id": code.as_str(),
        "shortDescription": { "text": code.summary() },
        "helpUri": format!("{PAGE}#{}", anchor(code)),
    })
}

/// The anchor of a code's section, as renderers of Markdown make it of the heading.
fn anchor(code: FindingCode) -> String {
    let heading = format!("{code} {}", code.summary()).to_ascii_lowercase().replace(' ', "-");
    heading.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect()
}

fn result(finding: &Finding) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let text = match &finding.hook {
        Some(hook) => format!("{hook}: {}", finding.message),
        None => finding.message.clone(),
    };
    let mut result = json!({ "ruleId": finding.code.as_str(), "level": level, "message": { "text": text } });
    if !finding.file.is_empty() {
        let mut physical = json!({ "artifactLocation": { "uri": uri(&finding.file) } });
        if let Some(line) = finding.line {
            physical["region"] = json!({ "startLine": line });
            if let Some(column) = finding.column {
                physical["region"]["startColumn"] = column.into();
            }
        }
        result["locations"] = json!([{ "physicalLocation": physical }]);
    }
    if let Some(index) = FindingCode::ALL.iter().position(|code| *code == finding.code) {
        result["ruleIndex"] = index.into();
    }
    result
}

/// A path as a reference: relative as it is, absolute as a `file:` URI.
fn uri(path: &str) -> String {
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let path = path.strip_prefix("./").unwrap_or(&path);
    let mut uri = match path.as_bytes() {
        [b'/', ..] => "file://".to_owned(),
        [drive, b':', ..] if cfg!(windows) && drive.is_ascii_alphabetic() => "file:///".to_owned(),
        _ => String::new(),
    };
    let is_absolute = !uri.is_empty();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            b':' if is_absolute => uri.push(':'),
            other => uri.push_str(&format!("%{other:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("./a b/ü.json"), "a%20b/%C3%BC.json");
        assert_eq!(uri("ab:c"), "ab%3Ac");
        #[cfg(windows)]
        assert_eq!(uri(r"C:\x y"), "file:///C:/x%20y");
        #[cfg(unix)]
        assert_eq!(uri("/x/y#z"), "file:///x/y%23z");
    }
}
