"""What the package's root has: all that an agent needs, and for errors the names of the other language."""

from __future__ import annotations

import pickle
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

    def test_errors_cross_to_another_process(self) -> None:
        exit = errors.ProcessExit(-9, "out of memory")
        failed = errors.RequestFailedError("check", -32000, "bad", {"reasons": ["a"], "hint": "mend it", "exit_code": 65})
        tried, crashed = errors.BinaryNotFoundError(["a", "b"]), errors.ServerCrashedError("exec", exit)
        for error in (tried, crashed, failed, errors.ClosedError(), errors.CancelledError("exec"), errors.StartError("no")):
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), str(copy), vars(copy)), (type(error), str(error), vars(error)))
        self.assertEqual(sum(bool(vars(error)) for error in (tried, crashed, failed)), 3)

    def test_errors_have_the_same_names_in_both_languages(self) -> None:
        source = (ROOT / "sdk/node/src/errors.ts").read_text(encoding="utf-8")
        named = set(re.findall(r"^export class (\w+)", source, re.M))
        self.assertEqual(named, {name for name in errors.__all__ if name.endswith("Error")})
        self.assertTrue(all(issubclass(getattr(hookshell, name), hookshell.HookshellError) for name in named))
