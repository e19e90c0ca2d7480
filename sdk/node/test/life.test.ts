/** The life of the process: crash, restart, close, the end of the host. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { test } from "node:test";
import { ClosedError, Hookshell, type ProcessExit, ServerCrashedError } from "hookshell";
import { binary, DEADLINE, directory, IS_WINDOWS, isAlive, PACKAGE, start, until } from "./support.js";

function kill(hookshell: Hookshell): void {
  process.kill(hookshell.pid as number, "SIGKILL");
}

test("after a crash it is started once more, and says so", DEADLINE, async (t) => {
  const exits: ProcessExit[] = [];
  const hookshell = await start(t, { onRestart: (exit) => exits.push(exit) });
  const first = hookshell.pid;
  const running = assert.rejects(hookshell.exec("while :; do :; done"), ServerCrashedError);
  kill(hookshell);
  await running;
  // Those that ask together share one new process.
  const [one, two] = await Promise.all([hookshell.exec("echo one"), hookshell.exec("echo two")]);
  assert.deepEqual([one.stdout, two.stdout], ["one\n", "two\n"]);
  assert.notEqual(hookshell.pid, first);
  assert.equal(exits.length, 1);
  kill(hookshell);
  await until(() => hookshell.pid === undefined);
  await assert.rejects(hookshell.exec("echo three"), (error: unknown) => {
    return error instanceof ServerCrashedError && /not started again after 2 crashes/.test(error.message);
  });
});

const OPTIONS = { ...DEADLINE, skip: IS_WINDOWS && "a directory that somebody works in cannot be removed there" };

test("after a crash it works where it did, wherever the host is by then", OPTIONS, async (t) => {
  const [first, second] = [directory(t), directory(t)];
  writeFileSync(join(first, "here"), "");
  const before = process.cwd();
  t.after(() => process.chdir(before));
  process.chdir(first);
  const hookshell = await start(t, { cwd: undefined, onRestart: () => {} });
  process.chdir(second);
  const command = "[ -e here ]";
  assert.equal((await hookshell.exec(command)).exit_code, 0);
  kill(hookshell);
  await until(() => hookshell.pid === undefined);
  assert.equal((await hookshell.exec(command)).exit_code, 0);
  assert.equal((await hookshell.exec(command, { cwd: "." })).exit_code, 0);
});

test("without onRestart a process warning says so", DEADLINE, async (t) => {
  const hookshell = await start(t);
  const warned = new Promise<Error>((resolve) => process.once("warning", resolve));
  kill(hookshell);
  await until(() => hookshell.pid === undefined);
  await hookshell.exec("true");
  const warning = await warned;
  assert.equal(warning.name, "HookshellWarning");
  assert.match(warning.message, /started again/);
});

test("`close` ends the process and fails what runs", DEADLINE, async (t) => {
  const hookshell = await start(t);
  const pid = hookshell.pid as number;
  const running = assert.rejects(hookshell.exec("while :; do :; done"), ClosedError);
  await hookshell.close();
  await running;
  assert(!isAlive(pid));
  await assert.rejects(hookshell.exec("true"), ClosedError);
  await hookshell.close();
});

test("`await using` closes it", DEADLINE, async (t) => {
  if (Symbol.asyncDispose === undefined) return t.skip("this Node has no Symbol.asyncDispose");
  const hookshell = await start(t);
  {
    await using used = hookshell;
    assert.equal((await used.exec("exit 3")).exit_code, 3);
  }
  await assert.rejects(hookshell.exec("true"), ClosedError);
});

test("the host ends though nobody has closed it, and the process with it", DEADLINE, async (t) => {
  const source = `
    import { Hookshell } from ${JSON.stringify(pathToFileURL(join(PACKAGE, "dist/index.js")).href)};
    const hookshell = await Hookshell.start({ binary: ${JSON.stringify(binary())}, no_hooks: true, log: "off" });
    const { stdout } = await hookshell.exec("echo hi");
    console.log(hookshell.pid, stdout.trim());`;
  const options = { cwd: directory(t), encoding: "utf8" as const, timeout: 30_000 };
  const host = spawnSync(process.execPath, ["--input-type=module", "-e", source], options);
  const [pid, text] = host.stdout.split(/\s/);
  assert.deepEqual([host.status, host.signal, text], [0, null, "hi"], host.stderr);
  await until(() => !isAlive(Number(pid)));
});
