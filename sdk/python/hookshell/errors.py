"""What can go wrong, as classes: catch ``HookshellError`` for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple, Type

__all__ = [
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
]


class HookshellWarning(UserWarning):
    """The process was started again after a crash."""


class HookshellError(Exception):
    """The base class of all errors of this package's client."""

    def __reduce__(self) -> Tuple[Any, ...]:
        """It may cross to another process: a pool's worker that raises what cannot be unpickled leaves its parent waiting."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: Type[HookshellError], arguments: Tuple[Any, ...], members: Dict[str, Any]) -> HookshellError:
    error = kind.__new__(kind)
    error.args = arguments
    error.__dict__.update(members)
    return error


class BinaryNotFoundError(HookshellError):
    """There is no program ``hookshell``. ``tried`` says where it was looked for."""

    def __init__(self, tried: Sequence[str]) -> None:
        super().__init__(f"hookshell was not found: {'; '.join(tried)}. Install a wheel for this platform, or set HOOKSHELL_BIN")
        self.tried = list(tried)


class StartError(HookshellError):
    """The process could not be started, or did not answer ``initialize`` as hookshell does."""


@dataclass(frozen=True)
class ProcessExit:
    """How a process ended."""

    #: Its exit code; minus the signal's number where a signal ended it; None where it is not known.
    code: Optional[int]
    #: The end of what it wrote to standard error.
    stderr: str = ""


class ServerCrashedError(HookshellError):
    """The process ended while it was needed.

    The request may have done a part of its work, so it is not sent once more: the caller decides. The next request starts the
    process again, once.
    """

    def __init__(self, what: str, exit: ProcessExit) -> None:
        code = exit.code
        how = "" if code is None else f" by signal {-code}" if code < 0 else f" with exit code {code}"
        stderr = exit.stderr.strip()
        super().__init__(f"{what}: hookshell serve ended{how}{': ' if stderr else ''}{stderr}")
        self.exit = exit


class ClosedError(HookshellError):
    """The client was closed, before the request or during it. Or this process was forked from the one that started it."""

    def __init__(self, message: str = "this Hookshell is closed") -> None:
        super().__init__(message)


class CancelledError(HookshellError):
    """The request was cancelled. What it had started has ended."""

    def __init__(self, method: str) -> None:
        super().__init__(f"{method} was cancelled")


class RequestError(HookshellError):
    """The server answered a request with an error. The other requests are not concerned."""

    def __init__(self, method: str, code: int, message: str, data: Optional[Dict[str, Any]] = None) -> None:
        data = data or {}
        #: What to do about it.
        self.hint: Optional[str] = data.get("hint")
        super().__init__(f"{method}: {message}{f' ({self.hint})' if self.hint else ''}")
        self.method = method
        #: The code of the protocol's table of errors.
        self.code = code
        #: What is wrong, each thing by itself: a config may have several errors.
        self.reasons: List[str] = list(data.get("reasons") or [])
        #: The exit code that the same command of the command line has for it (64 to 74).
        self.exit_code: Optional[int] = data.get("exit_code")


class RequestFailedError(RequestError):
    """The work could not be done: a config that cannot be read, a directory that is not there."""


class InvalidParamsError(RequestError):
    """A parameter is missing, unknown or of the wrong type."""


class MethodNotFoundError(RequestError):
    """This version of hookshell does not have the method."""


class BusyError(RequestError):
    """Too many requests wait. Nothing was run: ask again later."""


class MessageTooLargeError(RequestError):
    """The request is longer than the protocol allows. Nothing was run."""


#: The code of a request that was cancelled.
CANCELLED = -32800

#: The code of an error in a handler of the host's.
INTERNAL_ERROR = -32603

METHOD_NOT_FOUND = -32601

INVALID_PARAMS = -32602

MESSAGE_TOO_LARGE = -32004

_CLASSES: Dict[int, Type[RequestError]] = {
    -32000: RequestFailedError,
    METHOD_NOT_FOUND: MethodNotFoundError,
    INVALID_PARAMS: InvalidParamsError,
    -32003: BusyError,
    MESSAGE_TOO_LARGE: MessageTooLargeError,
}


def request_error(method: str, error: Any) -> HookshellError:
    """The error that stands for the member ``error`` of a response."""
    fields = error if isinstance(error, dict) else {}
    code, message, data = fields.get("code"), fields.get("message"), fields.get("data")
    if code == CANCELLED:
        return CancelledError(method)
    number = code if isinstance(code, int) else INTERNAL_ERROR
    text = message if isinstance(message, str) else "no message"
    return _CLASSES.get(number, RequestError)(method, number, text, data if isinstance(data, dict) else None)
