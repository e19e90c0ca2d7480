"""A small agent. The model asks for shell commands, the hooks of hooks.json decide about each, and hookshell runs it.

No bash and no jq has to be installed. ``examples/node-agent`` is the same in JavaScript.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from model import next_message

from hookshell import AsyncHookshell, AsyncUi, HookshellError, OutputChunk

HERE = os.path.dirname(os.path.abspath(__file__))


class Nobody(AsyncUi):
    """Nobody is there in this example: an agent for people asks them."""

    async def confirm(self, title: str, message: str) -> bool:
        print(f"[asked: {title}]")
        return False


async def ask(hookshell: AsyncHookshell, *event: str, **fields: Any) -> dict[str, Any]:
    """Asks the hooks about an event. If they cannot be asked, the answer is a deny: a guard that is absent must not let pass."""
    try:
        result = await hookshell.run_hooks(*event, **fields)
    except HookshellError as error:
        return {"decision": "deny", "reason": f"the hooks could not be asked: {error}", "halt": False}
    for message in result.get("messages", []):
        print(f"[{message['level']}: {message['text']}]", file=sys.stderr)
    return dict(result["verdict"])


async def bash(hookshell: AsyncHookshell, tool_input: dict[str, Any]) -> tuple[str, bool]:
    """Runs one call of the tool ``bash``: what the model is told of it, and whether the turn is over."""
    before = await ask(hookshell, "PreToolUse", tool="bash", input=tool_input)
    if before["halt"]:
        return f"stopped: {before['reason']}", True
    if before["decision"] == "deny":
        return f"blocked: {before['reason']}", False
    if before["decision"] == "ask":
        return f"not run, nobody could be asked: {before['reason']}", False

    command = (before.get("updated_input") or tool_input)["command"]
    parts: list[str] = []

    def on_output(chunk: OutputChunk) -> None:
        print(chunk.text, end="", flush=True)
        parts.append(chunk.text)

    # A Ctrl-C cancels this task, which ends the command.
    result = await hookshell.exec(command, merge_stderr=True, timeout=60, on_output=on_output)
    output = "".join(parts)

    response = {"output": output, "exit_code": result["exit_code"]}
    payload = {"hook_event_name": "PostToolUse", "tool_name": "bash", "tool_input": tool_input, "tool_response": response}
    after = await ask(hookshell, "PostToolUse", payload=payload)
    context = f"\n{after['context']}" if after.get("context") else ""
    return f"{output}[{result['end']}, exit code {result['exit_code']}]{context}", after["halt"]


async def main() -> None:
    client = {"name": "python-agent", "version": "0.1.0"}
    async with await AsyncHookshell.start(
        client=client, dialect="crush", cwd=HERE, configs=["hooks.json"], session="example", ui=Nobody()
    ) as hookshell:
        messages = [{"role": "user", "content": "Have a look around."}]
        while True:
            message = await next_message(messages)
            if "tool" not in message:
                print(message["text"])
                break
            print(f"$ {message['input']['command']}", flush=True)
            text, is_over = await bash(hookshell, message["input"])
            print("> " + text.replace("\n", "\n> "), flush=True)
            messages.append({"role": "tool", "content": text})
            if is_over:
                break
        await ask(hookshell, "SessionEnd")


if __name__ == "__main__":
    asyncio.run(main())
