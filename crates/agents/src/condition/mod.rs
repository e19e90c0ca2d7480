//! A hook's `if`: which of the matching calls it is for.

mod documents;
mod files;
mod host;
mod line;
mod members;
mod path;
mod pattern;
mod spelling;
mod surroundings;

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};
use thiserror::Error;

pub(crate) use self::documents::without_documents;
pub(crate) use self::members::Members;
use self::path::{PathPattern, System};
use self::pattern::CommandPattern;
use self::surroundings::Surroundings;
use crate::event::Event;
use crate::tool_input::ToolInput;

/// Rules in the syntax of Claude Code's permissions, `Tool` or `Tool(SPECIFIER)`, of which one must hold: several stand between
/// `|` or `,`.
///
/// The tool's name is compared without regard to case; `*` in it stands for any text, and `mcp__SERVER` for all tools of an MCP
/// server. The specifier is for what the tool's input has:
///
/// - a `command`: a pattern in which `*` stands for any text; ` *` and `:*` at its end also match nothing more
///   (`git push *`, `git push:*`). A command line is read as bash reads it, and holds when one of its commands does, wherever it
///   stands: in a list, a substitution, a function, after a wrapper (`sudo`, `env`, `timeout 5`, `find -exec`, `docker exec`), in code
///   that an interpreter is given (`sh -c`, `eval`, a here-document, a pipe), in an option that takes a command. Programs are compared by
///   their base names, links resolved; options may stand between the words of a rule;
/// - `file_path`, `notebook_path`, `path` and other members that are paths, in lists and objects too: a pattern on each, or on what it is
///   relative to the working directory or the project: `*` stays within a directory, `**` does not. `.` and `..` of the path are
///   resolved, and so are links, `/proc/self/cwd`, `file:` URLs and `~`. As in a `.gitignore` a pattern without
///   a slash is for a name in any directory, `[a-z]` is a set, and one that names a directory is for what is in it; `{a,b}` is either.
///   `//x` is absolute, `/x` that or below the project, and `~/x` is `x` in any directory: whose home it is, is not known here.
///   On Windows `C:\x`, `c:/X`, `/c/x` and `\\?\C:\x` are one path, in rules (there `//c/x` too) and in calls; there and on macOS
///   letters have no case. A search (`Glob`, `Grep`, `LS`) is for all that is below its directory;
/// - a `url`: `domain:HOST` is its host or a host below it.
///
/// What cannot be judged runs the hook, for it must not switch a guard off: an expansion where the name of a command stands, a line
/// that is no shell code or is too long or too deep, code in another language that may start a program, a file with several hard links, a
/// call whose input has none of these members, or not as a string. What is only data does not: arguments of programs that
/// start no others, texts, and what is in a script that the line names. `docs/if-rules.md` has the whole of it.
///
/// ```
/// # use hookshell_agents::{Condition, Event, ToolInput};
/// let rule: Condition = "bash(git push *)".parse()?;
/// let input = ToolInput::parse(r#"{"command":"cd x && git push --force"}"#)?;
/// assert!(rule.holds(&Event::pre_tool_use("bash", input, "/"), &[]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Condition {
    text: String,
    rules: Vec<Rule>,
    /// The rule as the agent reads it whose config it is of, where that is another way.
    own: Option<Arc<dyn AgentRule>>,
}

/// A hook's `if` as an agent reads it.
pub(crate) trait AgentRule: fmt::Debug + Send + Sync {
    /// Is a call one that the hook is for? `names`: those of the call's tool; `env`: the variables that its commands have.
    fn holds_by(&self, event: &Event, names: &[Cow<'_, str>], env: &[(OsString, OsString)]) -> bool;

    /// Why it can hold for no call; `None`: it may hold for some.
    fn never(&self) -> Option<&'static str>;
}

#[derive(Debug, Clone)]
struct Rule {
    /// The tool's name. A pattern where it has a `*`.
    tool: String,
    tools: Option<Regex>,
    specifier: Option<Specifier>,
}

/// What the parentheses of a rule hold.
#[derive(Debug, Clone)]
pub(crate) struct Specifier {
    command: CommandPattern,
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
        Ok(Self { text: text.trim().to_owned(), rules, own: None })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The parts of a pattern between the `|` that stand in no parentheses.
pub fn alternatives(pattern: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let is_separator = |character: char| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(character, '|' | ',')
    };
    pattern.split(is_separator).map(str::trim).filter(|rule| !rule.is_empty()).collect()
}

pub(crate) fn regex(pattern: &str) -> Result<Regex, ConditionError> {
    RegexBuilder::new(pattern).dot_matches_new_line(true).build().map_err(|_| ConditionError::TooLarge)
}

impl Condition {
    /// Is the event one that the hook is for? An event without a tool is. `env`: the variables that the agent's commands have, of
    /// which `$HOME` and the places of git's configs are taken.
    pub fn holds(&self, event: &Event, env: &[(OsString, OsString)]) -> bool {
        match event.tool_name() {
            Some(tool) => self.holds_by(event, &[tool.into()], env),
            None => true,
        }
    }

    /// Of the config of an agent that reads it as this rule. `is_exact`: it holds where the rule does. Otherwise it also holds where it
    /// does by itself, as it may be meant.
    pub(crate) fn read_by(mut self, rule: impl AgentRule + 'static, is_exact: bool) -> Self {
        self.own = Some(Arc::new(rule));
        if is_exact {
            self.rules.clear();
        }
        self
    }

    /// Does it hold only for calls of tools, by the agent's rules?
    pub(crate) fn needs_tool(&self) -> bool {
        self.own.is_some() && self.rules.is_empty()
    }

    /// Can it never hold, by the agent's rules? Why.
    pub fn never(&self) -> Option<&'static str> {
        self.own.as_ref().filter(|_| self.rules.is_empty())?.never()
    }

    /// Is it about this tool, in whichever of its calls?
    pub(crate) fn is_for_tool(&self, tool: &str) -> bool {
        self.rules.iter().any(|rule| rule.is_for_tool(tool))
    }

    /// [`Condition::holds`], of a tool that has several names.
    pub(crate) fn holds_by(&self, event: &Event, names: &[Cow<'_, str>], env: &[(OsString, OsString)]) -> bool {
        self.rules.iter().any(|rule| rule.holds_by(event, names, env))
            || self.own.as_ref().is_some_and(|rule| rule.holds_by(event, names, env))
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
                domain: pattern.strip_prefix("domain:").map(str::to_ascii_lowercase),
                ..Specifier::of_calls(pattern)?
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

    fn holds_by(&self, event: &Event, names: &[Cow<'_, str>], env: &[(OsString, OsString)]) -> bool {
        let Some(input) = event.tool_input() else {
            return true;
        };
        if !names.iter().any(|name| self.is_for_tool(name)) {
            return false;
        }
        let Some(specifier) = &self.specifier else {
            return true;
        };
        specifier.may_be_for(event, input, names, env)
    }
}

impl Specifier {
    /// A pattern for commands and paths.
    pub(crate) fn of_calls(pattern: &str) -> Result<Self, ConditionError> {
        let path = PathPattern::new(pattern, System::here())?;
        Ok(Self { command: CommandPattern::new(pattern), path, domain: None })
    }

    /// May the call be one of the rule's? What cannot be judged may.
    pub(crate) fn may_be_for(
        &self,
        event: &Event,
        input: &ToolInput,
        names: &[Cow<'_, str>],
        env: &[(OsString, OsString)],
    ) -> bool {
        let members = Members::of(input);
        if members.is_odd {
            return true;
        }
        let around = Surroundings { directories: [event.cwd(), event.project_dir()], env };
        let named = |part: &str| names.iter().any(|name| name.to_ascii_lowercase().contains(part));
        let is_other_shell = ["powershell", "pwsh", "cmd"].iter().any(|shell| named(shell));
        let is_command = |line: &String| {
            // Its quotes and expansions are not the shell's.
            let is_unknown = is_other_shell
                && (self.command.is_mentioned(line.as_bytes()) || line.contains(['`', '$', '&', '(', '^', '%', '+']));
            is_unknown || line::may_run(&self.command, line, &around)
        };
        if members.commands.iter().any(is_command) {
            return true;
        }
        if let Some(domain) = &self.domain
            && members.urls.iter().any(|url| host::may_be_below(url, domain))
        {
            return true;
        }
        let is_search = members.commands.is_empty()
            && (!members.globs.is_empty()
                || ["glob", "grep", "search", "find", "list"].iter().any(|part| named(part))
                || names.iter().any(|name| name.eq_ignore_ascii_case("ls")));
        let mut paths = members.paths.iter().chain(&members.other_paths);
        if paths.any(|path| self.path.is_for(path, &around)) {
            return true;
        }
        if is_search {
            let here = [String::new()];
            let roots = if members.paths.is_empty() { &here[..] } else { &members.paths };
            let globs = if named("glob") { &members.patterns[..] } else { &[] };
            return roots.iter().any(|root| match globs {
                [] => self.path.may_be_below(root, None, &around),
                globs => globs.iter().any(|glob| self.path.may_be_below(root, Some(glob), &around)),
            });
        }
        // Of none of these, nothing is known.
        let is_judged = !members.commands.is_empty()
            || !members.paths.is_empty()
            || !members.urls.is_empty() && self.domain.is_some();
        !is_judged
    }
}

#[cfg(test)]
mod tests;
