//! What a check finds, and who takes it.

use std::collections::HashMap;
use std::fmt;
use std::path::{MAIN_SEPARATOR_STR, Path};
use std::sync::Arc;

use serde::Serialize;

use super::FindingCode;
use super::judge::Allowance;
use super::project::Elsewhere;
use super::suppress::Comments;
use crate::config::{ConfigError, HookConfig, Place, Warning};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The hook will not do what it says.
    Error,
    /// It may not.
    Warning,
}

/// Something that is wrong.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What kind it is.
    pub code: FindingCode,
    /// The file: a config, or a script that it names.
    pub file: String,
    /// The line; the first is 1.
    pub line: Option<usize>,
    /// The column in characters; the first is 1.
    pub column: Option<usize>,
    /// What messages call the hook, where it is about one.
    pub hook: Option<String>,
    /// What is wrong, and what to do.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, ": {severity}: ")?;
        if let Some(hook) = &self.hook {
            write!(f, "{hook}: ")?;
        }
        write!(f, "{} [{}]", self.message, self.code)
    }
}

/// Takes the findings about one hook.
pub(super) struct Sink<'a> {
    pub(super) hook: &'a HookConfig,
    pub(super) findings: &'a mut Vec<Finding>,
    /// The comments of the config and of the scripts that were looked at.
    pub(super) comments: &'a mut HashMap<String, Comments>,
    /// Is what it is told sure to happen? Else an error is a warning.
    pub(super) is_sure: bool,
    /// Is a program that is not there put up with?
    pub(super) is_tolerated: bool,
    /// Where its files may be if they are not where it runs.
    pub(super) elsewhere: Elsewhere,
    pub(super) allowance: &'a Arc<Allowance>,
}

impl Sink<'_> {
    pub(super) fn push(&mut self, severity: Severity, code: FindingCode, place: Option<Place>, message: String) {
        let name = Some(self.hook.display_name());
        let severity = if self.is_sure { severity } else { Severity::Warning };
        let finding = match place.or_else(|| self.hook.place.clone()) {
            Some(place) => finding(severity, code, &place, name, message),
            None => Finding { severity, code, file: String::new(), line: None, column: None, hook: name, message },
        };
        self.findings.push(finding);
    }

    pub(super) fn error(&mut self, code: FindingCode, message: String) {
        self.push(Severity::Error, code, None, message);
    }

    pub(super) fn warn(&mut self, code: FindingCode, message: String) {
        self.push(Severity::Warning, code, None, message);
    }
}

/// A file as findings name it: with the system's separators, though commands name files with slashes on Windows too.
pub(super) fn shown(file: &Path) -> String {
    let name = file.display().to_string();
    if cfg!(windows) { name.replace('/', MAIN_SEPARATOR_STR) } else { name }
}

pub(super) fn unread_directory(directory: &Path, why: &str) -> Finding {
    Finding {
        severity: Severity::Error,
        code: FindingCode::UnreadableConfig,
        file: shown(directory),
        line: None,
        column: None,
        hook: None,
        message: format!("the files in this directory are not checked: {why}"),
    }
}

pub(super) fn unknown_code(file: String, line: Option<usize>, code: &str) -> Finding {
    Finding {
        severity: Severity::Warning,
        code: FindingCode::UnknownCode,
        file,
        line,
        column: line.map(|_| 1),
        hook: None,
        message: format!("there is no finding `{code}` to ignore: docs/findings.md lists the codes"),
    }
}

fn finding(severity: Severity, code: FindingCode, place: &Place, hook: Option<String>, message: String) -> Finding {
    Finding {
        severity,
        code,
        file: shown(&place.file),
        line: Some(place.line),
        column: Some(place.column),
        hook,
        message,
    }
}

pub(super) fn of_warning(warning: &Warning) -> Finding {
    let code = FindingCode::of_warning(&warning.kind);
    finding(Severity::Warning, code, &warning.place, None, warning.kind.to_string())
}

pub(super) fn of_config(error: &ConfigError, file: &Path) -> Finding {
    let code = FindingCode::of_error(error);
    let mut message = error.to_string();
    let place = error.place();
    let prefix = match place {
        Some(place) => format!("{place}: "),
        None => format!("{}: ", file.display()),
    };
    if let Some(rest) = message.strip_prefix(&prefix) {
        message = rest.to_owned();
    }
    match place {
        Some(place) => finding(Severity::Error, code, place, None, message),
        None => Finding {
            severity: Severity::Error,
            code,
            file: shown(file),
            line: None,
            column: None,
            hook: None,
            message,
        },
    }
}
