/** The loop of docs/sdk.md and the example do what they say. They import the package by its name. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test, type TestContext } from "node:test";
import { binary, DEADLINE, directory, PACKAGE } from "./support.js";

const ROOT = join(PACKAGE, "../..");

const read = (path: string) => readFileSync(join(ROOT, path), "utf8").replaceAll("\r\n", "\n");

/** A directory in which the package is installed. */
function project(t: TestContext): string {
  const root = directory(t);
  mkdirSync(join(root, "node_modules"));
  const installed = join(root, "node_modules", "hookshell");
  try {
    symlinkSync(PACKAGE, installed, "junction");
  } catch {
    // Wine has no links.
    for (const name of ["dist", "package.json"]) cpSync(join(PACKAGE, name), join(installed, name), { recursive: true });
  }
  return root;
}

function run(root: string, file: string, input: string) {
  // An empty PATH: the program is the one that is tested, and all that the hooks use is in it.
  const env = { ...process.env, HOOKSHELL_BIN: binary(), PATH: root, HOME: root, XDG_STATE_HOME: root };
  return spawnSync(process.execPath, [file], { cwd: root, env, input, encoding: "utf8", timeout: 50_000 });
}

test("the loop of docs/sdk.md", DEADLINE, (t) => {
  const root = project(t);
  const source = /```js\n(.*?)```/s.exec(read("docs/sdk.md"))?.[1];
  // The same is TypeScript: it was compiled with these tests.
  assert.equal(read("sdk/node/test/loop.ts").replace(/^\/\/.*\n/, ""), source);
  writeFileSync(join(root, "loop.mjs"), source as string);
  cpSync(join(ROOT, "examples/node-agent/hooks.json"), join(root, "hooks.json"));
  const { stdout, stderr, status } = run(root, "loop.mjs", "rm -rf /\necho hi; exit 3\n");
  assert.equal(stdout, "denied: remove files one by one\nhi\nexit code 3\n", stderr);
  assert.deepEqual([status, stderr], [0, ""]);
});

test("the import of docs/sdk.md in a CommonJS module", DEADLINE, (t) => {
  const root = project(t);
  const line = /From CommonJS it is `(.*?)`/.exec(read("docs/sdk.md"))?.[1];
  writeFileSync(join(root, "agent.cjs"), `(async () => { ${line}; console.log(typeof Hookshell.start); })();`);
  const { stdout, stderr, status } = run(root, "agent.cjs", "");
  assert.deepEqual([stdout, status, stderr], ["function\n", 0, ""]);
});

test("the quick start of the README", DEADLINE, (t) => {
  const root = project(t);
  const source = /```ts\n(.*?)```/s.exec(read("README.md"))?.[1];
  writeFileSync(join(root, "start.mjs"), source as string);
  mkdirSync(join(root, "examples"));
  cpSync(join(ROOT, "examples/crush.json"), join(root, "examples", "crush.json"));
  const { stdout, stderr, status } = run(root, "start.mjs", "");
  assert.equal(stdout, "denied: Refusing to run rm -rf against root\nAda\n\n", stderr);
  assert.deepEqual([status, stderr], [0, ""]);
});

test("examples/node-agent", DEADLINE, (t) => {
  const root = project(t);
  // Whoever has tried the example, as its README says, has run `npm install` there.
  const filter = (path: string) => basename(path) !== "node_modules";
  cpSync(join(ROOT, "examples/node-agent"), root, { recursive: true, filter });
  const { stdout, stderr, status } = run(root, "agent.js", "");
  assert.equal(stdout, read("examples/agent-output.txt"), stderr);
  assert.deepEqual([status, stderr], [0, ""]);
});
