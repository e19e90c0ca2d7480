//! A hook's `if`: which of the matching calls it is for.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use thiserror::Error;

use crate::event::HookEvent;

/// A rule in the syntax of Claude Code's permissions: `Tool`, or `Tool(SPECIFIER)`.
///
/// The tool's name is compared without regard to case. The specifier is for what the tool's input has:
///
/// - a `command`: a pattern in which `*` stands for any text; ` *` and `:*` at its end also match nothing more
///   (`git push *`, `git push:*`). A command line of several commands matches when one of them does, and a command that
///   stands behind assignments or a wrapper (`sudo`, `env`, `timeout 5`) counts as one;
/// - a `file_path`, `notebook_path` or `path`: a pattern on it, or on what it is relative to the working directory or the
///   project: `*` stays within a folder, `**` does not;
/// - a `url`: `domain:HOST` is its host or a host below it.
///
/// A call whose input has none of these runs the hook: a rule that cannot be judged must not switch a guard off. For the
/// same reason a command line is not read as a shell reads it but cut at everything that could begin a command.
///
/// ```
/// # use hookshell_runner::{Condition, HookEvent, ToolInput};
/// let rule: Condition = "bash(git push *)".parse()?;
/// let input = ToolInput::parse(r#"{"command":"cd x && git push --force"}"#)?;
/// assert!(rule.holds(&HookEvent::pre_tool_use("bash", input, "/")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Condition {
    text: String,
    tool: String,
    specifier: Option<Specifier>,
}

#[derive(Debug, Clone)]
struct Specifier {
    command: Regex,
    path: Regex,
    domain: Option<String>,
}

/// A text that is no [`Condition`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ConditionError {
    /// No tool.
    #[error("it must begin with a tool's name")]
    NoTool,
    /// A parenthesis is open, or something follows the closing one.
    #[error("the parentheses must enclose the rest: `Tool(pattern)`")]
    Parentheses,
    /// The pattern is too large.
    #[error("the pattern is too large")]
    TooLarge,
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let text = text.trim();
        let (tool, specifier) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => (tool, Some(rest.strip_suffix(')').ok_or(ConditionError::Parentheses)?)),
        };
        if tool.is_empty() || tool.contains([')', ' ']) {
            return Err(if tool.is_empty() { ConditionError::NoTool } else { ConditionError::Parentheses });
        }
        let specifier = match specifier.map(str::trim) {
            None | Some("" | "*") => None,
            Some(pattern) => Some(Specifier {
                command: regex(&command_pattern(pattern))?,
                path: regex(&path_pattern(pattern))?,
                domain: pattern.strip_prefix("domain:").map(str::to_ascii_lowercase),
            }),
        };
        Ok(Self { text: text.to_owned(), tool: tool.to_owned(), specifier })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn regex(pattern: &str) -> Result<Regex, ConditionError> {
    RegexBuilder::new(pattern).dot_matches_new_line(true).build().map_err(|_| ConditionError::TooLarge)
}

/// `*` is any text; at the end ` *` and `:*` may be missing altogether.
fn command_pattern(pattern: &str) -> String {
    let (body, open) = match pattern.strip_suffix(":*").or_else(|| pattern.strip_suffix(" *")) {
        Some(body) => (body, true),
        None => (pattern, false),
    };
    let body = body.split('*').map(regex::escape).collect::<Vec<_>>().join(".*");
    format!("^{body}{}$", if open { r"(\s.*)?" } else { "" })
}

/// `**` is any text, `*` any within a folder, `?` one character.
fn path_pattern(pattern: &str) -> String {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    // `//x` is an absolute path in Claude Code's rules.
    let pattern = if pattern.starts_with("//") { pattern.get(1..).unwrap_or_default() } else { pattern };
    let mut out = String::from("^");
    let mut rest = pattern;
    while let Some(character) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("**/") {
            out.push_str("(.*/)?");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("**") {
            out.push_str(".*");
            rest = after;
        } else {
            match character {
                '*' => out.push_str("[^/]*"),
                '?' => out.push_str("[^/]"),
                other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
            }
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
        }
    }
    out + "$"
}

impl Condition {
    /// Is the event one that the hook is for? An event without a tool is.
    pub fn holds(&self, event: &HookEvent) -> bool {
        match event.tool_name() {
            Some(tool) => self.holds_by(event, &[tool.into()]),
            None => true,
        }
    }

    /// Is it about this tool, in whichever of its calls?
    pub(crate) fn is_for_tool(&self, tool: &str) -> bool {
        self.tool.eq_ignore_ascii_case(tool) || self.tool == "*"
    }

    /// [`Condition::holds`], of a tool that has several names.
    pub(crate) fn holds_by(&self, event: &HookEvent, names: &[Cow<'_, str>]) -> bool {
        let Some(input) = event.tool_input() else {
            return true;
        };
        if !names.iter().any(|name| self.is_for_tool(name)) {
            return false;
        }
        let Some(specifier) = &self.specifier else {
            return true;
        };
        let member = |name| input.text(name);
        match member("command") {
            Ok(Some(command)) => return commands(&command).any(|command| specifier.command.is_match(command)),
            Ok(None) => {}
            Err(_) => return true,
        }
        for name in ["file_path", "notebook_path", "path"] {
            match member(name) {
                Ok(Some(path)) => return specifier.is_path(&path, event),
                Ok(None) => {}
                Err(_) => return true,
            }
        }
        match (member("url"), &specifier.domain) {
            (Ok(Some(url)), Some(domain)) => host(&url).is_none_or(|host| is_below(&host, domain)),
            _ => true,
        }
    }
}

impl Specifier {
    fn is_path(&self, path: &str, event: &HookEvent) -> bool {
        let path = path.replace('\\', "/");
        let below = |folder: &Path| {
            let folder = folder.to_string_lossy().replace('\\', "/");
            let rest = path.strip_prefix(&*folder)?.strip_prefix('/')?;
            Some(rest.to_owned())
        };
        let relative = [below(event.cwd()), below(event.project_dir())];
        let plain = path.strip_prefix("./").unwrap_or(&path).to_owned();
        relative.into_iter().flatten().chain([plain]).any(|path| self.path.is_match(&path))
    }
}

/// Everything in a command line that could be a command, with what follows it up to the next one.
fn commands(line: &str) -> impl Iterator<Item = &str> {
    const WRAPPERS: [&str; 22] = [
        "sudo", "doas", "env", "time", "timeout", "nice", "nohup", "command", "builtin", "exec", "xargs", "stdbuf",
        "then", "do", "else", "elif", "if", "while", "until", "!", "{", "eval",
    ];
    let pieces = line.split([';', '&', '|', '(', ')', '`', '\n', '{', '}']);
    std::iter::once(line.trim()).chain(pieces.flat_map(|piece| {
        // The command behind every word that may stand before it.
        let mut rest = Some(piece.trim());
        let mut wrapped = false;
        std::iter::from_fn(move || {
            let candidate = rest?;
            let word = candidate.split_whitespace().next().unwrap_or_default();
            let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            });
            wrapped |= WRAPPERS.contains(&word);
            rest = (!word.is_empty() && (is_assignment || wrapped))
                .then(|| candidate.get(word.len()..).unwrap_or_default().trim_start());
            Some(candidate)
        })
    }))
}

/// The host of a URL, in lower case.
fn host(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?;
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

fn is_below(host: &str, domain: &str) -> bool {
    let domain = domain.strip_prefix("*.").unwrap_or(domain);
    host == domain || host.strip_suffix(domain).is_some_and(|front| front.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::{Condition, ConditionError};
    use crate::event::HookEvent;
    use crate::tool_input::ToolInput;

    fn holds(rule: &str, tool: &str, input: &str) -> bool {
        let cwd = if cfg!(windows) { "C:\\w" } else { "/w" };
        let event = HookEvent::pre_tool_use(tool, ToolInput::parse(input).unwrap(), cwd);
        rule.parse::<Condition>().unwrap().holds(&event)
    }

    #[test]
    fn commands_match_wherever_they_stand() {
        let cases = [
            ("bash(git push *)", "git push", true),
            ("bash(git push *)", "git push origin main", true),
            ("Bash(git push *)", "cd x && git push -f", true),
            ("bash(git push:*)", "GIT_DIR=x git push", true),
            ("bash(git push *)", "sudo -u me git push", true),
            ("bash(git push *)", "x=$(git push)", true),
            ("bash(git push *)", "if true; then git push; fi", true),
            ("bash(git push *)", "timeout 5 git push", true),
            ("bash(git push *)", "git pushx", false),
            ("bash(git push *)", "git pull", false),
            ("bash(rm*)", "rm -rf /\nls", true),
            ("bash(*--force*)", "git push\n--force", true),
            ("bash", "anything", true),
            ("bash(*)", "anything", true),
            ("edit(git *)", "git push", false),
        ];
        for (rule, command, expected) in cases {
            let input = format!("{{\"command\":{}}}", serde_json::to_string(command).unwrap());
            assert_eq!(holds(rule, "bash", &input), expected, "{rule}: {command}");
        }
    }

    #[test]
    fn paths_and_hosts_match() {
        let cases = [
            ("Write(**/*.py)", "write", r#"{"file_path":"a.py"}"#, true),
            ("Write(**/*.py)", "write", r#"{"file_path":"src/deep/a.py"}"#, true),
            ("Write(*.py)", "write", r#"{"file_path":"src/a.py"}"#, false),
            ("Write(src/**)", "write", r#"{"file_path":"./src/x/a.py"}"#, true),
            ("Write(src/*)", "write", r#"{"file_path":"src/x/a.py"}"#, false),
            ("Write(.env)", "write", r#"{"file_path":".env.local"}"#, false),
            ("WebFetch(domain:example.com)", "webfetch", r#"{"url":"https://me@api.Example.com:8/x"}"#, true),
            ("WebFetch(domain:example.com)", "webfetch", r#"{"url":"https://badexample.com"}"#, false),
            ("mcp__x(anything)", "mcp__x", r#"{"other":1}"#, true),
        ];
        for (rule, tool, input, expected) in cases {
            assert_eq!(holds(rule, tool, input), expected, "{rule}: {input}");
        }
        let inside = if cfg!(windows) { r#"{"file_path":"C:\\w\\a.py"}"# } else { r#"{"file_path":"/w/a.py"}"# };
        assert!(holds("Write(*.py)", "write", inside));
    }

    #[test]
    fn what_is_no_rule_is_an_error() {
        let error = |text: &str| text.parse::<Condition>().unwrap_err();
        assert_eq!(error(""), ConditionError::NoTool);
        assert_eq!(error("(x)"), ConditionError::NoTool);
        assert_eq!(error("bash(x"), ConditionError::Parentheses);
        assert_eq!(error("bash(x) y"), ConditionError::Parentheses);
        assert_eq!(error("bash x"), ConditionError::Parentheses);
    }
}
