"""Where the program is looked for."""

import io
import os
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

from hookshell import __main__ as launcher
from hookshell._binary import NAME, find_binary
from hookshell.errors import BinaryNotFoundError

from .support import IS_WINDOWS, directory


def program(path: Path, text: str = "\x7fELF") -> str:
    path.mkdir(parents=True)
    file = path / NAME
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    return str(file)


class FindBinary(unittest.TestCase):
    def test_the_wheel_comes_before_path_and_path_before_the_variable(self) -> None:
        root = directory(self)
        in_wheel = program(root / "package" / "bin")
        in_path = program(root / "path")
        named = program(root / "named")
        env = {"PATH": str(root / "path"), "HOOKSHELL_BIN": named}
        self.assertEqual(find_binary(env, root / "package"), in_wheel)
        self.assertEqual(find_binary(env, root), in_path)
        self.assertEqual(find_binary({**env, "PATH": str(root)}, root), named)

    def test_relative_entries_directories_and_launchers_are_passed_over(self) -> None:
        root = directory(self)
        (root / "directory" / NAME).mkdir(parents=True)
        program(root / "npm", "#!/usr/bin/env node\n// hookshell-launcher: …\n")
        program(root / "pnpm", '#!/bin/sh\nexec node  "$basedir/../hookshell/bin/hookshell.js" "$@"\n')
        program(root / "pip", "#!/usr/bin/python3\nfrom hookshell.__main__ import main\n")
        program(root / "bun", "MZ")
        (root / "bun" / "hookshell.bunx").touch()
        wrapper = program(root / "wrapper", '#!/bin/sh\nexec /opt/hookshell "$@"\n')
        entries = [".", "", *(str(root / name) for name in ("directory", "npm", "pnpm", "pip", "bun", "wrapper"))]
        self.assertEqual(find_binary({"PATH": os.pathsep.join(entries)}, root), wrapper)

    @unittest.skipIf(IS_WINDOWS, "Windows has no x bit")
    def test_a_file_that_nobody_may_execute_is_no_program(self) -> None:
        root = directory(self)
        Path(program(root / "bin")).chmod(0o644)
        with self.assertRaises(BinaryNotFoundError):
            find_binary({"PATH": str(root / "bin")}, root)

    def test_the_error_says_where_it_was_looked_for(self) -> None:
        root = directory(self)
        with self.assertRaises(BinaryNotFoundError) as raised:
            find_binary({"PATH": str(root), "HOOKSHELL_BIN": "somewhere/hookshell"}, root)
        self.assertEqual(len(raised.exception.tried), 3)
        self.assertRegex(str(raised.exception), "package has no .*; PATH has no .*; HOOKSHELL_BIN is not an absolute")

    def test_the_console_script_says_that_there_is_no_program(self) -> None:
        errors = io.StringIO()
        with mock.patch.object(launcher, "find_binary", side_effect=BinaryNotFoundError(["nowhere"])), redirect_stderr(errors):
            self.assertEqual(launcher.main(), launcher.EXIT_UNAVAILABLE)
        self.assertIn("hookshell was not found: nowhere", errors.getvalue())
