"""What the package's root has: all that an agent needs, and for errors the names of the other language."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

import hookshell
from hookshell import aio, client, errors

ROOT = Path(__file__).resolve().parents[3]


class Names(unittest.TestCase):
    def test_the_root_has_what_an_agent_needs(self) -> None:
        modules = (
            (errors, errors.__all__),
            (client, [name for name in client.__all__ if not name.isupper()]),
            (aio, ["AsyncHookshell", "AsyncLlm", "AsyncUi"]),
        )
        for module, names in modules:
            for name in names:
                self.assertIs(getattr(hookshell, name), getattr(module, name), name)
                self.assertIn(name, dir(hookshell))
        with self.assertRaisesRegex(AttributeError, "NoSuchError"):
            _ = hookshell.NoSuchError  # type: ignore[attr-defined]

    def test_errors_have_the_same_names_in_both_languages(self) -> None:
        source = (ROOT / "sdk/node/src/errors.ts").read_text(encoding="utf-8")
        named = set(re.findall(r"^export class (\w+)", source, re.M))
        self.assertEqual(named, {name for name in errors.__all__ if name.endswith("Error")})
        self.assertTrue(all(issubclass(getattr(hookshell, name), hookshell.HookshellError) for name in named))
