#!/usr/bin/env python3
"""Makes docs/hookshell.svg: a real run of hookshell, as a terminal shows it.

``python3 packaging/picture.py [--check] [BINARY]`` runs the commands below and writes what they print; nothing in the picture is typed
by hand. With ``--check`` it writes nothing, and fails where the picture is not what they print today.
"""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONFIG = """{ "hooks": { "PreToolUse": [ {
    "matcher": "^bash$",
    "command": "case $CRUSH_TOOL_INPUT_COMMAND in *'rm -rf'*) echo 'not that' >&2; exit 2 ;; esac"
} ] } }
"""
COMMANDS = [
    "cat crush.json",
    "hookshell run PreToolUse --config crush.json --tool bash --input '{\"command\":\"rm -rf /\"}' | jq '{decision, reason}'",
    'echo \'{"tool_name":"bash","tool_input":{"command":"rm -rf /"}}\' | hookshell test --record crush.hooktest.json',
    "hookshell test",
    "hookshell check --target macos guard.sh",
]
GUARD = "#!/bin/bash\nif grep -P '\\d' \"$1\"; then exit 2; fi\n"
COLOURS = {"30": "#6e7681", "31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff"}
CELL, LINE, PAD = 8.4, 19, 20
COLUMNS = 112


def runs(line: str) -> list[tuple[str, str]]:
    """Text and colour of a line with escapes."""
    parts, colour = [], ""
    for piece in line.split("\x1b["):
        code, mark, text = piece.partition("m") if parts or piece != line else ("", "", piece)
        if not parts and not mark:
            parts.append((piece, ""))
            continue
        colour = COLOURS.get(code, "")
        parts.append((text, colour))
    return [(text, colour) for text, colour in parts if text]


def without_times(svg: str) -> str:
    """How long a run took is not the same twice."""
    return re.sub(r"\((?:\d+ ms|\d+\.\d+ s)\)", "(time)", svg)


def picture(binary: Path) -> str:
    """The picture of what the commands print."""
    shown: list[str] = []
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "crush.json").write_text(CONFIG, encoding="utf-8")
        Path(directory, "guard.sh").write_text(GUARD, encoding="utf-8")
        bin = Path(directory, "bin")
        bin.mkdir()
        (bin / "hookshell").symlink_to(binary)
        env = {
            "PATH": f"{bin}:{os.environ['PATH']}",
            "HOME": directory,
            "LC_ALL": "C.UTF-8",
            "CLICOLOR_FORCE": "1",
            "HOOKSHELL_LOG": "off",
        }
        for command in COMMANDS:
            ran = subprocess.run(
                [binary, "sh", "-c", command], cwd=directory, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
            )
            shown.append(f"\x1b[34m$\x1b[0m {command}")
            shown.extend(ran.stdout.decode().rstrip("\n").split("\n"))
            shown.append("")
    wrapped = []
    for line in shown[:-1]:
        plain = "".join(text for text, _ in runs(line))
        if len(plain) <= COLUMNS:
            wrapped.append(line)
        else:
            # As a terminal does it; what is this long has no colour of its own but at its beginning.
            head = line[: COLUMNS + (len(line) - len(plain))]
            wrapped += [head, line[len(head) :]]
    height = PAD * 2 + LINE * len(wrapped)
    width = int(PAD * 2 + CELL * COLUMNS)
    rows = []
    for index, line in enumerate(wrapped):
        spans, column = "", 0
        for text, colour in runs(line):
            fill = f' fill="{colour}"' if colour else ""
            spans += f'<tspan x="{PAD + CELL * column:.1f}"{fill}>{html.escape(text, quote=False)}</tspan>'
            column += len(text)
        rows.append(f'<text y="{PAD + LINE * index + 14}" xml:space="preserve">{spans}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="hookshell denies a call, records a test of it, runs the test and checks a script for macOS">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n'
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" fill="#e6edf3">\n'
        + "\n".join(rows)
        + "\n</g>\n</svg>\n"
    )


def main() -> int:
    arguments = sys.argv[1:]
    is_check = arguments[:1] == ["--check"]
    binary = Path((arguments[1:] if is_check else arguments)[0] if len(arguments) > is_check else ROOT / "target/debug/hookshell")
    svg, path = picture(binary.resolve()), ROOT / "docs" / "hookshell.svg"
    if not is_check:
        path.write_text(svg, encoding="utf-8")
        return 0
    if without_times(path.read_text(encoding="utf-8")) == without_times(svg):
        return 0
    print("docs/hookshell.svg shows what hookshell does not print any more: python3 packaging/picture.py makes it anew", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
