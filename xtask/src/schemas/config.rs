//! `schemas/config.json`: the native shape of hooks in a config.
#![allow(dead_code, reason = "the types are there for their schema")]

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::events::spellings;
use super::shape::{also, nothing_required, null_is_absent, of, when};

/// The schema.
pub(super) fn schema() -> Value {
    of::<ConfigFile>()
}

/// A config with hooks in hookshell's own shape (crush.json, .crush.json). Other keys of the file are the agent's.
#[derive(JsonSchema)]
#[schemars(title = "hookshell config", transform = nothing_required, transform = null_is_absent, transform = events_in_hooks)]
struct ConfigFile {
    /// Where this schema is, for editors.
    #[schemars(rename = "$schema")]
    schema: Value,
    /// The hooks, by the event that they run on.
    hooks: Hooks,
    /// Deny what a hook of this file should have judged if hookshell fails itself. Not taken from a project's file.
    fail_closed: bool,
}

/// Lists of hooks by event, and defaults for all hooks of the file. An event may be written in any case, with or without `_` and `-`;
/// those that only other agents have are taken too.
#[derive(JsonSchema)]
#[schemars(transform = nothing_required, transform = null_is_absent, transform = only_known_names, transform = with_comments)]
struct Hooks {
    #[schemars(flatten)]
    events: Events,
    #[schemars(flatten)]
    defaults: Defaults,
    #[schemars(flatten)]
    others: BTreeMap<String, Vec<Hook>>,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "PascalCase")]
struct Events {
    /// Before a tool is called. The hook can deny or allow the call, or change its input.
    pre_tool_use: Vec<Hook>,
    /// After a tool has done its work.
    post_tool_use: Vec<Hook>,
    /// After a tool has failed.
    post_tool_use_failure: Vec<Hook>,
    /// After the user has submitted a prompt, before the model sees it.
    user_prompt_submit: Vec<Hook>,
    /// When a session begins or is taken up again.
    session_start: Vec<Hook>,
    /// When a session ends.
    session_end: Vec<Hook>,
    /// Before the agent ends its turn.
    stop: Vec<Hook>,
    /// Before a sub-agent ends.
    subagent_stop: Vec<Hook>,
    /// Before the conversation is compacted.
    pre_compact: Vec<Hook>,
    /// When the agent tells the user something.
    notification: Vec<Hook>,
    /// Before each turn: a call of the model and the tools that it asks for.
    turn_start: Vec<Hook>,
    /// After each turn.
    turn_end: Vec<Hook>,
    /// Before the session continues from an earlier turn.
    session_before_branch: Vec<Hook>,
    /// After the session was taken back to an earlier turn.
    session_branch: Vec<Hook>,
    /// Before another session takes the place of this one.
    session_before_switch: Vec<Hook>,
    /// After another session took the place of this one.
    session_switch: Vec<Hook>,
}

/// The keys of [`Hooks`] that are not events.
const DEFAULTS: [&str; 6] =
    ["on_failure", "include_sub_agents", "missing_shell", "ignore_findings", "shell_scripts", "fail_closed"];

#[derive(JsonSchema)]
struct Defaults {
    /// What the failure of a hook on PreToolUse means for the call, unless the hook says it.
    on_failure: OnFailure,
    /// Hooks also run on what happens in sub-agents, unless they say otherwise.
    include_sub_agents: bool,
    /// What is done about scripts for a shell that is not installed, unless the hook says it.
    missing_shell: MissingShell,
    /// The codes of findings of `hookshell check` that are not reported for this file.
    ignore_findings: Vec<Code>,
    /// What runs scripts for sh, bash, dash, ash and ksh, unless the hook says it.
    shell_scripts: ShellScripts,
    /// As `fail_closed` at the top of the file.
    fail_closed: bool,
}

/// One hook: a command, unless `type` says otherwise.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, transform = nothing_required, transform = null_is_absent, transform = by_type, transform = with_comments)]
struct Hook {
    /// What kind of hook it is.
    #[schemars(rename = "type", extend("default" = "command"))]
    kind: HookType,
    /// The shell command to run; with `args` the program.
    #[schemars(regex(pattern = FILLED))]
    command: String,
    /// An unanchored regular expression on the tool's name (or on what the event has instead). Without it the hook is for every tool.
    matcher: String,
    /// Of the calls that match, those that it is for: a rule as `bash(git push *)`.
    #[schemars(rename = "if", regex(pattern = RULE))]
    condition: String,
    /// How long it may run, in seconds. 30 without it, 60 for an `agent`.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 604_800))]
    timeout: f64,
    /// What messages call it.
    name: String,
    /// What its failure means for the call.
    on_failure: OnFailure,
    /// The program's arguments, each as it is given: no shell reads them.
    args: Vec<String>,
    /// The command to run on Windows instead.
    #[schemars(regex(pattern = FILLED))]
    command_windows: String,
    /// Variables that it gets beside the event's.
    #[schemars(extend("propertyNames" = { "pattern": "^[^=\\u0000]+$" }))]
    env: BTreeMap<String, String>,
    /// The directory that it runs in, relative to the event's.
    cwd: String,
    /// It is started and not waited for; what it says is not read.
    #[schemars(rename = "async")]
    is_async: bool,
    /// It runs once in a session, the first time that it matches.
    once: bool,
    /// It also runs on what happens in sub-agents.
    include_sub_agents: bool,
    /// What the agent may show while it runs.
    status_message: String,
    /// Must every variable reach its programs exactly? `false`: a program goes without a variable that is too large for it.
    #[schemars(extend("default" = true))]
    require_env: bool,
    /// What is done about its scripts for a shell that is not installed. Without it `interpret` on Windows, `fail` elsewhere.
    missing_shell: MissingShell,
    /// What runs its scripts for sh, bash, dash, ash and ksh.
    shell_scripts: ShellScripts,
    /// The codes of findings of `hookshell check` that are not reported for it.
    ignore_findings: Vec<Code>,
    /// `prompt`, `agent`: the question to the language model. `$ARGUMENTS` is the event; else the event is appended.
    #[schemars(regex(pattern = FILLED))]
    prompt: String,
    /// `prompt`, `agent`: the model. Without it the client's default.
    #[schemars(regex(pattern = FILLED))]
    model: String,
    /// `prompt`, `agent`: a decision is given again for the same input, for a while.
    cache: bool,
    /// `agent`: the tools that it may use.
    #[schemars(extend("default" = ["read", "glob", "grep"]))]
    tools: Vec<String>,
    /// `agent`: how often the model may answer.
    #[schemars(range(min = 1, max = 1000), extend("default" = 10))]
    max_turns: u32,
    /// `module`: the Python file.
    #[schemars(regex(pattern = FILLED))]
    module: String,
}

/// The kinds of hooks.
#[derive(JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
enum HookType {
    /// A shell command.
    Command,
    /// A question to a language model.
    Prompt,
    /// A question to a language model that may use tools.
    Agent,
    /// A Python module.
    Module,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
enum OnFailure {
    /// The failure is reported, the call continues.
    Ignore,
    /// The call is denied.
    Deny,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
enum MissingShell {
    /// The script runs in process.
    Interpret,
    /// The hook fails.
    Fail,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum ShellScripts {
    /// The installed shell.
    Installed,
    /// The in-process shell, on every machine.
    InProcess,
}

/// The code of a finding: `HS101`.
#[derive(JsonSchema)]
#[schemars(inline, transparent)]
struct Code(#[schemars(regex(pattern = "^[Hh][Ss][0-9]{3}$"))] String);

/// More than blanks.
const FILLED: &str = r"\S";

/// A rule begins with a tool's name.
const RULE: &str = r"^[\s|,]*[^\s|,(]";

/// Hooks beside `hooks` do not run, nor do those below a slip of that word. (A list of something else under such a name may be a setting of the agent's.)
fn events_in_hooks(schema: &mut Schema) {
    let hooks = json!({ "type": "array", "minItems": 1, "items": { "type": "object" } });
    let slip = json!({ "type": "object", "minProperties": 1 });
    let wrong = json!({ spellings(&[]): { "not": hooks }, "^(hook|Hook|Hooks|HOOKS)$": { "not": slip } });
    schema.insert("patternProperties".to_owned(), wrong);
}

fn only_known_names(schema: &mut Schema) {
    let known = spellings(&DEFAULTS);
    let pattern = format!("{COMMENTS}|{known}");
    let names = json!({ "pattern": pattern, "patternErrorMessage": "no event and no setting has this name" });
    schema.insert("propertyNames".to_owned(), names);
}

/// Keys that only say something to people: `_comment`, `$comment`, `//`.
const COMMENTS: &str = "^([_$#]|//|comments?$)";

/// Those may have any value.
fn with_comments(schema: &mut Schema) {
    schema.insert("patternProperties".to_owned(), json!({ COMMENTS: true }));
}

/// What a hook must have, and may not have, by its `type`.
fn by_type(schema: &mut Schema) {
    let without = |keys: &[&str], needed: &str| {
        // What is null is as absent.
        let nothing = json!({ "type": "null" });
        let mut members: serde_json::Map<String, Value> =
            keys.iter().map(|key| ((*key).to_owned(), nothing.clone())).collect();
        members.insert(needed.to_owned(), json!({ "not": nothing }));
        json!({ "required": [needed], "properties": members })
    };
    also(
        schema,
        vec![
            when(
                "type",
                &["command"],
                true,
                without(&["prompt", "model", "cache", "tools", "max_turns", "module"], "command"),
            ),
            when("type", &["prompt"], false, without(&["tools", "max_turns", "module"], "prompt")),
            when("type", &["agent"], false, without(&["module"], "prompt")),
            when("type", &["module"], false, without(&["prompt", "model", "cache", "tools", "max_turns"], "module")),
        ],
    );
}
