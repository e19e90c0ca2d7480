//! `eval` and `.`

use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_process::{Opened, Opening, path_list};
use hookshell_syntax::ast::Argument;
use hookshell_utility::{Args, SpecialFile, special_name};

use super::help::{invalid_option, usage};
use super::{USAGE, done};
use crate::call::{Call, Callee, Positional};
use crate::context::{Frame, Text};
use crate::flow::{Divert, Flow, NEXT, divert};
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;

/// `eval [argument …]` (XCU eval)
pub(super) fn eval(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let by_command = std::mem::take(&mut shell.scratch.by_command);
    let first = match args.get(1) {
        Some(b"--") => 2,
        Some([b'-', _, ..]) => {
            return done(invalid_option(shell, b"eval", &args[1][..2]));
        }
        _ => 1,
    };
    let text = args.slices_from(first).join(&b' ');
    if text.trim_ascii().is_empty() {
        return done(0);
    }
    shell.before_long(text.len().saturating_mul(4));
    let command = shell.saved_bash_command();
    shell.scratch.survives_syntax_error = by_command;
    let flow = shell.run_text(&text, Text::Eval);
    shell.restore_bash_command(command);
    match flow {
        ControlFlow::Continue(()) => done(shell.env.status),
        // An expansion error inside drops what `eval` ran and no more.
        ControlFlow::Break(Divert::Discard) if !shell.opt(Opt::Posix) => done(1),
        ControlFlow::Break(divert) => ControlFlow::Break(divert),
    }
}

/// `. file [argument …]` (XCU dot), bash's `source`
pub(super) fn source(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let name = args[0].to_vec();
    // POSIX: an error of a special built-in ends the shell, unless `command` calls it.
    let is_fatal = shell.opt(Opt::Posix) && !std::mem::take(&mut shell.scratch.by_command);
    let first = match args.get(1) {
        Some(b"--") => 2,
        Some([b'-', _, ..]) => return done(invalid_option(shell, &name, &args[1][..2])),
        _ => 1,
    };
    let Some(file) = args.get(first) else {
        shell.builtin_error(&name, "filename argument required");
        usage(shell, &name);
        return done(USAGE);
    };
    if shell.refuses_path(&name, file) {
        return done(1);
    }
    let Sourced { name: file, text: source } = match read_file(shell, file) {
        Ok(sourced) => sourced,
        Err(reason) => {
            // In POSIX mode bash names the built-in.
            let mut is_fatal = is_fatal;
            if reason == IS_DIRECTORY || reason == IS_BINARY || reason == NOT_FOUND && shell.opt(Opt::Posix) {
                shell.builtin_error(&name, [file, b": ", reason.as_bytes()].concat());
            } else {
                shell.error([file, b": ", reason.as_bytes()].concat());
                is_fatal |= shell.ends_at_errors();
            }
            let status = if reason == IS_BINARY { 126 } else { 1 };
            // POSIX: a file that cannot be read ends a shell that is not interactive.
            if is_fatal {
                shell.env.status = status;
                return divert(Divert::Exit);
            }
            shell.run_return_trap()?;
            return done(status);
        }
    };
    let outer = (args.len() > first + 1).then(|| {
        let own = Positional { args: Arc::new(args.iter_from(first + 1).collect()), start: 0 };
        std::mem::replace(&mut shell.env.positional, own)
    });
    let own_args = shell.env.positional.args.clone();
    let outer_source = std::mem::replace(&mut shell.context.source, file.clone());
    // bash: the file's name, or under `extdebug` its own arguments.
    let arguments = if args.len() == first + 1 {
        Some(only_argument(&file))
    } else if shell.opt(Opt::Extdebug) {
        Some(Positional { args: Arc::new(args.iter_from(first + 1).collect()), start: 0 })
    } else {
        None
    };
    let call_line = shell.context.line;
    // bash: `break` reaches the loops around `.`.
    let call = Call { callee: Callee::File(file), call_line, arguments, hides_loops: false };
    shell.context.frames.enter(Frame::Call(call));
    let command = shell.saved_bash_command();
    let traps = shell.traps.enter_source(shell.opt(Opt::Functrace));
    let flow = shell.run_sourced(&source, is_fatal);
    shell.traps.leave_function(traps);
    // bash: the file's RETURN trap runs in the frame of who sourced it, with the file's parameters.
    shell.context.frames.leave();
    shell.context.source = outer_source;
    // The status of a file without commands is 0, but its RETURN trap still sees the one from before (bash).
    let ran = flow != ControlFlow::Continue(false);
    let flow = shell.end_with_return_trap(flow.map_continue(|_| ()));
    if !ran {
        shell.env.status = 0;
    }
    shell.restore_bash_command(command);
    if let Some(outer) = outer
        // `set --` in the file changes the caller's parameters, unless the file got its own.
        && Arc::ptr_eq(&own_args, &shell.env.positional.args)
    {
        shell.env.positional = outer;
    }
    match flow {
        ControlFlow::Continue(()) => done(shell.env.status),
        ControlFlow::Break(divert) => ControlFlow::Break(divert),
    }
}

impl Shell {
    /// Runs the file that `BASH_ENV` names, as bash does before a script (manual, "Bash Startup Files"): the value is expanded, PATH is not
    /// searched, and a file that is not there is no error. Not in POSIX mode, under `-p`, and not for a login shell.
    pub(crate) fn run_start_up_file(&mut self) -> Flow {
        if self.opt(Opt::Posix) || self.opt(Opt::Privileged) || self.opt(Opt::LoginShell) {
            return NEXT;
        }
        let Some(value) = self.vars.scalar_bytes(b"BASH_ENV").filter(|value| !value.is_empty()) else { return NEXT };
        let value = value.to_vec();
        let file = self.expand_text(&value)?;
        let path = self.absolute(&file);
        if file.is_empty() || special_name(&file).is_none() && !path.exists() {
            return NEXT;
        }
        let named = if file.contains(&b'/') { file.clone() } else { [b"./", &*file].concat() };
        let source = match read_file(self, &named) {
            Ok(sourced) => sourced.text,
            Err(reason) => {
                self.error([&*file, b": ", reason.as_bytes()].concat());
                return NEXT;
            }
        };
        let file: Arc<[u8]> = file.into();
        let outer = std::mem::replace(&mut self.context.source, file.clone());
        let arguments = Some(only_argument(&file));
        let call = Call { callee: Callee::File(file), call_line: self.context.line, arguments, hides_loops: false };
        self.context.frames.enter(Frame::Call(call));
        let flow = self.run_sourced(&source, false);
        let flow = self.end_with_return_trap(flow.map_continue(|_| ()));
        self.context.frames.leave();
        self.context.source = outer;
        flow
    }
}

const IS_DIRECTORY: &str = "is a directory";
const IS_BINARY: &str = "cannot execute binary file";

/// More NULs than this make a file a program to bash's `.`; fewer are left out.
const MOST_NULS: usize = 256;

fn is_binary(source: &[u8]) -> bool {
    memchr::memchr_iter(0, source).nth(MOST_NULS).is_some()
}

/// What is left of one of the script's own descriptors; nothing of one that is closed.
pub(crate) fn read_descriptor(shell: &Shell, fd: u32) -> Result<Vec<u8>, String> {
    let mut source = Vec::new();
    if let Some(stream) = shell.env.fds.get(fd).cloned() {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count) = stream.read(&mut buffer, &shell.context.interrupt) {
            if count == 0 {
                break;
            }
            source.extend_from_slice(&buffer[..count]);
            if source.len() > shell.host.limits.expansion_bytes {
                return Err(too_large(shell));
            }
        }
    }
    Ok(source)
}

/// What a name without a slash gives that PATH does not have.
const NOT_FOUND: &str = "file not found";

/// What a file that is longer than a command may be is told: a part of it would be another script.
fn too_large(shell: &Shell) -> String {
    shell.host.limits.message(Limit::ExpansionBytes, "the file is larger")
}

/// A file's content, as far as one byte after the most that is wanted.
fn read_most(file: impl Read, most: u64) -> std::io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut content)?;
    Ok(content)
}

/// A file that is to be run, by the name that BASH_SOURCE and messages have for it.
struct Sourced {
    name: Arc<[u8]>,
    text: Vec<u8>,
}

/// What BASH_ARGV has of a file that was given no arguments.
fn only_argument(file: &[u8]) -> Positional {
    let mut args = Args::new();
    args.push(file);
    Positional { args: Arc::new(args), start: 0 }
}

/// A file to be sourced: a name without a slash is looked for in PATH, then in the working directory.
fn read_file(shell: &mut Shell, file: &[u8]) -> Result<Sourced, String> {
    let mut found = None;
    let is_path = file.contains(&b'/') || cfg!(windows) && file.contains(&b'\\');
    if !is_path && special_name(file).is_none() {
        found = if shell.opt(Opt::Sourcepath) { in_path(shell, file) } else { None };
        if found.is_none() && shell.opt(Opt::Posix) && !file.is_empty() {
            return Err(NOT_FOUND.into());
        }
    }
    let name = found.as_deref().unwrap_or(file);
    Ok(Sourced { name: name.into(), text: read_text(shell, name)? })
}

/// The first file of this name in PATH, as bash names it: an empty directory is the working one.
fn in_path(shell: &Shell, file: &[u8]) -> Option<Vec<u8>> {
    let path = shell.search_list().into_owned();
    path_list::elements(&path, cfg!(windows)).into_iter().find_map(|directory| {
        let directory: &[u8] = if directory.is_empty() { b"." } else { &directory };
        let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
        let name = [directory, slash, file].concat();
        shell.absolute(&name).is_file().then_some(name)
    })
}

fn read_text(shell: &mut Shell, file: &[u8]) -> Result<Vec<u8>, String> {
    if let Some(special) = special_name(file) {
        return match special {
            SpecialFile::Null => Ok(Vec::new()),
            SpecialFile::Device(_) | SpecialFile::Host => Err(IS_BINARY.into()),
            SpecialFile::Descriptor(fd) => read_descriptor(shell, fd),
        };
    }
    if file.is_empty() {
        return Err("No such file or directory".into());
    }
    let path = shell.absolute(file);
    if path.is_dir() {
        return Err(IS_DIRECTORY.into());
    }
    let most = shell.host.limits.expansion_bytes as u64;
    let cwd = shell.env.inherited.cwd.to_path_buf();
    let opening = Opening { guest: !shell.host.is_process, ..Opening::to_read() };
    let is_file = path.is_file();
    let read = {
        let path = path.clone();
        move || match opening.open_for(&path, &cwd)? {
            Opened::Descriptor(fd) => Ok(Err(fd)),
            Opened::File(file) => read_most(file, most).map(Ok),
        }
    };
    // What waits for a writer is waited for on a thread that can be left behind.
    let read = if is_file { Some(read()) } else { shell.context.interrupt.blocking(read) };
    let read = match read {
        Some(Ok(Err(fd))) => return read_descriptor(shell, fd),
        Some(Ok(Ok(source))) => Some(Ok(source)),
        Some(Err(error)) => Some(Err(error)),
        None => None,
    };
    if let Some(read) = &read {
        // Also of a file that is not there any more: somebody may count on it.
        shell.host.executor.may_run(&path, read.as_deref().unwrap_or_default())?;
    }
    match read {
        Some(Ok(source)) if source.len() as u64 > most => Err(too_large(shell)),
        Some(Ok(source)) if is_binary(&source) => Err(IS_BINARY.into()),
        // As a script that is started: CRLF line ends and a byte order mark are tolerated.
        Some(Ok(source)) => Ok(crate::source_text::decode(&source).into_owned()),
        Some(Err(error)) => Err(crate::interpreter::exec::reason(&error)),
        None => Err("interrupted".into()),
    }
}
