//! From the results of all hooks to one verdict.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;

use crate::context_files;
use crate::decision::Decision;
use crate::opinion::Opinion;
use crate::tool_input::{Patch, ToolInput};
use crate::verdict::agent::{Agent, AgentOutput};
use crate::verdict::report::{HookOutcome, HookReport, OnFailure};

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

#[cfg(test)]
#[path = "aggregate_tests.rs"]
mod tests;
