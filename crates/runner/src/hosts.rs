//! What the host has for hooks that are no commands.

use std::sync::Arc;

use crate::config::HookKind;
use crate::in_host::InHost;
use crate::llm::{DecisionCache, LlmClient, PromptWork};
use crate::result::Failure;

/// What the host has given the runner for hooks that are no commands.
#[derive(Default)]
pub(crate) struct Hosts {
    pub(crate) llm: Option<Arc<dyn LlmClient>>,
    pub(crate) cache: Arc<DecisionCache>,
}

impl Hosts {
    /// What runs such a hook, or why nothing can.
    pub(crate) fn for_kind(&self, kind: &HookKind) -> Result<Arc<dyn InHost>, Failure> {
        match kind {
            HookKind::InProcess(in_process) => Ok(Arc::clone(&in_process.0)),
            HookKind::Prompt(hook) => {
                let client = self.llm.clone().ok_or(Failure::NoModel)?;
                let cache = hook.cache.then(|| Arc::clone(&self.cache));
                Ok(Arc::new(PromptWork { hook: hook.clone(), client, cache }))
            }
            kind => Err(Failure::Unsupported(kind.as_str().to_owned())),
        }
    }
}
