/** `exec` against the real program. */

import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { test } from "node:test";
import { CancelledError, type OutputChunk } from "hookshell";
import { DEADLINE, directory, IS_WINDOWS, isAlive, start, until } from "./support.js";

test("output, standard input, directory, variables and exit code", DEADLINE, async (t) => {
  const root = directory(t);
  const hookshell = await start(t);
  const result = await hookshell.exec('cat; pwd; echo "$WHO" >&2; exit 7', {
    cwd: root,
    env: { WHO: "me" },
    stdin: "hällo\n",
  });
  assert.equal(result.exit_code, 7);
  assert.equal(result.end, "exited");
  const [first, second] = result.stdout.split("\n");
  assert.equal(first, "hällo");
  // On Windows the shell says `/c/…`.
  if (!IS_WINDOWS) assert.equal(realpathSync(second as string), root);
  assert.equal(result.stderr, "me\n");
  assert.equal(result.truncated, false);
  const empty = await hookshell.exec("cat");
  assert.deepEqual([empty.stdout, empty.exit_code], ["", 0]);
});

test("bytes that are not UTF-8 go both ways", DEADLINE, async (t) => {
  const hookshell = await start(t);
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const chunks: Buffer[] = [];
  const result = await hookshell.exec("cat", { stdin: bytes, onOutput: (chunk) => chunks.push(chunk.bytes) });
  assert.deepEqual(Buffer.concat(chunks), bytes);
  assert.deepEqual([result.stdout_bytes, result.stdout], [256, ""]);
});

test("a failure of the command is a result", DEADLINE, async (t) => {
  const hookshell = await start(t);
  assert.equal((await hookshell.exec("no-such-program-anywhere")).exit_code, 127);
  assert.equal((await hookshell.exec("if true")).end, "syntax_error");
  const late = await hookshell.exec("while :; do :; done", { timeout: 0.2, grace: 0.1 });
  assert.equal(late.end, "timed_out");
  const limited = await hookshell.exec("f() { f; }; f", { limits: ["call-depth=100"] });
  assert.equal(limited.end, "limit_exceeded");
});

test("with merge_stderr both streams come in the order of the writes", DEADLINE, async (t) => {
  const hookshell = await start(t);
  const command = "for i in 1 2 3 4 5; do echo out $i; echo err $i >&2; done";
  const { stdout, stderr } = await hookshell.exec(command, { merge_stderr: true });
  const expected = [1, 2, 3, 4, 5].map((i) => `out ${i}\nerr ${i}\n`).join("");
  assert.deepEqual([stdout, stderr], [expected, ""]);
});

test("output comes while the command runs, and a slow reader loses none of it", DEADLINE, async (t) => {
  const hookshell = await start(t);
  let isEnded = false;
  let length = 0;
  let busy = 0;
  const line = "0123456789012345678901234567890123456789012345678901234567890\n";
  const count = 100_000;
  const onOutput = async (chunk: OutputChunk) => {
    assert.equal(++busy, 1);
    assert.equal(isEnded, false);
    length += chunk.length;
    await new Promise((resolve) => setImmediate(resolve));
    busy -= 1;
  };
  const result = await hookshell.exec(`yes '${line.trim()}' | head -n ${count}`, { onOutput });
  isEnded = true;
  assert.equal(length, line.length * count);
  assert.equal(result.stdout_bytes, length);
});

test("a reader that stops holds up its own command, and no other", DEADLINE, async (t) => {
  const hookshell = await start(t);
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => (goOn = resolve));
  let length = 0;
  const slow = hookshell.exec("head -c 8000000 /dev/zero | tr '\\0' x", {
    onOutput: async (chunk) => {
      length += chunk.length;
      await gate;
    },
  });
  await until(() => length > 0);
  assert.equal((await hookshell.exec("echo quick")).stdout, "quick\n");
  assert(length < 2_000_000, `${length}`);
  goOn();
  assert.equal((await slow).stdout_bytes, 8_000_000);
  assert.equal(length, 8_000_000);
});

test("collected output ends at its limit, between two characters", DEADLINE, async (t) => {
  const hookshell = await start(t);
  const result = await hookshell.exec("for i in 1 2 3 4 5 6; do printf 'ä'; done; printf 'ok' >&2", { maxOutput: 5 });
  assert.deepEqual([result.stdout, result.stderr, result.truncated], ["ää", "ok", true]);
  assert.equal(result.stdout_bytes, 12);
});

/** A program that starts another one, says its number, and ends no sooner than that one. */
const PARENT = `
const child = require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
console.log(child.pid);
child.on("exit", () => {});`;

test("an aborted signal ends the command and its tree", DEADLINE, async (t) => {
  const hookshell = await start(t, { env: { RUNTIME: process.execPath, PARENT } });
  const abort = new AbortController();
  let output = "";
  const running = hookshell.exec('"$RUNTIME" -e "$PARENT"; echo not reached', {
    grace: 0.5,
    signal: abort.signal,
    onOutput: (chunk) => (output += chunk.text),
  });
  await until(() => output.includes("\n"));
  const pid = Number(output.trim());
  assert(isAlive(pid));
  abort.abort();
  await assert.rejects(running, CancelledError);
  await until(() => !isAlive(pid));
  assert(!output.includes("not reached"));
});

test("an error in onOutput cancels the command, and is what the caller gets", DEADLINE, async (t) => {
  const hookshell = await start(t);
  const error = new RangeError("mine");
  for (const fail of [() => { throw error; }, () => Promise.reject(error)]) {
    await assert.rejects(hookshell.exec("while :; do echo x; done", { grace: 0.2, onOutput: fail }), (found) => found === error);
  }
  assert.equal((await hookshell.exec("echo still here")).stdout, "still here\n");
});
