//! What the agent gets, and what it is made of: what each hook gave, and what all of them say together.

pub mod agent;
pub mod outcome;
mod read;
pub mod rendered;
mod write;

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use self::agent::{Agent, AgentOutput};
use self::outcome::{HookOutcome, OnFailure};
use self::rendered::Rendered;
use crate::context_files::{self, DroppedFile};
use crate::decision::Decision;
use crate::event::Event;
use crate::event_kind::EventKind;
use crate::exit_code;
use crate::opinion::Opinion;
use crate::origin::{Origin, Place};
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

/// Composes results, which must be in config order. It depends on nothing else: neither on the order in which the hooks
/// ended nor on how long they took.
///
/// `tool_input` is that of the call, on events that have one. A failed hook has no opinion, unless its `on_failure` says that it denies.
///
/// - The decision: deny wins over defer, defer over ask, ask over allow. A halt blocks the call, so with it this is deny.
/// - The reasons are those of the hooks that carried the decision (with a halt: of those that halted or denied), joined with newlines.
/// - The input is the whole one with every patch laid over it; none where nothing changed it, or the call is blocked. Of prompts the last
///   counts, and none where the prompt is blocked. The last result holds with a halt too: what a hook took out of a result must not come
///   back because another ended the turn.
/// - Of a variable that several hooks set the last value counts; so of what is only for an agent, unless the agent puts it together
///   ([`Agent::join_output`]) or drops it with a block ([`Agent::is_void_with_a_block`]).
pub fn aggregate(results: &[HookReport], tool_input: Option<&ToolInput>) -> Opinion {
    in_order(results.iter(), tool_input)
}

/// The same of results in another order.
pub fn in_order<'r>(
    results: impl DoubleEndedIterator<Item = &'r HookReport> + Clone,
    tool_input: Option<&ToolInput>,
) -> Opinion {
    let votes: Vec<Vote<'_>> = results.clone().map(vote).collect();

    let halt = votes.iter().any(|vote| vote.halt);
    let decided = votes.iter().filter_map(|vote| vote.decision).max();
    let decision = if halt { Some(Decision::Deny) } else { decided };
    let blocked = decision == Some(Decision::Deny);

    // An allow's reason never joins a deny's.
    let reasons = votes
        .iter()
        .filter(|vote| vote.halt || decision.is_some() && vote.decision == decision)
        .filter_map(|vote| vote.reason.as_deref());
    let opinions = results.clone().map(|result| &result.opinion);
    let patches = opinions.clone().filter_map(|opinion| opinion.updated_input.as_ref());
    let mut prompts = opinions.clone().filter_map(|opinion| opinion.updated_prompt.as_ref());
    let mut tool_results = opinions.clone().filter_map(|opinion| opinion.updated_result.as_ref());
    let files = opinions.clone().flat_map(|opinion| &opinion.context_files);
    Opinion {
        decision,
        halt,
        reason: joined(reasons),
        context: opinions.clone().flat_map(|opinion| opinion.context.iter().cloned()).collect(),
        updated_input: tool_input.filter(|_| !blocked).and_then(|input| input.merged(patches)).map(Patch::from),
        updated_prompt: prompts.next_back().filter(|_| !blocked).cloned(),
        system_message: joined(opinions.clone().filter_map(|opinion| opinion.system_message.as_ref())),
        updated_result: tool_results.next_back().cloned(),
        context_files: if blocked { Vec::new() } else { context_files::unique(files) },
        env: last_of_each(opinions.clone().flat_map(|opinion| &opinion.env)),
        agent_output: agent_output(results, blocked),
    }
}

/// What is only for the agents of the hooks: of each name the last, unless its agent puts them together.
fn agent_output<'r>(results: impl Iterator<Item = &'r HookReport>, blocked: bool) -> Vec<AgentOutput> {
    let said = results.flat_map(|result| result.opinion.agent_output.iter().map(|said| (result.agent, said)));
    let is_void = |agent: Option<&dyn Agent>, name: &str| agent.is_some_and(|agent| agent.is_void_with_a_block(name));
    let said: Vec<_> = said.filter(|(agent, (name, _))| !blocked || !is_void(*agent, name)).collect();
    let mut last = last_of_each(said.iter().map(|(_, said)| *said));
    let mut joined: Vec<&dyn Agent> = Vec::new();
    for agent in said.iter().filter_map(|(agent, _)| *agent) {
        if joined.iter().any(|other| agent.is_same(*other)) {
            continue;
        }
        joined.push(agent);
        let is_its = |other: &Option<&'static dyn Agent>| other.is_some_and(|other| other.is_same(agent));
        let its: Vec<_> = said.iter().filter(|(other, _)| is_its(other)).map(|(_, said)| *said).collect();
        agent.join_output(&mut last, &its);
    }
    last
}

/// What one hook says of the call.
pub struct Vote<'r> {
    /// The decision, or the deny of its failure.
    pub decision: Option<Decision>,
    /// Does the turn end?
    pub halt: bool,
    /// Why.
    pub reason: Option<Cow<'r, str>>,
}

/// What one hook says of the call: its failure may deny.
pub fn vote(result: &HookReport) -> Vote<'_> {
    match &result.outcome {
        HookOutcome::Failed(failure) => {
            let denies = result.on_failure == OnFailure::Deny;
            // It has the failure, and what is known of its cause.
            let why = result.opinion.reason.clone().unwrap_or_else(|| failure.to_string());
            Vote {
                decision: denies.then_some(Decision::Deny),
                halt: false,
                reason: denies.then(|| format!("the hook `{}` failed: {why}", result.name).into()),
            }
        }
        _ => Vote {
            decision: result.opinion.decision,
            halt: result.opinion.halt,
            reason: result.opinion.reason.as_deref().filter(|reason| !reason.is_empty()).map(Into::into),
        },
    }
}

/// Of pairs with the same name the last value, in the order in which the names came first.
pub fn last_of_each<'r, N, V>(pairs: impl Iterator<Item = &'r (N, V)>) -> Vec<(N, V)>
where
    N: Clone + Eq + Hash + 'r,
    V: Clone + 'r,
{
    let mut last: Vec<(N, V)> = Vec::new();
    let mut places: HashMap<&'r N, usize> = HashMap::new();
    for (name, value) in pairs {
        let at = *places.entry(name).or_insert(last.len());
        match last.get_mut(at) {
            Some((_, old)) => *old = value.clone(),
            None => last.push((name.clone(), value.clone())),
        }
    }
    last
}

/// Texts joined with newlines; `None` where there are none.
pub fn joined<T: AsRef<str>>(texts: impl Iterator<Item = T>) -> Option<String> {
    texts.fold(None, |joined: Option<String>, text| {
        Some(match joined {
            None => text.as_ref().to_owned(),
            Some(joined) => joined + "\n" + text.as_ref(),
        })
    })
}

/// What one hook gave, and why. Only the aggregate reduces a failure to "no opinion".
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HookReport {
    /// What messages call it: its name, or else its command, shortened.
    pub name: String,
    /// Its command, as the config has it.
    pub command: String,
    /// Who named the file that it stands in.
    pub origin: Origin,
    /// For how many hooks it stands: 1, but the last of very many that nobody trusts stands for the rest of them too.
    pub stands_for: usize,
    /// Where its config stands.
    pub place: Option<Place>,
    /// The event as its config has it; `None`: it stands in no config.
    pub dialect_event_name: Option<&'static str>,
    /// Its matcher as the config has it; `None`: it is for everything.
    pub matcher: Option<String>,
    /// How it came out.
    pub outcome: HookOutcome,
    /// What it said; with a failure the reason is what went wrong.
    pub opinion: Opinion,
    /// What of its context is a block that came too late, which its agent tells the model as one.
    pub told: Option<String>,
    /// By whose rules it ran; `None`: by our own.
    pub agent: Option<&'static dyn Agent>,
    /// The files that it named and that the agent is not referred to: what is missing, and what lies outside the project.
    pub dropped_context_files: Vec<DroppedFile>,
    /// What was odd or ambiguous in what it said, and what of it does not count: a deny that its agent ignores.
    pub warnings: Vec<String>,
    /// Has its shell code a syntax error? That denies, where the event can be blocked, and nobody meant it.
    pub has_syntax_error: bool,
    /// Is it started and not waited for, and its exit code 2 told the model all the same (`"asyncRewake": true`)?
    pub wakes: bool,
    /// Its exit code, where it exited.
    pub exit_code: Option<u8>,
    /// How it was run, where that is known.
    pub route: Option<String>,
    /// Which shell ran a script for sh, bash, …, and why, where that was not simply the installed one.
    pub shells: Vec<ShellUse>,
    /// How long it ran.
    pub elapsed: Duration,
    /// The end of what it wrote to standard error.
    pub stderr: String,
    /// What its failure means for the call.
    pub on_failure: OnFailure,
}

impl HookReport {
    /// The report of a hook that has said nothing yet: of our own rules, given for this run, whose failure means nothing.
    pub fn new(name: impl Into<String>, command: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            command: command.into(),
            origin: Origin::Given,
            stands_for: 1,
            place: None,
            dialect_event_name: None,
            matcher: None,
            outcome: HookOutcome::NoOpinion,
            opinion: Opinion::default(),
            told: None,
            agent: None,
            dropped_context_files: Vec::new(),
            warnings: Vec::new(),
            has_syntax_error: false,
            wakes: false,
            exit_code: None,
            route: None,
            shells: Vec::new(),
            elapsed: Duration::ZERO,
            stderr: String::new(),
            on_failure: OnFailure::Ignore,
        }
    }
}

/// Which shell ran a script or command line of a hook, and why that one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellUse {
    /// The script, or the command line.
    pub command: String,
    /// `in-process`, or the shell's file.
    pub shell: String,
    /// Why that one.
    pub reason: String,
}

#[cfg(test)]
mod tests;
