//! `command`, `builtin`, `type` (XCU command, type)

use std::path::Path;

use hookshell_process::script_path::by_relative_element;
use hookshell_process::text;
use hookshell_syntax::ast::Argument;
use hookshell_utility::Args;

use super::{done, options};
use crate::flow::Flow;
use crate::options::Opt;
use crate::paths::STANDARD_PATH;
use crate::shell::Shell;

/// Reserved words, as `type` and `command -v` know them.
const RESERVED: &[&[u8]] = &[
    b"!",
    b"[[",
    b"]]",
    b"case",
    b"coproc",
    b"do",
    b"done",
    b"elif",
    b"else",
    b"esac",
    b"fi",
    b"for",
    b"function",
    b"if",
    b"in",
    b"select",
    b"then",
    b"time",
    b"until",
    b"while",
    b"{",
    b"}",
];

/// What a name is, for a person or a script.
enum Meaning {
    Alias(Vec<u8>),
    Keyword,
    Function,
    Builtin {
        special: bool,
    },
    /// A utility of our own that has no file.
    Utility,
    File(Vec<u8>),
    /// A file that the shell remembers.
    Hashed(Vec<u8>),
}

/// Which meanings are asked for.
#[derive(Clone, Copy, Default)]
struct Search {
    all: bool,
    no_functions: bool,
    files_only: bool,
}

fn meanings(shell: &Shell, name: &[u8], path: &[u8], search: Search) -> Vec<Meaning> {
    let mut found = Vec::new();
    if !search.files_only {
        if shell.opt(Opt::ExpandAliases)
            && let Some(value) = shell.env.inherited.aliases.get(name)
        {
            found.push(Meaning::Alias(value.clone()));
        }
        if RESERVED.contains(&name) {
            found.push(Meaning::Keyword);
        }
        if !search.no_functions && shell.env.inherited.functions.contains_key(name) {
            found.push(Meaning::Function);
        }
        if let Some(builtin) = super::find(name)
            && !shell.jobs.is_disabled(name)
        {
            found.push(Meaning::Builtin { special: builtin.is_special });
        }
    }
    if !found.is_empty() && !search.all {
        found.truncate(1);
        return found;
    }
    if !search.all
        && shell.is_hashed(name)
        && let Some(path) = super::hash::target(shell, name)
    {
        found.push(Meaning::Hashed(path));
        return found;
    }
    let files = if search.all {
        shell.host.executor.find_all(name, path, &shell.env.inherited.cwd)
    } else {
        shell.host.executor.find(name, path, &shell.env.inherited.cwd).into_iter().collect()
    };
    for file in files {
        // A path is shown as it was written.
        let shown = if name.contains(&b'/') { name.to_vec() } else { path_name(shell, name, path, &file) };
        found.push(Meaning::File(shown));
    }
    if found.is_empty() && shell.host.utilities.utility(name).is_some() {
        found.push(Meaning::Utility);
    }
    found
}

/// How a program that PATH leads to is shown: an element that is relative says so.
pub(super) fn path_name(shell: &Shell, name: &[u8], path: &[u8], file: &Path) -> Vec<u8> {
    let relative = if path.is_empty() { None } else { by_relative_element(path, name, &shell.env.inherited.cwd, file) };
    relative.unwrap_or_else(|| crate::paths::shell_path(&text::from_os(file.as_os_str())))
}

pub(super) fn search_path(shell: &Shell, default: bool) -> Vec<u8> {
    if default {
        return STANDARD_PATH.to_vec();
    }
    shell.search_list().into_owned()
}

/// `command -v`: one line that could be typed.
fn short(name: &[u8], meaning: &Meaning, out: &mut Vec<u8>) {
    match meaning {
        Meaning::Alias(value) => {
            out.extend_from_slice(b"alias ");
            out.extend_from_slice(name);
            out.push(b'=');
            hookshell_text::quote::single(value, out);
        }
        Meaning::File(path) | Meaning::Hashed(path) => out.extend_from_slice(path),
        _ => out.extend_from_slice(name),
    }
    out.push(b'\n');
}

/// `command -V` and `type`: a sentence. `absolute`: in which a program's path is.
fn sentence(shell: &Shell, name: &[u8], meaning: &Meaning, absolute: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    match meaning {
        Meaning::Alias(value) => {
            out.extend_from_slice(b" is aliased to `");
            out.extend_from_slice(value);
            out.push(b'\'');
        }
        Meaning::Keyword => out.extend_from_slice(b" is a shell keyword"),
        Meaning::Function => {
            out.extend_from_slice(b" is a function\n");
            if let Some(function) = shell.env.inherited.functions.get(name) {
                out.extend_from_slice(&hookshell_syntax::print_function(&function.definition, shell.opt(Opt::Posix)));
                if out.last() == Some(&b'\n') {
                    out.pop();
                }
            }
        }
        Meaning::Builtin { special: true } if shell.opt(Opt::Posix) => {
            out.extend_from_slice(b" is a special shell builtin");
        }
        Meaning::Builtin { .. } => out.extend_from_slice(b" is a shell builtin"),
        Meaning::Utility => out.extend_from_slice(b" is a utility of hookshell"),
        Meaning::Hashed(path) => {
            out.extend_from_slice(b" is hashed (");
            out.extend_from_slice(path);
            out.push(b')');
        }
        Meaning::File(path) => {
            out.extend_from_slice(b" is ");
            if absolute && !cfg!(windows) && !path.starts_with(b"/") && !name.contains(&b'/') {
                out.extend_from_slice(&text::from_os(shell.env.inherited.cwd.as_os_str()));
                out.push(b'/');
                out.extend_from_slice(path.strip_prefix(b"./").unwrap_or(path));
            } else {
                out.extend_from_slice(path);
            }
        }
    }
    out.push(b'\n');
}

/// `command [-pVv] name [argument …]`
pub(super) fn command(shell: &mut Shell, args: &Args, declarations: &[Argument]) -> Flow<u8> {
    let (letters, first) = match options(shell, args, b"pvV") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    if first >= args.len() {
        return done(0);
    }
    let default = letters.contains(&b'p');
    if default && shell.refuses(b"command", b"-p") {
        return done(1);
    }
    let mode = letters.iter().rev().find(|l| matches!(l, b'v' | b'V')).copied();
    let Some(mode) = mode else {
        let mut inner: Args = args.iter_from(first).collect();
        return shell.call_without_functions(&mut inner, declarations, default);
    };
    let path = search_path(shell, default);
    let mut output = Vec::new();
    let mut status = 1;
    for name in args.iter_from(first) {
        match meanings(shell, name, &path, Search::default()).first() {
            Some(meaning) => {
                status = 0;
                if mode == b'v' {
                    short(name, meaning, &mut output);
                } else {
                    sentence(shell, name, meaning, true, &mut output);
                }
            }
            None if mode == b'V' => {
                shell.print_before_error(&mut output);
                shell.builtin_error(b"command", [name, b": not found"].concat());
            }
            None => {}
        }
    }
    shell.print_unchecked(b"command", &output).map_continue(|printed| if printed == 0 { status } else { printed })
}

impl Shell {
    /// Calls a command that is no function (`command`); `default_path` looks it up in the standard utilities' PATH.
    fn call_without_functions(&mut self, args: &mut Args, declarations: &[Argument], default_path: bool) -> Flow<u8> {
        let builtin = super::find(&args[0]).filter(|_| !self.jobs.is_disabled(&args[0]));
        if let Some(builtin) = builtin.or_else(|| self.builtin_of_job(&args[0])) {
            // The declarations of the whole command: those of `command` itself are words before them.
            let skip = declarations.len().saturating_sub(args.len());
            self.scratch.by_command = true;
            let flow = builtin.call(self, args, declarations.get(skip..).unwrap_or_default());
            self.scratch.by_command = false;
            return flow;
        }
        let scope = self.vars.enter_scope();
        if default_path {
            // The program itself finds the PATH that there was.
            let environment = self.vars.environment();
            let id = self.vars.slot_bytes(b"PATH");
            let depth = self.vars.scope(id);
            self.vars.hide(id, depth);
            self.set_variable(b"PATH", STANDARD_PATH)?;
            self.vars.keep_environment(environment);
        }
        let flow = self.call_plain(args);
        self.leave_scope(scope);
        flow?;
        done(self.env.status)
    }
}

/// bash: `builtin name [argument …]`
pub(super) fn builtin(shell: &mut Shell, args: &Args, declarations: &[Argument]) -> Flow<u8> {
    let (_, first) = match options(shell, args, b"") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    if first >= args.len() {
        return done(0);
    }
    let inner: Args = args.iter_from(first).collect();
    match super::find(&inner[0]).filter(|_| !shell.jobs.is_disabled(&inner[0])) {
        Some(builtin) => {
            let skip = declarations.len().saturating_sub(inner.len());
            builtin.call(shell, &inner, declarations.get(skip..).unwrap_or_default())
        }
        None => {
            shell.builtin_error(b"builtin", [&inner[0], b": not a shell builtin"].concat());
            done(1)
        }
    }
}

/// `type [-afptP] name …`
pub(super) fn type_(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    // bash's first options were whole words.
    let long = |word: &[u8]| match word {
        b"-all" | b"--all" => Some(&b"-a"[..]),
        b"-path" | b"--path" => Some(&b"-p"[..]),
        b"-type" | b"--type" => Some(&b"-t"[..]),
        _ => None,
    };
    let shortened: Option<Args> = args.get(1).and_then(long).map(|_| {
        let is_option = |word: &[u8]| word.len() > 1 && word.starts_with(b"-") && word != b"--";
        let options_end = (1..args.len()).find(|&at| !is_option(&args[at])).unwrap_or(args.len());
        (0..args.len())
            .map(|at| if at < options_end { long(&args[at]).unwrap_or(&args[at]) } else { &args[at] })
            .collect()
    });
    let args = shortened.as_ref().unwrap_or(args);
    let (letters, first) = match options(shell, args, b"afptP") {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    // Of -t, -p and -P the last counts.
    let form = letters.iter().rev().find(|letter| matches!(letter, b't' | b'p' | b'P')).copied();
    let has = |letter: u8| match letter {
        b't' | b'p' => form == Some(letter),
        b'P' => letters.contains(&b'P') && form != Some(b'p'),
        letter => letters.contains(&letter),
    };
    let search = Search { all: has(b'a'), no_functions: has(b'f'), files_only: letters.contains(&b'P') };
    let path = search_path(shell, false);
    let mut output = Vec::new();
    let mut status = 0;
    for name in args.iter_from(first) {
        let found = meanings(shell, name, &path, search);
        if found.is_empty() {
            status = 1;
            if !has(b't') && !has(b'p') && !has(b'P') {
                shell.print_before_error(&mut output);
                shell.builtin_error(b"type", [name, b": not found"].concat());
            }
            continue;
        }
        for meaning in &found {
            if has(b't') {
                output.extend_from_slice(match meaning {
                    Meaning::Alias(_) => b"alias\n",
                    Meaning::Keyword => b"keyword\n",
                    Meaning::Function => b"function\n",
                    Meaning::Builtin { .. } => b"builtin\n",
                    // What asks whether a program is there has to hear the same where the real one is installed.
                    Meaning::File(_) | Meaning::Hashed(_) | Meaning::Utility => &b"file\n"[..],
                });
            } else if has(b'p') || has(b'P') {
                let shown = match meaning {
                    Meaning::File(file) | Meaning::Hashed(file) => file,
                    // It has no path; its name starts it.
                    Meaning::Utility => name,
                    _ => continue,
                };
                output.extend_from_slice(shown);
                output.push(b'\n');
            } else {
                sentence(shell, name, meaning, false, &mut output);
            }
        }
    }
    shell.print(b"type", &output).map_continue(|printed| if printed == 0 { status } else { printed })
}
