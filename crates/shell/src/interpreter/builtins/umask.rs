//! `umask` (XCU umask). The mask is the interpreter's: the process's own is never changed.

use hookshell_process::system;
use hookshell_syntax::ast::Argument;
use hookshell_text::umask as text;
use hookshell_utility::Args;

use super::{done, options};
use crate::flow::Flow;
use crate::shell::Shell;

/// The mask of a host that cannot be asked for its own without changing it.
const USUAL: u32 = 0o022;

/// `umask [-p] [-S] [mask]`
pub(super) fn umask(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let (letters, first) = match options(shell, args, b"pS") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    let current = shell.env.inherited.umask.or_else(system::host_umask).unwrap_or(USUAL);
    let symbolic = letters.contains(&b'S');
    let Some(mode) = args.get(first) else {
        let mut output = Vec::new();
        if letters.contains(&b'p') {
            output.extend_from_slice(if symbolic { b"umask -S " } else { b"umask " });
        }
        output.extend_from_slice(if symbolic { text::symbolic(current) } else { text::octal(current) }.as_bytes());
        output.push(b'\n');
        return shell.print(b"umask", &output);
    };
    match text::parse(mode, current) {
        Ok(mask) => {
            shell.env.inherited.umask = Some(mask);
            if symbolic {
                let mut output = text::symbolic(mask).into_bytes();
                output.push(b'\n');
                return shell.print(b"umask", &output);
            }
            done(0)
        }
        Err(error) => {
            let mode = mode.to_vec();
            let message = match error {
                text::UmaskError::OctalOutOfRange => [&*mode, b": ", error.to_string().as_bytes()].concat(),
                _ => error.to_string().into_bytes(),
            };
            shell.builtin_error(b"umask", message);
            done(1)
        }
    }
}
