//! A hook's `if` as Claude Code reads it (2.1.197).
//!
//! It is one rule: the tool's name, which is compared exactly, and what stands between the first and the last parenthesis. Names that
//! Claude Code has given up mean the new ones. Only calls of some tools are judged by what stands in the parentheses; for others
//! such a rule never holds. One thing is meant otherwise: the text of a here-document is data here, and there a line that is not judged.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Component, Path};

use regex::Regex;

use crate::condition::{AgentRule, ConditionError, Members, Specifier, regex, without_documents};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::tools::{current_name, own_tool_name};

/// The tools whose calls Claude Code judges by a rule.
const JUDGED: [&str; 10] =
    ["Bash", "PowerShell", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob", "Grep"];

/// Commands that run another one. A line with an expansion and one of them is not judged there.
const WRAPPERS: &[&str] = &[
    "find", "jobs", "setpriv", "setarch", "linux32", "linux64", "arch", "xargs", "parallel", "su", "runuser", "pkexec",
    "chroot", "time", "command", "builtin", "noglob", "env", "nice", "nohup", "sudo", "doas", "stdbuf", "timeout",
    "bash", "sh", "zsh", "dash", "ksh", "fish", "ash", "mksh", "csh", "tcsh", "busybox", "python", "python2",
    "python3", "perl", "ruby", "node", "nodejs", "deno", "bun", "php", "lua", "awk", "gawk", "eval", "exec", "source",
    ".", "trap",
];

/// One rule.
#[derive(Debug)]
pub(super) struct IfRule {
    /// The tool's name as Claude Code calls it now.
    tool: String,
    content: Option<Content>,
}

#[derive(Debug)]
struct Content {
    specifier: Specifier,
    /// Is it a command's first word alone: `git *`, `git:*`?
    is_one_word: bool,
    /// Is it for paths below the directory that the agent works in, and not for absolute ones?
    is_of_directory: bool,
    /// What is tested against a path or a pattern as it was given.
    as_given: Regex,
    /// Is it tested against a path as it was given, too?
    takes_path_as_given: bool,
}

impl IfRule {
    pub(super) fn new(text: &str) -> Result<Self, ConditionError> {
        let (tool, content) = parts(text);
        let content = match content {
            None | Some("" | "*") => None,
            Some(content) => Some(Content::new(&unescaped(content))?),
        };
        Ok(Self { tool: current_name(tool).to_owned(), content })
    }
}

impl AgentRule for IfRule {
    fn never(&self) -> Option<&'static str> {
        if self.tool.contains(['(', ')', '|', ',', ' ', '*']) {
            return Some("for the exact name of a tool, which no tool has: write one rule, `Tool` or `Tool(pattern)`");
        }
        if self.tool.strip_prefix("mcp__").is_some_and(|rest| !rest.contains("__")) {
            return Some("for the exact name of a tool, and no server of MCP is one: write `mcp__SERVER__TOOL`");
        }
        if self.content.is_some() && !JUDGED.contains(&&*self.tool) {
            return Some("for a rule that it does not know: it judges no calls of this tool");
        }
        None
    }

    fn holds_by(&self, event: &Event, names: &[Cow<'_, str>], env: &[(OsString, OsString)]) -> bool {
        let Some(input) = event.tool_input() else { return false };
        // The name that it came with may be another agent's.
        let own = event.tool_name().map(|name| own_tool_name(name, Dialect::Claude));
        if own.is_none_or(|own| current_name(&own) != self.tool) {
            return false;
        }
        let Some(content) = &self.content else { return true };
        if !JUDGED.contains(&&*self.tool) {
            return false;
        }
        let members = Members::of(input);
        if !content.is_anchored_elsewhere(event, &members) && content.specifier.may_be_for(event, input, names, env) {
            return true;
        }
        match &*self.tool {
            "Bash" => members.commands.iter().any(|line| runs_all(&without_documents(line), content.is_one_word)),
            "PowerShell" => false,
            "Glob" | "Grep" => {
                members.patterns.iter().chain(&members.globs).any(|given| content.as_given.is_match(given))
            }
            _ => {
                let mut paths = members.paths.iter();
                content.takes_path_as_given && paths.any(|path| content.as_given.is_match(path))
            }
        }
    }
}

impl Content {
    /// Is it about paths below the directory that the agent works in, and do the call's paths lie elsewhere? Such a pattern is for
    /// none of them; where that cannot be seen, for links, it may be.
    fn is_anchored_elsewhere(&self, event: &Event, members: &Members) -> bool {
        let directories = [event.cwd(), event.project_dir()];
        let is_below = |path: &Path| {
            let canonical = |path: &Path| path.canonicalize().ok();
            directories.iter().any(|directory| {
                path.starts_with(directory) || canonical(directory).is_some_and(|directory| path.starts_with(directory))
            })
        };
        let is_elsewhere = |path: &String| {
            let path = Path::new(path);
            let has_dots = path.components().any(|part| matches!(part, Component::ParentDir));
            if !path.is_absolute() || has_dots || is_below(path) {
                return false;
            }
            let real = path.canonicalize().or_else(|_| path.parent().unwrap_or(path).canonicalize());
            real.is_ok_and(|real| !is_below(&real))
        };
        self.is_of_directory
            && members.commands.is_empty()
            && members.globs.is_empty()
            && !members.is_odd
            && !members.paths.is_empty()
            && members.paths.iter().all(is_elsewhere)
            && members.other_paths.is_empty()
    }

    fn new(text: &str) -> Result<Self, ConditionError> {
        let text = text.trim();
        let first = text.strip_suffix(":*").or_else(|| text.strip_suffix('*').map(str::trim_end));
        let is_one_word = first.is_some_and(|first| {
            !first.is_empty() && !first.contains(['*', '?', '[']) && !first.contains(char::is_whitespace)
        });
        let has_star = text.replace("\\*", "").contains('*');
        Ok(Self {
            specifier: Specifier::of_calls(text)?,
            is_one_word,
            is_of_directory: !["//", "~/", "~", "\\\\"].iter().any(|root| text.starts_with(root))
                && !text.contains(':'),
            as_given: as_given(text)?,
            takes_path_as_given: text.starts_with('*') || !has_star,
        })
    }
}

/// The tool's name, and what stands between the first parenthesis and the last, where that one ends the text.
fn parts(text: &str) -> (&str, Option<&str>) {
    let is_bare = |at: usize| {
        let before = text.get(..at).unwrap_or_default();
        before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0
    };
    let open = text.match_indices('(').map(|(at, _)| at).find(|at| is_bare(*at));
    let close = text.rmatch_indices(')').map(|(at, _)| at).find(|at| is_bare(*at));
    match (open, close) {
        (Some(open), Some(close)) if open > 0 && close > open && close + 1 == text.len() => {
            (text.get(..open).unwrap_or_default(), text.get(open + 1..close))
        }
        _ => (text, None),
    }
}

/// A rule's text without the backslashes that keep parentheses apart.
fn unescaped(text: &str) -> String {
    text.replace("\\(", "(").replace("\\)", ")").replace("\\\\", "\\")
}

/// The pattern for a whole text: `*` is any text, `/**/` any directories between, and ` *` at the end, alone, nothing too.
fn as_given(text: &str) -> Result<Regex, ConditionError> {
    let mut pattern = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("\\*") {
            pattern.push_str("\\*");
            rest = after;
        } else if let Some(after) = rest.strip_prefix("/**/") {
            pattern.push_str("/(?:.*/)?");
            rest = after.trim_start_matches("**/");
        } else if letter == '*' {
            pattern.push_str(".*");
            rest = rest.get(1..).unwrap_or_default();
        } else {
            pattern.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4])));
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
    }
    if let Some(before) = pattern.strip_suffix(" .*")
        && text.matches('*').count() == 1
    {
        pattern = format!("{before}(?: .*)?");
    }
    regex(&format!("^(?:{pattern})$"))
}

/// A line without what stands in single quotes, where it has no others: it is data.
fn without_quoted(line: &str) -> Cow<'_, str> {
    let parts = line.split('\'');
    if line.contains(['"', '\\'])
        || !line.contains('\'')
        || parts.clone().count().is_multiple_of(2)
        || line.contains("$'")
    {
        return line.into();
    }
    // The quotes stay: with an expansion beside they make a difference.
    parts.step_by(2).collect::<Vec<_>>().join("''").into()
}

/// The variables that Claude Code takes for plain texts.
const KNOWN: [&str; 20] = [
    "HOME",
    "PWD",
    "OLDPWD",
    "USER",
    "LOGNAME",
    "SHELL",
    "PATH",
    "HOSTNAME",
    "UID",
    "EUID",
    "PPID",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "TMPDIR",
    "BASH_VERSION",
    "BASHPID",
    "SHLVL",
    "HISTFILE",
    "IFS",
];

/// A line without the expansions that Claude Code takes for plain texts: whole arguments that are such a variable, and sums of
/// numbers.
fn without_known(line: &str) -> Cow<'_, str> {
    if !line.contains(['$']) {
        return line.into();
    }
    let mut kept = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        kept.push_str(before);
        let after = after.get(1..).unwrap_or_default();
        let end = after.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(after.len());
        let (name, tail) = after.split_at(end);
        let is_alone =
            kept.ends_with([' ', '\t', '"']) && (tail.is_empty() || tail.starts_with([' ', '\t', '\n', '"', ';', ')']));
        let sum = after.strip_prefix("((").and_then(|sum| sum.split_once("))"));
        match sum {
            _ if is_alone && KNOWN.contains(&name) => rest = tail,
            Some((sum, tail)) if sum.bytes().all(|byte| byte.is_ascii_digit() || b" +-*/%".contains(&byte)) => {
                rest = tail
            }
            _ => {
                kept.push('$');
                rest = after;
            }
        }
    }
    kept.push_str(rest);
    kept.into()
}

/// Does every rule for commands hold for a line, because Claude Code does not judge it? `is_one_word`: but for rules of one word,
/// which it judges in more lines. What it may not judge counts.
fn runs_all(line: &str, is_one_word: bool) -> bool {
    let bare = without_quoted(line);
    let line = bare.as_ref();
    let bytes = line.as_bytes();
    let is_odd = |letter: char| {
        letter.is_control() && !matches!(letter, '\n' | '\t') || letter.is_whitespace() && !letter.is_ascii()
    };
    let has_odd = line.chars().any(is_odd)
        || bytes.windows(2).any(|pair| matches!(pair, [b'\\', b' ' | b'\t' | b'\r' | b'\n'] | b"~["))
        // A brace that opens no group: `{a,b}`.
        || bytes.windows(2).any(|pair| matches!(pair, [b'{', after] if !after.is_ascii_whitespace()))
        || ["<<", "<(", ">(", "$'", "$\"", "()", "case ", "coproc ", "select ", "function "].iter().any(|part| line.contains(part));
    if has_odd {
        return true;
    }
    let rest = without_known(line);
    let line = rest.as_ref();
    if !line.contains(['$', '`']) {
        return false;
    }
    if !is_one_word {
        return true;
    }
    // Words of one command, in which only whole words are expanded, are judged.
    let is_joined = bytes.windows(2).any(|pair| {
        matches!(pair, [before, b'$' | b'`'] if before.is_ascii_alphanumeric() || matches!(before, b'/' | b'.' | b'-' | b'_' | b'=' | b':' | b'}'))
    });
    let is_quoted = line.contains('\'')
        || line.split('"').skip(1).step_by(2).any(|quoted| quoted.contains(['$', '`']))
        || line.contains('\\')
        || line.contains("${")
        || line.contains("$((");
    let words = line.split(|letter: char| letter.is_whitespace() || ";&|()`".contains(letter));
    let has_wrapper = words.map(|word| word.rsplit('/').next().unwrap_or(word)).any(|word| WRAPPERS.contains(&word));
    is_joined || is_quoted || has_wrapper
}

#[cfg(test)]
mod tests {
    use super::{parts, runs_all};

    #[test]
    fn a_rule_is_a_name_and_what_the_outer_parentheses_hold() {
        let cases = [
            ("Bash", ("Bash", None)),
            ("Bash(git *)", ("Bash", Some("git *"))),
            ("Bash(echo (a))", ("Bash", Some("echo (a)"))),
            ("Bash(git *)|Write(x)", ("Bash", Some("git *)|Write(x"))),
            ("Bash(git", ("Bash(git", None)),
            ("Bash(git) x", ("Bash(git) x", None)),
            ("(git)", ("(git)", None)),
            ("Bash\\(x)", ("Bash\\(x)", None)),
            ("Bash(x\\)", ("Bash(x\\)", None)),
            ("", ("", None)),
        ];
        for (text, expected) in cases {
            assert_eq!(parts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_line_that_the_agent_does_not_judge_is_for_every_rule() {
        // With a rule of one word, and with a longer one.
        let cases = [
            ("git status", false, false),
            ("ls 'git status'", false, false),
            ("echo $(git log)", false, true),
            ("echo $HOME", false, false),
            ("echo \"$HOME\"", false, false),
            ("echo $((1 + 1))", false, false),
            ("echo $((x))", true, true),
            ("echo $X", false, true),
            ("echo \"$X\"", true, true),
            ("echo $HOMER", false, true),
            ("echo a$HOME", true, true),
            ("echo ${HOME}", true, true),
            ("sudo ls $X", true, true),
            ("echo $(ls) 'x'", true, true),
            ("cat <<E\nx\nE", true, true),
            ("cat <(git log)", true, true),
            ("echo {a,b}", true, true),
            ("{ ls; }", false, false),
            ("curl -d '{a,b}' x", false, false),
            ("curl -d '{a,b}", true, true),
            ("sub() { ls; }; sub", true, true),
            ("case x in x) ls;; esac", true, true),
            ("git\\\nstatus", true, true),
            ("echo a\\ b", true, true),
            ("ls\u{a0}x", true, true),
        ];
        for (line, one_word, longer) in cases {
            assert_eq!((runs_all(line, true), runs_all(line, false)), (one_word, longer), "{line}");
        }
    }
}
