#!/usr/bin/env node
// hookshell-launcher: starts the program of the platform package with the same arguments and streams.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { findBinary } from "../dist/binary.js";

/** `EX_UNAVAILABLE` of sysexits.h. */
const EXIT_UNAVAILABLE = 69;

let binary;
try {
  binary = findBinary();
} catch (error) {
  console.error(`hookshell: ${error.message}`);
  process.exit(EXIT_UNAVAILABLE);
}
const child = spawn(binary, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`hookshell: ${binary} cannot be started: ${error.message}`);
  process.exit(EXIT_UNAVAILABLE);
});
// The terminal sends INT to both; what is sent to this process alone is passed on. The program decides.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("exit", (code, signal) => {
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
});
