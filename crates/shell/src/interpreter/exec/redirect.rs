//! Redirections (XCU 2.7).

use std::ops::ControlFlow;
use std::sync::Arc;

use hookshell_syntax::ast::{Redirection, RedirectionFd, RedirectionKind, Word};
use hookshell_text::integer;
use hookshell_utility::{FdTable, Stream};
use smallvec::SmallVec;

use super::open::Mode;
use crate::flow::Flow;
use crate::interpreter::reference::Reference;
use crate::limits::Limit;
use crate::options::Opt;
use crate::shell::Shell;
use crate::vars::Fetched;

/// What descriptors led to before a command's redirections.
#[derive(Debug, Default)]
pub(crate) struct SavedFds(SmallVec<[(u32, Option<Arc<Stream>>); 2]>);

impl Shell {
    /// Carries out redirections from the left to the right. `false`: one failed, and its message is written; those
    /// before it are in `saved` (without it they stay: `exec`).
    pub(crate) fn redirect(&mut self, redirections: &[Redirection], mut saved: Option<&mut SavedFds>) -> Flow<bool> {
        for redirection in redirections {
            if !self.redirect_one(redirection, saved.as_deref_mut())? {
                return ControlFlow::Continue(false);
            }
        }
        ControlFlow::Continue(true)
    }

    /// Undoes redirections.
    #[inline]
    pub(crate) fn restore_fds(&mut self, saved: SavedFds) {
        for (fd, stream) in saved.0.into_iter().rev() {
            self.env.fds.replace(fd, stream);
        }
    }

    fn set_fd(&mut self, fd: u32, stream: Option<Arc<Stream>>, saved: Option<&mut SavedFds>) {
        let old = self.env.fds.replace(fd, stream);
        if let Some(saved) = saved {
            saved.0.push((fd, old));
        }
    }

    fn redirect_one(&mut self, redirection: &Redirection, mut saved: Option<&mut SavedFds>) -> Flow<bool> {
        let default_fd = match redirection.kind {
            RedirectionKind::Read(_)
            | RedirectionKind::ReadWrite(_)
            | RedirectionKind::DuplicateInput(_)
            | RedirectionKind::HereDocument(_)
            | RedirectionKind::HereString(_) => 0,
            _ => 1,
        };
        let mut variable = None;
        let fd = match &redirection.fd {
            None => default_fd,
            Some(RedirectionFd::Number(fd)) if *fd > FdTable::MAX => {
                self.error(format!("{fd}: Bad file descriptor"));
                return ControlFlow::Continue(false);
            }
            Some(RedirectionFd::Number(fd)) => *fd,
            Some(RedirectionFd::Variable(name)) => {
                variable = Some(name);
                if self.closes(&redirection.kind) {
                    return self.close_by_variable(name, saved);
                }
                match self.env.fds.lowest_free(10) {
                    Some(fd) => fd,
                    None => {
                        self.error("too many open files");
                        return ControlFlow::Continue(false);
                    }
                }
            }
        };
        // A descriptor named by a variable stays open.
        if variable.is_some() && !self.opt(Opt::VarredirClose) {
            saved = None;
        }
        let stream = match &redirection.kind {
            RedirectionKind::Read(word) => self.open_word(word, Mode::Read)?,
            RedirectionKind::Write(word) => self.open_word(word, Mode::Write)?,
            RedirectionKind::Clobber(word) => self.open_word(word, Mode::Clobber)?,
            RedirectionKind::Append(word) => self.open_word(word, Mode::Append)?,
            RedirectionKind::ReadWrite(word) => self.open_word(word, Mode::ReadWrite)?,
            RedirectionKind::WriteBoth(word) => return self.both(word, Mode::Write, saved),
            RedirectionKind::AppendBoth(word) => return self.both(word, Mode::Append, saved),
            RedirectionKind::HereDocument(document) => {
                let mut body = Vec::new();
                if let Some(word) = document.body.get() {
                    self.expand_here_document(word, &mut body)?;
                }
                Some(self.document(body)?)
            }
            RedirectionKind::HereString(word) => {
                let mut body = Vec::new();
                self.expand_assigned(word, &mut body)?;
                body.push(b'\n');
                Some(self.document(body)?)
            }
            RedirectionKind::DuplicateInput(word) => return self.duplicate(fd, word, true, redirection, saved),
            RedirectionKind::DuplicateOutput(word) => return self.duplicate(fd, word, false, redirection, saved),
        };
        let Some(stream) = stream else { return ControlFlow::Continue(false) };
        self.set_fd(fd, Some(stream), saved);
        match variable {
            Some(name) => self.assign_fd(name, fd),
            None => ControlFlow::Continue(true),
        }
    }

    /// A here-document or here-string to read from.
    fn document(&mut self, body: Vec<u8>) -> Flow<Arc<Stream>> {
        let size = body.len();
        if size > self.host.limits.here_document_bytes {
            return self.exceed(Limit::HereDocumentBytes, "a here-document is larger");
        }
        let stream = Stream::input(body);
        // Descriptors may keep many of them.
        let held = if size > super::function::LARGE { Some(self.hold(size)?) } else { None };
        ControlFlow::Continue(Arc::new(match held {
            Some(held) => stream.holding(held),
            None => stream,
        }))
    }

    /// Gives the variable of `{name}>` the new descriptor; it is closed where that fails.
    fn assign_fd(&mut self, name: &hookshell_syntax::Name, fd: u32) -> Flow<bool> {
        let digits = fd.to_string().into_bytes();
        // `{name[subscript]}>` too. A read-only name is an error of the redirection, in POSIX mode too.
        let assigned = match self.reference_from_text(name.as_bytes())? {
            Some(Reference::Variable(id)) => self.for_builtin(|shell| shell.assign_slot(id, &digits, false)),
            Some(reference) => self.for_builtin(|shell| shell.assign_reference(&reference, digits, false)),
            None => crate::flow::divert(crate::flow::Divert::Discard),
        };
        match assigned {
            ControlFlow::Continue(()) => ControlFlow::Continue(true),
            ControlFlow::Break(crate::flow::Divert::Discard) => {
                self.error(format!("{name}: cannot assign fd to variable"));
                self.set_fd(fd, None, None);
                ControlFlow::Continue(false)
            }
            ControlFlow::Break(divert) => ControlFlow::Break(divert),
        }
    }

    fn closes(&self, kind: &RedirectionKind) -> bool {
        match kind {
            RedirectionKind::DuplicateInput(word) | RedirectionKind::DuplicateOutput(word) => {
                word.literal().as_deref() == Some(b"-")
            }
            _ => false,
        }
    }

    fn close_by_variable(&mut self, name: &hookshell_syntax::Name, saved: Option<&mut SavedFds>) -> Flow<bool> {
        let value = match self.reference_from_text(name.as_bytes())? {
            Some(reference) => self.fetch(&reference),
            None => Fetched::Unset,
        };
        let fd = match value {
            Fetched::One(text) => integer::parse_integer(&text).and_then(|fd| u32::try_from(fd).ok()),
            _ => None,
        };
        let Some(fd) = fd else {
            self.error(format!("{name}: ambiguous redirect"));
            return ControlFlow::Continue(false);
        };
        self.set_fd(fd, None, saved);
        ControlFlow::Continue(true)
    }

    /// bash: `&> word`
    fn both(&mut self, word: &Word, mode: Mode, saved: Option<&mut SavedFds>) -> Flow<bool> {
        let Some(target) = self.redirection_target(word)? else { return ControlFlow::Continue(false) };
        self.both_to(&target, mode, saved)
    }

    /// Standard output and standard error to one file.
    fn both_to(&mut self, target: &[u8], mode: Mode, mut saved: Option<&mut SavedFds>) -> Flow<bool> {
        let Some(stream) = self.open_target(target, mode)? else { return ControlFlow::Continue(false) };
        self.set_fd(1, Some(stream.clone()), saved.as_deref_mut());
        self.set_fd(2, Some(stream), saved);
        ControlFlow::Continue(true)
    }

    fn duplicate(
        &mut self,
        fd: u32,
        word: &Word,
        input: bool,
        redirection: &Redirection,
        mut saved: Option<&mut SavedFds>,
    ) -> Flow<bool> {
        let Some(target) = self.redirection_target(word)? else { return ControlFlow::Continue(false) };
        let mut fd = fd;
        if let Some(RedirectionFd::Variable(name)) = &redirection.fd {
            if !self.assign_fd(name, fd)? {
                return ControlFlow::Continue(false);
            }
            saved = None;
        }
        if target == b"-" {
            self.set_fd(fd, None, saved);
            return ControlFlow::Continue(true);
        }
        let (digits, moved) = match target.split_last() {
            Some((b'-', digits)) if !digits.is_empty() => (digits, true),
            _ => (&*target, false),
        };
        let number = std::str::from_utf8(digits)
            .ok()
            .filter(|d| d.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|d| d.parse().ok());
        let Some(from): Option<u32> = number else {
            // bash: `>& word` and `1>& word` with a word that is no number are `&> word`.
            let is_output = matches!(redirection.fd, None | Some(RedirectionFd::Number(1)));
            if !input && is_output && !target.is_empty() && self.env.dialect == hookshell_syntax::Dialect::Bash {
                return self.both_to(&target, Mode::Write, saved);
            }
            self.error([&*target, b": ambiguous redirect"].concat());
            return ControlFlow::Continue(false);
        };
        // bash: a descriptor onto itself changes nothing, and is not looked at.
        if from == fd
            && self.env.dialect == hookshell_syntax::Dialect::Bash
            && !matches!(redirection.fd, Some(RedirectionFd::Variable(_)))
        {
            return ControlFlow::Continue(true);
        }
        let Some(stream) = self.env.fds.get(from).cloned() else {
            let mut message = hookshell_syntax::print_word(word);
            if moved && message.last() == Some(&b'-') {
                message.pop();
            }
            message.extend_from_slice(b": Bad file descriptor");
            self.error(message);
            return ControlFlow::Continue(false);
        };
        if let Some(RedirectionFd::Variable(_)) = &redirection.fd {
            fd = fd.max(10);
        }
        self.set_fd(fd, Some(stream), saved.as_deref_mut());
        if moved && from != fd {
            self.set_fd(from, None, saved);
        }
        ControlFlow::Continue(true)
    }

    /// The target of a redirection: exactly one word.
    fn redirection_target(&mut self, word: &Word) -> Flow<Option<Vec<u8>>> {
        if self.opt(Opt::Posix) {
            return self.expand_to_string(word).map_continue(Some);
        }
        let mut fields = self.take_args();
        self.expand_fields(word, &mut fields)?;
        let target = if fields.len() == 1 {
            Some(fields[0].to_vec())
        } else {
            let mut message = hookshell_syntax::print_word(word);
            message.extend_from_slice(b": ambiguous redirect");
            self.error(message);
            None
        };
        self.give_args(fields);
        ControlFlow::Continue(target)
    }

    fn open_word(&mut self, word: &Word, mode: Mode) -> Flow<Option<Arc<Stream>>> {
        let Some(target) = self.redirection_target(word)? else { return ControlFlow::Continue(None) };
        self.open_target(&target, mode)
    }
}

/// Does a variable get the descriptor, or give the one to close (`{name}>`)?
pub(super) fn names_variable(redirection: &Redirection) -> bool {
    matches!(redirection.fd, Some(RedirectionFd::Variable(_)))
}

/// Can the redirection be expanded without running a command, assigning, or failing?
pub(super) fn has_no_side_effects(redirection: &Redirection) -> bool {
    let quick = super::pipeline::has_no_side_effects;
    if names_variable(redirection) {
        return false;
    }
    match &redirection.kind {
        RedirectionKind::DuplicateInput(_) | RedirectionKind::DuplicateOutput(_) => true,
        kind => kind.word().is_none_or(quick),
    }
}

/// Is the redirection's word one without expansions?
pub(super) fn is_literal(redirection: &Redirection) -> bool {
    use hookshell_syntax::ast::WordShape;
    redirection.kind.word().is_none_or(|word| word.shape == WordShape::Literal)
}

/// Does the redirection change standard input?
pub(crate) fn is_of_stdin(redirection: &Redirection) -> bool {
    match &redirection.fd {
        Some(RedirectionFd::Number(fd)) => *fd == 0,
        Some(RedirectionFd::Variable(_)) => false,
        None => matches!(
            redirection.kind,
            RedirectionKind::Read(_)
                | RedirectionKind::ReadWrite(_)
                | RedirectionKind::DuplicateInput(_)
                | RedirectionKind::HereDocument(_)
                | RedirectionKind::HereString(_)
        ),
    }
}
