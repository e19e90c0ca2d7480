//! `test` and `[` (XCU test)

use std::path::Path;

use hookshell_syntax::ast::Argument;
use hookshell_syntax::is_name;

use super::{USAGE, done};
use crate::args::Args;
use crate::conditional::{self, Descriptor, Environment, FileInfo, FileKind};
use crate::flow::Flow;
use crate::options;
use crate::shell::Shell;
use crate::vars::Attributes;

/// What conditional expressions see of the shell.
pub(crate) struct TestContext<'a>(pub(crate) &'a Shell);

impl Environment for TestContext<'_> {
    fn cwd(&self) -> &Path {
        &self.0.cwd
    }

    fn temp_dir(&self) -> std::path::PathBuf {
        self.0.temp_dir()
    }

    fn variable_is_set(&self, name: &[u8]) -> bool {
        let shell = self.0;
        if is_name(name) {
            return match shell.vars.find_bytes(name) {
                Some(id) => match shell.vars.get(id) {
                    Some(variable) => variable.value.scalar().is_some(),
                    None => shell.vars.special(id).is_computed(),
                },
                None => crate::vars::Special::of(name).is_computed(),
            };
        }
        if let Some(n) = std::str::from_utf8(name).ok().and_then(|n| n.parse::<usize>().ok()) {
            return n == 0 || shell.positional.get(n).is_some();
        }
        // An element: looked up without evaluating anything that could have an effect.
        let Some((name, subscript)) = crate::reference::split_subscript(name) else { return false };
        let Some(variable) = shell.vars.get_bytes(name) else { return false };
        match (&variable.value, subscript) {
            // bash 5.2: in an associative array these are keys as any other.
            (crate::vars::Value::Associative(array), key) => array.get(key).is_some(),
            (value, b"@" | b"*") => value.elements() > 0,
            (crate::vars::Value::Indexed(array), key) => {
                let index = crate::text::integer::parse_integer(key)
                    .or_else(|| shell.vars.scalar_bytes(key).and_then(crate::text::integer::parse_integer));
                match index {
                    Some(index) if index < 0 => {
                        array.next_index().checked_sub(index.unsigned_abs()).and_then(|i| array.get(i)).is_some()
                    }
                    Some(index) => array.get(index.unsigned_abs()).is_some(),
                    None => false,
                }
            }
            (crate::vars::Value::Scalar(_), key) => crate::text::integer::parse_integer(key) == Some(0),
            _ => false,
        }
    }

    fn is_nameref(&self, name: &[u8]) -> bool {
        self.0.vars.get_bytes(name).is_some_and(|v| v.attributes.has(Attributes::NAMEREF))
    }

    fn option_is_set(&self, name: &[u8]) -> bool {
        options::by_name(name).is_some_and(|opt| self.0.opt(opt))
    }

    fn is_bundled_only(&self, name: &[u8]) -> bool {
        let Self(shell) = self;
        shell.host.utilities.utility(name).is_some() && {
            let path = shell.vars.scalar_bytes(b"PATH").unwrap_or(b"");
            shell.host.executor.find(name, path, &shell.cwd).is_none()
        }
    }

    fn is_terminal(&self, descriptor: u32) -> bool {
        self.0.fds.get(descriptor).is_some_and(|stream| stream.is_terminal())
    }

    fn descriptor(&self, descriptor: u32) -> Option<Descriptor> {
        let stream = self.0.fds.get(descriptor)?;
        let info = match stream.file() {
            Some(file) => FileInfo::from(&file.metadata().ok()?),
            None if stream.is_null() => FileInfo::of_kind(FileKind::Character),
            None => FileInfo::of_kind(FileKind::Fifo),
        };
        Some(Descriptor { info, readable: true, writable: true })
    }
}

/// `test [expression]`
pub(super) fn test(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    evaluate(shell, args, args.len())
}

/// `[ [expression] ]`
pub(super) fn bracket(shell: &mut Shell, args: &Args, _: &[Argument]) -> Flow<u8> {
    if args.len() < 2 || &args[args.len() - 1] != b"]" {
        shell.builtin_error(b"[", "missing `]'");
        return done(USAGE);
    }
    evaluate(shell, args, args.len() - 1)
}

fn evaluate(shell: &mut Shell, args: &Args, end: usize) -> Flow<u8> {
    let mut words: smallvec::SmallVec<[&[u8]; 8]> = smallvec::SmallVec::new();
    words.extend(args.iter_from(1).take(end - 1));
    match conditional::test(&words, &TestContext(shell)) {
        Ok(truth) => done(u8::from(!truth)),
        Err(error) => {
            let name = args[0].to_vec();
            shell.builtin_error(&name, error.to_string());
            done(USAGE)
        }
    }
}
