//! Annotations of GitHub Actions: lines on standard output that its runner shows beside the code.
//!
//! <https://docs.github.com/actions/reference/workflow-commands-for-github-actions>

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
        properties.push(format!("file={}", property(file)));
    }
    properties.extend(line.map(|line| format!("line={line}")));
    properties.extend(column.map(|column| format!("col={column}")));
    properties.push(format!("title={}", property(title)));
    format!("::{level} {}::{}\n", properties.join(","), data(message))
}

/// A message, whose line ends would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
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
        assert_eq!(annotation(Level::Warning, "", None, None, "a::b", "x"), "::warning title=a%3A%3Ab::x\n");
    }
}
