"""Runs one hook module for the runner: messages are lines of JSON on standard input and output (see the README)."""

from __future__ import annotations

import asyncio
import contextvars
import importlib.util
import inspect
import itertools
import json
import os
import sys
import threading
import traceback
import types
from pathlib import Path
from typing import Any

import hookshell

# Stronger decisions win over weaker ones.
_STRENGTH = {None: 0, "allow": 1, "ask": 2, "deny": 3}

_SESSION_EVENTS = {
    "SessionStart": "start",
    "SessionEnd": "shutdown",
    "SessionBeforeBranch": "before_branch",
    "SessionBranch": "branch",
    "SessionBeforeSwitch": "before_switch",
    "SessionSwitch": "switch",
}

# The event that is handled, in its task and in what that starts.
_CURRENT: contextvars.ContextVar[int | None] = contextvars.ContextVar("hookshell_event", default=None)


class Host:
    """The module and its conversation with the runner."""

    def __init__(self, out: Any, init: dict[str, Any]) -> None:
        self.out = out
        self.lock = threading.Lock()
        self.init = init
        self.api = hookshell.HookAPI()
        self.tasks: dict[int, asyncio.Task[Any]] = {}
        self.questions: dict[str, asyncio.Future[Any]] = {}
        self.numbers = itertools.count(1)

    def send(self, message: dict[str, Any]) -> None:
        # NaN is no JSON: the whole message would be none.
        line = json.dumps(message, allow_nan=False).encode("ascii") + b"\n"
        with self.lock:
            self.out.write(line)
            self.out.flush()

    def load(self) -> None:
        path = Path(self.init["module"])
        # Modules beside it can be imported.
        sys.path.insert(0, str(path.parent))
        name = "hookshell_module_" + "".join(c if c.isalnum() else "_" for c in path.stem)
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        register = getattr(module, "register", None)
        if not callable(register):
            raise TypeError(f"{path.name} has no function register(hooks)")
        register(self.api)

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def read() -> None:
            for line in sys.stdin.buffer:
                message = json.loads(line)
                loop.call_soon_threadsafe(messages.put_nowait, message)
            loop.call_soon_threadsafe(messages.put_nowait, None)

        threading.Thread(target=read, name="hookshell-read", daemon=True).start()
        while (message := await messages.get()) is not None:
            self.take(message)
        # The session is over.
        for task in self.tasks.values():
            task.cancel()

    def take(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "event":
            number = message["id"]
            started = asyncio.get_running_loop().create_task(self.handle(number, message))
            self.tasks[number] = started
            started.add_done_callback(lambda _: self.tasks.pop(number, None))
        elif kind == "cancel":
            task = self.tasks.get(message["id"])
            if task is not None:
                task.cancel()
        elif kind == "answer":
            question = self.questions.pop(message["id"], None)
            if question is not None and not question.done():
                if "error" in message:
                    question.set_exception(hookshell.ExecError(message["error"]))
                else:
                    question.set_result(message.get("value"))

    async def handle(self, number: int, message: dict[str, Any]) -> None:
        _CURRENT.set(number)
        self.send({"type": "begin", "id": number})
        each: list[dict[str, Any]] = []
        try:
            result = await self.decide(message["event"], each)
        except asyncio.CancelledError:
            self.send({"type": "failed", "id": number, "message": "cancelled"})
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a handler's own errors are the module's failure
            traceback.print_exc()
            # What the handlers before it have decided still counts.
            self.send({"type": "failed", "id": number, "message": describe(error, self.init["module"]), **said(each)})
        else:
            try:
                # Of several handlers the strictest counts: the runner reads each.
                self.send({"type": "result", "id": number, "result": result, **(said(each) if len(each) > 1 else {})})
            except (TypeError, ValueError, RecursionError) as error:
                why = f"the result is not JSON: {error}"
                self.send({"type": "failed", "id": number, "message": why, **said(each)})

    async def decide(self, payload: dict[str, Any], each: list[dict[str, Any]]) -> dict[str, Any] | None:
        name = payload["event"]
        kind, event = event_of(payload)
        context = self.context(payload)
        merged: dict[str, Any] = {}
        for wanted, handler in self.api.handlers:
            if wanted == name:
                given = handler(payload, context)
            elif wanted == kind:
                given = handler(event, context)
            else:
                continue
            if inspect.isawaitable(given):
                given = await given
            envelope = envelope_of(given)
            if envelope:
                each.append(envelope)
            merge(merged, envelope)
            if merged.get("decision") == "deny" or merged.get("halt"):
                break
        return merged or None

    def context(self, payload: dict[str, Any]) -> hookshell.HookContext:
        session_file = payload.get("session_file")
        return hookshell.HookContext(
            cwd=Path(payload["cwd"]),
            project_dir=Path(self.init["project_dir"]),
            session_id=payload.get("session_id", ""),
            session_file=Path(session_file) if session_file else None,
            has_ui=self.init["has_ui"],
            ask=self.ask,
            tell=self.send,
        )

    async def ask(self, request: dict[str, Any]) -> Any:
        identifier = str(next(self.numbers))
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.questions[identifier] = answer
        try:
            self.send({**request, "id": identifier, "event": _CURRENT.get()})
            return await answer
        except asyncio.CancelledError:
            # Nobody waits for the answer any more: the person need not give one.
            if request.get("type") == "ui":
                self.send({"type": "withdraw", "id": identifier})
            raise
        finally:
            self.questions.pop(identifier, None)


def event_of(payload: dict[str, Any]) -> tuple[str | None, Any]:
    """The kind of handler that an event is for, and what the handler is given."""
    name = payload["event"]
    if name == "PreToolUse":
        return "tool_call", hookshell.ToolCallEvent(payload["tool_name"], payload.get("tool_use_id") or "", payload["tool_input"])
    if name in ("PostToolUse", "PostToolUseFailure"):
        is_error = name == "PostToolUseFailure"
        given = payload.get("error" if is_error else "tool_response")
        return "tool_result", hookshell.ToolResultEvent(
            tool_name=payload["tool_name"],
            tool_call_id=payload.get("tool_use_id") or "",
            input=payload["tool_input"],
            content=given if isinstance(given, str) else json.dumps(given, ensure_ascii=False),
            is_error=is_error,
            details=given if isinstance(given, dict) else None,
        )
    if name in _SESSION_EVENTS:
        session_file = payload.get("session_file")
        return "session", hookshell.SessionEvent(
            reason=_SESSION_EVENTS[name],
            session_file=Path(session_file) if session_file else None,
            entries=payload.get("entries") or [],
            target_turn_index=payload.get("target_turn_index"),
        )
    if name == "TurnStart":
        return "turn_start", hookshell.TurnStartEvent(payload.get("turn_index", 0))
    if name == "TurnEnd":
        return "turn_end", hookshell.TurnEndEvent(payload.get("turn_index", 0), payload.get("message"), payload.get("tool_results") or [])
    return None, payload


def envelope_of(given: Any) -> dict[str, Any]:
    """A handler's result as the fields of the contract."""
    if given is None:
        return {}
    if isinstance(given, dict):
        return given
    if isinstance(given, hookshell.BlockToolResult):
        return {"decision": "deny", "reason": given.reason} if given.block else {}
    if isinstance(given, hookshell.AskToolResult):
        return {"decision": "ask", "reason": given.reason}
    if isinstance(given, hookshell.AllowToolResult):
        return {"decision": "allow", "reason": given.reason}
    if isinstance(given, hookshell.ModifyInputResult):
        return {"updated_input": given.input}
    if isinstance(given, hookshell.ModifyResultResult):
        return {"updated_result": given.content}
    raise TypeError(f"a handler returned {type(given).__name__}: it must be None, a dict or a result of hookshell's")


def said(each: list[dict[str, Any]]) -> dict[str, Any]:
    """What the handlers gave one by one, without what is no JSON."""
    given = []
    for envelope in each:
        fields = {}
        for key, value in envelope.items():
            try:
                json.dumps({key: value}, allow_nan=False)
            except (TypeError, ValueError, RecursionError):
                continue
            fields[key] = value
        given.append(fields)
    return {"each": given} if given else {}


def merge(merged: dict[str, Any], new: dict[str, Any]) -> None:
    """Lays a handler's result over those of the handlers before it."""
    for key, value in new.items():
        if value is None or key in ("decision", "reason"):
            continue
        if key in ("context", "context_files"):
            old = merged.setdefault(key, [])
            old.extend([value] if isinstance(value, str) else value)
        elif key == "updated_input" and isinstance(value, dict):
            merged[key] = {**merged.get(key, {}), **value}
        elif key == "halt":
            merged[key] = merged.get(key, False) or value
        else:
            merged[key] = value
    decision = new.get("decision")
    known = decision in _STRENGTH
    if not known or _STRENGTH[decision] > _STRENGTH.get(merged.get("decision"), 0):
        # A decision that nobody knows is for the runner to refuse.
        merged["decision"] = decision
        merged.pop("reason", None)
        if new.get("reason") is not None:
            merged["reason"] = new["reason"]
    elif decision is None and new.get("halt") and new.get("reason") is not None:
        merged["reason"] = new["reason"]


def describe(error: BaseException, module: str) -> str:
    """An error in one line, with the last line of the module that it came through."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    places = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == module]
    return f"{text} ({Path(module).name}:{places[-1].lineno})" if places else text


def stand_in_for_rollouts() -> None:
    """Hook files in the style that this package follows import `rollouts.hooks`: without that package they get ours."""
    if importlib.util.find_spec("rollouts") is None:
        package = types.ModuleType("rollouts")
        package.__path__ = []
        package.hooks = hookshell  # type: ignore[attr-defined]
        sys.modules["rollouts"] = package
        sys.modules["rollouts.hooks"] = hookshell


def main(init: dict[str, Any]) -> None:
    stand_in_for_rollouts()
    # The runner's pipe is kept to ourselves. What the module and its programs print goes to standard error.
    sys.stdout.flush()
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    host = Host(out, init)
    try:
        host.load()
    except (Exception, SystemExit) as error:  # noqa: BLE001
        traceback.print_exc()
        host.send({"type": "failed", "id": 0, "message": describe(error, init["module"])})
        return
    host.send({"type": "ready", "version": 1})
    asyncio.run(host.serve())
