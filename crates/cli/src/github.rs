//! Annotations of GitHub Actions: lines on standard output that its runner shows beside the code.
//!
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>

use crate::output::visible;

/// How bad it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Level {
    Error,
    Warning,
}

/// One annotation, a line.
pub(crate) fn annotation(
    level: Level,
    file: &str,
    line: Option<usize>,
    column: Option<usize>,
    title: &str,
    message: &str,
) -> String {
    let level = match level {
        Level::Error => "error",
        Level::Warning => "warning",
    };
    let mut properties = Vec::new();
    if !file.is_empty() {
        // The runner wants `/` on Windows too.
        let file = if cfg!(windows) { file.replace('\\', "/") } else { file.to_owned() };
        let file = file.strip_prefix("./").unwrap_or(&file);
        // Escaped as text it would be another file's name, so only what no name of a file in an annotation can hold is.
        let is_plain = !file.contains(char::is_control);
        properties.push(format!("file={}", if is_plain { escaped_property(file) } else { property(file) }));
    }
    properties.extend(line.map(|line| format!("line={line}")));
    properties.extend(column.map(|column| format!("col={column}")));
    properties.push(format!("title={}", property(title)));
    format!("::{level} {}::{}\n", properties.join(","), data(message))
}

/// A message, whose line ends would end the command, and in which nothing is hidden from who reads the log.
fn data(text: &str) -> String {
    escaped(&visible(text))
}

/// The value of a property, in which nothing is hidden either.
fn property(text: &str) -> String {
    escaped_property(&visible(text))
}

fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn escaped_property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{Level, annotation};

    #[test]
    fn what_ends_a_command_is_escaped() {
        assert_eq!(
            annotation(Level::Error, "./a,b.json", Some(3), Some(7), "HS301", "50%\nof: it,"),
            "::error file=a%2Cb.json,line=3,col=7,title=HS301::50%25%0Aof: it,\n"
        );
        assert_eq!(
            annotation(Level::Error, "a\rb\u{200d}", None, None, "t", "\u{1b}[31m\u{202e}\t"),
            "::error file=a\\u{d}b\\u{200d},title=t::\\u{1b}[31m\\u{202e}\t\n"
        );
        assert!(annotation(Level::Error, "a\u{200d}b", None, None, "t", "m").contains("file=a\u{200d}b,"));
        assert_eq!(annotation(Level::Warning, "", None, None, "a::b", "x"), "::warning title=a%3A%3Ab::x\n");
    }
}
