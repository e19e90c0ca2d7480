//! What the agent gets, and what it is made of.

pub mod agent;
pub mod aggregate;
mod read;
pub mod rendered;
pub mod report;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use self::agent::Agent;
use self::aggregate::{aggregate, joined};
use self::rendered::Rendered;
use self::report::{HookOutcome, HookReport, ShellUse};
use crate::context_files;
use crate::decision::Decision;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::exit_code;
use crate::opinion::Opinion;
use crate::origin::Origin;
use crate::tool_input::{Patch, ToolInput};

/// What all hooks of an event say, and what each of them gave.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Verdict {
    /// The event.
    pub event: EventKind,
    /// What all hooks say together.
    ///
    /// With a halt the call is blocked too, and the decision is deny. Only where hooks of Claude Code say `"continue": false` before a
    /// tool is it not: their agent runs the tool and ends the turn then. (A host that blocks the call all the same is on the safe side.)
    /// `updated_input` is the tool's whole input to use instead ([`Verdict::updated_input`] has its text). Hooks set variables on the
    /// session's start: its later hooks get them, and the host is to give them to the tools that it runs.
    pub opinion: Opinion,
    /// The prompt as the user wrote it, on events that have one: what the user is shown.
    pub prompt: Option<String>,
    /// What each hook that ran gave, in config order.
    pub hooks: Vec<HookReport>,
    /// The event's name in the agent's own dialect, where that was said.
    dialect_event_name: Option<&'static str>,
}

impl Verdict {
    /// The verdict of hooks with these reports, which are in the order of their configs.
    pub fn new(event: &Event, hooks: Vec<HookReport>) -> Self {
        // Hooks of several agents are put together by our own rules.
        let agent = hooks.first().and_then(|hook| hook.agent);
        let is_its = |hook: &HookReport| hook.agent.zip(agent).is_some_and(|(own, agent)| own.is_same(agent));
        let agent = agent.filter(|_| hooks.iter().all(is_its));
        let of_agent = agent.and_then(|agent| agent.aggregate(event, &hooks));
        Self {
            event: event.name(),
            opinion: of_agent.unwrap_or_else(|| aggregate(&hooks, event.tool_input())),
            prompt: event.prompt().map(str::to_owned),
            hooks,
            dialect_event_name: event.dialect_event_name,
        }
    }

    /// The verdict of all hooks, where a project's hooks ran beside the user's: this one's and
    /// those of `project`, in the order of their configs: the user's, the project's, an administrator's.
    #[must_use]
    pub fn with_project(self, event: &Event, project: Self) -> Self {
        let is_first = |hook: &HookReport| hook.origin == Origin::User;
        let (first, last): (Vec<_>, Vec<_>) = self.hooks.into_iter().partition(is_first);
        Self::new(event, first.into_iter().chain(project.hooks).chain(last).collect())
    }

    /// Is what was about to happen not to happen: denied, or the turn ended with it? On what is about to end
    /// ([`EventKind::Stop`], [`EventKind::SubagentStop`]) a deny without a halt has the agent continue.
    pub fn is_blocked(&self) -> bool {
        self.opinion.is_blocking()
    }

    /// What is added to what the model sees: every entry of every hook, joined with newlines.
    pub fn context(&self) -> Option<String> {
        joined(self.opinion.context.iter())
    }

    /// The tool's whole input to use instead; `None` if nothing changed it, or the call is blocked.
    pub fn updated_input(&self) -> Option<ToolInput> {
        self.opinion.updated_input.as_ref().map(Patch::to_input)
    }

    /// The paths of the files that the agent is referred to, as hooks gave them.
    pub fn context_files(&self) -> Vec<&str> {
        self.opinion.context_files.iter().map(|file| file.path.as_str()).collect()
    }

    /// How many hooks of the project nobody trusts: they did not run.
    pub fn untrusted(&self) -> usize {
        let untrusted = self.hooks.iter().filter(|hook| matches!(hook.outcome, HookOutcome::Untrusted));
        untrusted.map(|hook| hook.stands_for).sum()
    }

    /// The verdict as a hook of another agent would say it: for a host that is itself a hook of that agent.
    ///
    /// What the agent has no field for is not said: a prompt to send instead is only in our own dialect.
    pub fn render(&self, agent: impl Into<&'static dyn Agent>) -> Rendered {
        let agent = agent.into();
        let dialect_event_name = self.dialect_event_name.filter(|name| agent.has_event(name));
        let mut rendered = agent.render(self, dialect_event_name.unwrap_or_else(|| agent.event_name(self.event)));
        rendered.exit_code_unprinted = self.exit_code_unprinted(rendered.exit_code);
        rendered
    }

    /// The exit code where what would say the verdict cannot be written: 2, which blocks for every agent, where anything is
    /// denied, halted or to be asked, or a call or prompt is to be used as a hook changed it; else, and where `exit_code` is a
    /// block already, `exit_code`.
    ///
    /// A halt of what is about to end ([`EventKind::Stop`], [`EventKind::SubagentStop`]) needs no words: a block would have
    /// the agent continue.
    pub fn exit_code_unprinted(&self, exit_code: u8) -> u8 {
        let is_end = matches!(self.event, EventKind::Stop | EventKind::SubagentStop);
        let blocks = match self.opinion.decision {
            _ if self.opinion.halt => !is_end,
            Some(Decision::Deny | Decision::Ask | Decision::Defer) => true,
            // As it was it may be what the hook did not want.
            _ => self.opinion.updated_input.is_some() || self.opinion.updated_prompt.is_some(),
        };
        if blocks && exit_code == 0 { exit_code::DENY } else { exit_code }
    }

    /// What the agent is told of the files that it is referred to: a `## Referenced files` heading and a list. `None`
    /// where there are none.
    pub fn context_files_note(&self) -> Option<String> {
        context_files::note(&self.context_files())
    }

    /// The exit code of `hookshell run`: 0 the call proceeds, 2 it is blocked, 49 the turn ends.
    pub fn exit_code(&self) -> u8 {
        match self.opinion.decision {
            _ if self.opinion.halt => exit_code::HALT,
            Some(Decision::Deny) => exit_code::DENY,
            _ => 0,
        }
    }

    /// The verdict as one line of JSON, without a newline: a public interface, to which keys are only ever added. It can be read
    /// again:
    ///
    /// ```
    /// use hookshell_contract::Verdict;
    ///
    /// let json = r#"{"event":"Stop","decision":"deny","halt":false,"reason":"run the tests","context":null,
    ///     "updated_input":null,"updated_prompt":null,"context_files":[],"hooks":[]}"#;
    /// let verdict: Verdict = serde_json::from_str(json)?;
    /// assert!(verdict.is_blocked());
    /// assert_eq!(verdict.opinion.reason.as_deref(), Some("run the tests"));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn to_json(&self) -> String {
        // Writing strings and numbers into memory cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let opinion = &self.opinion;
        VerdictJson {
            event: self.event.as_str(),
            decision: opinion.decision.map(Decision::as_str),
            halt: opinion.halt,
            reason: opinion.reason.as_deref(),
            context: self.context(),
            updated_input: self.updated_input().and_then(|input| raw(input.get())),
            updated_prompt: opinion.updated_prompt.as_deref(),
            context_files: self.context_files(),
            hooks: self.hooks.iter().map(HookJson::from).collect(),
            prompt: self.prompt.as_deref(),
            context_files_note: self.context_files_note(),
            updated_result: opinion.updated_result.as_ref().and_then(|result| raw(result.get())),
            system_message: opinion.system_message.as_deref(),
            env: opinion.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
            agent_output: opinion
                .agent_output
                .iter()
                .filter_map(|(name, json)| Some((&**name, raw(json.get())?)))
                .collect(),
        }
        .serialize(serializer)
    }
}

fn raw(json: &str) -> Option<Box<RawValue>> {
    RawValue::from_string(json.to_owned()).ok()
}

/// The keys and their order.
#[derive(Serialize)]
struct VerdictJson<'v> {
    event: &'v str,
    decision: Option<&'v str>,
    halt: bool,
    reason: Option<&'v str>,
    context: Option<String>,
    updated_input: Option<Box<RawValue>>,
    updated_prompt: Option<&'v str>,
    context_files: Vec<&'v str>,
    hooks: Vec<HookJson<'v>>,
    /// Of events with a prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'v str>,
    /// Where there are files.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_files_note: Option<String>,
    /// Where a hook changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_result: Option<Box<RawValue>>,
    /// Where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'v str>,
    /// Where there are any.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<&'v str, &'v str>,
    /// Where there is any.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    agent_output: BTreeMap<&'v str, Box<RawValue>>,
}

#[derive(Serialize)]
struct HookJson<'v> {
    name: &'v str,
    command: &'v str,
    outcome: &'v str,
    decision: Option<&'v str>,
    halt: bool,
    reason: Option<&'v str>,
    exit_code: Option<u8>,
    route: Option<&'v str>,
    ms: u64,
    stderr: &'v str,
    /// Which shells ran scripts, where those are not simply the installed ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shells: Vec<ShellJson<'v>>,
    /// Where there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped_context_files: Vec<String>,
    /// Where there are any.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'v [String],
}

/// Which shell ran a script or command line.
#[derive(Serialize)]
struct ShellJson<'v> {
    command: &'v str,
    shell: &'v str,
    reason: &'v str,
}

impl<'v> From<&'v ShellUse> for ShellJson<'v> {
    fn from(used: &'v ShellUse) -> Self {
        Self { command: &used.command, shell: &used.shell, reason: &used.reason }
    }
}

impl<'v> From<&'v HookReport> for HookJson<'v> {
    fn from(result: &'v HookReport) -> Self {
        Self {
            name: &result.name,
            command: &result.command,
            outcome: result.outcome.as_str(),
            decision: result.opinion.decision.map(Decision::as_str),
            halt: result.opinion.halt,
            reason: result.opinion.reason.as_deref(),
            exit_code: result.exit_code,
            route: result.route.as_deref(),
            ms: u64::try_from(result.elapsed.as_millis()).unwrap_or(u64::MAX),
            stderr: &result.stderr,
            shells: result.shells.iter().map(ShellJson::from).collect(),
            dropped_context_files: result.dropped_context_files.iter().map(ToString::to_string).collect(),
            warnings: &result.warnings,
        }
    }
}
