//! Commands that a utility runs, and their environment.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use hookshell_process::text;

use crate::args::Args;
use crate::fds::FdTable;
use crate::io::Running;
use crate::utility::{CommandCall, CommandOutcome, Environment, Stopped, TimeLimit};

/// An environment that is being changed. Names are compared as the system compares them.
#[derive(Debug, Clone)]
pub struct Variables {
    list: Vec<(OsString, OsString)>,
}

impl Variables {
    /// Of these.
    pub fn new(list: Vec<(OsString, OsString)>) -> Self {
        Self { list }
    }

    /// Sets a variable: in its place, or as the last.
    pub fn set(&mut self, name: &[u8], value: &[u8]) {
        let (name, value) = (text::to_os(name), text::to_os(value).into_owned());
        match self.list.iter_mut().find(|(known, _)| is_same(known, &name)) {
            Some(entry) => entry.1 = value,
            None => self.list.push((name.into_owned(), value)),
        }
    }

    /// Takes a variable away.
    pub fn unset(&mut self, name: &[u8]) {
        let name = text::to_os(name);
        self.list.retain(|(known, _)| !is_same(known, &name));
    }

    /// `NAME=VALUE` of each, with the end after it.
    pub fn print(&self, end: u8) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, value) in &self.list {
            out.extend_from_slice(&text::from_os(name));
            out.push(b'=');
            out.extend_from_slice(&text::from_os(value));
            out.push(end);
        }
        out
    }

    /// The environment that it has become.
    pub fn finish(self) -> Environment {
        Arc::new(self.list)
    }
}

/// Do two names mean the same variable?
pub fn is_same(a: &OsStr, b: &OsStr) -> bool {
    if cfg!(windows) { a.eq_ignore_ascii_case(b) } else { a == b }
}

impl Running<'_> {
    /// Runs a command in this utility's own environment.
    pub fn command(&self, argv: &Args, fds: FdTable) -> Result<CommandOutcome, Stopped> {
        let context = self.context();
        self.command_in(argv, context.env, context.cwd, fds, None)
    }

    /// Runs a command.
    pub fn command_in(
        &self,
        argv: &Args,
        env: &Environment,
        cwd: &std::path::Path,
        fds: FdTable,
        limit: Option<TimeLimit>,
    ) -> Result<CommandOutcome, Stopped> {
        self.check()?;
        let outcome = self.context().commands.run_for(&CommandCall { argv, env, cwd, fds }, limit)?;
        self.check()?;
        Ok(outcome)
    }
}
