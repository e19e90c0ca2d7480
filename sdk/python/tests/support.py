"""What the tests share: the program under test, directories of their own, a server that misbehaves."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List

IS_WINDOWS = sys.platform == "win32"

#: The longest time that something may take, in seconds.
DEADLINE = 60.0


def binary() -> str:
    """The program that is tested."""
    path = os.environ.get("HOOKSHELL_BIN")
    if not path:
        raise RuntimeError("set HOOKSHELL_BIN to the hookshell that is to be tested")
    return str(Path(path).resolve())


def directory(test: unittest.TestCase) -> Path:
    """A directory that is removed after the test."""
    made = tempfile.TemporaryDirectory(prefix="hookshell-sdk-")
    test.addCleanup(made.cleanup)
    return Path(made.name).resolve()


def config(path: Path, hooks: List[Dict[str, Any]], event: str = "PreToolUse") -> str:
    """A config file with hooks for an event."""
    file = path / "hooks.json"
    file.write_text(json.dumps({"hooks": {event: hooks}}), encoding="utf-8")
    return str(file)


def options(test: unittest.TestCase, **more: Any) -> Dict[str, Any]:
    """What starts a hookshell that knows nothing of this machine's configs."""
    home = str(directory(test))
    env = {"HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home, **more.pop("env", {})}
    base: Dict[str, Any] = {"binary": binary(), "dialect": "crush", "cwd": home, "log": "off", "env": env}
    if "configs" not in more:
        base["no_hooks"] = True
    return {**base, **more}


FAKE = """#!{python}
import json, sys, time

def send(message):
    sys.stdout.buffer.write(json.dumps({{"jsonrpc": "2.0", **message}}).encode() + b"\\n")
    sys.stdout.buffer.flush()

def hello(message):
    send({{"id": message["id"], "result": {{
        "protocol_version": 1, "server": {{"name": "fake"}}, "capabilities": {{"methods": [], "dialects": []}},
        "limits": {{"max_message_bytes": 1000, "max_queued_requests": 1, "max_queued_bytes": 1}}}}}})

def ends(message):
    if message["method"] == "shutdown":
        send({{"id": message["id"], "result": {{}}}})
    if message["method"] == "exit":
        sys.exit(0)
    return message["method"] in ("shutdown", "exit")

{body}

for one in sys.stdin:
    line(json.loads(one))
"""


def fake_server(test: unittest.TestCase, body: str) -> str:
    """A program that stands in for hookshell: ``line(message)`` is called for each message, ``send`` answers."""
    path = directory(test) / "fake-hookshell"
    path.write_text(FAKE.format(python=sys.executable, body=body), encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def until(condition: Callable[[], bool]) -> None:
    """Waits until ``condition`` holds."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it has not come true in time")
        time.sleep(0.005)


async def until_async(condition: Callable[[], bool]) -> None:
    """Waits until ``condition`` holds, and lets other tasks run."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it has not come true in time")
        await asyncio.sleep(0.005)


def is_alive(pid: int) -> bool:
    """Is there a process with this number?"""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True
