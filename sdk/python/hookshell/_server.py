"""One process ``hookshell serve``, and the JSON-RPC conversation with it. It knows neither asyncio nor who waits."""

from __future__ import annotations

import itertools
import json
import os
import select
import subprocess
import sys
import threading
import weakref
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple, Union

from .errors import (
    CANCELLED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    MESSAGE_TOO_LARGE,
    METHOD_NOT_FOUND,
    ClosedError,
    HookshellError,
    InvalidParamsError,
    MessageTooLargeError,
    ProcessExit,
    ServerCrashedError,
    StartError,
    request_error,
)

#: The longest line that is taken from the server, in bytes. Hooks' output is bounded, so that no result comes near.
MAX_LINE = 256 * 1024 * 1024

#: How much of the end of standard error is kept for the message of a crash, in characters.
STDERR_TAIL = 4096

#: How long the end of the output is awaited after the process has ended, in seconds.
DRAIN = 0.5

#: So many bytes can be written without waiting to a pipe that is ready; 0 where the system does not say so.
ATOMIC_WRITE = getattr(select, "PIPE_BUF", 0) if hasattr(select, "poll") else 0

#: How long the reader's thread leaves the reading to who asks: so long after an answer it reads again, in seconds.
STAND_BY = 0.005

#: How often who reads for itself looks whether its answer came another way, in milliseconds.
LOOK = 100

#: How much is read at once.
CHUNK = 65536

#: Why a process that was forked cannot use what its parent has started.
FORKED = "another process started this Hookshell, and this one was forked from it: start one here"

QuestionId = Union[int, str]

#: Called in the reader's thread, with the method and the parameters: it must not wait for anything.
Listener = Callable[[str, Any], None]


#: Makes JSON; made once, which takes as long as a short message.
_encode = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode


class Answer:
    """What will have the result of a request, or its error. It is settled once; what cancels a request is a message.

    A ``concurrent.futures.Future`` wakes who waits while it holds the lock that this one needs next: one more change of threads for each
    event.
    """

    __slots__ = ("_callbacks", "_error", "_is_done", "_lock", "_result", "_waiter")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: Held until there is an answer.
        self._waiter = threading.Lock()
        self._waiter.acquire()
        self._is_done = False
        self._result: Any = None
        self._error: Optional[BaseException] = None
        self._callbacks: List[Callable[[Answer], None]] = []

    def done(self) -> bool:
        return self._is_done

    def result(self) -> Any:
        """Waits for the answer, and raises its error."""
        error = self.exception()
        if error is None:
            return self._result
        try:
            raise error
        finally:
            # Else the error, its trace, and what stands on this stack hold each other.
            del error

    def exception(self) -> Optional[BaseException]:
        """Waits for the answer: its error, or None."""
        if not self._is_done:
            self._waiter.acquire()
            self._release()
        return self._error

    def _release(self) -> None:
        try:
            self._waiter.release()
        except RuntimeError:
            # It was settled twice.
            pass

    def add_done_callback(self, callback: Callable[[Answer], None]) -> None:
        """Has it called once there is an answer: in the reader's thread, or here where there is one."""
        with self._lock:
            if not self._is_done:
                self._callbacks.append(callback)
                return
        callback(self)

    def settle(self, result: Any, error: Optional[BaseException] = None) -> None:
        """Settles it. What a Ctrl-C has cut short may be done again."""
        with self._lock:
            if not self._is_done:
                self._result, self._error = result, error
                self._is_done = True
        self._release()
        for callback in self._callbacks:
            callback(self)
        self._callbacks = []


class Turn:
    """The reading, while a thread has it that waits for an answer."""

    __slots__ = ("is_over", "poll", "thread")

    def __init__(self, poll: Any) -> None:
        #: Waits for input: one that is waited in already takes no second wait.
        self.poll = poll
        self.thread = threading.get_ident()
        #: It was handed over to the reader's thread.
        self.is_over = False


class Input:
    """The lines of a descriptor. A Ctrl-C, which may come between any two steps, loses nothing of them."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        #: What has come, and after it what has no end of a line yet. They change together.
        self._state: Tuple[bytes, List[bytes]] = (b"", [])
        #: Does a wait for a line end when the reading was handed over?
        self.can_be_left = hasattr(select, "poll")
        if self.can_be_left:
            # A signal's handler may hand the reading over: who comes back from it must not wait in a read.
            os.set_blocking(descriptor, False)
        self._own = self.turn()

    def turn(self) -> Turn:
        """For a thread that reads."""
        poll: Any = None
        if self.can_be_left:
            poll = select.poll()
            poll.register(self._descriptor, select.POLLIN)
        return Turn(poll)

    def line(self, turn: Optional[Turn]) -> Optional[bytes]:
        """The next line, which stays until it is dropped; empty at the end. None where the turn is over, or after a moment."""
        while True:
            whole, chunks = self._state
            if chunks and (not chunks[-1] or b"\n" in chunks[-1]):
                is_end = not chunks[-1]
                whole = whole + b"".join(chunks)
                self._state = (whole, [])
                if is_end and b"\n" not in whole:
                    return whole
                continue
            end = whole.find(b"\n")
            if end >= 0:
                return whole[: end + 1]
            if sum(map(len, chunks)) + len(whole) > MAX_LINE:
                raise ValueError("a line is too long")
            poll = (turn or self._own).poll
            if poll is not None and not poll.poll(None if turn is None else LOOK):
                return None
            if turn is not None and turn.is_over:
                return None
            try:
                # One step: what was read is kept before anything else can happen.
                chunks.extend(map(os.read, (self._descriptor,), (CHUNK,)))
            except BlockingIOError:
                pass

    def drop(self, line: bytes) -> None:
        """Drops the line that :meth:`line` gave."""
        whole, chunks = self._state
        self._state = (whole[len(line) :], chunks)


class Pending:
    """A request that waits for its answer."""

    __slots__ = ("answer", "listener", "method")

    def __init__(self, method: str, listener: Optional[Listener]) -> None:
        self.method = method
        self.listener = listener
        self.answer = Answer()


class Question:
    """What a hook asks the host. It is answered once: what comes later is passed over."""

    def __init__(self, server: Server, id: QuestionId, method: str, params: Any) -> None:
        self._server = server
        self._id = id
        self.method = method
        self.params = params
        #: Called when nobody waits for the answer any more.
        self.on_cancel: Optional[Callable[[], None]] = None

    @property
    def is_settled(self) -> bool:
        """Was it answered or cancelled?"""
        return self._server.questions.get(self._id) is not self

    def answer(self, result: Any) -> None:
        self._settle({"result": result})

    def fail(self, message: str, code: int = INTERNAL_ERROR) -> None:
        self._settle({"error": {"code": code, "message": message}})

    def is_unknown(self) -> None:
        self.fail(f"this client does not answer {self.method}", METHOD_NOT_FOUND)

    def cancel(self) -> None:
        self.fail("cancelled", CANCELLED)
        if self.on_cancel is not None:
            self.on_cancel()

    def _settle(self, rest: Dict[str, Any]) -> None:
        if self._server.questions.get(self._id) is self:
            del self._server.questions[self._id]
            self._server.send({"jsonrpc": "2.0", "id": self._id, **rest})


class Server:
    """A running process. All its methods may be called from any thread."""

    def __init__(
        self,
        binary: str,
        *,
        may_block: bool,
        on_question: Callable[[Question], None],
        on_notification: Listener,
        on_stderr: Callable[[str], None],
        on_exit: Callable[[ProcessExit], None],
    ) -> None:
        self.exit: Optional[ProcessExit] = None
        self.questions: Dict[QuestionId, Question] = {}
        #: The longest message that the server takes, in bytes.
        self.max_message_bytes = 16 * 1024 * 1024
        self._may_block = may_block
        self._on_question = on_question
        self._on_notification = on_notification
        self._on_stderr = on_stderr
        self._on_exit = on_exit
        #: The process that started it. One that is forked from that has none of its threads, and would take its answers away.
        self._host = os.getpid()
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._pending: Dict[int, Pending] = {}
        self._is_closing = False
        #: Held by who reads.
        self._reading = threading.Lock()
        self._turn: Optional[Turn] = None
        #: The reader's thread is to read.
        self._is_wanted = threading.Event()
        #: How many messages were read by who waited for an answer.
        self._served = 0
        self._is_over = False
        self._stderr = ""
        self._write_lock = threading.Lock()
        self._has_output = threading.Condition(self._write_lock)
        #: What the writer's thread has not written yet; the first may be written in part.
        self._output: Deque[bytes] = deque()
        self._writer: Optional[threading.Thread] = None
        try:
            self._process = subprocess.Popen(
                [binary, "serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # A Ctrl-C in the host's terminal is for the host: what it means for a turn, the host says by cancelling.
                start_new_session=sys.platform != "win32",
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            raise StartError(f"{binary} cannot be started: {error}") from error
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input = Input(self._process.stdout.fileno())
        self._stdin = self._process.stdin.fileno()
        self._poll: Any = None
        if ATOMIC_WRITE:
            self._poll = select.poll()
            self._poll.register(self._stdin, select.POLLOUT)
        _SERVERS.add(self)
        self._stderr_thread = self._thread(self._read_stderr)
        self._reader = self._thread(self._read)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_forked(self) -> bool:
        """Is this another process than the one that started it? Its locks may be held there by threads that are not here."""
        return os.getpid() != self._host

    def leave(self) -> None:
        """Closes what a process that was just forked has of the pipes: they must end when the host ends."""
        self._stdin = -1
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def request(self, method: str, params: Any, listener: Optional[Listener] = None, *, is_awaited: bool = False) -> Tuple[int, Answer]:
        """Sends a request: its number, and what will have its result or a HookshellError.

        ``is_awaited``: the caller will :meth:`wait` for it.
        """
        if self.is_forked:
            raise ClosedError(FORKED)
        self._hand_over()
        id = next(self._ids)
        try:
            line = _encode({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode()
        except (TypeError, ValueError, RecursionError) as error:
            # `json.loads` takes NaN, so that a model's arguments may have it.
            raise InvalidParamsError(method, INVALID_PARAMS, f"the parameters are not JSON: {error}") from error
        if len(line) > self.max_message_bytes:
            message = f"the request has more than {self.max_message_bytes} bytes"
            raise MessageTooLargeError(method, MESSAGE_TOO_LARGE, message)
        pending = Pending(method, listener)
        with self._lock:
            if self._is_closing and method != "shutdown":
                raise ClosedError()
            if self.exit is not None:
                raise ServerCrashedError(method, self.exit)
            self._pending[id] = pending
        self._write(line + b"\n")
        if not is_awaited:
            self._is_wanted.set()
        return id, pending.answer

    def wait(self, answer: Answer) -> None:
        """Waits for an answer. Where nobody reads, this thread does meanwhile: to be woken by another one takes as long as a short hook."""
        turn = self._input.turn()
        held: List[bool] = []
        try:
            if self._input.can_be_left and not answer.done():
                # One step: a Ctrl-C comes before it or after it.
                held.extend(map(self._reading.acquire, (False,)))
            if held and held[0]:
                self._turn = turn
                while not answer.done() and not turn.is_over:
                    taken = self._take_message(turn)
                    if taken is False:
                        break
                    self._served += 1
        finally:
            if held and held[0] and not turn.is_over:
                self._turn = None
                self._reading.release()
                # Others wait as well; or it is over.
                if self._pending or self._is_over:
                    self._is_wanted.set()
        answer.exception()

    def _hand_over(self) -> None:
        """Leaves the reading to the reader's thread where this one has it already: it is in a signal's handler, or what is like it."""
        turn = self._turn
        if turn is not None and turn.thread == threading.get_ident():
            turn.is_over = True
            self._turn = None
            self._reading.release()
            self._is_wanted.set()

    def notify(self, method: str, params: Any) -> None:
        """Sends a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def cancel(self, id: int) -> None:
        """Cancels a request: it is answered when what it had started has ended."""
        self.notify("$/cancel", {"id": id})

    def send(self, message: Dict[str, Any]) -> None:
        if self.is_forked:
            return
        self._write(_encode(message).encode() + b"\n")

    def close(self, max_wait: float) -> None:
        """Ends the process: ``shutdown`` and ``exit``, and a kill where it has not ended after ``max_wait`` seconds."""
        if self.is_forked:
            return
        with self._lock:
            self._is_closing = True
        self._reject_all(lambda _: ClosedError())
        self._cancel_questions()
        timer = threading.Timer(max_wait, self.kill)
        timer.daemon = True
        timer.start()
        try:
            try:
                # It answers `shutdown` when all it started has ended. If it crashes meanwhile, it is closed too.
                self.request("shutdown", {})[1].result()
            except HookshellError:
                pass
            self.notify("exit", {})
            self._reader.join()
        finally:
            timer.cancel()

    def kill(self) -> None:
        """Ends the process at once."""
        self._process.kill()

    # Writing

    def _write(self, line: bytes) -> None:
        with self._write_lock:
            if self._stdin < 0:
                return
            if not self._output and self._is_quick(line):
                self._write_all(line)
                return
            self._output.append(line)
            if self._writer is None:
                self._writer = self._thread(self._write_output)
            self._has_output.notify()

    def _is_quick(self, line: bytes) -> bool:
        """May it be written by the caller? A caller that must not wait writes only what the pipe has room for."""
        return self._may_block or (len(line) <= ATOMIC_WRITE and bool(self._poll.poll(0)))

    def _write_all(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._stdin, rest) :]
        except OSError:
            # It has ended: the reader tells everybody.
            pass

    def _write_output(self) -> None:
        while True:
            with self._has_output:
                while not self._output:
                    if self._stdin < 0:
                        return
                    self._has_output.wait()
                line = self._output[0]
            # It stays in the queue until it is written: nobody writes before it.
            self._write_all(line)
            with self._write_lock:
                if self._output:
                    self._output.popleft()

    # Reading

    @staticmethod
    def _thread(target: Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=target, name="hookshell", daemon=True)
        thread.start()
        return thread

    def _read_stderr(self) -> None:
        assert self._process.stderr is not None
        descriptor = self._process.stderr.fileno()
        while True:
            try:
                text = os.read(descriptor, 65536).decode("utf-8", "replace")
            except OSError:
                return
            if not text:
                return
            self._stderr = (self._stderr + text)[-STDERR_TAIL:]
            self._on_stderr(text)

    def _read(self) -> None:
        while True:
            with self._reading:
                if not self._take_message(None):
                    break
            self._stand_by()
        self._finish()

    def _stand_by(self) -> None:
        """Who has its answer often asks again at once, and reads for itself then."""
        while self._may_block and self._input.can_be_left and not self._pending:
            served = self._served
            if self._is_wanted.wait(STAND_BY) or self._served == served:
                break
        self._is_wanted.clear()

    def _take_message(self, turn: Optional[Turn]) -> Optional[bool]:
        """Reads a message and does what it says; False at the end, None where nothing has come. The caller has the reading."""
        if self._is_over:
            return False
        try:
            line = self._input.line(turn)
            if line is None:
                return None
            if line.endswith(b"\n"):
                # It may be done twice, where a Ctrl-C comes in between.
                self._on_message(json.loads(line))
                self._input.drop(line)
                return True
            if line:
                raise ValueError("a line without an end")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            # It says what is not the protocol: it is of no use any more.
            self._stderr = f"{self._stderr}\nit sent what is not the protocol: {error!r}"[-STDERR_TAIL:]
            self.kill()
        self._is_over = True
        return False

    def _finish(self) -> None:
        # Its output may end before it does.
        code = self._process.wait()
        # What it leaves behind after a crash may hold its standard error open.
        self._stderr_thread.join(DRAIN)
        with self._lock:
            self.exit = ProcessExit(code, self._stderr)
        with self._write_lock:
            self._stdin = -1
            self._output.clear()
            self._has_output.notify_all()
            writer = self._writer
        if writer is not None:
            writer.join()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        if not self._stderr_thread.is_alive() and self._process.stderr is not None:
            self._process.stderr.close()
        exit = self.exit
        self._reject_all(lambda method: ServerCrashedError(method, exit))
        self._cancel_questions()
        self._on_exit(exit)

    def _reject_all(self, error: Callable[[str], HookshellError]) -> None:
        with self._lock:
            pending, self._pending = list(self._pending.values()), {}
        for one in pending:
            one.answer.settle(None, error(one.method))

    def _cancel_questions(self) -> None:
        for question in list(self.questions.values()):
            question.cancel()

    def _on_message(self, message: Dict[str, Any]) -> None:
        method = message.get("method")
        id = message.get("id")
        if method is None:
            self._on_response(id, message)
        elif id is None:
            self._on_notice(method, message.get("params"))
        else:
            question = Question(self, id, method, message.get("params"))
            self.questions[id] = question
            self._on_question(question)

    def _on_response(self, id: Any, message: Dict[str, Any]) -> None:
        with self._lock:
            pending = self._pending.get(id)
        if pending is None:
            return
        if message.get("error") is not None:
            pending.answer.settle(None, request_error(pending.method, message["error"]))
        else:
            pending.answer.settle(message.get("result"))
        with self._lock:
            self._pending.pop(id, None)

    def _on_notice(self, method: str, params: Any) -> None:
        if method == "$/cancel":
            question = self.questions.get(params["id"])
            if question is not None:
                question.cancel()
            return
        id = params.get("id")
        if id is None:
            self._on_notification(method, params)
            return
        with self._lock:
            pending = self._pending.get(id)
        if pending is not None and pending.listener is not None:
            pending.listener(method, params)


#: Those that this process has started.
_SERVERS: weakref.WeakSet[Server] = weakref.WeakSet()


def _leave_all() -> None:
    for server in list(_SERVERS):
        server.leave()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)
