// What opencode 1.18.33 and pi 1.6.0 do with a plugin for calls of tools, as observed (tests/agents/plugins.py runs the agents themselves):
//   node plugin_host.mjs AGENT FILES CALLS
// FILES: the plugins, each loaded as a module of its own. CALLS: a list of {tool, args, parent?, fails?, ui?, confirms?, cut?}, started at once.
// Prints what came of each: {ran, args, reason, result, shown, aborted}.
import { pathToFileURL } from "node:url";

const [agent, files, calls] = [process.argv[2], JSON.parse(process.argv[3]), JSON.parse(process.argv[4])];
const modules = await Promise.all(files.map((file) => import(pathToFileURL(file))));
const shown = [];
console.error = (text) => shown.push(text);

async function opencode(call, at) {
  const aborted = [], session = call.parent ? "child" : "root";
  const client = {
    session: {
      get: async ({ path }) => ({ data: path.id === "child" ? { id: "child", parentID: "root" } : { id: path.id } }),
      abort: async ({ path }) => aborted.push(path.id),
    },
    tui: { showToast: async ({ body }) => shown.push(`toast: ${body.message}`) },
  };
  const hooks = await Promise.all(modules.map((module) => module.Hookshell({ client, directory: process.cwd() })));
  const id = { tool: call.tool, sessionID: session, callID: `call_${at}` };
  const before = { args: call.args };
  try {
    for (const own of hooks) await own["tool.execute.before"](id, before);
  } catch (error) {
    return { ran: false, reason: error.message, args: before.args, aborted };
  }
  const after = { title: "", output: "out", metadata: {} };
  for (const own of hooks) await own["tool.execute.after"]({ ...id, args: before.args }, after);
  return { ran: true, args: before.args, result: after.output, aborted };
}

async function pi(call, at) {
  const handlers = { tool_call: [], tool_result: [] }, aborted = [], cut = new AbortController();
  for (const module of modules) module.default({ on: (event, handler) => handlers[event].push(handler) });
  if (call.cut) setTimeout(() => cut.abort(), call.cut);
  const ctx = {
    cwd: process.cwd(), hasUI: Boolean(call.ui), signal: cut.signal, abort: () => aborted.push("root"),
    ui: { notify: (text, kind) => shown.push(`${kind}: ${text}`), confirm: async (title, text) => (shown.push(`asked: ${title}: ${text}`), Boolean(call.confirms)) },
    sessionManager: { getSessionId: () => "root", getSessionFile: () => undefined },
  };
  const event = { type: "tool_call", toolName: call.tool, toolCallId: `call_${at}`, input: call.args };
  for (const handler of handlers.tool_call) {
    const said = await handler(event, ctx);
    if (said?.block) return { ran: false, reason: said.reason, args: event.input, aborted };
  }
  // Here each handler gets an object that the agent makes once for all of them.
  const result = { ...event, type: "tool_result", content: [{ type: "text", text: "out" }], isError: Boolean(call.fails) };
  for (const handler of handlers.tool_result) Object.assign(result, await handler(result, ctx));
  return { ran: true, args: event.input, result: result.content.map((part) => part.text).join("\n"), aborted };
}

const run = agent === "opencode" ? opencode : pi;
const results = await Promise.all(calls.map(run));
process.stdout.write(JSON.stringify({ results, shown }));
