//! `test` and `[` (XCU test)

use std::path::Path;

use hookshell_syntax::ast::Argument;
use hookshell_syntax::is_name;
use hookshell_utility::Args;

use super::{USAGE, done};
use crate::conditional::{self, Descriptor, Environment, FileInfo, FileKind};
use crate::flow::Flow;
use crate::options;
use crate::shell::Shell;
use crate::vars::Attributes;

/// What conditional expressions see of the shell, and which elements (`a[1]`) that they ask for are set.
pub(crate) struct TestContext<'a>(pub(crate) &'a Shell, pub(crate) &'a [(&'a [u8], bool)]);

impl Environment for TestContext<'_> {
    fn cwd(&self) -> &Path {
        // An operand is a file.
        self.0.host.cancel.before_wait();
        &self.0.env.inherited.cwd
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
            return n == 0 || shell.env.positional.get(n).is_some();
        }
        self.1.iter().any(|(element, is_set)| *element == name && *is_set)
    }

    fn is_nameref(&self, name: &[u8]) -> bool {
        let is_set = |v: &crate::vars::Variable| v.value != crate::vars::Value::Unset;
        self.0.vars.get_bytes(name).is_some_and(|v| v.attributes.has(Attributes::NAMEREF) && is_set(v))
    }

    fn option_is_set(&self, name: &[u8]) -> bool {
        options::by_name(name).is_some_and(|opt| self.0.opt(opt))
    }

    fn is_bundled_only(&self, name: &[u8]) -> bool {
        let Self(shell, _) = self;
        shell.host.utilities.utility(name).is_some() && {
            let path = shell.vars.scalar_bytes(b"PATH").unwrap_or(b"");
            shell.host.executor.find(name, path, &shell.env.inherited.cwd).is_none()
        }
    }

    fn is_terminal(&self, descriptor: u32) -> bool {
        self.0.env.fds.get(descriptor).is_some_and(|stream| stream.is_terminal())
    }

    fn descriptor(&self, descriptor: u32) -> Option<Descriptor> {
        let stream = self.0.env.fds.get(descriptor)?;
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
    // Most have two operands and an operator between them.
    if end == 4 {
        return evaluate_words(shell, args, &[&args[1], &args[2], &args[3]]);
    }
    let words: smallvec::SmallVec<[&[u8]; 8]> = args.iter_from(1).take(end - 1).collect();
    evaluate_words(shell, args, &words)
}

#[inline]
fn evaluate_words(shell: &mut Shell, args: &Args, words: &[&[u8]]) -> Flow<u8> {
    // What subscripts expand to and compute can have effects: they are evaluated before the expression is read.
    let mut elements: smallvec::SmallVec<[(&[u8], bool); 1]> = smallvec::SmallVec::new();
    for pair in words.windows(2) {
        if pair[0] == b"-v" && pair[1].contains(&b'[') {
            elements.push((pair[1], shell.is_set_text(pair[1])?));
        }
    }
    match conditional::test(words, &TestContext(shell, &elements)) {
        Ok(truth) => done(u8::from(!truth)),
        Err(error) => {
            let name = args[0].to_vec();
            shell.builtin_error(&name, error.to_string());
            done(USAGE)
        }
    }
}
