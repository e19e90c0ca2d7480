//! A hook's `if`: which of the matching calls it is for.

mod path;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use thiserror::Error;

use self::path::{PathPattern, System};
use crate::event::HookEvent;
use crate::matcher::alternatives;
use crate::tool_input::Member;

/// Rules in the syntax of Claude Code's permissions, `Tool` or `Tool(SPECIFIER)`, of which one must hold: several stand between
/// `|` or `,`.
///
/// The tool's name is compared without regard to case; `*` in it stands for any text, and `mcp__SERVER` for all tools of an MCP
/// server. The specifier is for what the tool's input has:
///
/// - a `command`: a pattern in which `*` stands for any text; ` *` and `:*` at its end also match nothing more
///   (`git push *`, `git push:*`). A command line of several commands matches when one of them does, and a command that
///   stands behind assignments or a wrapper (`sudo`, `env`, `timeout 5`, `sh -c`) counts as one. Each is also tested with single blanks
///   and without quotes: `git  pu''sh`;
/// - a `file_path`, `notebook_path` or `path`: a pattern on it, or on what it is relative to the working directory or the
///   project: `*` stays within a folder, `**` does not. `.` and `..` of the path are resolved. As in a `.gitignore` a pattern without
///   a slash is for a name in any folder, `[a-z]` is a set, and one that names a folder is for what is in it; `{a,b}` is either.
///   `//x` is absolute, `/x` that or below the project, and `~/x` is `x` in any folder: whose home it is, is not known here.
///   On Windows `C:\x`, `c:/X`, `/c/x` and `\\?\C:\x` are one path, in rules (there `//c/x` too) and in calls; there and on macOS
///   letters have no case;
/// - a `url`: `domain:HOST` is its host or a host below it.
///
/// A call whose input has none of these, or not as a string, runs the hook: a rule that cannot be judged must not switch a guard
/// off. For the same reason a command line is not read as a shell reads it but cut at everything that could begin a command.
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
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    /// The tool's name. A pattern where it has a `*`.
    tool: String,
    tools: Option<Regex>,
    specifier: Option<Specifier>,
}

#[derive(Debug, Clone)]
struct Specifier {
    command: Regex,
    path: PathPattern,
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
        let rules = alternatives(text).into_iter().map(Rule::parse).collect::<Result<Vec<_>, _>>()?;
        if rules.is_empty() {
            return Err(ConditionError::NoTool);
        }
        Ok(Self { text: text.trim().to_owned(), rules })
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
        self.rules.iter().any(|rule| rule.is_for_tool(tool))
    }

    /// [`Condition::holds`], of a tool that has several names.
    pub(crate) fn holds_by(&self, event: &HookEvent, names: &[Cow<'_, str>]) -> bool {
        self.rules.iter().any(|rule| rule.holds_by(event, names))
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self, ConditionError> {
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
                path: PathPattern::new(pattern, System::here())?,
                domain: pattern.strip_prefix("domain:").map(str::to_ascii_lowercase),
            }),
        };
        let any_text = |name: &str| name.split('*').map(regex::escape).collect::<Vec<_>>().join(".*");
        let tools = match tool.strip_prefix("mcp__") {
            // A server.
            Some(server) if !server.contains("__") => Some(format!("(?i)^mcp__{}(__.*)?$", any_text(server))),
            _ => tool.contains('*').then(|| format!("(?i)^{}$", any_text(tool))),
        };
        let tools = tools.map(|pattern| regex(&pattern)).transpose()?;
        Ok(Self { tool: tool.to_owned(), tools, specifier })
    }

    fn is_for_tool(&self, tool: &str) -> bool {
        self.tool.eq_ignore_ascii_case(tool) || self.tools.as_ref().is_some_and(|tools| tools.is_match(tool))
    }

    fn holds_by(&self, event: &HookEvent, names: &[Cow<'_, str>]) -> bool {
        let Some(input) = event.tool_input() else {
            return true;
        };
        if !names.iter().any(|name| self.is_for_tool(name)) {
            return false;
        }
        let Some(specifier) = &self.specifier else {
            return true;
        };
        match input.string("command") {
            Member::Text(command) => return specifier.is_command(&command),
            Member::Missing => {}
            Member::Odd => return true,
        }
        for name in ["file_path", "notebook_path", "path"] {
            match input.string(name) {
                Member::Text(path) => return specifier.path.is_for(&path, &[event.cwd(), event.project_dir()]),
                Member::Missing => {}
                Member::Odd => return true,
            }
        }
        match (input.string("url"), &specifier.domain) {
            (Member::Text(url), Some(domain)) => host(&url).is_none_or(|host| is_below(&host, domain)),
            _ => true,
        }
    }
}

impl Specifier {
    fn is_command(&self, line: &str) -> bool {
        let is_one = |line: &str| commands(line).any(|command| self.command.is_match(command));
        // A command is what the shell makes of it: without quotes, and with whatever blanks.
        let plain = line.replace("\\\n", "").replace(['\'', '"', '\\'], "");
        let single = |line: &str| {
            line.lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
                .join("\n")
        };
        // `>log git push` is a command, and so is `git >log push`.
        let alone = without_redirections(&plain);
        is_one(line) || is_one(&single(line)) || is_one(&single(&plain)) || is_one(&single(&alone))
    }
}

/// A command line without redirections; process substitutions stay.
fn without_redirections(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '>']) {
        let (before, operator) = rest.split_at(at);
        let target = operator.trim_start_matches(['<', '>', '&', '|', '-']);
        if target.starts_with('(') {
            let (operator, after) = operator.split_at(operator.len() - target.len());
            out.push_str(before);
            out.push_str(operator);
            rest = after;
            continue;
        }
        // The descriptor, and the `&` of `&>`.
        let before = before.trim_end_matches(|c: char| c.is_ascii_digit());
        out.push_str(if before.ends_with("&&") { before } else { before.strip_suffix('&').unwrap_or(before) });
        out.push(' ');
        let target = target.trim_start_matches([' ', '\t']);
        rest = target.find(|c: char| c.is_whitespace() || ";&|()<>".contains(c)).map_or("", |end| &target[end..]);
    }
    out.push_str(rest);
    out
}

/// Everything in a command line that could be a command, with what follows it up to the next one.
fn commands(line: &str) -> impl Iterator<Item = &str> {
    const WRAPPERS: [&str; 37] = [
        "sudo", "doas", "env", "time", "timeout", "nice", "nohup", "command", "builtin", "exec", "xargs", "stdbuf",
        "then", "do", "else", "elif", "if", "while", "until", "!", "{", "eval", "sh", "bash", "dash", "zsh", "ksh",
        "setsid", "coproc", "trap", "find", "watch", "parallel", "flock", "ionice", "strace", "unbuffer",
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
            ("bash(git push *)", "git   push\t-f", true),
            ("bash(git push *)", "g''it \"push\" -f", true),
            ("bash(git push *)", "\\git pu\\\nsh", true),
            ("bash(git push *)", "bash -c 'git push'", true),
            ("bash(git push *)", "echo \"$(git push)\"", true),
            ("bash(git push *)|bash(rm *)", "rm x", true),
            ("edit, bash(rm *)", "rm x", true),
            ("bash(git push *)", ">log git push", true),
            ("bash(git push *)", "2>&1 >> log git push -f", true),
            ("bash(git push *)", "git 2>/dev/null push &> x", true),
            ("bash(git push *)", "cat <(git push)", true),
            ("bash(git push *)", "true &&>log git push", true),
            ("bash(git push *)", "cat < f > g", false),
            ("bash(git push *)", "cat >", false),
            ("bash(git push *)", "coproc git push", true),
            ("bash(git push *)", "find . -exec git push \\;", true),
            ("bash(git push *)", "trap 'git push' EXIT", true),
            ("bash(a, b|c)", "a, b|c", true),
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
            ("Write(*.py)", "write", r#"{"file_path":"src/a.py"}"#, true),
            ("Write(*.py)", "write", r#"{"file_path":"a.py/b"}"#, false),
            ("Write(.env)", "write", r#"{"file_path":"x/.env"}"#, true),
            ("Write(src/**)", "write", r#"{"file_path":"x/../src//./a.py"}"#, true),
            ("Write(src/**)", "write", r#"{"file_path":"src/../a.py"}"#, false),
            ("Write(/src/**)", "write", r#"{"file_path":"src/a.py"}"#, true),
            ("Write(//etc/*)", "write", r#"{"file_path":"/etc/../etc/passwd"}"#, true),
            ("Write(~/.ssh/*)", "write", r#"{"file_path":"/home/me/.ssh/id"}"#, true),
            ("Write(node_modules)", "write", r#"{"file_path":"a/node_modules/b/c"}"#, true),
            ("Write(src/)", "write", r#"{"file_path":"src/a/b"}"#, true),
            ("Write(*.{ts,tsx})", "write", r#"{"file_path":"a/b.tsx"}"#, true),
            ("Write(*.{ts,tsx})", "write", r#"{"file_path":"a/b.tsxx"}"#, false),
            ("Write([a-c]?.[!x])", "write", r#"{"file_path":"b1.y"}"#, true),
            ("Write([a-c]?.[!x])", "write", r#"{"file_path":"b1.x"}"#, false),
            ("Write([z-a])", "write", r#"{"file_path":"[z-a]"}"#, true),
            ("Write(a{b)", "write", r#"{"file_path":"a{b"}"#, true),
            ("Write(*.py)", "write", r#"{"file_path":["a.rs"]}"#, true),
            ("Bash(rm *)", "bash", r#"{"command":["ls"]}"#, true),
            ("Bash(rm *)", "bash", r#"{"command":5}"#, true),
            ("Bash(rm *)", "bash", r#"{"command":null}"#, true),
            ("mcp__x", "mcp__x__y", "{}", true),
            ("mcp__x", "mcp__xy__z", "{}", false),
            ("mcp__x__*", "mcp__x__y", "{}", true),
            ("mcp__x__a*", "mcp__x__b", "{}", false),
            ("*", "anything", "{}", true),
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
        for cwd in ["/w/../w/", "/", "//w", "."] {
            let input = ToolInput::parse(r#"{"file_path":"src/a.py"}"#).unwrap();
            let event = HookEvent::pre_tool_use("write", input, cwd);
            assert!("Write(src/**)".parse::<Condition>().unwrap().holds(&event), "{cwd}");
        }
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
