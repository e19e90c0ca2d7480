//! `hash` (XCU hash)

use std::sync::Arc;

use hookshell_syntax::ast::Argument;
use hookshell_utility::Args;

use super::command::{path_name, search_path};
use super::done;
use super::help::invalid_option;
use super::letters::Letters;
use crate::flow::Flow;
use crate::options::Opt;
use crate::shell::Shell;

#[derive(Default)]
struct Request {
    portable: bool,
    clear: bool,
    delete: bool,
    targets: bool,
    path: Option<Vec<u8>>,
}

fn request(shell: &mut Shell, args: &Args) -> Result<(Request, usize), u8> {
    let mut request = Request::default();
    let mut letters = Letters::of(args);
    while let Some(letter) = letters.next() {
        match letter {
            b'l' => request.portable = true,
            b'r' => request.clear = true,
            b'd' => request.delete = true,
            b't' => request.targets = true,
            b'p' => request.path = Some(letters.value(shell, letter)?.to_vec()),
            other => return Err(invalid_option(shell, b"hash", &[b'-', other])),
        }
    }
    Ok((request, letters.operands()))
}

/// `hash [-lr] [-p path] [-dt] [name …]`
pub(super) fn hash(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    const NAME: &[u8] = b"hash";
    let (request, first) = match request(shell, args) {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    if !shell.opt(Opt::Hashall) {
        shell.builtin_error(NAME, "hashing disabled");
        return done(1);
    }
    if first >= args.len() {
        if request.delete || request.targets {
            let letter = if request.delete { "-d" } else { "-t" };
            shell.builtin_error(NAME, format!("{letter}: option requires an argument"));
            return done(1);
        }
        if !request.clear {
            return list(shell, request.portable);
        }
    }
    if let Some(path) = &request.path
        && shell.refuses_path(NAME, path)
    {
        return done(1);
    }
    if request.clear {
        Arc::make_mut(&mut shell.env.inherited.command_hash).clear();
    }
    let mut status = 0;
    if request.targets {
        let mut output = Vec::new();
        for name in args.iter_from(first) {
            let Some(path) = target(shell, name) else {
                shell.print_before_error(&mut output);
                shell.builtin_error(NAME, [name, b": not found"].concat());
                status = 1;
                continue;
            };
            if request.portable {
                push_portable(name, &path, &mut output);
                continue;
            }
            if args.len() > first + 1 {
                output.extend_from_slice(name);
                output.push(b'\t');
            }
            output.extend_from_slice(&path);
            output.push(b'\n');
        }
        return shell.print(NAME, &output).map_continue(|printed| if printed == 0 { status } else { printed });
    }
    for name in args.iter_from(first) {
        if name.contains(&b'/') {
            continue;
        }
        if let Some(path) = &request.path {
            if shell.absolute(path).is_dir() {
                shell.builtin_error(NAME, [path, &b": Is a directory"[..]].concat());
                status = 1;
            } else {
                Arc::make_mut(&mut shell.env.inherited.command_hash).remember(name, Some(path.clone()));
                shell.grew(name.len() + path.len() + crate::command_hash::LOCATION)?;
            }
        } else if request.delete {
            // bash: there is nothing to miss in a table that was never used.
            if !Arc::make_mut(&mut shell.env.inherited.command_hash).forget(name)
                && shell.env.inherited.command_hash.is_used()
            {
                shell.builtin_error(NAME, [name, b": not found"].concat());
                status = 1;
            }
        } else if super::find(name).is_none() && !shell.env.inherited.functions.contains_key(name) {
            if found(shell, name).is_some() {
                Arc::make_mut(&mut shell.env.inherited.command_hash).remember(name, None);
            } else if shell.host.utilities.utility(name).is_some() {
                // `hash jq || exit` asks whether it is there. It has no path to remember.
            } else {
                Arc::make_mut(&mut shell.env.inherited.command_hash).forget(name);
                shell.builtin_error(NAME, [name, b": not found"].concat());
                status = 1;
            }
        }
    }
    shell.list_commands();
    done(status)
}

/// Where PATH has a program.
fn found(shell: &Shell, name: &[u8]) -> Option<Vec<u8>> {
    let path = search_path(shell, false);
    let file = shell.host.executor.find(name, &path, &shell.env.inherited.cwd)?;
    Some(path_name(shell, name, &path, &file))
}

/// Where a name that is remembered leads.
pub(super) fn target(shell: &Shell, name: &[u8]) -> Option<Vec<u8>> {
    match shell.env.inherited.command_hash.given(name) {
        Some(path) => Some(path.to_vec()),
        // bash: a relative one is shown as such.
        None if shell.env.inherited.command_hash.knows(name) => found(shell, name).map(|path| match &*path {
            [b'/', ..] | [b'.', b'/', ..] => path,
            _ if cfg!(windows) => path,
            _ => [b"./", &*path].concat(),
        }),
        None => None,
    }
}

fn push_portable(name: &[u8], path: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&[b"builtin hash -p ", path, b" ", name, b"\n"].concat());
}

/// Names, places and numbers of runs of what is remembered.
fn entries(shell: &Shell) -> Vec<(Vec<u8>, Vec<u8>, u32)> {
    shell
        .env
        .inherited
        .command_hash
        .listed()
        .into_iter()
        .filter_map(|(name, path, hits)| {
            let path = path.map(<[u8]>::to_vec).or_else(|| found(shell, name))?;
            Some((name.to_vec(), path, hits))
        })
        .collect()
}

fn list(shell: &mut Shell, portable: bool) -> Flow<u8> {
    let entries = entries(shell);
    let mut output = Vec::new();
    if entries.is_empty() && !shell.opt(Opt::Posix) && (!portable || shell.compatibility() <= 50) {
        output.extend_from_slice(b"hash: hash table empty\n");
    }
    if !entries.is_empty() && !portable {
        output.extend_from_slice(b"hits\tcommand\n");
    }
    for (name, path, hits) in entries {
        if portable {
            push_portable(&name, &path, &mut output);
        } else {
            output.extend_from_slice(format!("{hits:4}\t").as_bytes());
            output.extend_from_slice(&path);
            output.push(b'\n');
        }
    }
    shell.print(b"hash", &output)
}

impl Shell {
    /// Brings BASH_CMDS up to date.
    pub(crate) fn list_commands(&mut self) {
        let entries = entries(self);
        self.set_table(b"BASH_CMDS", entries.into_iter().map(|(name, path, _)| (name, path)));
    }

    /// Is the name one that the shell remembers (`type` says that it is hashed)?
    pub(super) fn is_hashed(&self, name: &[u8]) -> bool {
        self.opt(Opt::Hashall)
            && !self.env.inherited.command_hash.is_empty()
            && self.env.inherited.command_hash.knows(name)
    }
}
