//! The tool's input as the command line gives it: `--input JSON`, `--input @FILE`, `--input -`.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use hookshell_runner::{ToolInput, read_any, to_utf8, why_unreadable};

use crate::failure::{Failure, Sysexit};

/// What the option is called in messages.
const OPTION: &str = "--input";

/// How to give JSON that no shell changes.
const UNCHANGED: &str = "a shell may have taken the quotes: write the object into a file and give --input @FILE, or give it on standard input with --input -";

/// The most that is read of a file, as of standard input's event.
const INPUT_LIMIT: u64 = 64 * 1024 * 1024;

/// How much of a wrong text a message shows.
const SHOWN: usize = 80;

/// The input that the option's value means.
pub(crate) fn tool_input(given: &str) -> Result<ToolInput, Failure> {
    let (from, text) = text(given)?;
    ToolInput::parse(text.trim_start_matches('\u{feff}')).map_err(|error| {
        let came = shown(&text);
        let hint = match from {
            From::CommandLine => format!("it came as {came}: {UNCHANGED}"),
            From::Elsewhere(name) => format!("{name} has {came}: it must hold one JSON object and nothing else"),
        };
        Failure::new(Sysexit::Data, OPTION, error).hint(hint)
    })
}

/// Where the text is from.
enum From {
    CommandLine,
    /// A file, or standard input: what messages call it.
    Elsewhere(String),
}

fn text(given: &str) -> Result<(From, Cow<'_, str>), Failure> {
    let unreadable = |name: &str, error: &io::Error| {
        Failure::new(Sysexit::NoInput, OPTION, format!("{name}: {}", why_unreadable(error)))
            .hint("--input takes a JSON object, @FILE, or - for standard input")
    };
    let (name, bytes) = if given == "-" {
        let mut bytes = Vec::new();
        let name = "standard input".to_owned();
        io::stdin().lock().read_to_end(&mut bytes).map_err(|error| unreadable(&name, &error))?;
        (name, bytes)
    } else if let Some(file) = given.strip_prefix('@') {
        let bytes = read_any(Path::new(file), INPUT_LIMIT).map_err(|error| unreadable(file, &error))?;
        (file.to_owned(), bytes)
    } else {
        return Ok((From::CommandLine, Cow::Borrowed(given)));
    };
    // Windows PowerShell's `>` writes UTF-16.
    let text = String::from_utf8_lossy(&to_utf8(&bytes)).into_owned();
    Ok((From::Elsewhere(name), Cow::Owned(text)))
}

/// The beginning of a text, in one line.
fn shown(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        None if line.is_empty() => "nothing".to_owned(),
        None => line,
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}
