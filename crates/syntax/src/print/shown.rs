//! Where here-documents and separators stand as bash shows commands.
//!
//! A list or pipeline of several commands is a connection to bash: the here-documents of its first command follow the
//! operator after that, those of the others stand before it; a pipeline is one of its first command and the rest of
//! it. Outside of connections they follow their redirections.

use super::Printer;
use super::command::is_bare;
use crate::ast::{List, Redirection};

impl Printer {
    /// The commands with separators between them; the last one has `&` if it is in the background, and nothing else.
    pub(super) fn shown_list(&mut self, list: &List) {
        let is_connected = list.items.len() > 1 || list.items.first().is_some_and(|item| item.background);
        self.connections += usize::from(is_connected);
        for (i, item) in list.items.iter().enumerate() {
            self.and_or(&item.and_or);
            let last = i + 1 == list.items.len();
            // The `&` of `a; b &` is of `b`, which comes first in it; that of `a & b &` is of all.
            let follows_background = i.checked_sub(1).is_some_and(|i| list.items[i].background);
            if i > 0 && (!item.background || follows_background) {
                self.shown_documents();
            }
            if item.background {
                self.operator(" &", true);
                if !last {
                    self.text(" ");
                }
            } else if last {
                if is_bare(item) {
                    self.text(";");
                }
            } else {
                if !self.pending.is_empty() {
                    self.shown_documents();
                } else if !std::mem::take(&mut self.ended) {
                    self.text(";");
                }
                if self.one_line {
                    self.text(" ");
                } else {
                    self.newline();
                }
            }
        }
        self.end_connection(is_connected);
    }

    /// An operator of a connection, after its first command or another.
    pub(super) fn operator(&mut self, operator: &str, after_first: bool) {
        if self.shown && !after_first {
            self.shown_documents();
        }
        self.text(operator);
        if self.shown && !self.pending.is_empty() {
            self.shown_documents();
            self.text(" ");
        }
    }

    /// The end of a list or pipeline, which was counted in `connections`.
    pub(super) fn end_connection(&mut self, is_connected: bool) {
        if is_connected {
            self.connections = self.connections.saturating_sub(1);
            if self.shown {
                self.shown_documents();
            }
        }
    }

    /// The end of a command's redirections.
    pub(super) fn end_redirections(&mut self, redirections: &[Redirection]) {
        if !self.shown || redirections.is_empty() {
            return;
        }
        self.ended = false;
        if self.connections == 0 {
            self.shown_documents();
        }
    }

    /// The here-documents that wait for the next newline.
    pub(super) fn shown_documents(&mut self) {
        if !self.pending.is_empty() {
            self.out.push(b'\n');
            self.here_documents();
        }
    }

    /// The `;` before a reserved word.
    pub(super) fn shown_semicolon(&mut self) {
        if !matches!(self.out.last(), Some(b'&' | b'\n')) {
            self.text(";");
        }
    }
}
