//! `cd`, `pwd` (XCU cd, pwd). The working directory is logical: the process's own never changes.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hookshell_process::HeldDirectory;
use hookshell_process::path_list;
use hookshell_process::script_path;
use hookshell_process::system::{self, Access};
use hookshell_process::text;
use hookshell_syntax::Dialect;
use hookshell_syntax::ast::Argument;
use hookshell_utility::Args;

use super::{done, options};
use crate::flow::Flow;
use crate::options::Opt;
use crate::paths::shell_path;
use crate::shell::Shell;

impl Shell {
    /// A program is about to start: its working directory is this one, whatever that is called by now.
    pub(crate) fn follow_directory(&mut self) {
        if self.env.inherited.held_directory.is_some()
            && std::fs::metadata(&*self.env.inherited.cwd).is_err()
            && let Some(here) = renamed_directory(self)
        {
            self.env.inherited.cwd = here.into();
        }
    }
}

/// What `cd` is asked.
struct Request {
    /// The directory's name, as it was given or as HOME or OLDPWD has it.
    target: Vec<u8>,
    /// Links are followed (`-P`).
    is_physical: bool,
    /// It is the directory before (`cd -`), whose name is printed.
    is_back: bool,
    /// It was given, and is not HOME's.
    is_operand: bool,
}

/// Reads the words; what is wrong with them is said, and the error is the status.
fn request(shell: &mut Shell, args: &Args) -> Result<Request, u8> {
    let (letters, first) = options(shell, args, b"LPe")?;
    let is_physical = letters
        .iter()
        .rev()
        .find(|l| matches!(l, b'L' | b'P'))
        .map_or(shell.opt(Opt::Physical), |letter| *letter == b'P');
    if args.len() > first + 1 {
        shell.builtin_error(&args[0], "too many arguments");
        return Err(1);
    }
    let operand = args.get(first);
    let name = match operand {
        None => "HOME",
        Some(b"-") => "OLDPWD",
        Some(directory) => {
            return Ok(Request { target: directory.to_vec(), is_physical, is_back: false, is_operand: true });
        }
    };
    let Some(target) = shell.vars.scalar_bytes(name.as_bytes()).map(<[u8]>::to_vec) else {
        shell.builtin_error(&args[0], format!("{name} not set"));
        return Err(1);
    };
    Ok(Request { target, is_physical, is_back: operand.is_some(), is_operand: operand.is_some() })
}

/// The names that a directory's may stand for, the first that can be entered counts; with each, whether it is one that CDPATH has made
/// and that is printed.
fn candidates(shell: &Shell, target: &[u8]) -> Vec<(Vec<u8>, bool)> {
    let mut candidates = Vec::new();
    let is_dotted = matches!(target, b"." | b"..") || target.starts_with(b"./") || target.starts_with(b"../");
    if !is_absolute(target)
        && !is_dotted
        && let Some(cdpath) = shell.vars.scalar_bytes(b"CDPATH")
    {
        for element in path_list::elements_and_empty(cdpath, cfg!(windows)) {
            let mut candidate = element.to_vec();
            if !candidate.is_empty() && candidate.last() != Some(&b'/') {
                candidate.push(b'/');
            }
            candidate.extend_from_slice(target);
            candidates.push((candidate, !element.is_empty()));
        }
    }
    candidates.push((target.to_vec(), false));
    candidates
}

/// The path of the directory of this name, if it can be entered.
fn enterable(shell: &Shell, candidate: Vec<u8>, is_physical: bool) -> Option<Vec<u8>> {
    // The working directory in this process's entry of `/proc` is the host's.
    let candidate = match hookshell_process::lead(&shell.absolute(&candidate), &shell.env.inherited.cwd) {
        hookshell_process::Lead::Path(own) => text::from_os(own.as_os_str()).into_owned(),
        _ => candidate,
    };
    let path = if is_physical {
        let path = std::fs::canonicalize(shell.absolute(&candidate)).ok()?;
        text::from_os(path.as_os_str()).into_owned()
    } else {
        let native = script_path::native(&candidate, &shell.env.inherited.cwd, || shell.temp_dir());
        logical(&shell.pwd(), &shell_path(&native))
    };
    // On Windows `/x` is on the drive that the script is on.
    let directory = shell.env.inherited.cwd.join(text::to_path(&path));
    // What stands before a `..` must be a directory, though the text needs none (XCU cd, step 8).
    if !is_physical && !leads_on(&shell.absolute(&candidate)) {
        return None;
    }
    if can_enter(&directory) {
        return Some(path);
    }
    // A logical path that leads nowhere may still be one when `..` is resolved by the system.
    let joined = shell.absolute(&candidate);
    if !is_physical && can_enter(&joined) && std::fs::metadata(&directory).is_err() {
        return std::fs::canonicalize(&joined).ok().map(|path| text::from_os(path.as_os_str()).into_owned());
    }
    None
}

/// `cd [-L|-P [-e]] [-@] [directory]`
pub(super) fn cd(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    if shell.refuses(&args[0], b"") {
        return done(1);
    }
    let Request { target, is_physical, is_back: show, is_operand } = match request(shell, args) {
        Ok(request) => request,
        Err(status) => return done(status),
    };
    let below_cdpath = !show && is_operand && shell.vars.scalar_bytes(b"CDPATH").is_some_and(|path| !path.is_empty());
    if target.is_empty() && (!below_cdpath || shell.opt(Opt::Posix)) {
        // bash stays where it is, but has no physical path of nothing; POSIX Issue 8 wants an error.
        if shell.opt(Opt::Posix) || is_physical && shell.env.dialect == Dialect::Bash {
            shell.builtin_error(&args[0], ": No such file or directory");
            return done(1);
        }
        if show {
            return shell.print(b"cd", b"\n");
        }
        // OLDPWD follows all the same.
        let stays = shell.pwd();
        return change(shell, &stays, false);
    }
    for (candidate, named) in candidates(shell, &target) {
        if let Some(path) = enterable(shell, candidate, is_physical) {
            return change(shell, &shell_path(&path), show || named);
        }
    }
    let is_relative = !is_absolute(&target);
    // bash: `shopt -s cdable_vars`. The value is shown as it is.
    if shell.opt(Opt::Cdable)
        && let Some(value) = shell.vars.scalar_bytes(&target).map(<[u8]>::to_vec)
        && let Some(path) = enterable(shell, value.clone(), is_physical)
    {
        let status = change(shell, &shell_path(&path), false)?;
        return if status == 0 { shell.print(b"cd", &[&*value, b"\n"].concat()) } else { done(status) };
    }
    // The working directory has got another name: the path leads on from where it is now.
    if is_relative
        && let Some(here) = renamed_directory(shell)
        && let Ok(path) = std::fs::canonicalize(here.join(text::to_path(&target)))
        && can_enter(&path)
    {
        return change(shell, &shell_path(&text::from_os(path.as_os_str())), show);
    }
    if is_relative
        && !shell.opt(Opt::Posix)
        && let Some(path) = out_of_removed(shell, &target)
    {
        return change(shell, &path, show);
    }
    let path = shell.absolute(&target);
    let reason = match std::fs::metadata(&path) {
        Ok(meta) if !meta.is_dir() => "Not a directory".to_owned(),
        Ok(_) => "Permission denied".to_owned(),
        Err(error) => crate::interpreter::exec::reason(&error),
    };
    shell.builtin_error(&args[0], [&*target, b": ", reason.as_bytes()].concat());
    done(1)
}

/// Where the working directory is now, if it is not where its path leads any more.
fn renamed_directory(shell: &Shell) -> Option<PathBuf> {
    let here = shell.env.inherited.held_directory.as_ref()?.path()?;
    std::fs::canonicalize(&*shell.env.inherited.cwd).ok().is_none_or(|path| path != here).then_some(here)
}

/// bash: the working directory has been removed, and the path leads on from it as far as the system knows: back to it, or
/// above it.
fn out_of_removed(shell: &mut Shell, target: &[u8]) -> Option<Vec<u8>> {
    if shell.env.dialect == Dialect::Posix || std::fs::metadata(&*shell.env.inherited.cwd).is_ok() {
        return None;
    }
    let here = shell.pwd();
    let path = logical(&here, target);
    if path == logical(&here, b".") {
        shell.write_error(format!("cd: {CANNOT_TELL}: No such file or directory\n").as_bytes());
        return Some([&here, &b"/"[..], target].concat());
    }
    can_enter(&text::to_path(&path)).then_some(path)
}

/// What bash says where the working directory has no name.
const CANNOT_TELL: &str = "error retrieving current directory: getcwd: cannot access parent directories";

/// Is every part of the path before a `..` a directory?
fn leads_on(path: &Path) -> bool {
    let mut parts = path.components().peekable();
    let mut before = PathBuf::new();
    while let Some(part) = parts.next() {
        before.push(part);
        if part != Component::ParentDir && parts.peek() == Some(&Component::ParentDir) && !before.is_dir() {
            return false;
        }
    }
    true
}

fn can_enter(path: &Path) -> bool {
    path.is_dir() && system::access(path, Access::Execute)
}

fn is_absolute(path: &[u8]) -> bool {
    path.starts_with(b"/")
        || cfg!(windows)
            && (path.starts_with(b"\\") || matches!(path, [drive, b':', ..] if drive.is_ascii_alphabetic()))
}

/// Joins and takes `.` and `..` out by text (XCU cd, step 8). On Windows what goes above the root of the drive that one is
/// on is `/`, where scripts that go upwards end.
pub(crate) fn logical(cwd: &[u8], target: &[u8]) -> Vec<u8> {
    // Below the root one slash is enough: two would be kept.
    let slash: &[u8] = if cwd.ends_with(b"/") { b"" } else { b"/" };
    let joined = if is_absolute(target) { target.to_vec() } else { [cwd, slash, target].concat() };
    let (root, rest): (&[u8], &[u8]) = match &*joined {
        [drive, b':', ..] if cfg!(windows) && drive.is_ascii_alphabetic() => (&joined[..2], &joined[2..]),
        // Exactly two leading slashes are kept (XBD 4.16).
        [b'/', b'/', rest @ ..] if !rest.starts_with(b"/") => (b"/", &joined[1..]),
        _ => (b"", &joined),
    };
    let mut root = root;
    let is_on_drive = cfg!(windows) && root.ends_with(b":") && !is_absolute(target);
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in rest.split(|&b| b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                if parts.pop().is_none() && is_on_drive {
                    root = b"";
                }
            }
            part => parts.push(part),
        }
    }
    let mut result = root.to_vec();
    if parts.is_empty() {
        result.push(b'/');
    }
    for part in parts {
        result.push(b'/');
        result.extend_from_slice(part);
    }
    result
}

/// Enters a directory: PWD and OLDPWD follow.
pub(crate) fn change(shell: &mut Shell, path: &[u8], show: bool) -> Flow<u8> {
    let old = match shell.vars.scalar_bytes(b"PWD") {
        Some(pwd) => pwd.to_vec(),
        None => shell.pwd(),
    };
    let cwd = shell.env.inherited.cwd.join(text::to_path(path));
    shell.env.inherited.held_directory = HeldDirectory::open(&cwd).map(Arc::new);
    shell.env.inherited.cwd = cwd.into();
    let old_set = super::assigned(shell, |shell| shell.set_variable(b"OLDPWD", &old))?;
    if !(super::assigned(shell, |shell| shell.set_variable(b"PWD", path))? && old_set) {
        return done(1);
    }
    if show {
        return shell.print(b"cd", &[path, b"\n"].concat());
    }
    done(0)
}

/// `pwd [-L|-P]`. On Windows also Git Bash's `-W`: the path as Windows has it, with slashes.
pub(super) fn pwd(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    let known: &[u8] = if cfg!(windows) { b"LPW" } else { b"LP" };
    let (letters, _) = match options(shell, args, known) {
        Ok(parsed) => parsed,
        Err(status) => return done(status),
    };
    let physical = letters.last().map_or(shell.opt(Opt::Physical), |letter| *letter == b'P');
    let mut path = shell.pwd();
    if letters.contains(&b'W') {
        path = shell_path(&text::from_os(shell.env.inherited.cwd.as_os_str()));
    }
    if physical {
        match std::fs::canonicalize(&*shell.env.inherited.cwd) {
            Ok(real) => path = shell_path(&text::from_os(real.as_os_str())),
            Err(error) => match renamed_directory(shell) {
                Some(here) => path = shell_path(&text::from_os(here.as_os_str())),
                None => {
                    let reason = crate::interpreter::exec::reason(&error);
                    shell.write_error(format!("pwd: {CANNOT_TELL}: {reason}\n").as_bytes());
                    return done(1);
                }
            },
        }
    }
    path.push(b'\n');
    shell.print(b"pwd", &path)
}

#[cfg(test)]
mod tests {
    use super::logical;

    #[test]
    fn dots_are_taken_out_by_text() {
        for (cwd, target, expected) in [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "../c/./d/", "/a/c/d"),
            ("/a", "../../..", "/"),
            ("/", "x", "/x"),
            ("/", "../x", "/x"),
            ("/a", "//x/y", "//x/y"),
            ("/a", "///x", "/x"),
            ("/a", "//", "//"),
        ] {
            assert_eq!(logical(cwd.as_bytes(), target.as_bytes()), expected.as_bytes(), "{cwd} {target}");
        }
    }
}
