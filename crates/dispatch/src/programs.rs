//! Parsed command strings, remembered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hookshell_shell::Limits;
use hookshell_syntax::{Dialect, Program, parse_prefix_with_stop};

/// How many programs are remembered. A session has some dozens of hooks; past that it starts anew.
const COUNT_LIMIT: usize = 256;

/// A longer text is parsed each time: remembering it would cost more memory than time saved.
const CACHED_SOURCE_LIMIT: usize = 64 * 1024;

type Programs = HashMap<(Dialect, Arc<[u8]>), Arc<Program>>;

/// A bounded cache of parsed command strings.
#[derive(Debug, Default)]
pub(crate) struct ProgramCache {
    programs: Mutex<Programs>,
}

impl ProgramCache {
    /// The program that a text is, or its beginning where `stop` says so. To be called on a pool thread: parsing recurses.
    pub(crate) fn parse(
        &self,
        source: &Arc<[u8]>,
        dialect: Dialect,
        limits: &Limits,
        stop: &dyn Fn() -> bool,
    ) -> Arc<Program> {
        let key = (dialect, source.clone());
        if let Some(program) = self.lock().get(&key) {
            return program.clone();
        }
        let options = limits.parse_options(dialect);
        let program = Arc::new(parse_prefix_with_stop(source.clone(), &options, stop));
        if source.len() <= CACHED_SOURCE_LIMIT && program.rest.is_none() {
            let mut programs = self.lock();
            if programs.len() >= COUNT_LIMIT {
                programs.clear();
            }
            programs.insert(key, program.clone());
        }
        program
    }

    /// Takes all programs, so that they can be dropped where there is enough stack.
    pub(crate) fn take(&self) -> Option<impl Send + 'static> {
        let programs = std::mem::take(&mut *self.lock());
        (!programs.is_empty()).then_some(programs)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Programs> {
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
