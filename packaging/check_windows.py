#!/usr/bin/env python3
"""Packs hookshell for Windows and runs what is in the packages under Wine: the zip and npm's tarballs.

``cargo xtask windows`` calls it at its end, with Wine's variables set. What is missing for a check is said.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from check import DEADLINE, HOOK, ROOT, Failed, holds, summary

TARGET = "x86_64-pc-windows-gnu"


class Wine:
    """Runs Windows programs. The user's directories are those of Wine's prefix, whatever the environment says."""

    def __init__(self, wine: Path) -> None:
        self.wine = wine
        self.env = dict(os.environ) | {"HOOKSHELL_LOG": "off"}

    def run(self, *words: str | Path, cwd: Path, code: int = 0) -> str:
        """What it prints to standard output and error; another exit code than ``code`` fails."""
        status, said = self.once(words, cwd)
        if status != code and "wine client error" in said:
            # Wine itself loses the connection to its server now and then: the program has not run to its end.
            print(f"windows packages: run once more, as Wine failed: {said.strip()}")
            status, said = self.once(words, cwd)
        if status != code:
            raise Failed(f"{' '.join(map(str, words))}: exit code {status}, not {code}\n{said}")
        return said

    def once(self, words: tuple[str | Path, ...], cwd: Path) -> tuple[int, str]:
        # Under Wine Node itself can neither read from nor write to a pipe of Linux.
        with tempfile.TemporaryFile() as output:
            ran = subprocess.run(
                [str(self.wine), *map(str, words)],
                cwd=cwd,
                env=self.env,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                timeout=DEADLINE,
                check=False,
            )
            output.seek(0)
            return ran.returncode, output.read().decode(errors="replace").replace("\r\n", "\n")

    def denies(self, *program: str | Path, cwd: Path) -> None:
        """The program says its version and denies a call."""
        version = self.run(*program, "--version", cwd=cwd)
        if not version.startswith("hookshell "):
            raise Failed(f"--version says {version!r}")
        (cwd / "crush.json").write_text(HOOK, encoding="utf-8")
        event = ["run", "PreToolUse", "--config", "crush.json", "--tool", "bash", "--input", '{"command":"ls"}', "--no-log"]
        said = self.run(*program, *event, cwd=cwd, code=2)
        verdict = json.loads(next(line for line in said.splitlines() if line.startswith("{")))
        if (verdict["decision"], verdict["reason"]) != ("deny", "not that"):
            raise Failed(f"the verdict is {verdict}")


def check_zip(packages: Path, work: Path, wine: Wine) -> None:
    """The archive, unpacked: the program, and the shells that agents look for beside it."""
    with zipfile.ZipFile(next(packages.glob(f"hookshell-*-{TARGET}.zip"))) as archive:
        archive.extractall(work)
    place = next(work.glob(f"hookshell-*-{TARGET}"))
    project = work / "project"
    project.mkdir()
    wine.denies(place / "hookshell.exe", cwd=project)
    for shell in ("bash", "sh"):
        said = wine.run(place / f"{shell}.exe", "-c", "printf '%s\\n' a b | grep b; exit 3", cwd=project, code=3)
        if said != "b\n":
            raise Failed(f"{shell}.exe prints {said!r}")
    said = wine.run(place / "bash.exe", "--version", cwd=project)
    if not said.startswith("GNU bash, version 5"):
        raise Failed(f"bash.exe --version says {said!r}")
    missing = [name for name in ("LICENSE-MIT", "README.md", "completions/_hookshell.ps1", "hookshell.cdx.json") if not (place / name).is_file()]
    if missing:
        raise Failed(f"the archive lacks {missing}")


def check_npm(packages: Path, work: Path, wine: Wine, node: Path) -> None:
    """npm's packages in a project, as npm lays them out; Linux' own npm is told to take what is for Windows."""
    project = work / "npm"
    project.mkdir()
    (project / "package.json").write_text('{"private":true}', encoding="utf-8")
    tarballs = [next(packages.glob("hookshell-cli-win32-x64-*.tgz")), next(packages.glob("hookshell-[0-9]*.tgz"))]
    command = ["npm", "install", "--force", "--no-audit", "--no-fund", "--offline", *map(str, tarballs)]
    env = {"PATH": os.environ["PATH"], "HOME": str(work)}
    ran = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, timeout=DEADLINE, check=False)
    if ran.returncode:
        raise Failed(f"npm install: exit code {ran.returncode}\n{ran.stderr}")
    launcher = Path("node_modules/hookshell/bin/hookshell.js")
    wine.denies(node, launcher, cwd=project)
    shutil.copy(ROOT / "packaging/check_windows_sdk.mjs", project / "sdk.mjs")
    said = wine.run(node, "sdk.mjs", cwd=project)
    if said != "sdk: ok\n":
        raise Failed(f"the SDK says {said!r}")
    # Where no package fits it says so, and its exit code is no verdict.
    shutil.rmtree(project / "node_modules/@hookshell/cli-win32-x64")
    said = wine.run(node, launcher, "--version", cwd=project, code=69)
    if "@hookshell/cli-win32-x64" not in said:
        raise Failed(f"without its platform's package it says {said!r}")


def pack(exe: Path, host: Path, work: Path) -> Path:
    stripped, packages = work / "hookshell.exe", work / "packages"
    subprocess.run(["x86_64-w64-mingw32-strip", "-o", stripped, exe], check=True)
    command = [sys.executable, ROOT / "packaging/package.py", "--out", packages]
    command += ["--binary", f"{TARGET}={stripped}", "--host-binary", host]
    subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
    return packages


def main() -> int:
    parser = argparse.ArgumentParser(prog="check_windows", description=__doc__)
    parser.add_argument("--exe", type=Path, required=True, help="the program for Windows")
    parser.add_argument("--wine", type=Path, required=True)
    parser.add_argument("--node", type=Path, required=True, help="node.exe; where it is not there npm's packages are not run")
    arguments = parser.parse_args()
    # An older one may not know what the packing asks of it.
    hosts = [path for kind in ("release", "debug") if (path := ROOT / "target" / kind / "hookshell").is_file()]
    hosts.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    if not hosts:
        # The pages and completions are printed by the program of this machine.
        print("windows packages: skipped: there is no program for this machine (cargo build -p hookshell)")
        return 0
    results = []
    with tempfile.TemporaryDirectory(prefix="hookshell-windows-package.") as directory:
        top = Path(directory)
        wine = Wine(arguments.wine)
        packages = pack(arguments.exe, hosts[0], top)
        checks = [("zip", lambda work: check_zip(packages, work, wine))]
        if arguments.node.is_file() and shutil.which("npm"):
            checks.append(("npm", lambda work: check_npm(packages, work, wine, arguments.node)))
        else:
            print("windows packages: npm: skipped: there is no npm, or no node.exe (cargo xtask windows --fetch)")
        for name, check in checks:
            (work := top / name).mkdir()
            results.append(holds(f"windows packages: {name}", functools.partial(check, work)))
    return summary(results)


if __name__ == "__main__":
    sys.exit(main())
