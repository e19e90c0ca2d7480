import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { BinaryNotFoundError, findBinary, platformPackage } from "hookshell";
import { directory, IS_WINDOWS } from "./support.js";

const NAME = IS_WINDOWS ? "hookshell.exe" : "hookshell";

function program(path: string, text = "\x7fELF"): string {
  mkdirSync(path, { recursive: true });
  const file = join(path, NAME);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

function look(env: Record<string, string>, installed?: string) {
  return { env, platform: process.platform, arch: process.arch, resolve: () => installed };
}

test("the platform package comes before PATH, and PATH before HOOKSHELL_BIN", (t) => {
  const root = directory(t);
  const inPackage = program(join(root, "package", "bin"));
  const inPath = program(join(root, "path"));
  const named = program(join(root, "named"));
  const env = { PATH: join(root, "path"), HOOKSHELL_BIN: named };
  assert.equal(findBinary(look(env, join(root, "package", "package.json"))), inPackage);
  assert.equal(findBinary(look(env)), inPath);
  assert.equal(findBinary(look({ ...env, PATH: root })), named);
});

test("the package is that of the platform and processor", () => {
  assert.equal(platformPackage("darwin", "arm64"), "@hookshell/cli-darwin-arm64");
});

test("relative entries of PATH, directories and the launchers of npm and pip are passed over", (t) => {
  const root = directory(t);
  mkdirSync(join(root, "directory", NAME), { recursive: true });
  program(join(root, "npm"), "#!/usr/bin/env node\n// hookshell-launcher: …\n");
  program(join(root, "pnpm"), '#!/bin/sh\nexec node  "$basedir/../hookshell/bin/hookshell.js" "$@"\n');
  program(join(root, "pip"), "#!/usr/bin/python3\nfrom hookshell.__main__ import main\n");
  program(join(root, "bun"), "MZ");
  writeFileSync(join(root, "bun", "hookshell.bunx"), "");
  const wrapper = program(join(root, "wrapper"), "#!/bin/sh\nexec /opt/hookshell \"$@\"\n");
  const entries = [".", "", ...["directory", "npm", "pnpm", "pip", "bun", "wrapper"].map((name) => join(root, name))];
  assert.equal(findBinary(look({ PATH: entries.join(delimiter) })), wrapper);
});

test("a file that nobody may execute is no program", { skip: IS_WINDOWS && "Windows has no x bit" }, (t) => {
  const root = directory(t);
  chmodSync(program(root), 0o644);
  assert.throws(() => findBinary(look({ PATH: root })), BinaryNotFoundError);
});

test("a platform without a package is said", (t) => {
  const here = { ...look({ PATH: directory(t) }), platform: "freebsd", arch: "x64" };
  assert.throws(() => findBinary(here), /there is no package for freebsd on x64; PATH has no hookshell; .* build it with cargo/);
});

test("the error says where it was looked for", (t) => {
  const root = directory(t);
  assert.throws(
    () => findBinary(look({ PATH: root, HOOKSHELL_BIN: "somewhere/hookshell" })),
    (error: unknown) => {
      assert(error instanceof BinaryNotFoundError);
      assert.equal(error.tried.length, 3);
      assert.match(error.message, /cli-.* is not installed; PATH has no hookshell.*HOOKSHELL_BIN is not an absolute path/);
      return true;
    },
  );
});
