//! The plugins of agents whose hooks are code: a few lines that call `hookshell run`.

use std::path::PathBuf;

use crate::agent::Agent;
use crate::machine::Machine;

/// The first line of what we have written.
pub(crate) const MARK: &str = "// Written by `hookshell install`; `hookshell uninstall` removes it. Changes are lost.";

/// What the plugin of an agent is.
pub(crate) fn text(agent: Agent) -> String {
    let body = if agent == Agent::Opencode { OPENCODE } else { PI };
    format!("{MARK}\n{COMMON}{body}")
}

/// Where it is: the user's, and the project's.
pub(crate) fn user_path(agent: Agent, machine: &Machine) -> Option<PathBuf> {
    match agent {
        Agent::Opencode => Some(machine.config_home()?.join("opencode").join("plugin").join("hookshell.js")),
        Agent::Pi => Some(machine.home()?.join(".pi").join("agent").join("extensions").join("hookshell.ts")),
        _ => None,
    }
}

pub(crate) fn project_path(agent: Agent, machine: &Machine) -> Option<PathBuf> {
    let project = machine.project()?;
    match agent {
        Agent::Opencode => Some(project.join(".opencode").join("plugin").join("hookshell.js")),
        Agent::Pi => Some(project.join(".pi").join("extensions").join("hookshell.ts")),
        _ => None,
    }
}

const COMMON: &str = r#"import { spawn } from "node:child_process";

// The verdict of the hooks of Crush's configs and of `.hookshell`. Without an answer nothing is decided, and the reason is shown.
function hooks(event, payload, cwd) {
  return new Promise((resolve) => {
    const child = spawn("hookshell", ["run", event], { cwd, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    let out = "", err = "";
    child.stdout.on("data", (data) => (out += data));
    child.stderr.on("data", (data) => (err += data));
    child.on("error", (error) => resolve({ error: `hookshell was not started: ${error.message}` }));
    child.on("close", (code) => {
      let verdict = {};
      try { verdict = JSON.parse(out); } catch { /* the exit code says it */ }
      const blocks = code === 2 || code === 49;
      if (!blocks && code !== 0) resolve({ error: err.trim() || `hookshell ended with exit code ${code}` });
      else resolve({ blocks, reason: verdict.reason || err.trim() || "a hook denied it", input: verdict.updated_input });
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify({ ...payload, cwd }));
  });
}
"#;

const OPENCODE: &str = r#"
export const Hookshell = async ({ directory }) => ({
  "tool.execute.before": async (call, output) => {
    const payload = { session_id: call.sessionID, tool_name: call.tool, tool_input: output.args };
    const verdict = await hooks("PreToolUse", payload, directory);
    if (verdict.error) console.error(verdict.error);
    if (verdict.blocks) throw new Error(verdict.reason);
    if (verdict.input) Object.assign(output.args, verdict.input);
  },
  "tool.execute.after": async (call, output) => {
    const payload = { session_id: call.sessionID, tool_name: call.tool, tool_input: call.args ?? {}, tool_response: output.output };
    const verdict = await hooks("PostToolUse", payload, directory);
    if (verdict.blocks) output.output += `\n${verdict.reason}`;
  },
});
"#;

const PI: &str = r#"
export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    const payload = { tool_name: event.toolName, tool_input: event.input };
    const verdict = await hooks("PreToolUse", payload, ctx.cwd ?? process.cwd());
    if (verdict.error) console.error(verdict.error);
    if (verdict.blocks) return { block: true, reason: verdict.reason };
    if (verdict.input) Object.assign(event.input, verdict.input);
  });
}
"#;
