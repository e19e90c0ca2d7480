//! `awk` (POSIX XCU awk): one of our own, because no crate is complete, works on bytes, and leaves the process alone.
//!
//! Where POSIX leaves a choice, what gawk and mawk agree on is done; where they differ, what POSIX says, else gawk's
//! way (characters and not bytes in `length`, `substr` and `index`; integers of any size with all their digits; interval
//! expressions; a division by zero ends the program), other than for a file that cannot be read, which ends the program
//! as in mawk and BWK's awk. What only gawk has is refused: `|&`, `@include`, `BEGINFILE`, arrays of arrays, PROCINFO
//! and the like; `gensub`, `match` with an array, `asort`, `asorti`, `strtonum`, `and` and its like (`machine/gawk.rs`),
//! `\y \< \> \s \w`, FPAT, IGNORECASE and `PROCINFO["sorted_in"]` run here only where there is no awk on PATH.
#![forbid(unsafe_code)]

mod ast;
mod code;
mod command;
mod compile;
mod fail;
mod format;
mod input;
mod lexer;
mod machine;
mod number;
mod output;
mod parser;
mod record;
mod regex;
mod text;
mod value;

use std::sync::Arc;

use hookshell_utility::Profile;
use hookshell_utility::io::{Failure, Running};
use hookshell_utility::prepare_compiling;
use hookshell_utility::recent::Recent;
use hookshell_utility::{Language, Prepared, Unsupported, Utility, UtilityCall};

use code::Code;
use command::Command;
use fail::Fail;
use lexer::Complaint;
use machine::Machine;
use text::Characters;

/// This family.
pub fn all() -> Vec<Box<dyn Utility>> {
    vec![Box::new(Awk::default())]
}

/// `awk [-F FS] [-v NAME=VALUE]… [--] PROGRAM [OPERAND]…`, `awk -f FILE… …`
#[derive(Default)]
struct Awk {
    programs: Recent<(Box<[u8]>, Characters), Arc<Code>>,
}

/// Why a program does not run.
enum Refused {
    Unsupported(Unsupported),
    /// It is none: what an awk says of it.
    Mistake(String),
}

impl Refused {
    /// Of a program of which this is complained; `said` is what is said of it.
    fn new(what: &Complaint, said: &dyn std::fmt::Display) -> Self {
        match what {
            Complaint::Unsupported(_) => Self::Unsupported(Unsupported::new(format!("this program ({said})"))),
            Complaint::Mistake(_) => Self::Mistake(said.to_string()),
        }
    }
}

impl From<Unsupported> for Refused {
    fn from(unsupported: Unsupported) -> Self {
        Self::Unsupported(unsupported)
    }
}

impl Awk {
    /// Compiles a program, or finds it among those that were.
    fn code(&self, source: &[u8], characters: Characters) -> Result<Arc<Code>, Refused> {
        let is_it = |(known, of): &(Box<[u8]>, Characters)| *of == characters && **known == *source;
        if let Some(code) = self.programs.get(is_it) {
            return Ok(code);
        }
        let program = parser::parse(source).map_err(|error| Refused::new(&error.what, &error))?;
        let code = compile::compile(program, characters).map_err(|what| Refused::new(&what, &what.text()))?;
        let code = Arc::new(code);
        self.programs.keep(source.len(), || (source.into(), characters), &code);
        Ok(code)
    }

    fn read<'a>(&self, call: &UtilityCall<'a>) -> Result<Call<'a>, Unsupported> {
        let command = Command::read(call)?;
        if let Some(mistake) = command.mistake.clone() {
            return Ok(Call { command, code: Some(Err(mistake)) });
        }
        let code = match command.source.known() {
            None => None,
            Some(source) => match self.code_of(&command, &source) {
                Ok(code) => Some(Ok(code)),
                Err(Refused::Mistake(message)) => Some(Err(message)),
                Err(Refused::Unsupported(unsupported)) => return Err(unsupported),
            },
        };
        Ok(Call { command, code })
    }

    /// Compiles the program of a command line.
    fn code_of(&self, command: &Command<'_>, source: &[u8]) -> Result<Arc<Code>, Refused> {
        let code = self.code(source, command.characters)?;
        for (name, _) in &command.assignments {
            if code.functions.iter().any(|function| *function.name == **name) {
                let name = String::from_utf8_lossy(name);
                return Err(Refused::Mistake(format!("the function {name} is assigned to by -v")));
            }
        }
        Ok(code)
    }

    fn run(&self, running: &Running<'_>, call: Call<'_>) -> Result<u8, Failure> {
        let Call { mut command, code } = call;
        if let Err(unsupported) = command.source.read(running) {
            return running.refuse(&unsupported);
        }
        let code = match code {
            Some(code) => code.map_err(Refused::Mistake),
            None => self.code_of(&command, &command.source.known().unwrap_or_default()),
        };
        let code = match code {
            Ok(code) => code,
            Err(Refused::Mistake(message)) => {
                running.message(message.as_bytes())?;
                return Ok(2);
            }
            Err(Refused::Unsupported(unsupported)) => return running.refuse(&unsupported),
        };
        let mut machine = Machine::new(running, &code, command.characters);
        machine.set_arguments(running.context().argv, &command.operands);
        for (name, value) in &command.assignments {
            match machine.assign_operand(name, value) {
                Ok(()) => {}
                Err(Fail::Failure(failure)) => return Err(failure),
                Err(Fail::Fatal(message)) => {
                    running.message(&message).map_err(Failure::from)?;
                    return Ok(2);
                }
            }
        }
        machine.run()
    }
}

/// A call that was read.
struct Call<'a> {
    command: Command<'a>,
    /// The compiled program, or what an awk says of it; `None`: it is read when it runs.
    code: Option<Result<Arc<Code>, String>>,
}

impl Call<'_> {
    /// Does a real awk come first? One knows what is wrong in this one's eyes, does what the awks do not agree on in its own way, and
    /// gets what can be read only once.
    fn yields(&self) -> bool {
        match &self.code {
            Some(Ok(code)) => code.differing.or(self.command.differing).is_some(),
            Some(Err(_)) | None => true,
        }
    }

    /// Does the program compile?
    fn language(&self) -> Language {
        match &self.code {
            Some(Ok(_)) => Language::Compiles,
            Some(Err(message)) if self.command.mistake.is_none() => Language::Wrong(message.clone()),
            Some(Err(_)) | None => Language::None,
        }
    }
}

impl Utility for Awk {
    fn name(&self) -> &'static str {
        "awk"
    }

    fn prepare<'a>(&'a self, call: &UtilityCall<'a>) -> Result<Box<dyn Prepared + 'a>, Unsupported> {
        prepare_compiling(
            Profile::new(self.name()).usage(2).write_error(Some(2)),
            call,
            |call| self.read(call),
            Call::yields,
            Call::language,
            |running, call| self.run(running, call),
        )
    }
}
