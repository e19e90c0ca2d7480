"""The client of ``hookshell serve`` for programs with asyncio.

::

    from hookshell import AsyncHookshell

    async with await AsyncHookshell.start(dialect="claude") as hookshell:
        result = await hookshell.run_hooks("PreToolUse", tool="Bash", input={"command": "ls"})
        print(result["verdict"]["decision"])

A task that is cancelled cancels its request, and ends when what the request had started has ended.
"""

from __future__ import annotations

import asyncio
import inspect
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Dict, List, Mapping, Optional, Set, Tuple, Type, Union, cast

from ._binary import find_binary
from ._exec import MAX_OUTPUT, Acknowledger, Collector, ExecOutcome, OutputChunk
from ._options import Requests, Restarts, checked_info, guarded, restart_message, start_error
from ._server import Answer, Question, Server
from .errors import ClosedError, HookshellError, HookshellWarning, ProcessExit
from .protocol import (
    CheckResult,
    CompleteParams,
    CompleteResult,
    DoctorResult,
    ExplainResult,
    InitializeResult,
    ProgressParams,
    RunResult,
    WakeParams,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .protocol import Options

__all__ = ["AsyncHookshell", "AsyncLlm", "AsyncUi"]


class AsyncUi:
    """How hooks reach the user: a class of the host's overrides what it can do.

    What it does not is answered as where nobody is there. A question is cancelled when nobody waits for its answer any more. An error that
    is raised is the safe answer too.
    """

    async def select(self, title: str, options: List[str]) -> Optional[str]:
        """Have one of the options chosen; None: none was."""
        return None

    async def confirm(self, title: str, message: str) -> bool:
        """Ask yes or no."""
        return False

    async def input(self, title: str, placeholder: str) -> Optional[str]:
        """Ask for a line of text; None: none was given."""
        return None

    def notify(self, message: str, level: str) -> None:
        """Show a message: info, warning or error."""


class AsyncLlm:
    """The host's language model, for hooks of the types ``prompt`` and ``agent``."""

    async def complete(self, request: CompleteParams) -> CompleteResult:
        raise NotImplementedError


class AsyncHookshell:
    """A running ``hookshell serve``, for the tasks of one event loop. It ends with the host at the latest."""

    def __init__(
        self,
        binary: str,
        requests: Requests,
        ui: Optional[AsyncUi],
        llm: Optional[AsyncLlm],
        on_restart: Optional[Callable[[ProcessExit], object]],
        on_wake: Optional[Callable[[WakeParams], object]],
        on_stderr: Optional[Callable[[str], object]],
        start_timeout: float,
        close_timeout: float,
    ) -> None:
        """Not for hosts: use :meth:`start`."""
        self._loop = asyncio.get_running_loop()
        self._binary = binary
        self._requests = requests
        self._ui = ui
        self._llm = llm
        self._on_restart = on_restart
        self._on_wake = on_wake
        self._on_stderr = on_stderr
        self._start_timeout = start_timeout
        self._close_timeout = close_timeout
        self._server: Optional[Server] = None
        self._starting: Optional[asyncio.Task[Server]] = None
        self._closing: Optional[asyncio.Future[None]] = None
        self._restarts = Restarts()
        self._info: Optional[InitializeResult] = None
        self._answers: Set[asyncio.Task[None]] = set()

    @classmethod
    async def start(
        cls,
        *,
        ui: Optional[AsyncUi] = None,
        llm: Optional[AsyncLlm] = None,
        client: Optional[Mapping[str, str]] = None,
        binary: Optional[str] = None,
        on_restart: Optional[Callable[[ProcessExit], object]] = None,
        on_wake: Optional[Callable[[WakeParams], object]] = None,
        on_stderr: Optional[Callable[[str], object]] = None,
        start_timeout: float = 30.0,
        close_timeout: float = 10.0,
        **options: Unpack[Options],
    ) -> AsyncHookshell:
        """Starts ``hookshell serve``: the parameters are those of ``Hookshell.start``."""
        requests = Requests(client, ui is not None, llm is not None, options)
        hookshell = cls(binary or find_binary(), requests, ui, llm, on_restart, on_wake, on_stderr, start_timeout, close_timeout)
        await hookshell._connect()
        return hookshell

    @property
    def info(self) -> InitializeResult:
        """What hookshell said of itself: its version, and what it can do."""
        assert self._info is not None
        return self._info

    @property
    def pid(self) -> Optional[int]:
        """The process's number; None where it has ended."""
        server = self._server
        return None if server is None or server.exit is not None else server.pid

    async def run_hooks(
        self,
        event: Optional[str] = None,
        *,
        payload: Optional[Mapping[str, Any]] = None,
        tool: Optional[str] = None,
        input: Optional[Mapping[str, Any]] = None,
        prompt: Optional[str] = None,
        output: Optional[str] = None,
        on_progress: Optional[Callable[[ProgressParams], object]] = None,
        **options: Unpack[Options],
    ) -> RunResult:
        """Runs the hooks of an event and gives the verdict.

        The event is ``event`` with ``tool`` and ``input``, or with ``prompt``; or ``payload``, as the agent's own hooks get it.
        An error is no verdict: take it for a deny where the hooks are to guard something.
        """
        fields = {"event": event, "payload": payload, "tool": tool, "input": input, "prompt": prompt, "output": output}
        params = self._requests.run(fields, on_progress is not None, options)
        on_notice = None if on_progress is None else lambda method, progress: on_progress(progress)
        return cast(RunResult, await self._ask(await self._connected(), "hooks/run", params, on_notice))

    async def exec(
        self,
        command: str,
        *,
        stdin: Union[str, bytes, None] = None,
        timeout: Optional[float] = None,
        grace: Optional[float] = None,
        merge_stderr: Optional[bool] = None,
        on_output: Optional[Callable[[OutputChunk], Union[Awaitable[object], object]]] = None,
        max_output: int = MAX_OUTPUT,
        **options: Unpack[Options],
    ) -> ExecOutcome:
        """Runs one command in the in-process shell, as an agent's shell tool does. Its failure is a result, no error.

        ``timeout`` and ``grace`` are in seconds. ``on_output``, a plain or an async function, gets the output as it comes; while it
        works, the command's writing waits when 1 MiB is on its way; an error that it raises cancels the command. Without it the
        output is in the result, up to ``max_output`` bytes of each stream.
        """
        fields = {"timeout": timeout, "grace": grace, "merge_stderr": merge_stderr}
        params = self._requests.exec(command, stdin, max_output, fields, options)
        collector = Collector(max_output)
        take = on_output or collector.push
        done = Acknowledger()
        server = await self._connected()
        number: List[int] = []

        async def on_notice(method: str, output: Any) -> None:
            chunk = OutputChunk(output)
            taken = take(chunk)
            if inspect.isawaitable(taken):
                await taken
            acknowledged = done.add(chunk)
            if acknowledged:
                server.notify("shell/ack", {"id": number[0], "bytes": acknowledged})

        result = await self._ask(server, "shell/exec", params, on_notice, number.append)
        return cast(ExecOutcome, collector.outcome(result))

    async def explain(self, command: Optional[str] = None, **options: Unpack[Options]) -> ExplainResult:
        """Shows how a command would run, or without one which hooks would run and how. Nothing is run."""
        params: Dict[str, Any] = {"options": self._requests.options(options)}
        if command is not None:
            params["command"] = command
        return cast(ExplainResult, await self._ask(await self._connected(), "explain", params))

    async def check(self, files: Optional[List[str]] = None, *, portable: bool = False, **options: Unpack[Options]) -> CheckResult:
        """Checks hook configs and the scripts that they name."""
        params = self._requests.check(files, portable, options)
        return cast(CheckResult, await self._ask(await self._connected(), "check", params))

    async def doctor(self, **options: Unpack[Options]) -> DoctorResult:
        """Shows what this machine has that hooks use."""
        params = {"options": self._requests.options(options)}
        return cast(DoctorResult, await self._ask(await self._connected(), "doctor", params))

    async def session_end(self, session: Optional[str] = None) -> None:
        """Ends a session, that of ``start`` unless given: its background hooks and modules end.

        A ``run_hooks`` of it that still runs raises ``hookshell.CancelledError``.
        It runs no ``SessionEnd`` hooks: send that event with ``run_hooks`` first.
        """
        params = {} if session is None else {"session": session}
        await self._ask(await self._connected(), "session/end", params)

    async def close(self) -> None:
        """Ends the process and all that it started. Requests that are under way fail with ClosedError.

        In a process that was forked from the one that started it, it does nothing.
        """
        if self._server is not None and self._server.is_forked:
            return
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        # A caller that is cancelled does not keep the process from being ended.
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        if self._starting is not None:
            await asyncio.wait([self._starting])
        server, self._server = self._server, None
        if server is not None:
            await self._loop.run_in_executor(None, server.close, self._close_timeout)

    async def __aenter__(self) -> AsyncHookshell:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        await self.close()

    # The process

    async def _connected(self) -> Server:
        if self._closing is not None:
            raise ClosedError()
        server = self._server
        if server is not None and (server.exit is None or server.is_forked):
            return server
        if server is not None:
            self._restarts.crash = server.exit
            self._server = None
        if self._starting is not None:
            return await asyncio.shield(self._starting)
        exit = self._restarts.next()
        self._requests.again()
        server = await self._connect()
        if self._on_restart is not None:
            guarded(self._on_restart, exit)
        else:
            warnings.warn(restart_message(exit), HookshellWarning, stacklevel=3)
        return server

    async def _connect(self) -> Server:
        self._starting = self._loop.create_task(self._start())
        try:
            return await asyncio.shield(self._starting)
        finally:
            self._starting = None

    async def _start(self) -> Server:
        server = Server(
            self._binary,
            may_block=False,
            on_question=lambda question: self._call_soon(self._on_question, question),
            on_notification=lambda method, params: self._call_soon(self._on_notification, method, params),
            on_stderr=lambda text: self._call_soon(guarded, self._on_stderr, text),
            on_exit=lambda exit: None,
        )
        asked = self._loop.create_task(self._ask(server, "initialize", self._requests.initialize))
        is_late = False
        try:
            done, _ = await asyncio.wait([asked], timeout=self._start_timeout)
            is_late = not done
            if is_late:
                server.kill()
            info = checked_info(self._binary, await asked)
        except BaseException as error:
            server.kill()
            if not isinstance(error, HookshellError):
                raise
            raised = start_error(self._binary, error, is_late)
            raise raised from (None if raised is error else error)
        self._info = cast(InitializeResult, info)
        server.max_message_bytes = info["limits"]["max_message_bytes"]
        self._server = server
        return server

    def _call_soon(self, callback: Callable[..., object], *arguments: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:
            # The loop is closed: nobody is there any more.
            pass

    async def _ask(
        self,
        server: Server,
        method: str,
        params: Any,
        on_notice: Optional[Callable[[str, Any], object]] = None,
        on_number: Optional[Callable[[int], object]] = None,
    ) -> Any:
        answered: asyncio.Future[None] = self._loop.create_future()
        # Notifications, and the answer after them: None stands for it.
        notices: Optional[asyncio.Queue[Optional[Tuple[str, Any]]]] = None

        def settle() -> None:
            if not answered.done():
                answered.set_result(None)
            if notices is not None:
                notices.put_nowait(None)

        if on_notice is None:
            number, future = server.request(method, params)
        else:
            notices = asyncio.Queue()
            put = notices.put_nowait
            number, future = server.request(method, params, lambda name, value: self._call_soon(put, (name, value)))
        future.add_done_callback(lambda _: self._call_soon(settle))
        if on_number is not None:
            on_number(number)
        try:
            if notices is not None and on_notice is not None:
                while True:
                    notice = await notices.get()
                    if notice is None:
                        break
                    handled = on_notice(*notice)
                    if inspect.isawaitable(handled):
                        await handled
            await asyncio.shield(answered)
        except BaseException:
            # The task was cancelled, or the caller's function has failed: what the request had started ends first.
            await self._cancel(server, number, future, answered)
            raise
        return future.result()

    @staticmethod
    async def _cancel(server: Server, number: int, future: Answer, answered: asyncio.Future[None]) -> None:
        if future.done():
            return
        server.cancel(number)
        await asyncio.shield(answered)

    # What hooks ask

    def _on_notification(self, method: str, params: Any) -> None:
        if method == "ui/notify" and self._ui is not None:
            guarded(self._ui.notify, params["message"], params["level"])
        elif method == "hooks/wake":
            guarded(self._on_wake, params)

    def _on_question(self, question: Question) -> None:
        if question.is_settled:
            return
        task = self._loop.create_task(self._answer(question))
        question.on_cancel = lambda: self._call_soon(task.cancel)
        self._answers.add(task)
        task.add_done_callback(self._answers.discard)

    async def _answer(self, question: Question) -> None:
        try:
            result = await self._answer_of(question)
        except Exception as error:  # noqa: BLE001
            question.fail(f"{type(error).__name__}: {error}")
            return
        if result is None:
            question.is_unknown()
        else:
            question.answer(result)

    async def _answer_of(self, question: Question) -> Optional[Dict[str, Any]]:
        """The host's answer to a question; None where it does not know the method."""
        params = question.params
        ui = self._ui
        if question.method == "llm/complete" and self._llm is not None:
            return cast(Dict[str, Any], await self._llm.complete(params))
        if ui is None:
            return None
        if question.method == "ui/select":
            return {"selected": await ui.select(params["title"], params["options"])}
        if question.method == "ui/confirm":
            return {"confirmed": await ui.confirm(params["title"], params["message"]) is True}
        if question.method == "ui/input":
            return {"text": await ui.input(params["title"], params["placeholder"])}
        return None
