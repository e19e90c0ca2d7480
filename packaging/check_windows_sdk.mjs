// What an agent does with the SDK on Windows, as check_windows.py runs it under Wine in a project that has the packages: events,
// commands with input and output, a cancel that ends a program and what it has started, and the end.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { Hookshell } from "hookshell";

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Waits until it holds; `name` says what did not come about. */
async function until(holds, name) {
  for (let turn = 0; turn < 300; turn += 1) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail(name);
}

const hookshell = await Hookshell.start({ configs: ["crush.json"], dialect: "crush" });
const event = { event: "PreToolUse", tool: "bash", input: { command: "ls" } };
const { verdict } = await hookshell.runHooks(event);
assert.deepEqual([verdict.decision, verdict.reason], ["deny", "not that"]);
const all = await Promise.all(Array.from({ length: 50 }, () => hookshell.runHooks(event)));
assert.ok(all.every((one) => one.verdict.decision === "deny"));

const filtered = await hookshell.exec("jq -r .name | tr a-z A-Z; echo e >&2; exit 3", { stdin: '{"name":"Ada \u00e9"}' });
assert.deepEqual([filtered.stdout, filtered.stderr, filtered.exit_code], ["ADA \u00e9\n", "e\n", 3]);

let received = 0;
const onOutput = (chunk) => void (received += chunk.text.length);
const large = await hookshell.exec("seq 200000", { onOutput });
assert.deepEqual([large.exit_code, received, large.stdout_bytes], [0, 1288895, 1288895]);

// A program that starts another one: both are ended.
const child = `require("fs").writeFileSync("child", String(process.pid)); setInterval(() => {}, 1000)`;
const parent =
  `require("fs").writeFileSync("parent", String(process.pid));` +
  `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "ignore" }); setInterval(() => {}, 1000)`;
const controller = new AbortController();
const node = process.execPath.replaceAll("\\", "/");
const running = hookshell.exec(`"${node}" -e "$PARENT"; echo after`, { env: { PARENT: parent }, signal: controller.signal, grace: 0.5 });
const written = (name) => existsSync(name) && readFileSync(name, "utf8") !== "";
await until(() => written("parent") && written("child"), "both programs start");
const pids = ["parent", "child"].map((name) => Number(readFileSync(name, "utf8")));
assert.ok(pids.every(isAlive));
controller.abort();
const cancelled = await running.catch((error) => error);
assert.ok(cancelled instanceof Error || cancelled.end === "cancelled", JSON.stringify(cancelled));
await until(() => !pids.some(isAlive), "the cancel ends both programs");

const again = await hookshell.runHooks(event);
assert.equal(again.verdict.decision, "deny");
await hookshell.close();
console.log("sdk: ok");
