//! Where hookshell was built without the feature `otlp`.

use std::ffi::OsString;
use std::time::SystemTime;

use hookshell_runner::{Event, HookReport};

use super::ENDPOINT;
use crate::output::note;

/// There is none.
#[derive(Clone)]
pub(crate) enum Exporter {}

impl Exporter {
    /// None; with `is_verbose` whoever has set the variable is told why.
    pub(crate) fn of(variable: impl Fn(&str) -> Option<OsString>, is_verbose: bool) -> Option<Self> {
        if is_verbose && variable(ENDPOINT).is_some_and(|endpoint| !endpoint.is_empty()) {
            note(&format!("{ENDPOINT}: no spans are sent: this hookshell was built without the feature `otlp`"));
        }
        None
    }

    pub(crate) fn export(&self, _: &Event, _: &[HookReport], _: SystemTime) {
        match *self {}
    }

    pub(crate) fn flush(&self) {
        match *self {}
    }
}
