//! Parsed command strings and scripts, remembered.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use bstr::ByteSlice;
use hookshell_process::sync::lock;
use hookshell_shell::Limits;
use hookshell_shell::command_line::Setup;
use hookshell_syntax::ast::{Argument, Command, Unit};
use hookshell_syntax::{
    Dialect, ParseOptions, Parser, Program, SyntaxError, parse_for_analysis, parse_prefix_with_stop,
};

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
        if let Some(program) = lock(&self.programs).get(&key) {
            return program.clone();
        }
        let options = limits.parse_options(dialect);
        let program = Arc::new(parse_prefix_with_stop(source.clone(), &options, stop));
        if source.len() <= CACHED_SOURCE_LIMIT && program.rest.is_none() {
            let mut programs = lock(&self.programs);
            if programs.len() >= COUNT_LIMIT {
                programs.clear();
            }
            programs.insert(key, program.clone());
        }
        program
    }

    /// Takes all programs, so that they can be dropped where there is enough stack.
    pub(crate) fn take(&self) -> Option<impl Send + 'static> {
        let programs = std::mem::take(&mut *lock(&self.programs));
        (!programs.is_empty()).then_some(programs)
    }
}

/// Reads scripts as the shells of one run read them.
#[derive(Debug, Clone)]
pub(crate) struct ScriptReader {
    pub(crate) cache: Arc<ProgramCache>,
    pub(crate) limits: Limits,
    pub(crate) dialect: Dialect,
}

impl ScriptReader {
    /// Can the in-process shell, set up like this, read the text to its end? Gives the program if it is the one that this shell
    /// will run. To be called on a pool thread.
    ///
    /// # Errors
    /// The text is no program for it from here on, and nothing in front of that can change how it is read.
    pub(crate) fn read(&self, text: &Arc<[u8]>, setup: &Setup) -> Result<Option<Arc<Program>>, SyntaxError> {
        let program = self.cache.parse(text, self.dialect, &self.limits, &|| false);
        let error = match &program.error {
            None => self.error_in_rest(&program),
            // It costs its line and nothing else, or it is not reached.
            Some(error) if error.drops_line || program.units.iter().any(|unit| ends_reading(unit)) => None,
            Some(error) => Some(error.clone()),
        };
        let Some(error) = error else { return Ok(setup.is_plain().then_some(program)) };
        let before = text.get(..error.span.start as usize).unwrap_or_default();
        let has = |word: &[u8]| before.contains_str(word);
        // Of aliases only the run knows.
        if has(b"alias") || !setup.is_plain() || has(b"extglob") && self.is_readable_with_patterns(text) {
            return Ok(None);
        }
        Err(error)
    }

    /// With bash's extended patterns from the command on that names them.
    fn is_readable_with_patterns(&self, text: &Arc<[u8]>) -> bool {
        parse_for_analysis(text.clone(), &self.options()).error.is_none()
    }

    /// The first error after the beginning that a shell reads before it runs anything.
    fn error_in_rest(&self, program: &Program) -> Option<SyntaxError> {
        /// After it nothing is looked at: a text of that length is data for the most part, and takes time.
        const LENGTH: usize = 4 * 1024 * 1024;
        let (offset, line) = program.rest?;
        if program.source.len() > LENGTH || program.units.iter().any(|unit| ends_reading(unit)) {
            return None;
        }
        let options = self.options();
        let mut parser = Parser::at(&program.source, offset, line);
        loop {
            match parser.next_unit(&options, None) {
                Ok(Some(unit)) if ends_reading(&unit) => return None,
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) if error.drops_line => return None,
                Err(error) => return Some(error),
            }
        }
    }

    fn options(&self) -> ParseOptions {
        self.limits.parse_options(self.dialect)
    }
}

/// Is it a command on its own after which a shell reads nothing: `exit`, `exec PROGRAM`? What follows may be an archive.
fn ends_reading(unit: &Unit) -> bool {
    unit.list.items.iter().any(|item| {
        let [stage] = &*item.and_or.first.stages else { return false };
        let Command::Simple(simple) = &stage.command else { return false };
        let word = |at: usize| match simple.arguments.get(at) {
            Some(Argument::Word(word)) => word.literal(),
            _ => None,
        };
        match word(0).as_deref() {
            Some(b"exit") => !item.background,
            Some(b"exec") => simple.arguments.len() > 1 && !item.background,
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_if_no_error_of_it_is_reached() {
        let cases: &[(&str, bool)] = &[
            ("echo a\n", true),
            ("echo a\nif\n", false),
            ("case x in a) echo\n", false),
            ("exit 0\n)(binary\n", true),
            ("exec cat\n)(binary\n", true),
            ("exec 3>&1\n)(\n", false),
            ("if false; then exit; fi\n)(\n", false),
            ("shopt -s extglob\ncase x in !(a)) ;; esac\n", true),
            ("case x in !(a)) ;; esac\n", false),
            ("shopt -s expand_aliases\nalias begin='if :; then' end=fi\nbegin echo a; end\n", true),
        ];
        let programs = ScriptReader { cache: Arc::default(), limits: Limits::default(), dialect: Dialect::Bash };
        for (text, expected) in cases {
            let read = programs.read(&text.as_bytes().into(), &Setup::default());
            assert_eq!(read.is_ok(), *expected, "{text}");
        }
    }

    #[test]
    fn an_error_after_the_beginning_that_is_read_first_is_found() {
        let programs = ScriptReader { cache: Arc::default(), limits: Limits::default(), dialect: Dialect::Bash };
        let long = "echo a b c d e f g h\n".repeat(20_000);
        for (end, expected) in [("echo end\n", true), (")(\n", false), ("exit\n)(\n", true)] {
            let read = programs.read(&format!("{long}{end}").into_bytes().into(), &Setup::default());
            assert_eq!(read.is_ok(), expected, "{end}");
        }
    }
}
