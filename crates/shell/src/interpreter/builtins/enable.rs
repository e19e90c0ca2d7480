//! bash: `enable`

use hookshell_syntax::ast::Argument;
use hookshell_utility::Args;

use super::help::usage;
use super::{BUILTINS, USAGE, done, options};
use crate::flow::Flow;
use crate::shell::Shell;

/// `enable [-a] [-dnps] [-f filename] [name …]`
pub(super) fn enable(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let (letters, first) = match options(shell, args, b"adfnps") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    let has = |letter: u8| letters.contains(&letter);
    if (has(b'f') || has(b'd')) && shell.refuses(b"enable", b"") {
        return done(1);
    }
    // The name of the file is the argument of -f.
    if has(b'f') && first >= args.len() {
        shell.builtin_error(b"enable", "-f: option requires an argument");
        usage(shell, b"enable");
        return done(USAGE);
    }
    if has(b'f') || has(b'd') {
        let letter = if has(b'f') { 'f' } else { 'd' };
        shell.builtin_error(b"enable", format!("-{letter}: this shell loads no built-ins from shared objects"));
        return done(1);
    }
    if first >= args.len() || has(b'p') {
        return list(shell, &letters);
    }
    let mut status = 0;
    for name in args.iter_from(first) {
        if super::find(name).is_some() {
            if !has(b'n') && shell.jobs.is_disabled(name) && shell.refuses(b"enable", b"") {
                status = 1;
                continue;
            }
            shell.jobs.set_disabled(name, has(b'n'));
        } else {
            shell.builtin_error(b"enable", [name, b": not a shell builtin"].concat());
            status = 1;
        }
    }
    done(status)
}

fn list(shell: &mut Shell, letters: &[u8]) -> Flow<u8> {
    let has = |letter: u8| letters.contains(&letter);
    let mut output = Vec::new();
    for builtin in BUILTINS {
        let disabled = shell.jobs.is_disabled(builtin.name.as_bytes());
        if (has(b's') && !builtin.is_special) || (!has(b'a') && disabled != has(b'n')) {
            continue;
        }
        output.extend_from_slice(if disabled { b"enable -n " } else { b"enable " });
        output.extend_from_slice(builtin.name.as_bytes());
        output.push(b'\n');
    }
    shell.print(b"enable", &output)
}
