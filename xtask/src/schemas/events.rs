//! The names of events.

use schemars::{JsonSchema, Schema};

/// The events of the native contract.
pub(super) const NATIVE: [&str; 16] = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "SubagentStop",
    "PreCompact",
    "Notification",
    "TurnStart",
    "TurnEnd",
    "SessionBeforeBranch",
    "SessionBranch",
    "SessionBeforeSwitch",
    "SessionSwitch",
];

/// Those that only other agents have.
pub(super) const OTHERS: [&str; 36] = [
    "PermissionRequest",
    "PermissionDenied",
    "PostToolBatch",
    "UserPromptExpansion",
    "Setup",
    "SubagentStart",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "StopFailure",
    "PostCompact",
    "ConfigChange",
    "CwdChanged",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
    "Elicitation",
    "ElicitationResult",
    "MessageDisplay",
    "DirectoryAdded",
    "InstructionsLoaded",
    "PreModelSwitch",
    "PostModelSwitch",
    "Interrupt",
    "PreModelRequest",
    "PostModelRequest",
    "BeforeModel",
    "AfterModel",
    "BeforeToolSelection",
    "AfterAgentResponse",
    "AfterAgentThought",
    "WorkspaceOpen",
    "ErrorOccurred",
    "UserPromptTransformed",
    "PreMcpToolCall",
    "SessionDelete",
];

/// What other agents call those, where that is another word: `Dialect` knows them, which a test compares.
const OTHER_NAMES: [&str; 18] = [
    "BeforeTool",
    "AfterTool",
    "BeforeAgent",
    "AfterAgent",
    "PreCompress",
    "AgentStop",
    "UserPromptSubmitted",
    "BeforeShellExecution",
    "BeforeMCPExecution",
    "BeforeReadFile",
    "BeforeTabFileRead",
    "AfterShellExecution",
    "AfterMCPExecution",
    "AfterFileEdit",
    "AfterTabFileEdit",
    "BeforeSubmitPrompt",
    "TodoCreated",
    "TodoCompleted",
];

/// A regular expression for the names, in any case, with or without `_` and `-`, and for these words as they are.
pub(super) fn spellings(words: &[&str]) -> String {
    let words = words.iter().map(|word| (*word).to_owned());
    let names: Vec<String> = words.chain(NATIVE.iter().chain(&OTHERS).map(spelled)).collect();
    format!("^({})$", names.join("|"))
}

fn spelled(name: &&str) -> String {
    let letters =
        name.chars().map(|letter| format!("[{}{}]", letter.to_ascii_uppercase(), letter.to_ascii_lowercase()));
    letters.collect::<Vec<_>>().join("[-_]*")
}

/// The name of an event that a file says: editors offer ours, and any agent's name is taken.
pub(super) struct AnyEvent;

impl JsonSchema for AnyEvent {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnyEvent".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> Schema {
        let names: Vec<String> = NATIVE.iter().chain(&OTHERS).chain(&OTHER_NAMES).map(spelled).collect();
        let pattern = format!("^({})$", names.join("|"));
        schemars::json_schema!({ "anyOf": [{ "enum": NATIVE }, { "type": "string", "pattern": pattern }] })
    }
}
