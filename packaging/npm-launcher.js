#!/usr/bin/env node
// hookshell-launcher: starts the program of the platform package with the same arguments and streams.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { dirname, join } = require("node:path");

const name = `@hookshell/cli-${process.platform}-${process.arch}`;
let binary;
try {
  const program = process.platform === "win32" ? "hookshell.exe" : "hookshell";
  binary = join(dirname(require.resolve(`${name}/package.json`)), "bin", program);
} catch {
  console.error(
    `hookshell: there is no program for ${process.platform} on ${process.arch}: the package ${name} is not installed.\n` +
      "It is an optional dependency: install without --omit=optional, or see the README for other ways to install hookshell.",
  );
  // EX_UNAVAILABLE of sysexits.h: no verdict of `hookshell run`.
  process.exit(69);
}
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`hookshell: ${binary} cannot be started: ${error.message}`);
  process.exit(69);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
