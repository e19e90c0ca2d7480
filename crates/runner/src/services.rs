//! What the host has for non-command hooks.

use std::sync::Arc;

use hookshell_dispatch::Environment;

use crate::config::HookKind;
use crate::llm::{AnyLlmClient, DecisionCache, PromptWork};
use crate::module::Modules;
use crate::native_hook::NativeHook;
use crate::outcome::Failure;
use crate::subagent::{AgentWork, LlmSubagents, SubagentFactory};
use crate::ui::AnyHookUi;

/// What the host has given the runner for non-command hooks.
#[derive(Default)]
pub(crate) struct Services {
    pub(crate) llm: Option<Arc<dyn AnyLlmClient>>,
    pub(crate) subagents: Option<Arc<dyn SubagentFactory>>,
    pub(crate) cache: Arc<DecisionCache>,
    /// Whom modules may ask.
    pub(crate) ui: Option<Arc<dyn AnyHookUi>>,
    /// There once the runner is built.
    pub(crate) modules: Option<Arc<Modules>>,
}

impl Services {
    /// What runs such a hook, or why nothing can.
    pub(crate) fn for_kind(&self, kind: &HookKind, env: &Environment) -> Result<Arc<dyn NativeHook>, Failure> {
        match kind {
            HookKind::InProcess(in_process) => match in_process.code::<Arc<dyn NativeHook>>() {
                Some(code) => Ok(Arc::clone(code)),
                None => Err(Failure::Unsupported(kind.as_str().to_owned())),
            },
            HookKind::Prompt(hook) => {
                let client = self.llm.clone().ok_or(Failure::NoModel)?;
                let cache = hook.cache.then(|| Arc::clone(&self.cache));
                Ok(Arc::new(PromptWork { hook: hook.clone(), client, cache }))
            }
            HookKind::Agent(hook) => {
                let factory = match (&self.subagents, &self.llm) {
                    (Some(factory), _) => Arc::clone(factory),
                    (None, Some(client)) => Arc::new(LlmSubagents::over(Arc::clone(client))),
                    (None, None) => return Err(Failure::NoModel),
                };
                let cache = hook.cache.then(|| Arc::clone(&self.cache));
                Ok(Arc::new(AgentWork { hook: hook.clone(), factory, cache }))
            }
            HookKind::Module(hook) => match &self.modules {
                Some(modules) => Ok(Arc::new(modules.hook(hook, env.clone()))),
                None => Err(Failure::Unsupported(kind.as_str().to_owned())),
            },
            kind => Err(Failure::Unsupported(kind.as_str().to_owned())),
        }
    }
}
