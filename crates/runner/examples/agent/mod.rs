//! What the agent of `embed.rs` is made of: its state, its tools, its hooks, and a model and a person that are scripted.

use std::error::Error;

use hookshell_runner::inprocess::{
    HookRegistry, HookUi, Host, NotifyLevel, Response, ToolCall, ToolExecutor, ToolResult,
};
use hookshell_runner::{Config, LlmClient, LlmError, LlmReply, LlmRequest};

use super::hooks::{git_checkpoint, permission_gate, protected_paths};

/// The host's own state: every hook of the host gets it, and may change it.
#[derive(Default)]
pub(crate) struct Agent {
    pub(crate) messages: Vec<String>,
}

impl Agent {
    pub(crate) fn say(&mut self, who: &str, text: &str) {
        self.messages.push(format!("{who}: {text}"));
    }
}

impl Host for Agent {
    type Message = String;
    fn messages(&self) -> &[String] {
        &self.messages
    }
    fn messages_mut(&mut self) -> &mut Vec<String> {
        &mut self.messages
    }
}

/// The tools. These only say what they would do.
pub(crate) struct Tools;

impl ToolExecutor<Agent> for Tools {
    async fn execute(&self, call: &ToolCall, _agent: &mut Agent) -> ToolResult {
        ToolResult::ok(format!("{} did {}", call.name, call.input.get()))
    }
}

/// What the model says in a turn: a text, and the tools that it calls.
type Turn = (&'static str, &'static [(&'static str, &'static str)]);

/// The model's turns.
pub(crate) const MODEL: [Turn; 2] = [
    (
        "Let me look.",
        &[
            ("read", r#"{"file_path":"key.txt","token":"sk-123"}"#),
            ("bash", r#"{"command":"sudo rm -rf build"}"#),
            ("bash", r#"{"command":"npm test"}"#),
            ("write", r#"{"file_path":".env","content":""}"#),
            ("deploy", r#"{"target":"production"}"#),
        ],
    ),
    ("All tests pass.", &[]),
];

/// The model that hooks of the types `prompt` and `agent` ask. A real one: `OpenAiClient`.
pub(crate) struct Judge;

impl LlmClient for Judge {
    async fn complete(&self, request: &LlmRequest) -> Result<LlmReply, LlmError> {
        // Sub-agents have tools.
        Ok(LlmReply::text(match request.tools.is_empty() {
            true => r#"{"allow": false, "reason": "not on a Friday"}"#,
            false => "I have read the project.\nALLOW nothing speaks against it",
        }))
    }
}

/// The person who is asked. This one says no.
pub(crate) struct Person;

impl HookUi for Person {
    async fn select(&self, _: &str, _: &[String]) -> Option<String> {
        None
    }
    async fn confirm(&self, _: &str, _: &str) -> bool {
        false
    }
    async fn input(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn notify(&self, _: &str, _: NotifyLevel) {}
}

/// Command hooks and hooks that ask a model, as a user's config file has them.
pub(crate) fn config() -> Result<Config, Box<dyn Error>> {
    let config = r#"{ "hooks": {
        "UserPromptSubmit": [{ "command": "echo '{\"context\":\"The project uses bun.\"}'" }],
        "PreToolUse": [
            { "matcher": "^bash$", "command": "case $CRUSH_TOOL_INPUT_COMMAND in npm*) echo '{\"decision\":\"allow\",\"updated_input\":{\"command\":\"bun test\"}}';; esac" },
            { "matcher": "^deploy$", "type": "agent", "prompt": "Do the project's rules allow it?", "tools": ["read"] },
            { "matcher": "^deploy$", "type": "prompt", "prompt": "Is today a good day for it?" }
        ],
        "Stop": [{ "command": "echo '{\"decision\":\"allow\"}'" }]
    } }"#;
    Ok(Config::parse(config, "crush.json")?)
}

/// Hooks of the host: the three examples, and one that keeps secrets out of what the model sees.
pub(crate) fn hooks() -> Result<HookRegistry<Agent>, Box<dyn Error>> {
    let mut registry = HookRegistry::new();
    permission_gate::register(&mut registry)?;
    protected_paths::register(&mut registry)?;
    git_checkpoint::register(&mut registry);
    registry.on_tool_result(async |ctx| {
        if let Some(result) = &mut ctx.tool_result {
            result.content = result.content.replace("sk-123", "sk-***");
        }
        Response::none()
    });
    Ok(registry)
}
