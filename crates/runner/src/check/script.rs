//! The script of a hook.

use std::path::Path;

use hookshell_dispatch::decode_source;
use hookshell_syntax::parse_program;

use super::command::options;
use super::{Checker, Severity, Sink};
use crate::config::Place;

/// Nobody writes a longer hook by hand; more is not read.
const SCRIPT_LIMIT: u64 = 4 * 1024 * 1024;

impl Checker {
    /// A script: by what it is run (`None`: in process), and whether that can read it.
    pub(super) fn check_source(&self, path: &Path, interpreter: Option<&Path>, sink: &mut Sink<'_>) {
        if path.metadata().map_or(true, |metadata| metadata.len() > SCRIPT_LIMIT) {
            return;
        }
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                sink.error(format!("its script {} cannot be read: {error}", path.display()));
                return;
            }
        };
        let name = interpreter.and_then(Path::file_stem).unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let is_shell = interpreter.is_none() || matches!(&*name, "sh" | "bash" | "dash" | "ash" | "ksh" | "zsh");
        let line_of =
            |offset: usize| bytes.get(..offset).unwrap_or(&bytes).iter().filter(|byte| **byte == b'\n').count() + 1;
        let place = |line, column| Some(Place { file: path.into(), line, column });
        if interpreter.is_some()
            && is_shell
            && let Some(at) = bytes.windows(2).position(|two| two == b"\r\n")
        {
            sink.push(
                Severity::Error,
                place(line_of(at), 1),
                format!("the script has CRLF line ends, which {name} takes for text: save it with LF line ends"),
            );
            return;
        }
        // What another shell or language reads is not ours to judge.
        if !is_shell || name == "zsh" {
            return;
        }
        let source: std::sync::Arc<[u8]> = decode_source(&bytes).into_owned().into();
        let error = self.dispatcher.call({
            let source = source.clone();
            move || parse_program(source, &options()).error
        });
        if let Some(Some(error)) = error {
            let column = usize::try_from(error.position.column).unwrap_or(1);
            let line = usize::try_from(error.position.line).unwrap_or(1);
            sink.push(Severity::Error, place(line, column), error.cause.to_string());
        } else if self.portable
            && let Some((offset, message)) = self.not_portable(&source)
        {
            let message = format!("not portable to every sh: {message}");
            sink.push(Severity::Warning, place(line_of(offset), 1), message);
        }
    }
}
