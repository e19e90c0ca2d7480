//! `sed`: the stream editor.

mod command_line;
mod execute;
mod input;
mod output;
mod parse;
mod program;
mod substitute;
mod text;

use std::sync::{Arc, Mutex, PoisonError};

use hookshell_shell::{Stopped, Unsupported, Utility, UtilityCall, UtilityContext};

use crate::io::Running;
use command_line::CommandLine;
use program::Program;

/// How many compiled scripts a session keeps.
const KEPT: usize = 32;

/// `sed` as GNU sed 4.9 does it, without `e`, `--posix`, `--debug`, `--sandbox` and `--follow-symlinks`. A script with an
/// error is left to the real one, which says where it is.
#[derive(Default)]
struct Sed {
    kept: Mutex<Vec<(program::Source, Arc<Program>)>>,
}

/// Those of this folder.
pub(crate) fn all() -> Vec<Box<dyn Utility>> {
    vec![Box::new(Sed::default())]
}

impl Sed {
    fn read<'a>(&self, call: &UtilityCall<'a>) -> Result<(CommandLine<'a>, Arc<Program>), Unsupported> {
        let line = command_line::read(call)?;
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, program)) = kept().iter().find(|(source, _)| *source == line.source) {
            return Ok((line, Arc::clone(program)));
        }
        let program = Arc::new(parse::parse(&line.source)?);
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((line.source.clone(), Arc::clone(&program)));
        Ok((line, program))
    }
}

impl Utility for Sed {
    fn name(&self) -> &'static str {
        "sed"
    }

    fn accepts(&self, call: &UtilityCall<'_>) -> Result<(), Unsupported> {
        match self.read(call)?.0.posix {
            // The real one leaves its extensions out.
            true => Err(Unsupported::mistake("the option --posix")),
            false => Ok(()),
        }
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        Running::run(
            self.name(),
            context,
            |call| self.read(call),
            |running, (line, program)| execute::run(running, &line, &program),
        )
    }
}
