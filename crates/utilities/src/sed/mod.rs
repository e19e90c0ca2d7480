//! `sed`: the stream editor.

mod command_line;
mod execute;
mod fault;
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
use fault::Fault;
use program::Program;

/// How many compiled scripts a session keeps.
const KEPT: usize = 32;

/// `sed` as GNU sed 4.9 does it, without `--posix`, `--debug` and `--follow-symlinks`. A script with an error is left to the real one where
/// there is one.
#[derive(Default)]
struct Sed {
    kept: Mutex<Vec<(program::Source, Arc<Program>)>>,
}

/// Those of this folder.
pub(crate) fn all() -> Vec<Box<dyn Utility>> {
    vec![Box::new(Sed::default())]
}

impl Sed {
    fn read<'a>(
        &self,
        call: &UtilityCall<'a>,
        context: Option<&UtilityContext<'_>>,
    ) -> Result<(CommandLine<'a>, Arc<Program>), Fault> {
        let line = command_line::read(call, context)?;
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, program)) = kept().iter().find(|(source, _)| *source == line.source) {
            return Ok((line, Arc::clone(program)));
        }
        let program = Arc::new(parse::parse(&line.source)?);
        if line.in_place.is_some() && line.operands.is_empty() {
            return Err(Fault::fatal("no input files"));
        }
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
        match self.read(call, None).map_err(Fault::into_unsupported)?.0.posix {
            // The real one leaves its extensions out.
            true => Err(Unsupported::mistake("the option --posix")),
            false => Ok(()),
        }
    }

    fn run(&self, context: &mut UtilityContext<'_>) -> Result<u8, Stopped> {
        let context = &*context;
        Running::run(
            self.name(),
            context,
            |call| match self.read(call, Some(context)) {
                Err(Fault::Unsupported(unsupported)) => Err(unsupported),
                Err(Fault::Mistake(message, status)) => Ok(Err((message, status))),
                Ok(read) => Ok(Ok(read)),
            },
            |running, read| match read {
                Ok((line, program)) => execute::run(running, &line, &program),
                Err((message, status)) => {
                    running.message(&message)?;
                    Ok(status)
                }
            },
        )
    }
}
