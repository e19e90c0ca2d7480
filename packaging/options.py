#!/usr/bin/env python3
"""Writes docs/options.md: what every command of hookshell says of itself with --help.

    python3 packaging/options.py target/debug/hookshell

A test runs each block of the page and compares (crates/cli/tests/readme.rs): after a change of an option this script makes the page anew.
"""

import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "options.md"

START = """# Commands and their options

What each command prints with `--help`. `hookshell man COMMAND` has the same as a manual page, with exit statuses, variables and files.
What other programs can rely on is in [command-line.md](command-line.md).

"""


def main():
    program = sys.argv[1]

    def text(*words):
        return subprocess.run([program, *words], capture_output=True, check=True, encoding="utf-8", stdin=subprocess.DEVNULL).stdout

    listed = text("--help").split("Commands:\n")[1].split("\n\n")[0]
    names = [name for name in re.findall(r"^  (\S+)", listed, re.MULTILINE) if name != "help"]
    page = START
    for name in names:
        page += f"## `hookshell {name}`\n\n```console\n$ hookshell {name} --help\n{text(name, '--help')}```\n\n"
    PAGE.write_bytes(page.rstrip("\n").encode() + b"\n")


main()
