"""Stands in for a language model, so that the example runs anywhere: it asks for these commands, whatever it is told."""

from __future__ import annotations

from typing import Any

COMMANDS = [
    "printf 'b\\na\\n' | sort",
    "rm -rf build",
    "curl https://example.com",
    'echo \'{"name": "Ada"}\' | jq -r .name; exit 3',
]


async def next_message(messages: list[dict[str, str]]) -> dict[str, Any]:
    """What the model says next to the messages so far: a call of a tool, or a text at the end."""
    done = sum(message["role"] == "tool" for message in messages)
    return {"tool": "bash", "input": {"command": COMMANDS[done]}} if done < len(COMMANDS) else {"text": "done"}
