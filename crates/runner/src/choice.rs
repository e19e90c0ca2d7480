//! Which hooks an event runs, and why not the others.

use std::borrow::Cow;
use std::fmt;

use hookshell_agents::{Mismatch, tools};
use hookshell_dispatch::Environment;

use crate::check::FindingCode;
use crate::check::matcher::{self, names_of};
use crate::config::{HookConfig, Origin};
use crate::event::Event;
use crate::gate::Gate;
use crate::nearest::is_slip;
use crate::plan::choose;
use crate::runner::Runner;
use crate::settings::Settings;

/// Why a hook does not run for an event.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// It is for another event: the name that its agent has for it.
    OtherEvent(&'static str),
    /// The agent has the event for calls of other tools only: `beforeShellExecution`.
    OtherCalls(&'static str),
    /// The event is of a sub-agent.
    SubAgent,
    /// Its matcher matches nothing of this.
    Matcher {
        /// The matcher, as the config has it.
        pattern: String,
        /// What it was tested against: the tool by the names that the hook's agent has for it.
        names: Vec<String>,
        /// The same in another case, which it would match.
        other_case: Option<String>,
    },
    /// Its `if` does not hold for the call.
    Condition(String),
    /// It is a project's, and nobody trusts it, for this reason.
    Untrusted(String),
    /// It would run the same as the hook of this number, which runs.
    SameAs(usize),
}

impl LeftOut {
    /// Its name, as `explain --json` has it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::OtherEvent(_) => "event",
            Self::OtherCalls(_) => "call",
            Self::SubAgent => "sub-agent",
            Self::Matcher { .. } => "matcher",
            Self::Condition(_) => "if",
            Self::Untrusted(_) => "trust",
            Self::SameAs(_) => "duplicate",
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherEvent(name) => write!(f, "it is for {name}"),
            Self::OtherCalls(name) => write!(f, "{name} is about calls of other tools"),
            Self::SubAgent => f.write_str("the event is a sub-agent's, and it has no \"include_sub_agents\": true"),
            Self::Matcher { pattern, names, other_case } => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                write!(f, "its matcher {pattern:?} does not match {}", names.join(" or "))?;
                match other_case {
                    Some(name) => write!(f, " (the case counts: it would match `{name}`)"),
                    None => Ok(()),
                }
            }
            Self::Condition(rule) => write!(f, "its `if` {rule:?} does not hold for this call"),
            Self::Untrusted(reason) => f.write_str(reason),
            Self::SameAs(number) => write!(f, "it is the same as hook {}, which runs once for both", number + 1),
        }
    }
}

/// Why a hook is not for an event; `None` if it is.
fn why_not(hook: &HookConfig, event: &Event, env: &Environment) -> Option<LeftOut> {
    let name = hook.dialect_event_name;
    Some(match hook.mismatch(event, env)? {
        Mismatch::Event => LeftOut::OtherEvent(name),
        Mismatch::SubAgent => LeftOut::SubAgent,
        Mismatch::Calls => LeftOut::OtherCalls(name),
        Mismatch::Matcher(names) => LeftOut::Matcher {
            pattern: hook.matcher.pattern().unwrap_or_default().to_owned(),
            other_case: names.iter().flat_map(|name| cases(name)).find(|name| hook.matcher.matches(name)),
            names: names.into_iter().map(Cow::into_owned).collect(),
        },
        Mismatch::Condition => LeftOut::Condition(hook.condition.as_ref().map(ToString::to_string).unwrap_or_default()),
    })
}

/// A name in the cases that tools' names have: `bash`, `Bash`, `BASH`.
fn cases(name: &str) -> [String; 3] {
    let lower = name.to_lowercase();
    let mut letters = lower.chars();
    let capital = letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default();
    [lower, capital, name.to_uppercase()]
}

/// Why a hook whose matcher matches no tool of its agent is not asked about this call, for which it is likely meant: the matcher has the
/// name that another agent has for the tool, or its own name with a slip of the pen.
fn missed(hook: &HookConfig, event: &Event, env: &Environment) -> Option<String> {
    let (pattern, tool) = (hook.matcher.pattern()?, event.tool_name()?);
    if !hook.is_kept_by_matcher(event, env) {
        return None;
    }
    let dialect = names_of(hook)?;
    let own = tools::own_tool_name(tool, dialect);
    let word = pattern.trim_start_matches('^').trim_end_matches('$');
    let is_slip = is_slip(word, &own) && *word != *own;
    // `Bash(git *)`: a rule of permissions.
    let ruled = word.strip_suffix(')').and_then(|word| Some(word.split_once('(')?.0));
    let is_rule = ruled.is_some_and(|tool| *tool == *own);
    if !is_slip && !is_rule && !tools::names_of_kind(tool, dialect).any(|name| hook.matcher.matches(name)) {
        return None;
    }
    let (code, why) = matcher::fault(hook)?;
    let place = hook.place.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
    // A project chooses it: it is one line here.
    let name = hook.display_name().replace(char::is_control, " ");
    match code {
        FindingCode::ToolOfAnotherAgent => Some(format!("{place}the hook `{name}` did not run: {why}")),
        _ if is_slip => Some(format!("{place}the hook `{name}` did not run: {why}: did you mean `{own}`?")),
        _ if is_rule => Some(format!("{place}the hook `{name}` did not run: {why}: name the tool alone, `{own}`")),
        _ => None,
    }
}

impl Runner {
    /// The hooks that are likely meant for this call and are never asked, since their matchers match no tool of their agents, each with
    /// a line that says so.
    pub fn missed(&self, event: &Event) -> Vec<(&HookConfig, String)> {
        let settings = &self.engine.settings;
        let hooks = settings.config.hooks().iter();
        hooks.filter_map(|hook| Some((hook, missed(hook, event, &settings.env)?))).collect()
    }

    /// Each hook, in config order, with why it does not run for an event; `None`: it runs. Nothing is run, and a hook that runs once
    /// in a session is taken as one that has not run.
    pub fn choices(&self, event: &Event) -> Vec<(&HookConfig, Option<LeftOut>)> {
        let settings: &Settings = &self.engine.settings;
        let event = &*settings.complete(event);
        let hooks = settings.config.hooks();
        let mut choices: Vec<_> = hooks.iter().map(|hook| (hook, why_not(hook, event, &settings.env))).collect();
        let mut leave_out = |index: usize, why: LeftOut| {
            if let Some((_, choice)) = choices.get_mut(index) {
                *choice = Some(why);
            }
        };
        choose(settings, event, |_, _| true, |index, same| leave_out(index, LeftOut::SameAs(same)));
        for (hook, choice) in
            choices.iter_mut().filter(|(hook, choice)| choice.is_none() && hook.origin == Origin::Project)
        {
            *choice = Gate::judge(settings, hook, event).err().map(LeftOut::Untrusted);
        }
        choices
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::{Config, FoundFile, Origin};
    use crate::event::Event;
    use crate::runner::Runner;
    use crate::tool_input::ToolInput;

    fn choices(config: Config, event: &Event) -> Vec<String> {
        let runner = Runner::builder().config(config).build().unwrap();
        let shown = runner.choices(event).into_iter();
        shown.map(|(_, why)| why.map_or("runs".to_owned(), |why| why.to_string())).collect()
    }

    fn bash(command: &str) -> Event {
        let input = serde_json::json!({ "command": command }).to_string();
        Event::pre_tool_use("bash", ToolInput::parse(&input).unwrap(), Path::new("/project"))
    }

    #[test]
    fn each_hook_that_does_not_run_says_why() {
        let text = r#"{ "hooks": {
            "PreToolUse": [
                { "command": "a" },
                { "command": "b", "matcher": "^edit$" },
                { "command": "c", "matcher": "^Bash$" },
                { "command": "d", "if": "bash(git *)" },
                { "command": "a" },
                { "command": "e", "if": "bash(ls*)", "matcher": "bash" }
            ],
            "Stop": [{ "command": "f" }]
        } }"#;
        let expected = [
            "runs",
            "its matcher \"^edit$\" does not match `bash`",
            "its matcher \"^Bash$\" does not match `bash` (the case counts: it would match `Bash`)",
            "its `if` \"bash(git *)\" does not hold for this call",
            "it is the same as hook 1, which runs once for both",
            "runs",
            "it is for Stop",
        ];
        assert_eq!(choices(Config::parse(text, "crush.json").unwrap(), &bash("ls")), expected);
    }

    #[test]
    fn another_agents_names_of_tools_count() {
        let claude = r#"{ "hooks": { "PreToolUse": [
            { "matcher": "bash", "hooks": [{ "type": "command", "command": "a" }] },
            { "matcher": "Bash", "hooks": [{ "type": "command", "command": "b" }] }
        ] } }"#;
        let expected = ["its matcher \"bash\" does not match `Bash` (the case counts: it would match `bash`)", "runs"];
        let event = Event::pre_tool_use("Bash", ToolInput::default(), Path::new("/project"));
        assert_eq!(choices(Config::parse(claude, ".claude/settings.json").unwrap(), &event), expected);
        let cursor = r#"{ "version": 1, "hooks": { "beforeReadFile": [{ "command": "a" }], "beforeShellExecution": [{ "command": "b" }] } }"#;
        let expected = ["beforeReadFile is about calls of other tools", "runs"];
        assert_eq!(choices(Config::parse(cursor, ".cursor/hooks.json").unwrap(), &bash("ls")), expected);
    }

    #[test]
    fn a_projects_hook_that_nobody_trusts_does_not_run() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("crush.json");
        std::fs::write(&path, r#"{ "hooks": { "PreToolUse": [{ "command": "a" }] } }"#).unwrap();
        let mut config = Config::default();
        assert!(config.add_found(&FoundFile { path, origin: Origin::Project }).is_empty());
        assert_eq!(choices(config, &bash("ls")), ["it was found in the project, and no trust policy is set"]);
    }
}
