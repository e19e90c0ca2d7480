//! Reading config files: whose each is, and the files that are hooks by themselves.

mod hook_file;
mod python_module;

use std::path::Path;

pub use self::hook_file::{discover_hook_files, discover_user_hook_files};
use crate::config::{Agents, Config, ConfigError, FILE_BYTES, FoundFile, Origin, Reached, read, with_cause};
use crate::dialect::Dialect;
use crate::encoding::to_utf8;
use crate::guess::guess;
use crate::read_file::{CONFIG_LIMIT, read_any, read_regular};
use crate::registry::AGENTS;

/// What a reader asks of all agents.
const KNOWN: Agents = Agents { all: &AGENTS, contract: Dialect::contract, guess };

impl Config {
    /// Reads a config from its text. `file` is what messages call it.
    ///
    /// # Errors
    /// The first thing that is wrong: not JSON, a wrong type, a bad regular expression.
    pub fn parse(text: &str, file: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        match config.add(text, file).into_iter().next() {
            None => Ok(config),
            Some(error) => Err(error),
        }
    }

    /// Reads config files, the user's before the project's.
    ///
    /// # Errors
    /// A file cannot be read, or the first thing that is wrong in one.
    pub fn load<P: AsRef<Path>>(files: impl IntoIterator<Item = P>) -> Result<Self, ConfigError> {
        let mut config = Self::default();
        for file in files {
            if let Some(error) = config.add_file(file).into_iter().next() {
                return Err(error);
            }
        }
        Ok(config)
    }

    /// Adds the hooks of a config text, and gives everything that is wrong with it. What is wrong is left out.
    pub fn add(&mut self, text: &str, file: impl AsRef<Path>) -> Vec<ConfigError> {
        read(text, file.as_ref(), self, &KNOWN)
    }

    /// Adds the hooks of a config file, and gives everything that is wrong with it. What is wrong is left out.
    ///
    /// More than 16 MiB are not read.
    pub fn add_file(&mut self, file: impl AsRef<Path>) -> Vec<ConfigError> {
        let file = file.as_ref();
        self.add_bytes(file, read_any(file, CONFIG_LIMIT))
    }

    fn add_bytes(&mut self, file: &Path, bytes: std::io::Result<Vec<u8>>) -> Vec<ConfigError> {
        let read = |source| ConfigError::Read { file: file.to_owned(), source };
        match bytes {
            Err(source) => vec![read(with_cause(file, source))],
            // Windows PowerShell's `>` writes UTF-16.
            Ok(bytes) => match std::str::from_utf8(&to_utf8(&bytes)) {
                Err(error) => {
                    let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                    let message = format!("line {line} is not UTF-8 text: save the file as UTF-8");
                    vec![read(std::io::Error::new(std::io::ErrorKind::InvalidData, message))]
                }
                Ok(text) => self.add(text, file),
            },
        }
    }

    /// Adds the hooks of a config file that was found and not named ([`Origin::Given`]: named after all), as [`Config::add_file`] does. Where it is one of
    /// several files of settings (Claude Code's, Gemini CLI's) and switches hooks off, those of the others do not run
    /// either, as far as it may say so ([`Origin::may_change`]): the user's file speaks for the project's too, and the project's
    /// for its own alone. What an administrator manages is switched off by an administrator only.
    ///
    /// Of a project's files only so much is read: 256 files of 1 MiB each and 4 MiB in all, 1000 hooks, and 32 matchers that are
    /// no plain names. What is beyond is an error, and is left out.
    pub fn add_found(&mut self, file: &FoundFile) -> Vec<ConfigError> {
        let before = self.hooks.len();
        self.is_switched_off = false;
        self.origin = file.origin;
        let errors = match self.read_found(file) {
            Ok(bytes) => self.add_bytes(&file.path, bytes),
            Err(reached) => reached.into_iter().map(|reached| reached.error(&file.path, None)).collect(),
        };
        self.origin = Origin::Given;
        for hook in self.hooks.iter_mut().skip(before) {
            hook.origin = file.origin;
        }
        let dialect = self.sources.last().filter(|source| source.file == file.path).map(|source| source.dialect);
        self.off.extend(dialect.filter(|_| self.is_switched_off).map(|dialect| (dialect, file.origin)));
        self.drop_switched_off();
        errors
    }

    /// A file's bytes, or the limit on a project's files that it is beyond.
    fn read_found(&mut self, file: &FoundFile) -> Result<std::io::Result<Vec<u8>>, Option<Reached>> {
        match file.origin {
            // Who names a file may mean a pipe.
            Origin::Given => Ok(read_any(&file.path, CONFIG_LIMIT)),
            Origin::User | Origin::Managed => Ok(read_regular(&file.path, CONFIG_LIMIT)),
            // A project's; and of what comes to be else no more is trusted.
            _ => {
                self.budget.file()?;
                let bytes = read_regular(&file.path, FILE_BYTES);
                self.budget.bytes(bytes.as_ref().map_or(0, Vec::len))?;
                Ok(bytes)
            }
        }
    }

    fn drop_switched_off(&mut self) {
        if self.off.is_empty() {
            return;
        }
        let off = &self.off;
        self.hooks.retain(|hook| {
            !off.iter().any(|(dialect, origin)| {
                // What is named for this run is only switched off by what is.
                let is_meant =
                    hook.origin != Origin::Given || *origin == Origin::Given && dialect.contract().switches_off_given();
                *dialect == hook.dialect
                    && is_meant
                    && origin.may_change(hook.origin)
                    && !dialect.contract().stays_on(hook)
            })
        });
    }
}
