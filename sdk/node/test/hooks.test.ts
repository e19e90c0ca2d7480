/** `runHooks` against the real program. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CancelledError, Hookshell, InvalidParamsError, type ProgressParams, RequestFailedError, type WakeParams } from "hookshell";
import { binary, config, DEADLINE, directory, start, until } from "./support.js";

const GUARD = 'case $CRUSH_TOOL_INPUT_COMMAND in *"rm -rf"*) echo "not that" >&2; exit 2;; esac';

/** Whether there is a python3, for hooks that are modules. CI has one. */
function hasPython(): boolean {
  try {
    execFileSync("python3", ["--version"]);
    return true;
  } catch (error) {
    if (process.env["REQUIRE_INTERPRETERS"] === "1") throw error;
    return false;
  }
}

test("a hook denies, and another event has no opinion", DEADLINE, async (t) => {
  const root = directory(t);
  const hookshell = await start(t, { cwd: root, configs: [config(root, [{ name: "guard", command: GUARD }])] });
  assert.equal(hookshell.info.server.name, "hookshell");
  const denied = await hookshell.runHooks({ event: "PreToolUse", tool: "bash", input: { command: "rm -rf /" } });
  assert.equal(denied.verdict.decision, "deny");
  assert.equal(denied.verdict.reason, "not that");
  assert.equal(denied.exit_code, 2);
  assert.equal(denied.verdict.hooks[0]?.name, "guard");
  const passed = await hookshell.runHooks({ event: "PreToolUse", tool: "bash", input: { command: "ls" } });
  assert.deepEqual([passed.verdict.decision, passed.exit_code], [null, 0]);
});

test("a relative config is one of the working directory, and read anew when it has changed", DEADLINE, async (t) => {
  const root = directory(t);
  config(root, [{ command: "exit 2" }]);
  const hookshell = await start(t, { cwd: root, configs: ["hooks.json"] });
  const event = { event: "PreToolUse", tool: "bash", input: {} };
  assert.equal((await hookshell.runHooks(event)).verdict.decision, "deny");
  config(root, [{ command: "echo '{\"decision\":\"allow\"}' # another length" }]);
  assert.equal((await hookshell.runHooks(event)).verdict.decision, "allow");
});

test("the variables of a request lie over those of the start, and null takes one out", DEADLINE, async (t) => {
  const root = directory(t);
  const command = 'echo "${A-none} ${B-none} ${C-none}" >&2; exit 2';
  const hookshell = await start(t, { cwd: root, configs: [config(root, [{ command }])], env: { A: "1", B: "1" } });
  const event = { event: "PreToolUse", tool: "bash", input: {} };
  assert.equal((await hookshell.runHooks(event)).verdict.reason, "1 1 none");
  assert.equal((await hookshell.runHooks(event, { env: { B: null, C: "2" } })).verdict.reason, "1 none 2");
});

test("progress says which hook has started and ended", DEADLINE, async (t) => {
  const root = directory(t);
  const hooks = [{ name: "looks", command: "true", status_message: "Looking" }];
  const hookshell = await start(t, { cwd: root, configs: [config(root, hooks)] });
  const seen: ProgressParams[] = [];
  await hookshell.runHooks({ event: "PreToolUse", tool: "bash", input: {} }, { onProgress: (one) => seen.push(one) });
  assert.deepEqual(
    seen.map(({ hook, name, state, status_message }) => [hook, name, state, status_message ?? null]),
    [
      [0, "looks", "started", "Looking"],
      [0, "looks", "ended", null],
    ],
  );
});

test("a hook of the background tells the model something when it has ended", DEADLINE, async (t) => {
  const root = directory(t);
  const hooks = [{ name: "build", command: "echo broken >&2; exit 2", async_rewake: true }];
  const woken: WakeParams[] = [];
  const options = { cwd: root, configs: [config(root, hooks)], session: "s1", onWake: (wake: WakeParams) => woken.push(wake) };
  const hookshell = await start(t, options);
  await hookshell.runHooks({ event: "PreToolUse", tool: "bash", input: {} });
  // Only a call that is under way keeps the event loop alive.
  while (woken[0] === undefined) await hookshell.exec("sleep 0.01");
  const { session, event, name, text } = woken[0];
  assert.deepEqual([session, event, name, text.trim()], ["s1", "PreToolUse", "build", "broken"]);
});

test("an aborted signal ends the hooks", DEADLINE, async (t) => {
  const root = directory(t);
  const hookshell = await start(t, { cwd: root, configs: [config(root, [{ command: "while :; do :; done", timeout: 50 }])] });
  const event = { event: "PreToolUse", tool: "bash", input: {} };
  const abort = new AbortController();
  const onProgress = () => abort.abort("enough");
  await assert.rejects(hookshell.runHooks(event, { signal: abort.signal, onProgress }), (error: unknown) => {
    assert(error instanceof CancelledError);
    assert.deepEqual([error.name, error.cause], ["AbortError", "enough"]);
    return true;
  });
  // One that is aborted already sends nothing.
  await assert.rejects(hookshell.runHooks(event, { signal: abort.signal }), CancelledError);
});

test("the end of a session cancels its hooks and no other session's", DEADLINE, async (t) => {
  const root = directory(t);
  // It waits for nothing but its end, unless the file is there.
  const command = "until [ -e end ]; do sleep 0.01; done; echo over >&2; exit 2";
  const hookshell = await start(t, { cwd: root, configs: [config(root, [{ command, timeout: 50 }])], session: "ours" });
  const event = { event: "PreToolUse", tool: "bash", input: {} };
  let begun = 0;
  const onProgress = () => begun++;
  let isGone = false;
  const ours = [undefined, "ours"].map((session) =>
    assert.rejects(hookshell.runHooks(event, { session, onProgress }), CancelledError).finally(() => (isGone = true)),
  );
  const other = hookshell.runHooks(event, { session: "other", onProgress });
  await until(() => begun === 3);
  await hookshell.sessionEnd("nobody");
  assert.equal(isGone, false);
  await hookshell.sessionEnd();
  await Promise.all(ours);
  writeFileSync(join(root, "end"), "");
  assert.deepEqual((await other).verdict.reason, "over");
  // A session that has ended may begin again.
  assert.equal((await hookshell.runHooks(event)).verdict.reason, "over");
});

test("what is misspelt is InvalidParamsError, a config that cannot be read RequestFailedError", DEADLINE, async (t) => {
  const root = directory(t);
  const hookshell = await start(t, { cwd: root });
  await assert.rejects(hookshell.runHooks({ event: "PreToolUse", tol: "bash" } as never), InvalidParamsError);
  const broken = join(root, "broken.json");
  writeFileSync(broken, "{");
  const event = { event: "PreToolUse", tool: "bash", input: {} };
  await assert.rejects(hookshell.runHooks(event, { configs: [broken], no_hooks: false }), (error: unknown) => {
    return error instanceof RequestFailedError && /broken\.json/.test(error.message);
  });
  const closed = await hookshell.runHooks(event, { configs: [broken], no_hooks: false, fail_closed: true });
  assert.equal(closed.verdict.decision, "deny");
  // One path where a list is wanted.
  for (const asked of [
    () => hookshell.runHooks(event, { configs: broken as never }),
    () => hookshell.check({ files: broken as never }),
    () => Hookshell.start({ binary: binary(), hooks: broken as never }),
  ]) {
    await assert.rejects(asked, (error: unknown) => error instanceof InvalidParamsError && /broken\.json/.test(error.message));
  }
});

test("what is no JSON, or no number, is InvalidParamsError", DEADLINE, async (t) => {
  const hookshell = await start(t);
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  let deep: Record<string, unknown> = {};
  for (let depth = 0; depth < 100_000; depth++) deep = { deep };
  for (const input of [circular, deep, { count: 1n }]) {
    await assert.rejects(hookshell.runHooks({ event: "PreToolUse", tool: "bash", input }), (error: unknown) => {
      return error instanceof InvalidParamsError && /not JSON/.test(error.message) && error.cause !== undefined;
    });
  }
  for (const options of [{ timeout: NaN }, { grace: NaN }, { maxOutput: NaN }, { timeout: -1 }, { maxOutput: -1 }]) {
    await assert.rejects(hookshell.exec("true", options), (error: unknown) => {
      return error instanceof InvalidParamsError && /`(timeout|grace|maxOutput)`/.test(error.message);
    });
  }
  assert.equal((await hookshell.exec("true", { timeout: Infinity, maxOutput: Infinity })).exit_code, 0);
});

test("an error's trace has the caller", DEADLINE, async (t) => {
  const hookshell = await start(t);
  async function theCaller(ask: () => Promise<unknown>): Promise<void> {
    await ask();
  }
  // Bun's traces end at an `await`.
  const expected = process.versions["bun"] === undefined ? /Error: .*theCaller/s : /Error/;
  for (const ask of [() => hookshell.runHooks({ event: "Nonesuch" }), () => hookshell.exec("true", { cwd: "nowhere" })]) {
    await assert.rejects(theCaller(ask), (error: unknown) => expected.test((error as Error).stack ?? ""));
  }
});

test("a prompt hook asks the host's model", DEADLINE, async (t) => {
  const root = directory(t);
  const hooks = [{ type: "prompt", prompt: "Is this allowed? $ARGUMENTS", command: undefined as never }];
  const asked: string[] = [];
  const hookshell = await start(t, {
    cwd: root,
    configs: [config(root, hooks)],
    llm: {
      complete: async ({ messages }) => {
        asked.push(messages.map((message) => message.content).join("\n"));
        return { text: '{"allow": false, "reason": "the model says no"}' };
      },
    },
  });
  const { verdict } = await hookshell.runHooks({ event: "PreToolUse", tool: "bash", input: { command: "deploy" } });
  assert.deepEqual([verdict.decision, verdict.reason], ["deny", "the model says no"]);
  assert.equal(asked.length, 1);
  assert.match(asked[0] ?? "", /Is this allowed\?.*deploy/s);
});

test("a module asks the host's user", { ...DEADLINE, skip: !hasPython() && "there is no python3" }, async (t) => {
  const root = directory(t);
  writeFileSync(
    join(root, "gate.py"),
    `from hookshell import BlockToolResult
async def check(event, ctx):
    name = await ctx.input("Name?", "yours")
    colour = await ctx.select("Colour?", ["red", "green"])
    sure = await ctx.confirm("Sure?", event.input["command"])
    ctx.notify(f"{name} {colour} {sure}", "warning")
    return BlockToolResult(reason=f"{name} {colour} {sure}")
def register(hooks):
    hooks.on_tool_call(check)
`,
  );
  const hooks = [{ type: "module", module: "gate.py", timeout: 30, command: undefined as never }];
  const told: string[] = [];
  const hookshell = await start(t, {
    cwd: root,
    configs: [config(root, hooks)],
    session: "s",
    ui: {
      input: ({ placeholder }) => `Ada (${placeholder})`,
      select: async ({ options }) => options[1],
      confirm: ({ message }) => message === "ls",
      notify: ({ message, level }) => told.push(`${level} ${message}`),
    },
  });
  const { verdict } = await hookshell.runHooks({ event: "PreToolUse", tool: "bash", input: { command: "ls" } });
  assert.deepEqual([verdict.decision, verdict.reason], ["deny", "Ada (yours) green True"]);
  assert.deepEqual(told, ["warning Ada (yours) green True"]);
  await hookshell.sessionEnd();
});

test("many events at once, each with its own answer", DEADLINE, async (t) => {
  const root = directory(t);
  const command = 'echo "$CRUSH_TOOL_INPUT_COMMAND" >&2; exit 2';
  const hookshell = await start(t, { cwd: root, configs: [config(root, [{ command }])] });
  const numbers = Array.from({ length: 200 }, (_, number) => `command ${number}`);
  const reasons = await Promise.all(
    numbers.map(async (text) => {
      const { verdict } = await hookshell.runHooks({ event: "PreToolUse", tool: "bash", input: { command: text } });
      return verdict.reason;
    }),
  );
  assert.deepEqual(reasons, numbers);
});

test("explain, check and doctor", DEADLINE, async (t) => {
  const root = directory(t);
  const file = config(root, [{ command: "if true; then" }]);
  const hookshell = await start(t, { cwd: root });
  const { explanation } = await hookshell.explain({ command: "echo hi" });
  assert.deepEqual([explanation?.argv0, explanation?.tokens], ["echo", ["echo", "hi"]]);
  const { findings, hooks } = await hookshell.check({ files: ["hooks.json"] });
  assert.equal(hooks, 1);
  assert(findings.some((finding) => finding.severity === "error" && finding.file === file));
  assert.equal(typeof (await hookshell.doctor())["version"], "string");
});

test("an error in onProgress cancels the hooks, and is what the caller gets", DEADLINE, async (t) => {
  const root = directory(t);
  const hookshell = await start(t, { cwd: root, configs: [config(root, [{ command: "while :; do :; done", timeout: 50 }])] });
  const error = new RangeError("mine");
  const onProgress = () => {
    throw error;
  };
  const event = { event: "PreToolUse", tool: "bash", input: {} };
  await assert.rejects(hookshell.runHooks(event, { onProgress }), (found) => found === error);
});
