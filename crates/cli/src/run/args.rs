//! The options of `hookshell run`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use hookshell_runner::Dialect;

use crate::options::{DispatchArgs, HookSources};
use crate::value_parsers;

pub(crate) const EXAMPLES: &str = r#"Without --tool, --input and --prompt the event is read from standard input as one JSON object.

Exit codes: 0 the call proceeds, 2 it is denied, 49 the turn is halted. With --output the exit
codes are those of that agent.

Examples:
  hookshell run PreToolUse --tool bash --input '{"command":"ls"}'
  hookshell run PreToolUse --config crush.json --tool edit --input '{"file_path":"a.go"}' -v
  hookshell run PreToolUse --tool bash --input @call.json
  hookshell run UserPromptSubmit --prompt 'fix the login flow'
  hookshell run PreToolUse --config .claude/settings.json --tool Bash --input '{"command":"ls"}'
  hookshell run beforeShellExecution --dialect cursor --output cursor < event.json
  echo '{"tool_name":"bash","tool_input":{"command":"ls"}}' | hookshell run PreToolUse"#;

#[derive(Debug, Default, Args)]
pub(crate) struct RunArgs {
    /// The event. Any agent's name for it works, in any case, with or without underscores [default: the one that
    /// the payload names]
    #[arg(value_parser = value_parsers::event())]
    pub(crate) event: Option<String>,
    #[command(flatten)]
    pub(crate) sources: HookSources,
    /// Run the project's hooks even if they are not trusted
    #[arg(long)]
    pub(crate) trust_project: bool,
    /// Deny the call where a hook could not do its work: it failed, is not trusted, or its config is missing or wrong (also:
    /// "fail_closed": true in a config)
    #[arg(long)]
    pub(crate) fail_closed: bool,
    /// Print the verdict in the format of this agent's hooks: native, claude, codex, gemini, cursor, copilot or qwen
    #[arg(long, value_name = "AGENT", value_parser = value_parsers::agent(), hide_possible_values = true)]
    pub(crate) output: Option<Dialect>,
    /// The tool of the event
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The tool's input: a JSON object, @FILE for a file with it, or - for standard input [default: {}]
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) input: Option<String>,
    /// The user's prompt, for UserPromptSubmit
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) prompt: Option<String>,
    /// The directory in which the hooks run [default: the working directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,
    /// The project's root directory [default: that of --cwd]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) project: Option<PathBuf>,
    /// The session's identifier
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Do not log this run (also: HOOKSHELL_LOG=off)
    #[arg(long)]
    pub(crate) no_log: bool,
    /// Also log the tool's input, the prompt and the hooks' output (also: HOOKSHELL_LOG=payload)
    #[arg(long, conflicts_with = "no_log")]
    pub(crate) log_payload: bool,
    #[command(flatten)]
    pub(crate) dispatch: DispatchArgs,
    /// Write one line for each hook to standard error
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Run only the background hooks, wait for them and print nothing: the second part of `run --output AGENT`
    #[arg(long, hide = true)]
    pub(crate) background: bool,
    /// Give the answer, with this mark, to the process that was started as `run --output AGENT`, and continue alone
    #[arg(long, value_name = "MARK", hide = true)]
    pub(crate) relayed: Option<String>,
}
