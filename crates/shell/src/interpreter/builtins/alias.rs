//! `alias`, `unalias` (XCU alias, unalias)

use std::sync::Arc;

use hookshell_syntax::ast::Argument;
use hookshell_text::quote;
use hookshell_utility::Args;

use super::help::usage;
use super::{done, options};
use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;

/// One line: a command that defines the alias, in POSIX mode only its operand.
fn definition(name: &[u8], value: &[u8], posix: bool, out: &mut Vec<u8>) {
    if !posix {
        out.extend_from_slice(if name.starts_with(b"-") { b"alias -- " } else { b"alias " });
    }
    out.extend_from_slice(name);
    out.push(b'=');
    quote::single(value, out);
    out.push(b'\n');
}

/// `alias [-p] [name[=value] …]`
pub(super) fn alias(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let (letters, first) = match options(shell, args, b"p") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    let posix = shell.opt(Opt::Posix) && !letters.contains(&b'p');
    let mut output = Vec::new();
    let mut status = 0;
    // bash: `-p` with nothing to show defines nothing.
    if letters.contains(&b'p') && shell.env.inherited.aliases.is_empty() {
        return done(0);
    }
    if letters.contains(&b'p') || first >= args.len() {
        for (name, value) in shell.env.inherited.aliases.iter() {
            definition(name, value, posix, &mut output);
        }
    }
    for operand in args.iter_from(first) {
        match operand.iter().position(|&b| b == b'=') {
            Some(at) if at > 0 => {
                let (name, value) = (&operand[..at], &operand[at + 1..]);
                if name.iter().any(|b| b" \t\n/$`\\\"'&;()<>|".contains(b)) {
                    shell.print_before_error(&mut output);
                    shell.builtin_error(b"alias", [b"`", name, b"': invalid alias name"].concat());
                    status = 1;
                    continue;
                }
                Arc::make_mut(&mut shell.env.inherited.aliases).insert(name.to_vec(), value.to_vec());
                shell.set_table_entry(b"BASH_ALIASES", name, Some(value));
                shell.env.parse_epoch += 1;
                shell.grew(operand.len() + 96)?;
            }
            _ => match shell.env.inherited.aliases.get(operand) {
                Some(value) => definition(operand, value, posix, &mut output),
                None => {
                    shell.print_before_error(&mut output);
                    shell.builtin_error(b"alias", [operand, b": not found"].concat());
                    status = 1;
                }
            },
        }
    }
    let printed = shell.print(b"alias", &output);
    if status == 0 { printed } else { printed.map_continue(|_| status) }
}

/// `unalias [-a] name …`
pub(super) fn unalias(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let (letters, first) = match options(shell, args, b"a") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    shell.env.parse_epoch += 1;
    if letters.contains(&b'a') {
        shell.env.inherited.aliases = Arc::default();
        shell.set_table(b"BASH_ALIASES", std::iter::empty());
        return done(0);
    }
    if first >= args.len() {
        usage(shell, b"unalias");
        return done(super::USAGE);
    }
    let mut status = 0;
    for name in args.iter_from(first) {
        if Arc::make_mut(&mut shell.env.inherited.aliases).remove(name).is_none() {
            shell.builtin_error(b"unalias", [name, b": not found"].concat());
            status = 1;
        }
        shell.set_table_entry(b"BASH_ALIASES", name, None);
    }
    done(status)
}
