// A small agent. The model asks for shell commands, the hooks of hooks.json decide about each, and hookshell runs it: no bash and no jq
// has to be installed.
import { fileURLToPath } from "node:url";
import { Hookshell, HookshellError } from "hookshell";
import { nextMessage } from "./model.js";

const hookshell = await Hookshell.start({
  client: { name: "node-agent", version: "0.1.0" },
  dialect: "crush",
  cwd: fileURLToPath(new URL(".", import.meta.url)),
  configs: ["hooks.json"],
  session: "example",
  // Nobody is there in this example: an agent for people asks them.
  ui: { confirm: ({ title }) => (console.log(`[asked: ${title}]`), false) },
});

/** Asks the hooks about an event. If they cannot be asked, the answer is a deny: a guard that is absent must not let pass. */
async function ask(event) {
  try {
    const { verdict, messages } = await hookshell.runHooks(event);
    for (const { level, text } of messages ?? []) console.error(`[${level}: ${text}]`);
    return verdict;
  } catch (error) {
    if (!(error instanceof HookshellError)) throw error;
    return { decision: "deny", reason: `the hooks could not be asked: ${error.message}`, halt: false };
  }
}

/** Runs one call of the tool `bash`: what the model is told of it, and whether the turn is over. */
async function bash(input, signal) {
  const before = await ask({ event: "PreToolUse", tool: "bash", input });
  if (before.halt) return { text: `stopped: ${before.reason}`, isOver: true };
  if (before.decision === "deny") return { text: `blocked: ${before.reason}` };
  if (before.decision === "ask") return { text: `not run, nobody could be asked: ${before.reason}` };

  const { command } = before.updated_input ?? input;
  let output = "";
  const onOutput = ({ text }) => {
    process.stdout.write(text);
    output += text;
  };
  const { exit_code, end } = await hookshell.exec(command, { merge_stderr: true, timeout: 60, signal, onOutput });

  const payload = { hook_event_name: "PostToolUse", tool_name: "bash", tool_input: input, tool_response: { output, exit_code } };
  const after = await ask({ event: "PostToolUse", payload });
  const context = after.context ? `\n${after.context}` : "";
  return { text: `${output}[${end}, exit code ${exit_code}]${context}`, isOver: after.halt };
}

// Ctrl-C ends the command that runs, and the turn with it.
const abort = new AbortController();
process.once("SIGINT", () => abort.abort());

const messages = [{ role: "user", content: "Have a look around." }];
for (;;) {
  const next = await nextMessage(messages);
  if (next.tool === undefined) {
    console.log(next.text);
    break;
  }
  console.log(`$ ${next.input.command}`);
  const { text, isOver } = await bash(next.input, abort.signal);
  console.log(`> ${text.replaceAll("\n", "\n> ")}`);
  messages.push({ role: "tool", content: text });
  if (isOver) break;
}
await ask({ event: "SessionEnd" });
await hookshell.close();
