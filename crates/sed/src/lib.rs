//! `sed`: the stream editor.
#![forbid(unsafe_code)]

mod command_line;
mod execute;
mod fault;
mod input;
mod links;
mod output;
mod parse;
mod program;
mod substitute;
mod text;

use std::sync::Arc;

use hookshell_utility::Profile;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::prepare_compiling;
use hookshell_utility::recent::Recent;
use hookshell_utility::{Language, Prepared, Unsupported, Utility, UtilityCall};

use command_line::CommandLine;
use fault::Fault;
use program::Program;

/// `sed` as GNU sed 4.9 does it, without `--debug`. A script with an error is left to the real one where
/// there is one.
#[derive(Default)]
struct Sed {
    scripts: Recent<program::Source, Arc<Program>>,
}

/// Those of this directory.
pub fn all() -> Vec<Box<dyn Utility>> {
    vec![Box::new(Sed::default())]
}

impl Sed {
    fn read<'a>(&self, call: &UtilityCall<'a>) -> Result<Call<'a>, Unsupported> {
        let mut line = match command_line::read(call) {
            Ok(line) => line,
            Err(Fault::Mistake(message, status)) => return Ok(Call::Wrong(message, status)),
            Err(Fault::Unsupported(unsupported)) => return Err(unsupported),
        };
        if !line.put_together() {
            return Ok(Call::Run(line, None));
        }
        match self.program(&line) {
            Ok(program) => Ok(Call::Run(line, Some(Ok(program)))),
            Err(Fault::Mistake(message, status)) => Ok(Call::Run(line, Some(Err((message, status))))),
            Err(Fault::Unsupported(unsupported)) => Err(unsupported),
        }
    }

    /// Compiles the script of a command line, or finds it among those that were.
    fn program(&self, line: &CommandLine<'_>) -> Result<Arc<Program>, Fault> {
        let program = match self.scripts.get(|source| *source == line.source) {
            Some(program) => program,
            None => {
                let program = Arc::new(parse::parse(&line.source)?);
                self.scripts.keep(line.source.script.len(), || line.source.clone(), &program);
                program
            }
        };
        if line.in_place.is_some() && line.operands.is_empty() {
            return Err(Fault::fatal("no input files"));
        }
        Ok(program)
    }

    fn run(&self, running: &Running<'_>, call: Call<'_>) -> Result<u8, Failure> {
        let names;
        let (mut line, program) = match call {
            Call::Run(line, program) => (line, program),
            Call::Wrong(message, status) => {
                running.message(&message)?;
                return Ok(status);
            }
        };
        if let Err(unsupported) = line.read_rest(running) {
            return running.refuse(&unsupported);
        }
        let program = match program {
            Some(program) => program.map_err(|(message, status)| Fault::Mistake(message, status)),
            None => {
                line.put_together();
                self.program(&line)
            }
        };
        match program {
            Ok(program) => {
                if !line.follows {
                    return execute::run(running, &line, &program);
                }
                let (found, wrong) = links::follow_all(running, &line.operands);
                names = found;
                line.operands = names.iter().map(|name| &name[..]).collect();
                let Some(message) = wrong else { return execute::run(running, &line, &program) };
                // It ends there.
                if !line.operands.is_empty() {
                    execute::run(running, &line, &program)?;
                }
                running.message(&message)?;
                Ok(4)
            }
            Err(Fault::Mistake(message, status)) => {
                running.message(&message)?;
                Ok(status)
            }
            Err(Fault::Unsupported(unsupported)) => running.refuse(&unsupported),
        }
    }
}

/// The compiled script, or the message and status of a wrong one.
type Compiled = Result<Arc<Program>, (Vec<u8>, u8)>;

/// A call that was read.
enum Call<'a> {
    /// `None`: the script is read when it runs.
    Run(CommandLine<'a>, Option<Compiled>),
    /// The message and status of a wrong command line.
    Wrong(Vec<u8>, u8),
}

impl Call<'_> {
    /// Does a real sed come first? One may know what is wrong in this one's eyes, and gets what can be read only once.
    fn yields(&self) -> bool {
        match self {
            Self::Run(_, Some(Ok(_))) => false,
            Self::Run(_, Some(Err(_)) | None) | Self::Wrong(..) => true,
        }
    }

    /// Does the script compile? (`-i` without files is no wrong script.)
    fn language(&self) -> Language {
        match self {
            Self::Run(_, Some(Ok(_))) => Language::Compiles,
            Self::Run(line, Some(Err((message, _)))) if line.in_place.is_none() || !line.operands.is_empty() => {
                Language::Wrong(String::from_utf8_lossy(message).into_owned())
            }
            Self::Run(..) | Self::Wrong(..) => Language::None,
        }
    }
}

impl Utility for Sed {
    fn name(&self) -> &'static str {
        "sed"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare_compiling(
            Profile::new(self.name()).write_error(Some(4)),
            call,
            |call| self.read(call),
            Call::yields,
            Call::language,
            |running, call| self.run(running, call),
        )
    }
}
