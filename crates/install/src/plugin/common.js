import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";

// Windows looks in the working directory first, where a project could have put a program of this name; and only cmd starts the batch file
// that npm makes.
function start(event, options) {
  if (process.platform !== "win32") return spawn("hookshell", ["run", event], options);
  const directories = (process.env.PATH ?? process.env.Path ?? "").split(";").filter(isAbsolute);
  const all = directories.flatMap((directory) => [join(directory, "hookshell.exe"), join(directory, "hookshell.cmd")]);
  const path = all.find(existsSync);
  if (!path) throw new Error("there is no hookshell.exe or hookshell.cmd on PATH");
  return path.endsWith(".exe") ? spawn(path, ["run", event], options) : spawn(`"${path}" run ${event}`, { ...options, shell: true });
}

// The verdict of the hooks of Crush's configs and of `.hookshell`. Without an answer nothing is decided. `warning` is for the user.
function hooks(event, payload, cwd, signal) {
  return new Promise((resolve) => {
    const missing = (error) =>
      resolve(signal?.aborted ? { blocks: true, reason: "interrupted" } : { warning: `hookshell was not started, and no hook has run: ${error.message}` });
    let child, out = "", err = "";
    try {
      child = start(event, { cwd, signal, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    } catch (error) {
      return missing(error);
    }
    child.on("error", missing);
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text) => (err += text));
    child.on("close", (code, killer) => {
      let verdict;
      try { verdict = JSON.parse(out); } catch { /* the exit code says it */ }
      const blocks = code === 2 || code === 49, said = err.trim();
      if (!blocks && (code !== 0 || !verdict)) {
        return resolve({ warning: said || `hookshell gave no verdict: it ended with ${killer ?? `exit code ${code}`}` });
      }
      const { reason, context, updated_input: input, decision } = verdict ?? {};
      const text = reason || (blocks && said) || "a hook has said so";
      const halts = code === 49;
      // Who is halted is told nothing by the model.
      const warning = halts ? `a hook has halted the turn: ${text}` : blocks ? "" : said;
      resolve({ blocks, halts, asks: decision === "ask", reason: text, context, input, warning });
    });
    child.stdin.on("error", () => {});
    child.stdin.end(JSON.stringify({ ...payload, cwd }));
  });
}

// The input as hooks get it: what they know by another name (`file_path`) has that name too.
function told(input, alias) {
  const all = { ...input };
  for (const key of Object.keys(all)) {
    const other = alias(key);
    if (!(other in all)) all[other] = all[key];
  }
  return all;
}

// Puts a changed input into the agent's own object, where other names come back as the agent's.
function take(input, changed, alias) {
  const before = told(input, alias), own = new Set(Object.keys(input));
  const differs = (key) => JSON.stringify(changed[key]) !== JSON.stringify(before[key]);
  for (const key of Object.keys(changed)) if (differs(key) && (own.has(key) || !(key in before))) input[key] = changed[key];
  for (const key of own) {
    const other = alias(key);
    if (!own.has(other) && other in changed && differs(other)) input[key] = changed[other];
  }
}

// Two of these plugins, the user's and a project's, get the same object: only the first asks the hooks.
const seen = (globalThis[Symbol.for("hookshell.seen")] ??= new WeakSet());
function isFirst(call) {
  return !seen.has(call) && Boolean(seen.add(call));
}
