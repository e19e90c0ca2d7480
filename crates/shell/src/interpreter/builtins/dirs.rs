//! bash: `pushd`, `popd`, `dirs`
//!
//! The stack is the working directory and below it [`Shell::dir_stack`], whose last element is its top.

use hookshell_syntax::ast::Argument;
use hookshell_text::integer;
use hookshell_utility::Args;

use super::help::{invalid_option, usage};
use super::{USAGE, done};
use crate::flow::Flow;
use crate::inherited::stack_entry_bytes;
use crate::shell::Shell;

/// A word `+N` or `-N`.
#[derive(Clone, Copy)]
struct Position {
    from_right: bool,
    number: i64,
}

/// Reads `+N` and `-N`. `Err`: it is no number, and that was written.
fn position(shell: &mut Shell, builtin: &[u8], word: &[u8]) -> Result<Position, u8> {
    match integer::parse_integer(&word[1..]) {
        Some(number) => Ok(Position { from_right: word[0] == b'-', number }),
        None => {
            shell.builtin_error(builtin, [word, b": invalid number"].concat());
            usage(shell, builtin);
            Err(USAGE)
        }
    }
}

fn out_of_range(shell: &mut Shell, builtin: &[u8], word: &[u8]) -> Flow<u8> {
    if shell.env.inherited.dir_stack.is_empty() {
        shell.builtin_error(builtin, "directory stack empty");
    } else {
        shell.builtin_error(builtin, [word, b": directory stack index out of range"].concat());
    }
    done(1)
}

/// Enters a directory as `cd` does, in the name of another built-in.
fn enter(shell: &mut Shell, builtin: &[u8], directory: &[u8]) -> Flow<u8> {
    let args: Args = [builtin, b"--", directory].iter().collect();
    super::cd::cd(shell, &args, &[])
}

/// Enters a directory and shows the stack.
fn enter_and_show(shell: &mut Shell, builtin: &[u8], directory: &[u8]) -> Flow<u8> {
    match enter(shell, builtin, directory)? {
        0 => show(shell, builtin),
        failed => done(failed),
    }
}

/// What `dirs` without arguments prints.
fn show(shell: &mut Shell, builtin: &[u8]) -> Flow<u8> {
    let entries: Vec<Vec<u8>> = entries(shell, false);
    let mut output = entries.join(&b' ');
    output.push(b'\n');
    shell.print(builtin, &output)
}

/// The stack from the top on; the home directory is shown as `~` unless `long`.
fn entries(shell: &Shell, long: bool) -> Vec<Vec<u8>> {
    let home = shell.vars.scalar_bytes(b"HOME").filter(|home| home.len() > 1 && !long);
    let shown = |path: &[u8]| match home.and_then(|home| path.strip_prefix(home)) {
        Some(rest) if rest.is_empty() || rest[0] == b'/' => [b"~", rest].concat(),
        _ => path.to_vec(),
    };
    let cwd = shell.pwd();
    std::iter::once(&cwd).chain(shell.env.inherited.dir_stack.iter().rev()).map(|path| shown(path)).collect()
}

/// Puts a directory below the working directory.
fn put(shell: &mut Shell, directory: Vec<u8>) -> Flow {
    let bytes = stack_entry_bytes(&directory);
    shell.env.inherited.dir_stack.push(directory);
    shell.grew(bytes)
}

/// `pushd [-n] [+N | -N | dir]`
pub(super) fn pushd(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"pushd";
    let below = i64::try_from(shell.env.inherited.dir_stack.len()).unwrap_or(i64::MAX);
    let mut index = 1;
    let mut change = true;
    let mut rotate = None;
    if args.len() == 1 || args.len() == 2 && args.get(1) == Some(b"--") {
        let Some(top) = shell.env.inherited.dir_stack.pop() else {
            shell.builtin_error(NAME, "no other directory");
            return done(1);
        };
        let cwd = shell.pwd();
        put(shell, cwd)?;
        return enter_and_show(shell, NAME, &top);
    }
    while let Some(word) = args.get(index) {
        match word {
            b"-n" => change = false,
            b"--" => {
                index += 1;
                break;
            }
            b"-" => break,
            [b'+' | b'-', ..] => {
                let position = match position(shell, NAME, word) {
                    Ok(position) => position,
                    Err(status) => return done(status),
                };
                let number = if position.from_right { below.saturating_sub(position.number) } else { position.number };
                match usize::try_from(number) {
                    Ok(number) if number <= shell.env.inherited.dir_stack.len() => rotate = Some(number),
                    _ => return out_of_range(shell, NAME, word),
                }
            }
            _ => break,
        }
        index += 1;
    }
    if let Some(count) = rotate {
        let cwd = shell.pwd();
        // From the bottom on, the working directory being the top.
        shell.env.inherited.dir_stack.push(cwd);
        shell.env.inherited.dir_stack.rotate_right(count);
        let top = shell.env.inherited.dir_stack.pop().unwrap_or_default();
        return if change { enter_and_show(shell, NAME, &top) } else { done(0) };
    }
    let Some(directory) = args.get(index) else { return done(0) };
    if args.len() > index + 1 && change {
        shell.builtin_error(NAME, "too many arguments");
        return done(1);
    }
    if !change {
        put(shell, directory.to_vec())?;
        return show(shell, NAME);
    }
    let cwd = shell.pwd();
    match enter(shell, NAME, directory)? {
        0 => {
            put(shell, cwd)?;
            show(shell, NAME)
        }
        _ => done(1),
    }
}

/// `popd [-n] [+N | -N]`
pub(super) fn popd(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"popd";
    let mut change = true;
    let mut which = Position { from_right: false, number: 0 };
    let mut operand: &[u8] = b"";
    for word in args.iter_from(1) {
        match word {
            b"-n" => change = false,
            b"--" | b"" => break,
            [b'+' | b'-', ..] => {
                which = match position(shell, NAME, word) {
                    Ok(position) => position,
                    Err(status) => return done(status),
                };
                operand = word;
            }
            _ => {
                shell.builtin_error(NAME, [word, b": invalid argument"].concat());
                usage(shell, NAME);
                return done(USAGE);
            }
        }
    }
    let below = shell.env.inherited.dir_stack.len();
    let number = match usize::try_from(which.number) {
        Ok(number) if number <= below && below > 0 => number,
        _ => return out_of_range(shell, NAME, operand),
    };
    let is_top = number == if which.from_right { below } else { 0 };
    if !is_top {
        shell.env.inherited.dir_stack.remove(if which.from_right { number } else { below - number });
        return show(shell, NAME);
    }
    if change {
        let top = shell.env.inherited.dir_stack.last().cloned().unwrap_or_default();
        match enter(shell, NAME, &top)? {
            0 => {}
            failed => return done(failed),
        }
    }
    shell.env.inherited.dir_stack.pop();
    show(shell, NAME)
}

/// `dirs [-clpv] [+N] [-N]`
pub(super) fn dirs(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"dirs";
    let (mut long, mut clear, mut lines, mut numbered) = (false, false, false, false);
    let mut which = None;
    for word in args.iter_from(1) {
        match word {
            b"-l" => long = true,
            b"-c" => clear = true,
            b"-p" => lines = true,
            b"-v" => numbered = true,
            b"--" => break,
            [b'+' | b'-', ..] => match position(shell, NAME, word) {
                Ok(position) => which = Some((position, word)),
                Err(status) => return done(status),
            },
            _ => return done(invalid_option(shell, NAME, word)),
        }
    }
    if clear {
        shell.env.inherited.dir_stack.clear();
        return done(0);
    }
    let entries = entries(shell, long);
    let mut output = Vec::new();
    let mut line = |number: usize, entry: &[u8]| {
        if numbered {
            output.extend_from_slice(format!("{number:2}  ").as_bytes());
        }
        output.extend_from_slice(entry);
        output.push(if numbered || lines || which.is_some() { b'\n' } else { b' ' });
    };
    match which {
        Some((position, word)) => {
            let number = usize::try_from(position.number)
                .ok()
                .and_then(|n| if position.from_right { (entries.len() - 1).checked_sub(n) } else { Some(n) });
            match number.and_then(|n| entries.get(n).map(|entry| (n, entry))) {
                Some((number, entry)) => line(number, entry),
                None => return out_of_range(shell, NAME, &word[1..]),
            }
        }
        None => {
            for (number, entry) in entries.iter().enumerate() {
                line(number, entry);
            }
        }
    }
    if let Some(last) = output.last_mut() {
        *last = b'\n';
    }
    shell.print(NAME, &output)
}
