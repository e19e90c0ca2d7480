//! bash: `complete` and `compopt`. Nothing is ever completed here, but what scripts register (files that are sourced by
//! interactive shells too) is kept, and shown in the form in which it is read again.

use std::sync::Arc;

use hookshell_syntax::ast::Argument;
use hookshell_text::quote;
use hookshell_utility::Args;

use super::compgen::{ACTIONS, OPTIONS, request};
use super::help::{invalid_option, usage};
use super::{USAGE, done};
use crate::completions::Request;
use crate::flow::Flow;
use crate::shell::Shell;

/// The names by which bash keeps those of `-D`, `-E` and `-I`.
const SPECIAL: [(u8, &[u8]); 3] = [(b'D', b"_DefaultCmD_"), (b'E', b"_EmptycmD_"), (b'I', b"_InitialWorD_")];

/// The place in bash's table, which decides the order of a listing (FNV-1 in 512 buckets).
fn bucket(name: &[u8]) -> u32 {
    name.iter().fold(2_166_136_261_u32, |hash, byte| hash.wrapping_mul(16_777_619) ^ u32::from(*byte)) & 511
}

/// The names that are meant: those of the flags, or the operands.
fn names(flags: &[u8], args: &Args, first: usize) -> Vec<Vec<u8>> {
    // `-E` wins over `-D`, and `-D` over `-I`.
    let special = [b'E', b'D', b'I'].into_iter().find(|letter| flags.contains(letter));
    match SPECIAL.iter().find(|(letter, _)| Some(*letter) == special) {
        Some((_, name)) => vec![name.to_vec()],
        None => args.iter_from(first).map(<[u8]>::to_vec).collect(),
    }
}

fn unknown(shell: &mut Shell, builtin: &[u8], name: &[u8]) {
    shell.builtin_error(builtin, [name, b": no completion specification"].concat());
}

/// `complete [-abcdefgjksuv] [-pr] [-DEI] [-o option] [-A action] … [name …]`
pub(super) fn complete(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"complete";
    let (request, flags, first) = match request(shell, args, b"prDEI") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    let names = names(&flags, args, first);
    let mut status = 0;
    if flags.contains(&b'r') {
        if names.is_empty() {
            shell.env.inherited.completions = Arc::default();
        }
        for name in &names {
            if Arc::make_mut(&mut shell.env.inherited.completions).remove(name).is_none() {
                unknown(shell, NAME, name);
                status = 1;
            }
        }
        return done(status);
    }
    if flags.contains(&b'p') || args.len() == 1 {
        let mut output = Vec::new();
        if names.is_empty() {
            let mut all: Vec<_> = shell.env.inherited.completions.iter().collect();
            all.sort_by_key(|(name, _)| bucket(name));
            all.into_iter().for_each(|(name, request)| show(name, request, &mut output));
        }
        for name in &names {
            match shell.env.inherited.completions.get(name) {
                Some(request) => show(name, request, &mut output),
                None => {
                    shell.print_before_error(&mut output);
                    unknown(shell, NAME, name);
                    status = 1;
                }
            }
        }
        return shell.print(NAME, &output).map_continue(|printed| if printed == 0 { status } else { printed });
    }
    if names.is_empty() {
        usage(shell, NAME);
        return done(USAGE);
    }
    let completions = Arc::make_mut(&mut shell.env.inherited.completions);
    let mut more = 0;
    for name in names {
        more += name.len() + request.bytes();
        completions.insert(name, request.clone());
    }
    shell.grew(more)?;
    done(0)
}

/// `complete … NAME`, as it is read again.
fn show(name: &[u8], request: &Request, out: &mut Vec<u8>) {
    out.extend_from_slice(b"complete ");
    for option in OPTIONS.iter().filter(|option| request.options.contains(option)) {
        out.extend_from_slice(format!("-o {option} ").as_bytes());
    }
    for (_, long, letter) in ACTIONS.iter().filter(|(action, _, _)| request.actions.contains(action)) {
        match letter {
            Some(letter) => out.extend_from_slice(&[b'-', *letter, b' ']),
            None => out.extend_from_slice(format!("-A {long} ").as_bytes()),
        }
    }
    for (letter, text) in [
        (b'G', &request.glob),
        (b'W', &request.words),
        (b'P', &request.prefix),
        (b'S', &request.suffix),
        (b'X', &request.filter),
        (b'C', &request.command),
        (b'F', &request.function),
    ] {
        let Some(text) = text else { continue };
        out.extend_from_slice(&[b'-', letter, b' ']);
        if letter == b'F' && !quote::has_meta(text) {
            out.extend_from_slice(text);
        } else {
            quote::single(text, out);
        }
        out.push(b' ');
    }
    show_name(name, out);
    out.push(b'\n');
}

fn show_name(name: &[u8], out: &mut Vec<u8>) {
    match SPECIAL.iter().find(|(_, own)| *own == name) {
        Some((letter, _)) => out.extend_from_slice(&[b'-', *letter]),
        None if name.is_empty() || quote::has_meta(name) => quote::single(name, out),
        None => out.extend_from_slice(name),
    }
}

/// `compopt [-o|+o option] [-DEI] [name …]`
pub(super) fn compopt(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"compopt";
    let (mut on, mut off, mut flags) = (Vec::new(), Vec::new(), Vec::new());
    let mut index = 1;
    while let Some(word) = args.get(index) {
        index += 1;
        let (sign, letter) = match word {
            b"--" => break,
            [sign @ (b'-' | b'+'), letter, ..] => (*sign, *letter),
            _ => {
                index -= 1;
                break;
            }
        };
        match (letter, sign) {
            (b'D' | b'E' | b'I', b'-') => flags.push(letter),
            (b'o', _) => {
                let value = match word.get(2..) {
                    Some(rest) if !rest.is_empty() => Some(rest),
                    _ => {
                        index += 1;
                        args.get(index - 1)
                    }
                };
                let Some(value) = value else {
                    shell.builtin_error(NAME, format!("{}o: option requires an argument", char::from(sign)));
                    usage(shell, NAME);
                    return done(USAGE);
                };
                let Some(option) = OPTIONS.iter().find(|option| option.as_bytes() == value) else {
                    shell.builtin_error(NAME, [value, b": invalid option name"].concat());
                    return done(USAGE);
                };
                if sign == b'-' { on.push(*option) } else { off.push(*option) }
            }
            _ => return done(invalid_option(shell, NAME, &[sign, letter])),
        }
    }
    let names = names(&flags, args, index);
    if names.is_empty() {
        shell.builtin_error(NAME, "not currently executing completion function");
        return done(1);
    }
    let (mut status, mut output) = (0, Vec::new());
    for name in &names {
        let Some(request) = Arc::make_mut(&mut shell.env.inherited.completions).get_mut(name) else {
            unknown(shell, NAME, name);
            status = 1;
            continue;
        };
        request.options.retain(|option| !off.contains(option));
        request.options.extend(&on);
        if on.is_empty() && off.is_empty() {
            output.extend_from_slice(b"compopt ");
            for option in OPTIONS {
                let sign = if request.options.contains(&option) { '-' } else { '+' };
                output.extend_from_slice(format!("{sign}o {option} ").as_bytes());
            }
            show_name(name, &mut output);
            output.push(b'\n');
        }
    }
    shell.print(NAME, &output).map_continue(|printed| if printed == 0 { status } else { printed })
}
