//! Non-command hooks.

use super::{Checker, FindingCode, Sink};
use crate::config::{HookConfig, HookKind, HttpHook};
use crate::http::{Url, is_framing, is_loopback, unallowed};

/// The tools that sub-agents have here.
const TOOLS: [&str; 3] = ["read", "glob", "grep"];

impl Checker {
    pub(super) fn check_kind(&self, hook: &HookConfig, sink: &mut Sink<'_>) {
        match &hook.kind {
            HookKind::Command => self.check_command(hook, sink),
            HookKind::Prompt(_) => {
                self.check_model(sink);
                check_decides(hook, sink);
            }
            HookKind::Agent(agent) => {
                self.check_model(sink);
                check_decides(hook, sink);
                for tool in agent.tools.iter().filter(|tool| !TOOLS.contains(&tool.as_str())) {
                    sink.warn(
                        FindingCode::UnknownAgentTool,
                        format!("a sub-agent has no tool `{tool}` here: it has read, glob and grep"),
                    );
                }
            }
            HookKind::Module(module) => {
                let file = self.cwd.join(&module.module);
                match file.metadata() {
                    Err(_) => {
                        sink.error(FindingCode::MissingModule, format!("its module {} does not exist", file.display()))
                    }
                    Ok(metadata) if metadata.is_dir() => {
                        sink.error(
                            FindingCode::MissingModule,
                            format!("its module {} is a directory: name a .py file", file.display()),
                        );
                    }
                    Ok(_) => {}
                }
            }
            HookKind::Http(http) => self.check_http(hook, http, sink),
            // The reader has warned of a type that is not run, and code of the host is in no config.
            _ => {}
        }
    }
}

impl Checker {
    /// Can the model be asked?
    fn check_model(&self, sink: &mut Sink<'_>) {
        if let Some(fault) = &self.model_fault {
            sink.error(FindingCode::ModelAddress, format!("the model will give no answer: {fault}"));
        }
    }

    /// Where a hook is sent, and what of its headers will be empty.
    fn check_http(&self, hook: &HookConfig, http: &HttpHook, sink: &mut Sink<'_>) {
        let (Some(rules), Ok(url)) = (hook.dialect.contract().http(), Url::parse(&http.url)) else { return };
        let refused = rules.refuses(hook.event, &url, http, &self.env);
        // A name is not looked up: nothing is sent.
        let literal = url.ip().filter(|_| rules.checks_literals());
        let refused = refused.or_else(|| rules.address_rule(&self.env)(literal?));
        if let Some(why) = refused {
            sink.error(FindingCode::RequestRefused, format!("it will not run: {why}"));
        }
        for name in unallowed(http, rules) {
            sink.warn(
                FindingCode::EmptyHeaderVariable,
                format!("the variable {name} will be empty in its headers: `allowedEnvVars` does not name it"),
            );
        }
        for (name, _) in http.headers.iter().filter(|(name, _)| is_framing(name)) {
            sink.warn(
                FindingCode::HeaderNotSent,
                format!("the header {name:?} is not sent: where a request ends is not for a hook to say"),
            );
        }
        let is_here = url.is_localhost() || url.ip().is_some_and(is_loopback);
        if !http.allowed_env_vars.is_empty() && !url.is_encrypted() && !is_here {
            sink.warn(
                FindingCode::UnencryptedSecret,
                "the variables in its headers are sent unencrypted: use an address with https://".to_owned(),
            );
        }
    }
}

/// A model's answer is a decision and nothing else.
fn check_decides(hook: &HookConfig, sink: &mut Sink<'_>) {
    if !hook.event.can_block() {
        sink.warn(
            FindingCode::NothingToDecide,
            format!("the model's answer counts for nothing: {} has nothing to block", hook.event),
        );
    }
    if hook.is_async {
        sink.warn(
            FindingCode::NothingToDecide,
            "the model's answer counts for nothing: the hook is not waited for (`async`)".to_owned(),
        );
    }
}
