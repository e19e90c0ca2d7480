"""The client of ``hookshell serve`` for programs without asyncio. :mod:`hookshell.aio` has the same for those with it.

::

    from hookshell import Hookshell

    with Hookshell.start(dialect="claude") as hookshell:
        result = hookshell.run_hooks("PreToolUse", tool="Bash", input={"command": "ls"})
        print(result["verdict"]["decision"])

All methods may be called from any thread, at the same time.
"""

from __future__ import annotations

import queue
import threading
import warnings
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Tuple, Type, Union, cast

from ._binary import BINARY_VARIABLE, find_binary
from ._exec import MAX_OUTPUT, Acknowledger, Collector, ExecOutcome, OutputChunk
from ._options import VERSION, Requests, Restarts, checked_info, guarded, restart_message, start_error
from ._server import Question, Server
from .errors import CancelledError, ClosedError, HookshellError, HookshellWarning, ProcessExit
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

__all__ = [
    "BINARY_VARIABLE",
    "VERSION",
    "CancelToken",
    "ExecOutcome",
    "Hookshell",
    "Llm",
    "OutputChunk",
    "Ui",
    "find_binary",
]


class Ui:
    """How hooks reach the user: a class of the host's overrides what it can do.

    What it does not is answered as where nobody is there. Each question is asked in a thread of its own. An error that is raised is the
    safe answer too.
    """

    def select(self, title: str, options: List[str]) -> Optional[str]:
        """Have one of the options chosen; None: none was."""
        return None

    def confirm(self, title: str, message: str) -> bool:
        """Ask yes or no."""
        return False

    def input(self, title: str, placeholder: str) -> Optional[str]:
        """Ask for a line of text; None: none was given."""
        return None

    def notify(self, message: str, level: str) -> None:
        """Show a message: info, warning or error."""


class Llm:
    """The host's language model, for hooks of the types ``prompt`` and ``agent``."""

    def complete(self, request: CompleteParams) -> CompleteResult:
        raise NotImplementedError


class CancelToken:
    """Cancels the requests that it was given to, from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._callbacks: Dict[object, Callable[[], None]] = {}

    @property
    def is_cancelled(self) -> bool:
        return self._is_cancelled

    def cancel(self) -> None:
        with self._lock:
            self._is_cancelled = True
            callbacks, self._callbacks = list(self._callbacks.values()), {}
        for callback in callbacks:
            callback()

    def _add(self, callback: Callable[[], None]) -> object:
        key = object()
        with self._lock:
            if not self._is_cancelled:
                self._callbacks[key] = callback
                return key
        callback()
        return key

    def _remove(self, key: object) -> None:
        with self._lock:
            self._callbacks.pop(key, None)


class Hookshell:
    """A running ``hookshell serve``. It ends with the host at the latest."""

    def __init__(
        self,
        binary: str,
        requests: Requests,
        ui: Optional[Ui],
        llm: Optional[Llm],
        on_restart: Optional[Callable[[ProcessExit], object]],
        on_wake: Optional[Callable[[WakeParams], object]],
        on_stderr: Optional[Callable[[str], object]],
        start_timeout: float,
        close_timeout: float,
    ) -> None:
        """Not for hosts: use :meth:`start`."""
        self._binary = binary
        self._requests = requests
        self._ui = ui
        self._llm = llm
        self._on_restart = on_restart
        self._on_wake = on_wake
        self._on_stderr = on_stderr
        self._start_timeout = start_timeout
        self._close_timeout = close_timeout
        self._lock = threading.Lock()
        self._server: Optional[Server] = None
        self._restarts = Restarts()
        self._is_closed = False
        self._info: Optional[InitializeResult] = None

    @classmethod
    def start(
        cls,
        *,
        ui: Optional[Ui] = None,
        llm: Optional[Llm] = None,
        client: Optional[Mapping[str, str]] = None,
        binary: Optional[str] = None,
        on_restart: Optional[Callable[[ProcessExit], object]] = None,
        on_wake: Optional[Callable[[WakeParams], object]] = None,
        on_stderr: Optional[Callable[[str], object]] = None,
        start_timeout: float = 30.0,
        close_timeout: float = 10.0,
        **options: Unpack[Options],
    ) -> Hookshell:
        """Starts ``hookshell serve``. ``options`` hold for every request that does not say otherwise: see ``protocol.Options``.

        ``ui`` and ``llm`` answer what hooks ask; ``client`` is the host's ``name`` and ``version``, for logs; ``binary`` is the program's
        absolute path, looked for by ``find_binary`` unless given; ``on_restart`` is called when the process was started again
        after a crash (without it a HookshellWarning says so); ``on_wake`` when a hook of the background tells the model something
        (Claude Code's ``"asyncRewake": true``, exit code 2), long after its event was answered; ``on_stderr`` gets what hookshell
        writes to standard error; the timeouts are in seconds.

        Raises BinaryNotFoundError, StartError where it does not speak this protocol, RequestError where an option is wrong.
        """
        requests = Requests(client, ui is not None, llm is not None, options)
        hookshell = cls(binary or find_binary(), requests, ui, llm, on_restart, on_wake, on_stderr, start_timeout, close_timeout)
        with hookshell._lock:
            hookshell._connect()
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

    def run_hooks(
        self,
        event: Optional[str] = None,
        *,
        payload: Optional[Mapping[str, Any]] = None,
        tool: Optional[str] = None,
        input: Optional[Mapping[str, Any]] = None,
        prompt: Optional[str] = None,
        output: Optional[str] = None,
        on_progress: Optional[Callable[[ProgressParams], object]] = None,
        cancel: Optional[CancelToken] = None,
        **options: Unpack[Options],
    ) -> RunResult:
        """Runs the hooks of an event and gives the verdict.

        The event is ``event`` with ``tool`` and ``input``, or with ``prompt``; or ``payload``, as the agent's own hooks get it.
        An error is no verdict: take it for a deny where the hooks are to guard something.
        """
        fields = {"event": event, "payload": payload, "tool": tool, "input": input, "prompt": prompt, "output": output}
        params = self._requests.run(fields, on_progress is not None, options)
        on_notice = None if on_progress is None else lambda method, progress: on_progress(progress)
        return cast(RunResult, self._request("hooks/run", params, cancel, on_notice))

    def exec(
        self,
        command: str,
        *,
        stdin: Union[str, bytes, None] = None,
        timeout: Optional[float] = None,
        grace: Optional[float] = None,
        merge_stderr: Optional[bool] = None,
        on_output: Optional[Callable[[OutputChunk], object]] = None,
        max_output: int = MAX_OUTPUT,
        cancel: Optional[CancelToken] = None,
        **options: Unpack[Options],
    ) -> ExecOutcome:
        """Runs one command in the in-process shell, as an agent's shell tool does. Its failure is a result, no error.

        ``timeout`` and ``grace`` are in seconds. ``on_output`` is called in this thread with the output as it comes; while it works, the
        command's writing waits when 1 MiB is on its way; an error that it raises cancels the command. Without it the output is
        in the result, up to ``max_output`` bytes of each stream.
        """
        fields = {"timeout": timeout, "grace": grace, "merge_stderr": merge_stderr}
        params = self._requests.exec(command, stdin, max_output, fields, options)
        collector = Collector(max_output)
        take = on_output or collector.push
        done = Acknowledger()
        server = self._connected()
        number: List[int] = []

        def on_notice(method: str, output: Any) -> None:
            chunk = OutputChunk(output)
            take(chunk)
            acknowledged = done.add(chunk)
            if acknowledged:
                server.notify("shell/ack", {"id": number[0], "bytes": acknowledged})

        result = self._ask(server, "shell/exec", params, cancel, on_notice, number.append)
        return cast(ExecOutcome, collector.outcome(result))

    def explain(self, command: Optional[str] = None, *, cancel: Optional[CancelToken] = None, **options: Unpack[Options]) -> ExplainResult:
        """Shows how a command would run, or without one which hooks would run and how. Nothing is run."""
        params: Dict[str, Any] = {"options": self._requests.options(options)}
        if command is not None:
            params["command"] = command
        return cast(ExplainResult, self._request("explain", params, cancel))

    def check(
        self,
        files: Optional[List[str]] = None,
        *,
        portable: bool = False,
        cancel: Optional[CancelToken] = None,
        **options: Unpack[Options],
    ) -> CheckResult:
        """Checks hook configs and the scripts that they name."""
        return cast(CheckResult, self._request("check", self._requests.check(files, portable, options), cancel))

    def doctor(self, *, cancel: Optional[CancelToken] = None, **options: Unpack[Options]) -> DoctorResult:
        """Shows what this machine has that hooks use."""
        params = {"options": self._requests.options(options)}
        return cast(DoctorResult, self._request("doctor", params, cancel))

    def session_end(self, session: Optional[str] = None) -> None:
        """Ends a session, that of ``start`` unless given: its background hooks and modules end.

        A ``run_hooks`` of it that still runs in another thread raises CancelledError.
        It runs no ``SessionEnd`` hooks: send that event with ``run_hooks`` first.
        """
        self._request("session/end", {} if session is None else {"session": session}, None)

    def close(self) -> None:
        """Ends the process and all that it started. Requests that are under way fail with ClosedError.

        In a process that was forked from the one that started it, it does nothing.
        """
        server = self._server
        if server is not None and server.is_forked:
            return
        with self._lock:
            self._is_closed = True
            server, self._server = self._server, None
        if server is not None:
            server.close(self._close_timeout)

    def __enter__(self) -> Hookshell:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    # The process

    def _connected(self) -> Server:
        server = self._server
        if server is not None and (server.exit is None or server.is_forked):
            return server
        with self._lock:
            if self._is_closed:
                raise ClosedError()
            if self._server is not None and self._server.exit is None:
                return self._server
            if self._server is not None:
                self._restarts.crash = self._server.exit
                self._server = None
            exit = self._restarts.next()
            self._requests.again()
            server = self._connect()
        if self._on_restart is not None:
            guarded(self._on_restart, exit)
        else:
            warnings.warn(restart_message(exit), HookshellWarning, stacklevel=4)
        return server

    def _connect(self) -> Server:
        server = Server(
            self._binary,
            may_block=True,
            on_question=self._on_question,
            on_notification=self._on_notification,
            on_stderr=lambda text: guarded(self._on_stderr, text),
            on_exit=lambda exit: None,
        )
        late = threading.Event()

        def give_up() -> None:
            late.set()
            server.kill()

        timer = threading.Timer(self._start_timeout, give_up)
        timer.daemon = True
        timer.start()
        try:
            info = checked_info(self._binary, server.request("initialize", self._requests.initialize)[1].result())
        except HookshellError as error:
            server.kill()
            raised = start_error(self._binary, error, late.is_set())
            raise raised from (None if raised is error else error)
        finally:
            timer.cancel()
        self._info = cast(InitializeResult, info)
        server.max_message_bytes = info["limits"]["max_message_bytes"]
        self._server = server
        return server

    def _request(
        self,
        method: str,
        params: Any,
        cancel: Optional[CancelToken],
        on_notice: Optional[Callable[[str, Any], object]] = None,
    ) -> Any:
        return self._ask(self._connected(), method, params, cancel, on_notice, None)

    @staticmethod
    def _ask(
        server: Server,
        method: str,
        params: Any,
        cancel: Optional[CancelToken],
        on_notice: Optional[Callable[[str, Any], object]],
        on_number: Optional[Callable[[int], object]],
    ) -> Any:
        if cancel is not None and cancel.is_cancelled:
            raise CancelledError(method)
        # Notifications are handled in this thread, and the answer after them: None stands for it.
        notices: Optional[queue.SimpleQueue[Optional[Tuple[str, Any]]]] = None
        if on_notice is None:
            number, future = server.request(method, params, is_awaited=True)
        else:
            notices = queue.SimpleQueue()
            put = notices.put
            number, future = server.request(method, params, lambda name, value: put((name, value)))
            future.add_done_callback(lambda _: put(None))
        if on_number is not None:
            on_number(number)
        key = cancel._add(lambda: server.cancel(number)) if cancel is not None else None
        try:
            if notices is not None and on_notice is not None:
                while True:
                    notice = notices.get()
                    if notice is None:
                        break
                    on_notice(*notice)
            else:
                server.wait(future)
            result = future.result()
        except BaseException as error:
            # Of the caller's function, or Ctrl-C: what the request had started ends too.
            if not future.done():
                server.cancel(number)
                if isinstance(error, Exception):
                    future.exception()
            raise
        finally:
            if cancel is not None and key is not None:
                cancel._remove(key)
        if cancel is not None and cancel.is_cancelled:
            raise CancelledError(method)
        return result

    # What hooks ask

    def _on_notification(self, method: str, params: Any) -> None:
        if method == "ui/notify" and self._ui is not None:
            arguments = (self._ui.notify, params["message"], params["level"])
            threading.Thread(target=guarded, args=arguments, name="hookshell-notify", daemon=True).start()
        elif method == "hooks/wake" and self._on_wake is not None:
            threading.Thread(target=guarded, args=(self._on_wake, params), name="hookshell-wake", daemon=True).start()

    def _on_question(self, question: Question) -> None:
        threading.Thread(target=self._answer, args=(question,), name="hookshell-question", daemon=True).start()

    def _answer(self, question: Question) -> None:
        try:
            result = answer_of(self._ui, self._llm, question)
        except Exception as error:  # noqa: BLE001
            question.fail(f"{type(error).__name__}: {error}")
            return
        if result is None:
            question.is_unknown()
        else:
            question.answer(result)


def answer_of(ui: Optional[Ui], llm: Optional[Llm], question: Question) -> Optional[Dict[str, Any]]:
    """The host's answer to a question; None where it does not know the method."""
    params = question.params
    if question.method == "llm/complete" and llm is not None:
        return cast(Dict[str, Any], llm.complete(params))
    if ui is None:
        return None
    if question.method == "ui/select":
        return {"selected": ui.select(params["title"], params["options"])}
    if question.method == "ui/confirm":
        return {"confirmed": ui.confirm(params["title"], params["message"]) is True}
    if question.method == "ui/input":
        return {"text": ui.input(params["title"], params["placeholder"])}
    return None
