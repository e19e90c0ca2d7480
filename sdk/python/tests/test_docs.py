"""The loop of docs/sdk.md and the example do what they say, and the page has the Go program that is tested."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from .support import binary, directory

PACKAGE = Path(__file__).resolve().parent.parent

ROOT = PACKAGE.parent.parent


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


class Docs(unittest.TestCase):
    def run_program(self, root: Path, file: str, text: str) -> str:
        # An empty PATH: the program is the one that is tested, and all that the hooks use is in it.
        env = {**os.environ, "PYTHONPATH": str(PACKAGE), "HOOKSHELL_BIN": binary(), "PATH": str(root), "HOME": str(root)}
        env.update(XDG_STATE_HOME=str(root), PYTHONDONTWRITEBYTECODE="1", PYTHONIOENCODING="utf-8")
        command = [sys.executable, file]
        run = subprocess.run(command, input=text, capture_output=True, text=True, timeout=50, env=env, cwd=root)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_the_loop_of_the_page(self) -> None:
        root = directory(self)
        found = re.search(r"```python\n(.*?)```", read("docs/sdk.md"), re.S)
        assert found is not None
        (root / "loop.py").write_text(found[1], encoding="utf-8")
        shutil.copy(ROOT / "examples/python-agent/hooks.json", root)
        output = self.run_program(root, "loop.py", "rm -rf /\necho hi; exit 3\n")
        self.assertEqual(output, "denied: remove files one by one\nhi\nexit code 3\n")

    def test_the_example(self) -> None:
        root = directory(self)
        for name in ("agent.py", "model.py", "hooks.json"):
            shutil.copy(ROOT / "examples/python-agent" / name, root)
        self.assertEqual(self.run_program(root, "agent.py", ""), read("examples/agent-output.txt"))

    def test_the_page_has_the_program_in_go(self) -> None:
        self.assertIn(f"```go\n{read('examples/go-agent/main.go')}```", read("docs/sdk.md"))
