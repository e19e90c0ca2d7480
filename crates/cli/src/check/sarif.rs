//! The report as SARIF 2.1.0 (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/>).

use hookshell_runner::{CheckReport, Finding, FindingCode, Severity};
use serde_json::{Value, json};

/// The page of the repository where findings are explained.
const PAGE: &str = "docs/findings.md";

/// The whole log.
pub(super) fn log(report: &CheckReport) -> Value {
    let home = address(env!("CARGO_PKG_REPOSITORY"));
    let mut driver = json!({
        "name": "hookshell",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": FindingCode::ALL.iter().map(|code| rule(*code, home)).collect::<Vec<_>>(),
    });
    if let Some(home) = home {
        driver["informationUri"] = home.into();
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "results": report.findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

/// A code. Its address is left out while the repository has none: a reader would follow it.
fn rule(code: FindingCode, home: Option<&str>) -> Value {
    let page = format!("{PAGE}#{}", anchor(code));
    let mut rule = json!({
        "id": code.as_str(),
        "shortDescription": { "text": code.summary() },
        "help": { "text": format!("{}: see {page} of hookshell's documentation.", code.summary()) },
    });
    if let Some(home) = home {
        rule["helpUri"] = format!("{home}/blob/main/{page}").into();
    }
    rule
}

/// The repository's address, without a slash at its end. `None`: it stands for one that is not known yet (RFC 2606's names).
fn address(repository: &str) -> Option<&str> {
    let (_, rest) = repository.split_once("://")?;
    let host = rest.split(['/', ':']).next()?.to_ascii_lowercase();
    let is_reserved = host.split('.').rev().take(2).any(|label| label == "example")
        || [".test", ".invalid", ".localhost"].iter().any(|end| host.ends_with(end));
    (!host.is_empty() && !is_reserved).then(|| repository.trim_end_matches('/'))
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
    use hookshell_runner::FindingCode;

    use super::{address, rule, uri};

    #[test]
    fn an_address_that_stands_for_another_leads_nowhere() {
        for reserved in [
            "",
            "hookshell",
            "https://example.com/hookshell",
            "https://git.example.org/x",
            "https://a.example",
            "https://x.invalid/a",
        ] {
            assert_eq!(address(reserved), None, "{reserved}");
        }
        assert_eq!(address("https://codeberg.org/a/example/"), Some("https://codeberg.org/a/example"));
        let code = FindingCode::ALL[0];
        assert_eq!(rule(code, None).get("helpUri"), None);
        let rule = rule(code, Some("https://host/a"));
        let page =
            rule["helpUri"].as_str().and_then(|uri| uri.strip_prefix("https://host/a/blob/main/")).unwrap_or_default();
        assert!(
            page.starts_with("docs/findings.md#hs")
                && rule["help"]["text"].as_str().is_some_and(|text| text.contains(page)),
            "{rule}"
        );
    }

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
