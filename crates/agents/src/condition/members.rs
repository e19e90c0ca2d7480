//! What a tool's input has that rules are about.

use serde_json::value::RawValue;

use crate::json::{RawObject, decode};
use crate::tool_input::ToolInput;

/// How deep objects and lists are looked into.
const DEPTH_LIMIT: usize = 16;

/// The texts of an input, by what they are. Members of the same name all count: which one a tool takes is not known.
#[derive(Debug, Default)]
pub(crate) struct Members {
    pub(crate) commands: Vec<String>,
    /// What the tool works on.
    pub(crate) paths: Vec<String>,
    /// What may be a path too.
    pub(crate) other_paths: Vec<String>,
    pub(crate) urls: Vec<String>,
    /// Patterns of paths.
    pub(crate) globs: Vec<String>,
    /// The member `pattern`: of paths in some tools, of texts in others.
    pub(crate) patterns: Vec<String>,
    /// Something that is a text elsewhere is none here.
    pub(crate) is_odd: bool,
}

impl Members {
    pub(crate) fn of(input: &ToolInput) -> Self {
        let mut members = Self::default();
        members.object(input.get(), 0);
        members
    }

    fn object(&mut self, text: &str, depth: usize) {
        // What is no object has no members.
        let Ok(object) = RawObject::parse(text) else { return };
        for (key, value) in &object.members {
            let name: String =
                decode(key).chars().filter(|c| !matches!(c, '_' | '-')).collect::<String>().to_ascii_lowercase();
            let list = match name.as_str() {
                "command" | "cmd" | "commandline" => Some(List::Commands),
                "filepath" | "notebookpath" | "path" | "paths" | "filepaths" => Some(List::Paths),
                "file"
                | "files"
                | "filename"
                | "filenames"
                | "targetfile"
                | "relativepath"
                | "absolutepath"
                | "dirpath"
                | "directory"
                | "directories"
                | "dir"
                | "folder"
                | "oldpath"
                | "newpath"
                | "source"
                | "destination"
                | "src"
                | "dst"
                | "from"
                | "to"
                | "uri"
                | "fileuri"
                | "root"
                | "rootpath"
                | "searchpath"
                | "basepath"
                | "targetdirectory"
                | "outputpath"
                | "inputpath"
                | "outputfile"
                | "inputfile"
                | "target"
                | "relativeworkspacepath" => Some(List::OtherPaths),
                "url" | "urls" => Some(List::Urls),
                "glob" | "globs" | "globpattern" | "include" | "includes" | "includepattern" => Some(List::Globs),
                "pattern" | "patterns" => Some(List::Patterns),
                _ => None,
            };
            let is_many = matches!(name.as_str(), "paths" | "filepaths" | "urls");
            self.value(value, list, is_many, depth);
        }
    }

    fn value(&mut self, value: &RawValue, list: Option<List>, is_many: bool, depth: usize) {
        let text = value.get();
        let is_strict = list.is_some_and(|list| matches!(list, List::Commands | List::Paths | List::Urls));
        match text.as_bytes().first() {
            Some(b'n') => {}
            Some(b'"') => match (list, serde_json::from_str::<String>(text)) {
                (None, _) => {}
                (Some(list), Ok(text)) => self.push(list, text),
                // It is no Unicode.
                (Some(_), Err(_)) => self.is_odd |= is_strict,
            },
            Some(b'{') if depth < DEPTH_LIMIT => {
                self.is_odd |= is_strict && !is_many;
                self.object(text, depth + 1);
            }
            Some(b'[') if depth < DEPTH_LIMIT => {
                self.is_odd |= is_strict && !is_many;
                let values: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
                for value in values {
                    self.value(value, list, is_many, depth + 1);
                }
            }
            Some(b'{' | b'[') => self.is_odd = true,
            _ => self.is_odd |= is_strict,
        }
    }

    fn push(&mut self, list: List, text: String) {
        let list = match list {
            List::Commands => &mut self.commands,
            List::Paths => &mut self.paths,
            List::OtherPaths => &mut self.other_paths,
            List::Urls => &mut self.urls,
            List::Globs => &mut self.globs,
            List::Patterns => &mut self.patterns,
        };
        list.push(text);
    }
}

#[derive(Debug, Clone, Copy)]
enum List {
    Commands,
    Paths,
    OtherPaths,
    Urls,
    Globs,
    Patterns,
}
