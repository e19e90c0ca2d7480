//! Hooks that are no commands.

use super::{Checker, Sink};
use crate::config::{HookConfig, HookKind};

/// The tools that sub-agents have here.
const TOOLS: [&str; 3] = ["read", "glob", "grep"];

impl Checker {
    pub(super) fn check_kind(&self, hook: &HookConfig, sink: &mut Sink<'_>) {
        match &hook.kind {
            HookKind::Command => self.check_command(hook, sink),
            HookKind::Prompt(_) => check_decides(hook, sink),
            HookKind::Agent(agent) => {
                check_decides(hook, sink);
                for tool in agent.tools.iter().filter(|tool| !TOOLS.contains(&tool.as_str())) {
                    sink.warn(format!("a sub-agent has no tool `{tool}` here: it has read, glob and grep"));
                }
            }
            HookKind::Module(module) => {
                let file = self.cwd.join(&module.module);
                match file.metadata() {
                    Err(_) => sink.error(format!("its module {} does not exist", file.display())),
                    Ok(metadata) if metadata.is_dir() => {
                        sink.error(format!("its module {} is a folder: name a .py file", file.display()));
                    }
                    Ok(_) => {}
                }
            }
            // The reader has warned of a type that is not run, and code of the host is in no config.
            HookKind::Unsupported { .. } | HookKind::InProcess(_) => {}
        }
    }
}

/// A model's answer is a decision and nothing else.
fn check_decides(hook: &HookConfig, sink: &mut Sink<'_>) {
    if !hook.event.can_block() {
        sink.warn(format!("the model's answer counts for nothing: {} has nothing to block", hook.event));
    }
    if hook.is_async {
        sink.warn("the model's answer counts for nothing: the hook is not waited for (`async`)".to_owned());
    }
}
