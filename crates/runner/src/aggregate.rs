//! From the results of all hooks to one verdict.

use std::collections::HashMap;
use std::hash::Hash;

use crate::config::OnFailure;
use crate::context_files;
use crate::decision::Decision;
use crate::dialect::gemini;
use crate::json::JsonText;
use crate::report::{HookOutcome, HookReport};
use crate::tool_input::ToolInput;

/// What all hooks together say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aggregate {
    /// The decision: deny wins over defer, defer over ask, ask over allow. A halt blocks the call, so with it this is deny.
    pub decision: Option<Decision>,
    /// Does any hook end the turn?
    pub halt: bool,
    /// The reasons of the hooks that carried the decision (with a halt: of those that halted or denied), joined with
    /// newlines.
    pub reason: Option<String>,
    /// What is added to what the model sees: every entry of every hook, joined with newlines.
    pub context: Option<String>,
    /// The tool's whole input with every patch laid over it; `None` if nothing changed it, or the call is blocked.
    pub updated_input: Option<ToolInput>,
    /// The prompt to use instead: the last one that a hook gave; `None` if none did, or the prompt is blocked.
    pub updated_prompt: Option<String>,
    /// The tool's result to use instead: the last one that a hook gave. It holds with a halt too: what a hook took out of
    /// a result must not come back because another ended the turn.
    pub updated_result: Option<JsonText>,
    /// What the user is shown, beside all else: of every hook, joined with newlines.
    pub system_message: Option<String>,
    /// The files that the agent is referred to, each once; none where the event is blocked.
    pub context_files: Vec<String>,
    /// Variables for the session; of a name that several hooks set the last value.
    pub env: Vec<(String, String)>,
    /// What is only for the agent whose dialect it is, by its name there: of each the last one that a hook gave, but
    /// of Gemini CLI's `toolConfig` the tools of all. Of a request to the model nothing is left where it is blocked.
    pub agent_output: Vec<(&'static str, JsonText)>,
}

/// Composes results, which must be in config order. It depends on nothing else: neither on the order in which the hooks
/// ended nor on how long they took.
///
/// `tool_input` is that of the call, on events that have one. A failed hook has no opinion, unless its `on_failure` says that it denies.
pub fn aggregate(results: &[HookReport], tool_input: Option<&ToolInput>) -> Aggregate {
    in_order(results.iter(), tool_input)
}

/// The same of results in another order.
pub(crate) fn in_order<'r>(
    results: impl DoubleEndedIterator<Item = &'r HookReport> + Clone,
    tool_input: Option<&ToolInput>,
) -> Aggregate {
    let opinions: Vec<Opinion<'_>> = results.clone().map(opinion).collect();

    let halt = opinions.iter().any(|opinion| opinion.halt);
    let decided = opinions.iter().filter_map(|opinion| opinion.decision).max();
    let decision = if halt { Some(Decision::Deny) } else { decided };
    let blocked = decision == Some(Decision::Deny);

    // An allow's reason never joins a deny's.
    let reasons = opinions
        .iter()
        .filter(|opinion| opinion.halt || decision.is_some() && opinion.decision == decision)
        .filter_map(|opinion| opinion.reason.as_deref());
    let context = results.clone().flat_map(|result| result.context.iter().cloned());
    let patches = results.clone().filter_map(|result| result.updated_input.as_ref());
    let mut prompts = results.clone().filter_map(|result| result.updated_prompt.as_ref());
    let mut tool_results = results.clone().filter_map(|result| result.updated_result.as_ref());
    let files = results.clone().flat_map(|result| &result.context_files);
    Aggregate {
        decision,
        halt,
        reason: joined(reasons),
        context: joined(context),
        updated_input: tool_input.filter(|_| !blocked).and_then(|input| input.merged(patches)),
        updated_prompt: prompts.next_back().filter(|_| !blocked).cloned(),
        system_message: joined(results.clone().filter_map(|result| result.system_message.as_ref())),
        updated_result: tool_results.next_back().cloned(),
        context_files: if blocked { Vec::new() } else { context_files::unique(files) },
        env: last_of_each(results.clone().flat_map(|result| &result.env)),
        agent_output: {
            let output = results.clone().flat_map(|result| &result.agent_output);
            let output: Vec<_> = output.filter(|(name, _)| !blocked || !gemini::is_of_request(name)).collect();
            let mut last = last_of_each(output.iter().copied());
            gemini::join_tool_configs(&mut last, &output);
            last
        },
    }
}

pub(crate) struct Opinion<'r> {
    pub(crate) decision: Option<Decision>,
    pub(crate) halt: bool,
    pub(crate) reason: Option<std::borrow::Cow<'r, str>>,
}

/// What one hook says: its failure may deny.
pub(crate) fn opinion(result: &HookReport) -> Opinion<'_> {
    match &result.outcome {
        HookOutcome::Failed(failure) => {
            let denies = result.on_failure == OnFailure::Deny;
            Opinion {
                decision: denies.then_some(Decision::Deny),
                halt: false,
                reason: denies.then(|| format!("the hook `{}` failed: {failure}", result.name).into()),
            }
        }
        _ => Opinion {
            decision: result.decision,
            halt: result.halt,
            reason: result.reason.as_deref().filter(|reason| !reason.is_empty()).map(Into::into),
        },
    }
}

/// Of pairs with the same name the last value, in the order in which the names came first.
pub(crate) fn last_of_each<'r, N, V>(pairs: impl Iterator<Item = &'r (N, V)>) -> Vec<(N, V)>
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

fn joined<T: AsRef<str>>(texts: impl Iterator<Item = T>) -> Option<String> {
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
