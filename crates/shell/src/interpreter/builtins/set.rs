//! `set` (XCU set), bash's `shopt`.

use std::sync::Arc;

use hookshell_syntax::ast::Argument;
use hookshell_utility::Args;

use super::help::invalid_option;
use super::{USAGE, done};
use crate::call::Positional;
use crate::flow::Flow;
use crate::options::{self, Opt, SET_OPTIONS, SHOPT_OPTIONS};
use crate::shell::Shell;

/// `set [-abCefhmnuvx] [-o option] [argument …]`
pub(super) fn set(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    if args.len() == 1 {
        return show(shell, b"set");
    }
    if let Some((sign, letter)) = unknown_letter(args) {
        invalid_option(shell, b"set", &[sign, letter]);
        return usage_error(shell);
    }
    let mut index = 1;
    let mut operands = false;
    while let Some(word) = args.get(index) {
        let (on, letters) = match word {
            b"--" => {
                index += 1;
                operands = true;
                break;
            }
            b"-" => {
                index += 1;
                shell.set_opt(Opt::Xtrace, false);
                shell.set_opt(Opt::Verbose, false);
                operands = index < args.len();
                break;
            }
            [b'-', letters @ ..] => (true, letters),
            [b'+', letters @ ..] => (false, letters),
            _ => {
                operands = true;
                break;
            }
        };
        index += 1;
        for &letter in letters {
            if letter == b'o' {
                let Some(name) = args.get(index) else { return list(shell, on) };
                index += 1;
                let Some(opt) = options::by_name(name) else {
                    shell.builtin_error(b"set", [name, b": invalid option name"].concat());
                    return usage_error(shell);
                };
                if let Some(status) = apply(shell, opt, on) {
                    return done(status);
                }
                continue;
            }
            let Some(opt) = options::by_letter(letter) else {
                let sign = if on { b'-' } else { b'+' };
                invalid_option(shell, b"set", &[sign, letter]);
                return usage_error(shell);
            };
            if opt == Opt::Restricted && !on && shell.opt(opt) {
                invalid_option(shell, b"set", b"+r");
                return done(1);
            }
            if let Some(status) = apply(shell, opt, on) {
                return done(status);
            }
        }
    }
    if operands || index < args.len() {
        shell.env.positional = Positional { args: Arc::new(args.iter_from(index).collect()), start: 0 };
        let more = shell.env.positional.args.memory();
        shell.grew(more)?;
    }
    done(0)
}

/// bash: an unknown letter is found before anything is set, a name after `-o` in its turn.
fn unknown_letter(args: &Args) -> Option<(u8, u8)> {
    let mut words = args.iter_from(1).peekable();
    while let Some([sign @ (b'-' | b'+'), letters @ ..]) = words.next()
        && !letters.is_empty()
        && letters != b"-"
    {
        let known = letters.iter().position(|&letter| letter == b'o').unwrap_or(letters.len());
        if let Some(&letter) = letters[..known].iter().find(|&&letter| options::by_letter(letter).is_none()) {
            return Some((*sign, letter));
        }
        // The name, unless it stands in the same word.
        if letters.len() == known + 1 {
            words.next_if(|word| word.first() != Some(&b'-'));
        }
    }
    None
}

/// `set` without operands: the variables that have values and, not in POSIX mode, the functions.
pub(super) fn show(shell: &mut Shell, builtin: &[u8]) -> Flow<u8> {
    let mut output = Vec::new();
    for id in shell.listed_variables() {
        let is_computed = shell.computed_letters(id).is_some();
        if let Some(text) = if is_computed { shell.computed_definition(id) } else { shell.plain_definition(id) } {
            output.extend_from_slice(&text);
            output.push(b'\n');
        }
    }
    if !shell.opt(Opt::Posix) {
        let mut names: Vec<&[u8]> = shell.env.inherited.functions.keys().map(|name| &**name).collect();
        names.sort_unstable();
        for name in names {
            if let Some(function) = shell.env.inherited.functions.get(name) {
                output.extend_from_slice(&hookshell_syntax::print_function(&function.definition, false));
                if output.last() != Some(&b'\n') {
                    output.push(b'\n');
                }
            }
        }
    }
    shell.print(builtin, &output)
}

/// Wrong usage, which ends the shell in POSIX mode.
fn usage_error(shell: &mut Shell) -> Flow<u8> {
    shell.scratch.special_failed = true;
    done(USAGE)
}

/// Sets an option; a status where that is an error.
fn apply(shell: &mut Shell, opt: Opt, on: bool) -> Option<u8> {
    if on && options::is_job_control(opt) {
        let name = SET_OPTIONS.iter().find(|(_, o, _)| *o == opt).map_or("", |(name, _, _)| name);
        shell.builtin_error(b"set", format!("{name}: this shell is never interactive and has no job control"));
        return Some(1);
    }
    if opt == Opt::RestrictedShell {
        // bash: it tells how the shell was started, and nobody changes it.
        return None;
    }
    // bash: a level of compatibility is BASH_COMPAT's.
    let level = SHOPT_OPTIONS.iter().find(|(_, other)| *other == opt).and_then(|(name, _)| name.strip_prefix("compat"));
    if let Some(level) = level.filter(|level| level.bytes().all(|byte| byte.is_ascii_digit())) {
        if on || shell.opt(opt) {
            let _ = shell.set_variable(b"BASH_COMPAT", if on { level.as_bytes() } else { b"52" });
        }
        return None;
    }
    shell.set_opt(opt, on);
    None
}

/// `set -o` and `set +o`
fn list(shell: &mut Shell, readable: bool) -> Flow<u8> {
    let mut output = Vec::new();
    for (name, opt, _) in SET_OPTIONS {
        let on = shell.opt(*opt);
        let line = if readable {
            format!("{name:<15}\t{}\n", if on { "on" } else { "off" })
        } else {
            format!("set {}o {name}\n", if on { '-' } else { '+' })
        };
        output.extend_from_slice(line.as_bytes());
    }
    shell.print(b"set", &output)
}

/// bash: `shopt [-pqsu] [-o] [name …]`
pub(super) fn shopt(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let (letters, first) = match super::options(shell, args, b"pqsuo") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    let has = |letter: u8| letters.contains(&letter);
    if has(b's') && has(b'u') {
        shell.builtin_error(b"shopt", "cannot set and unset shell options simultaneously");
        return done(1);
    }
    let find = |name: &[u8]| if has(b'o') { options::by_name(name) } else { options::shopt_by_name(name) };
    let mut output = Vec::new();
    let line = |output: &mut Vec<u8>, name: &str, on: bool| {
        let text = match (has(b'p'), has(b'o')) {
            (true, true) => format!("set {}o {name}\n", if on { '-' } else { '+' }),
            (true, false) => format!("shopt -{} {name}\n", if on { 's' } else { 'u' }),
            _ => format!("{name:<15}\t{}\n", if on { "on" } else { "off" }),
        };
        output.extend_from_slice(text.as_bytes());
    };
    let mut status = 0;
    if first >= args.len() {
        let all: Vec<(&str, Opt)> = if has(b'o') {
            SET_OPTIONS.iter().map(|(name, opt, _)| (*name, *opt)).collect()
        } else {
            SHOPT_OPTIONS.to_vec()
        };
        for (name, opt) in all {
            let on = shell.opt(opt);
            if (!has(b's') || on) && (!has(b'u') || !on) && !has(b'q') {
                line(&mut output, name, on);
            }
        }
        return shell.print(b"shopt", &output);
    }
    for name in args.iter_from(first) {
        let Some(opt) = find(name) else {
            shell.print_before_error(&mut output);
            let what = if has(b'o') { &b": invalid option name"[..] } else { b": invalid shell option name" };
            shell.builtin_error(b"shopt", [name, what].concat());
            // bash: of an option of `set` that is to be changed the status does not tell.
            if !(has(b'o') && (has(b's') || has(b'u'))) {
                status = 1;
            }
            continue;
        };
        if has(b's') || has(b'u') {
            if let Some(failed) = apply(shell, opt, has(b's')) {
                status = failed;
            }
            continue;
        }
        let on = shell.opt(opt);
        if !on {
            status = 1;
        }
        if !has(b'q') {
            line(&mut output, &String::from_utf8_lossy(name), on);
        }
    }
    shell.print(b"shopt", &output).map_continue(|printed| if printed == 0 { status } else { printed })
}
