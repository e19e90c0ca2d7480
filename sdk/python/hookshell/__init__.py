"""What a hook module imports: the events, the results and the context of its handlers.

A hook module has a function ``register(hooks)``. It names the handlers of the events that it wants to see::

    from hookshell import BlockToolResult

    async def check(event, ctx):
        if event.tool_name == "bash" and "rm -rf" in event.input.get("command", ""):
            if not await ctx.confirm("Dangerous command", event.input["command"]):
                return BlockToolResult(reason="blocked by the user")

    def register(hooks):
        hooks.on_tool_call(check)

A handler takes the event and the context, is a plain or an async function, and returns ``None`` (no opinion), one of
the results below, or a dict with the fields of the hook contract (``{"decision": "deny", "reason": "..."}``). Async
handlers run at the same time; a plain one holds the others up. What a module prints goes to standard error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Awaitable, Callable

if TYPE_CHECKING:
    from .aio import AsyncHookshell as AsyncHookshell
    from .aio import AsyncLlm as AsyncLlm
    from .aio import AsyncUi as AsyncUi
    from .client import CancelToken as CancelToken
    from .client import ExecOutcome as ExecOutcome
    from .client import Hookshell as Hookshell
    from .client import Llm as Llm
    from .client import OutputChunk as OutputChunk
    from .client import Ui as Ui
    from .client import find_binary as find_binary
    from .errors import BinaryNotFoundError as BinaryNotFoundError
    from .errors import BusyError as BusyError
    from .errors import CancelledError as CancelledError
    from .errors import ClosedError as ClosedError
    from .errors import HookshellError as HookshellError
    from .errors import HookshellWarning as HookshellWarning
    from .errors import InvalidParamsError as InvalidParamsError
    from .errors import MessageTooLargeError as MessageTooLargeError
    from .errors import MethodNotFoundError as MethodNotFoundError
    from .errors import ProcessExit as ProcessExit
    from .errors import RequestError as RequestError
    from .errors import RequestFailedError as RequestFailedError
    from .errors import ServerCrashedError as ServerCrashedError
    from .errors import StartError as StartError

__all__ = [
    "AllowToolResult",
    "AskToolResult",
    "BlockToolResult",
    "ExecError",
    "ExecResult",
    "HookAPI",
    "HookContext",
    "ModifyInputResult",
    "ModifyResultResult",
    "SessionEvent",
    "ToolCallEvent",
    "ToolResultEvent",
    "TurnEndEvent",
    "TurnStartEvent",
]


#: What belongs to the clients of ``hookshell serve``, and the module that has it.
_OF_CLIENTS = {
    **dict.fromkeys(("AsyncHookshell", "AsyncLlm", "AsyncUi"), "aio"),
    **dict.fromkeys(("CancelToken", "ExecOutcome", "Hookshell", "Llm", "OutputChunk", "Ui", "find_binary"), "client"),
    **dict.fromkeys(
        (
            "BinaryNotFoundError",
            "BusyError",
            "CancelledError",
            "ClosedError",
            "HookshellError",
            "HookshellWarning",
            "InvalidParamsError",
            "MessageTooLargeError",
            "MethodNotFoundError",
            "ProcessExit",
            "RequestError",
            "RequestFailedError",
            "ServerCrashedError",
            "StartError",
        ),
        "errors",
    ),
}


if not TYPE_CHECKING:  # For a type checker every name would be one of the package's.

    def __getattr__(name: str) -> Any:
        """The clients of ``hookshell serve``: loaded when they are asked for. A hook module has no need of them, and no access to them."""
        module = _OF_CLIENTS.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_OF_CLIENTS})


@dataclass
class ToolCallEvent:
    """A tool is about to be called (PreToolUse)."""

    tool_name: str
    tool_call_id: str
    input: dict[str, Any]


@dataclass
class ToolResultEvent:
    """A tool has been called (PostToolUse, PostToolUseFailure)."""

    tool_name: str
    tool_call_id: str
    input: dict[str, Any]
    #: What the tool gave: its text, or the JSON text of what it gave instead.
    content: str
    is_error: bool
    #: What the tool gave, where it is an object.
    details: dict[str, Any] | None = None


@dataclass
class SessionEvent:
    """Something happens to the session."""

    #: start, shutdown, before_branch, branch, before_switch or switch.
    reason: str
    session_file: Path | None = None
    entries: list[Any] = field(default_factory=list)
    target_turn_index: int | None = None


@dataclass
class TurnStartEvent:
    """A turn begins."""

    turn_index: int


@dataclass
class TurnEndEvent:
    """A turn has ended."""

    turn_index: int
    message: Any = None
    tool_results: list[Any] = field(default_factory=list)


@dataclass
class BlockToolResult:
    """What is about to happen is blocked."""

    reason: str | None = None
    block: bool = True


@dataclass
class AskToolResult:
    """The user is to be asked, whatever other hooks allow."""

    reason: str | None = None


@dataclass
class AllowToolResult:
    """What is about to happen is approved: nobody is asked."""

    reason: str | None = None


@dataclass
class ModifyInputResult:
    """The tool is to be called with these members of its input instead."""

    input: dict[str, Any]


@dataclass
class ModifyResultResult:
    """The model is to see this instead of what the tool gave."""

    content: Any


@dataclass
class ExecResult:
    """What a program gave."""

    code: int
    stdout: str
    stderr: str


class ExecError(Exception):
    """A program was not started, or did not end by itself."""


Handler = Callable[[Any, "HookContext"], Any]


class HookAPI:
    """What ``register`` is given: each call adds a handler. Handlers of an event run in the order of their calls."""

    def __init__(self) -> None:
        self.handlers: list[tuple[str, Handler]] = []

    def on_tool_call(self, handler: Handler) -> Handler:
        """Adds a handler of ToolCallEvent."""
        return self._add("tool_call", handler)

    def on_tool_result(self, handler: Handler) -> Handler:
        """Adds a handler of ToolResultEvent."""
        return self._add("tool_result", handler)

    def on_session(self, handler: Handler) -> Handler:
        """Adds a handler of SessionEvent."""
        return self._add("session", handler)

    def on_turn_start(self, handler: Handler) -> Handler:
        """Adds a handler of TurnStartEvent."""
        return self._add("turn_start", handler)

    def on_turn_end(self, handler: Handler) -> Handler:
        """Adds a handler of TurnEndEvent."""
        return self._add("turn_end", handler)

    def on(self, event: str, handler: Handler) -> Handler:
        """Adds a handler of any event by its name in the contract (``UserPromptSubmit``): it gets the payload, a dict."""
        return self._add(event, handler)

    def _add(self, event: str, handler: Handler) -> Handler:
        if not callable(handler):
            raise TypeError(f"the handler of {event} is no function: {handler!r}")
        self.handlers.append((event, handler))
        return handler


class HookContext:
    """Where an event happened, and what a handler can have done."""

    def __init__(
        self,
        *,
        cwd: Path,
        project_dir: Path,
        session_id: str,
        session_file: Path | None,
        has_ui: bool,
        ask: Callable[[dict[str, Any]], Awaitable[Any]],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self.cwd = cwd
        self.project_dir = project_dir
        self.session_id = session_id
        self.session_file = session_file
        #: Is there a person to ask? Without one select and input give None and confirm gives False.
        self.has_ui = has_ui
        self._ask = ask
        self._tell = tell

    async def select(self, title: str, options: list[str]) -> str | None:
        """Has a person choose one of the options."""
        if not self.has_ui:
            return None
        chosen: str | None = await self._ask({"type": "ui", "call": "select", "title": title, "options": list(options)})
        return chosen

    async def confirm(self, title: str, message: str = "") -> bool:
        """Asks a person yes or no."""
        if not self.has_ui:
            return False
        return await self._ask({"type": "ui", "call": "confirm", "title": title, "message": message}) is True

    async def input(self, title: str, placeholder: str = "") -> str | None:
        """Asks a person for a line of text."""
        if not self.has_ui:
            return None
        text: str | None = await self._ask({"type": "ui", "call": "input", "title": title, "placeholder": placeholder})
        return text

    def notify(self, message: str, level: str = "info") -> None:
        """Shows a message: info, warning or error."""
        if self.has_ui:
            self._tell({"type": "ui", "call": "notify", "message": message, "level": level})

    async def exec(
        self,
        command: str,
        args: list[str] | tuple[str, ...] = (),
        timeout: float | None = None,
        cwd: str | Path | None = None,
    ) -> ExecResult:
        """Runs a program without a shell, as hookshell runs hooks: the same on every system. ``timeout`` in seconds.

        Raises ExecError where it was not started, or did not end by itself.
        """
        request: dict[str, Any] = {
            "type": "exec",
            "command": command,
            "args": [str(arg) for arg in args],
            "timeout": timeout,
            "cwd": str(self.cwd if cwd is None else self.cwd / cwd),
        }
        value = await self._ask(request)
        return ExecResult(code=value["code"], stdout=value["stdout"], stderr=value["stderr"])
