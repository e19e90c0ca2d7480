//! `printf` (XCU printf)

use std::time::{SystemTime, UNIX_EPOCH};

use hookshell_syntax::ast::Argument;
use hookshell_text::printf::{self, PrintfEnv};
use hookshell_text::strftime::Zone;
use hookshell_utility::Args;
use hookshell_utility::timezone;

use super::help::{invalid_option, usage};
use super::letters::Letters;
use super::{USAGE, assigned, done};
use crate::flow::Flow;
use crate::shell::Shell;

struct Env<'a>(&'a Shell);

impl PrintfEnv for Env<'_> {
    fn bytes(&self) -> bool {
        self.0.env.bytes
    }

    fn now(&self) -> i64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
    }

    fn start(&self) -> i64 {
        self.now().saturating_sub(i64::try_from(self.0.host.started.elapsed().as_secs()).unwrap_or(0))
    }

    fn zone(&self, seconds: i64) -> Zone {
        timezone::at(&timezone::of(self.0.vars.scalar_bytes(b"TZ")), seconds)
    }

    fn max_output(&self) -> usize {
        self.0.host.limits.expansion_bytes
    }
}

/// `printf [-v var] format [argument …]`
pub(super) fn printf(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let mut letters = Letters::of(args);
    let mut variable: Option<Vec<u8>> = None;
    while let Some(letter) = letters.next() {
        match letter {
            b'v' => match letters.value(shell, letter) {
                Ok(name) => variable = Some(name.to_vec()),
                Err(status) => return done(status),
            },
            other => return done(invalid_option(shell, b"printf", &[b'-', other])),
        }
    }
    let index = letters.operands();
    let Some(format) = args.get(index) else {
        usage(shell, &args[0]);
        return done(USAGE);
    };
    let target = match &variable {
        Some(name) => match shell.reference_of_word(name)? {
            Some(reference) if shell.is_assignable(&reference) => Some(reference),
            _ => {
                shell.builtin_error(b"printf", [b"`", &**name, b"': not a valid identifier"].concat());
                return done(USAGE);
            }
        },
        None => None,
    };
    let words = args.slices_from(index + 1);
    shell.host.cancel.before_wait_if(|| may_take_long(format));
    let mut output = shell.take_bytes();
    let outcome = printf::format(format, &words, &Env(shell), &mut output);
    let mut status = outcome.status();
    for (name, count) in &outcome.counts {
        if hookshell_syntax::is_name(name) {
            shell.set_variable(name, count.to_string().as_bytes())?;
        }
    }
    match target {
        Some(reference) => {
            // No variable holds a NUL: what follows is lost, as in bash.
            output.truncate(memchr::memchr(0, &output).unwrap_or(output.len()));
            let assign = |shell: &mut Shell| shell.assign_reference(&reference, output.clone(), false);
            if !shell.assigning_as("printf", |shell| assigned(shell, assign))? {
                status = 1;
            }
        }
        None => {
            // As in C, whole lines go out before a message, and the rest after it.
            let mut written = 0;
            for (error, place) in outcome.errors.iter().zip(&outcome.error_places) {
                let before = output.get(written..*place).unwrap_or_default();
                if let Some(line) = memchr::memrchr(b'\n', before) {
                    status = print(shell, &before[..=line], status)?;
                    written += line + 1;
                }
                shell.builtin_error(b"printf", error.to_string());
            }
            status = print(shell, output.get(written..).unwrap_or_default(), status)?;
            shell.give_bytes(output);
            return done(status);
        }
    }
    shell.give_bytes(output);
    for error in outcome.errors {
        shell.builtin_error(b"printf", error.to_string());
    }
    done(status)
}

/// Writes a part of the output; the status is that of the writing where that fails.
fn print(shell: &mut Shell, output: &[u8], status: u8) -> Flow<u8> {
    shell.print(b"printf", output).map_continue(|failed| if failed == 0 { status } else { failed })
}

/// Has it a width or a precision of more than three digits, or one that an argument says, or a time, whose zone is read from a file?
fn may_take_long(format: &[u8]) -> bool {
    format.contains(&b'*')
        || format.windows(4).any(|four| four.iter().all(u8::is_ascii_digit))
        || format.windows(2).any(|two| two == b"%(")
}
