/** What the tests share: the program under test, directories of their own, a server that misbehaves. */

import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestContext } from "node:test";
import { Hookshell, type StartOptions } from "hookshell";

/** The longest time that a test may take, in milliseconds. */
export const DEADLINE = { timeout: 60_000 };

export const IS_WINDOWS = process.platform === "win32";

/** The package's directory. */
export const PACKAGE = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** The program that is tested. */
export function binary(): string {
  const path = process.env["HOOKSHELL_BIN"];
  if (path === undefined) throw new Error("set HOOKSHELL_BIN to the hookshell that is to be tested");
  return resolve(path);
}

/** A directory that is removed after the test. */
export function directory(t: TestContext): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "hookshell-sdk-")));
  t.after(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** A hook's command and what else its config says. */
export interface Hook {
  command: string;
  [key: string]: unknown;
}

/** A config file with hooks for an event. */
export function config(path: string, hooks: Hook[], event = "PreToolUse"): string {
  const file = join(path, "hooks.json");
  writeFileSync(file, JSON.stringify({ hooks: { [event]: hooks } }));
  return file;
}

/** A hookshell that knows nothing of this machine's configs, and is closed after the test. */
export async function start(t: TestContext, options: StartOptions = {}): Promise<Hookshell> {
  const home = directory(t);
  const hookshell = await Hookshell.start({
    binary: binary(),
    dialect: "crush",
    cwd: home,
    log: "off",
    ...(options.configs ? {} : { no_hooks: true }),
    ...options,
    env: { HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, ...options.env },
  });
  t.after(() => hookshell.close());
  return hookshell;
}

/** A program in Node's language that stands in for hookshell; `line(message)` is called for each message, `send` answers. */
export function fakeServer(t: TestContext, body: string): string {
  const path = join(directory(t), "fake-hookshell");
  const source = `#!${process.execPath}
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const hello = (message) => send({ id: message.id, result: {
  protocol_version: 1, server: { name: "fake" }, capabilities: { methods: [], dialects: [] },
  limits: { max_message_bytes: 1000, max_queued_requests: 1, max_queued_bytes: 1 } } });
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const one of lines) line(JSON.parse(one));
});
process.stdin.on("end", () => process.exit(0));
${body}
`;
  writeFileSync(path, source);
  chmodSync(path, 0o755);
  return path;
}

/** Waits until `condition` holds; the test's deadline ends the wait. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Is there a process with this number? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
