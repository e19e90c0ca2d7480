//! Files that the line writes and then runs, and what a shell reads on standard input.

use std::rc::Rc;

use super::{FILES_LIMIT, HOLE, Input, Judge};
use crate::condition::pattern::base_name;
use crate::programs::Language;

/// What is run of a file that the line writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Executed {
    Shell,
    Language(Language),
}

pub(super) struct Written {
    pub(super) path: Vec<u8>,
    pub(super) text: Option<Rc<[u8]>>,
    /// It has the text of the file of this name.
    pub(super) copy_of: Vec<u8>,
}

impl Judge<'_> {
    pub(super) fn execute_later(&mut self, path: &[u8]) {
        // A shell's redirection: what reads it decides what it is.
        if self.executed.len() < FILES_LIMIT {
            self.executed.push((path.to_vec(), Executed::Shell));
        }
    }

    /// The line writes a file; none: what is not known.
    pub(super) fn writes(&mut self, path: Vec<u8>, text: Option<Rc<[u8]>>) {
        let is_harmless = path.starts_with(b"/dev/null") || path.iter().all(u8::is_ascii_digit) || path == b"-";
        if !is_harmless {
            self.written(Written { path, text, copy_of: Vec::new() });
        }
    }

    /// A program may write this text, or a part of it, into a file whose name is not looked for.
    pub(super) fn writes_somewhere(&mut self, text: &[u8]) {
        // In a patch the lines that it adds begin with `+`.
        let added: Vec<u8> = text.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
        if text.contains(&HOLE) || self.pattern.is_mentioned(text) || self.pattern.is_mentioned(&added) {
            self.writes(vec![HOLE], None);
        }
    }

    /// The same, of what a program reads.
    pub(super) fn writes_input(&mut self) {
        if let Input::Text(text) = self.input.clone() {
            self.writes_somewhere(&text);
        }
    }

    pub(super) fn written(&mut self, written: Written) {
        if self.written.len() >= FILES_LIMIT {
            return self.found();
        }
        self.written.push(written);
    }

    pub(super) fn executes(&mut self, path: &[u8], what: Executed) {
        if self.executed.len() >= FILES_LIMIT {
            return self.found();
        }
        self.executed.push((path.to_vec(), what));
    }

    /// The files that the line writes, and then runs. What is run of them may write and run others.
    pub(super) fn files(&mut self) {
        let mut seen: Vec<(Rc<[u8]>, Executed)> = Vec::new();
        loop {
            let (written, executed) = (std::mem::take(&mut self.written), std::mem::take(&mut self.executed));
            let mut is_new = false;
            for file in &written {
                let text = match file.copy_of.is_empty() {
                    true => file.text.clone(),
                    false => match written.iter().find(|other| is_same(&other.path, &file.copy_of)) {
                        Some(source) => source.text.clone(),
                        None => continue,
                    },
                };
                for (path, what) in &executed {
                    if self.is_found {
                        return;
                    }
                    if !is_same(&file.path, path) {
                        continue;
                    }
                    let Some(text) = &text else { return self.found() };
                    let script = (Rc::clone(text), *what);
                    if !seen.contains(&script) {
                        seen.push(script);
                        is_new = true;
                        self.script(text, *what);
                    }
                }
                // What is written to it piece by piece is one script.
                let pieces = || written.iter().filter(|other| is_same(&other.path, &file.path));
                if pieces().count() > 1 && executed.iter().any(|(path, _)| is_same(&file.path, path)) {
                    let whole: Option<Vec<&[u8]>> = pieces().map(|piece| piece.text.as_deref()).collect();
                    let Some(whole) = whole else { return self.found() };
                    let whole = (Rc::from(whole.concat()), Executed::Shell);
                    if !seen.contains(&whole) {
                        is_new = true;
                        let languages = executed.iter().filter(|(path, _)| is_same(&file.path, path));
                        let whats: Vec<Executed> = languages.map(|(_, what)| *what).collect();
                        whats.into_iter().for_each(|what| self.script(&whole.0, what));
                        seen.push(whole);
                    }
                }
                // Hooks of git, and what `make` reads.
                if self.runs_project
                    && text.as_deref().is_some_and(|text| text.contains(&HOLE) || self.pattern.is_mentioned(text))
                {
                    return self.found();
                }
            }
            if !is_new || self.is_found {
                return;
            }
            // At the end: what is new is looked at beside what is not.
            self.written.extend(written);
            self.executed.extend(executed);
            if self.written.len() > FILES_LIMIT || self.executed.len() > 2 * FILES_LIMIT {
                return self.found();
            }
        }
    }

    fn script(&mut self, text: &[u8], what: Executed) {
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let named = |name: &[u8]| first.starts_with(b"#!") && first.windows(name.len()).any(|part| part == name);
        let language = match what {
            Executed::Language(language) => Some(language),
            Executed::Shell if named(b"python") => Some(Language::Python),
            Executed::Shell if named(b"node") => Some(Language::Node),
            Executed::Shell if named(b"perl") => Some(Language::Perl),
            Executed::Shell if named(b"ruby") => Some(Language::Ruby),
            Executed::Shell if first.starts_with(b"#!") && !named(b"sh") => Some(Language::Other),
            Executed::Shell => None,
        };
        match language {
            Some(language) => self.foreign(language, text),
            None => self.code(text),
        }
    }

    /// What the input of a shell or of another interpreter is.
    pub(super) fn read_input(&mut self, language: Option<Language>) {
        match self.input.clone() {
            Input::Inherited | Input::Unknown => self.found(),
            Input::Text(text) => match language {
                Some(language) => self.foreign(language, &text),
                None => self.code(&text),
            },
            Input::File => {}
        }
    }
}

/// May two paths be of one file? Directories are not compared: a line may change into them.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (base_name(one), base_name(other));
    one == other || one.contains(&HOLE) || other.contains(&HOLE)
}
