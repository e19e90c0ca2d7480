//! `groups`: the names of the process's groups.

use hookshell_process::system;
use hookshell_shell::{Unsupported, UtilityCall};

use crate::io::{Failure, Running};
use crate::options::parse;

utility! {
    /// `groups` (GNU), of the process itself: other users are for the real program, and so is everything on Windows.
    Groups, "groups"
}

fn read(call: &UtilityCall<'_>) -> Result<(), Unsupported> {
    match parse(call.argv, &[])?.operands.first() {
        _ if cfg!(windows) => Err(Unsupported::new("this system")),
        Some(operand) => Err(Unsupported::new(format!("the user {}", operand.escape_ascii()))),
        None => Ok(()),
    }
}

fn run(running: &Running<'_>, (): ()) -> Result<u8, Failure> {
    let mut words = Vec::new();
    let mut status = 0;
    for id in super::id::group_list() {
        words.push(match system::group_name(id) {
            Some(name) => name,
            None => {
                running.message(format!("cannot find name for group ID {id}").as_bytes())?;
                status = 1;
                id.to_string().into_bytes()
            }
        });
    }
    running.write(&[&words.join(&b' ')[..], b"\n"].concat())?;
    Ok(status)
}
