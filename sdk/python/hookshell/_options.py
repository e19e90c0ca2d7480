"""What the two clients have in common: the parameters of requests, and when the process is started again."""

from __future__ import annotations

import base64
import os
from typing import Any, Callable, Dict, Mapping, Optional, Union

from ._exec import WINDOW
from .errors import INVALID_PARAMS, HookshellError, InvalidParamsError, ProcessExit, ServerCrashedError, StartError
from .protocol import PROTOCOL_VERSION

#: The version of this package.
VERSION = "0.1.0"

#: How often the process is started again after a crash.
MAX_RESTARTS = 1

#: What is left out holds as it was said at the start; ``None`` is as left out.
_PATHS = ("configs", "hooks")


def absolute_options(options: Mapping[str, Any], base: str) -> Dict[str, Any]:
    """The options with absolute paths: the process's working directory is not the caller's."""
    made = {name: value for name, value in options.items() if value is not None}
    cwd = os.path.join(base, os.fspath(made["cwd"])) if "cwd" in made else base
    if "cwd" in made:
        made["cwd"] = os.path.normpath(cwd)
    if "project" in made:
        made["project"] = os.path.normpath(os.path.join(cwd, os.fspath(made["project"])))
    for name in _PATHS:
        if name in made:
            made[name] = absolute_paths(made[name], cwd)
    return made


def absolute_paths(paths: Any, base: str) -> Any:
    """The paths of a list. A single path is no list, though its characters could be taken for one: the server says so."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        return os.fsdecode(paths)
    return [os.path.normpath(os.path.join(base, os.fspath(path))) for path in paths]


def working_directory() -> str:
    """That of the host; where it was removed, one that has no relative paths."""
    try:
        return os.getcwd()
    except OSError:
        return os.environ.get("PWD") or os.path.abspath(os.sep)


class Requests:
    """Makes the parameters of requests."""

    def __init__(self, client: Optional[Mapping[str, str]], ui: bool, llm: bool, options: Mapping[str, Any]) -> None:
        self._cwd = working_directory()
        defaults = absolute_options(options, self._cwd)
        #: What paths of later requests are relative to, wherever the host is by then.
        self._cwd = defaults.get("cwd", self._cwd)
        self.initialize: Dict[str, Any] = {
            "protocol_version": PROTOCOL_VERSION,
            "client": dict(client) if client else {"name": "hookshell (PyPI)", "version": VERSION},
            "capabilities": {"ui": ui, "llm": llm},
            "defaults": defaults,
        }

    def again(self) -> None:
        """The process is started again: it works in the directory in which the first one was started."""
        self.initialize["defaults"]["cwd"] = self._cwd

    def options(self, options: Mapping[str, Any]) -> Dict[str, Any]:
        if not options:
            # Most requests have none.
            return {}
        return absolute_options(options, self._cwd)

    def run(self, fields: Mapping[str, Any], progress: bool, options: Mapping[str, Any]) -> Dict[str, Any]:
        event = {name: value for name, value in fields.items() if value is not None}
        return {**event, "progress": progress, "options": self.options(options)}

    def exec(
        self, command: str, stdin: Union[str, bytes, None], max_output: int, fields: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Dict[str, Any]:
        if not max_output >= 0:
            message = f"`max_output` must be a number that is not negative, found {max_output}"
            raise InvalidParamsError("shell/exec", INVALID_PARAMS, message)
        params = {name: value for name, value in fields.items() if value is not None}
        params.update(command=command, window=WINDOW, options=self.options(options))
        if isinstance(stdin, str):
            params["stdin"] = stdin
        elif stdin is not None:
            params["stdin_base64"] = base64.b64encode(stdin).decode()
        return params

    def check(self, files: Any, portable: bool, options: Mapping[str, Any]) -> Dict[str, Any]:
        made = self.options(options)
        params: Dict[str, Any] = {"portable": portable, "options": made}
        if files is not None:
            params["files"] = absolute_paths(files, made.get("cwd", self._cwd))
        return params


def checked_info(binary: str, info: Any) -> Dict[str, Any]:
    """The answer to ``initialize``, if it is of this version of the protocol."""
    version = info.get("protocol_version") if isinstance(info, dict) else None
    if not isinstance(info, dict) or version != PROTOCOL_VERSION:
        raise StartError(f"{binary} speaks version {version} of the protocol, this client {PROTOCOL_VERSION}")
    return info


def start_error(binary: str, error: HookshellError, is_late: bool) -> HookshellError:
    """What ``start`` raises where ``initialize`` failed."""
    if is_late:
        return StartError(f"{binary} has not answered in time")
    return StartError(f"{binary} serve: {error}") if isinstance(error, ServerCrashedError) else error


class Restarts:
    """Whether the process may be started again."""

    def __init__(self) -> None:
        self._count = 0
        #: How the last process ended, where it was not closed.
        self.crash: Optional[ProcessExit] = None

    def next(self) -> ProcessExit:
        """Counts a restart, and says how the process that is replaced ended. Raises ServerCrashedError if there was one before."""
        if self.crash is None or self._count >= MAX_RESTARTS:
            what = f"not started again after {self._count + 1} crashes (a new Hookshell may be started)"
            raise ServerCrashedError(what, self.crash or ProcessExit(None))
        self._count += 1
        return self.crash


def restart_message(exit: ProcessExit) -> str:
    return f"{ServerCrashedError('started again', exit)}. What the sessions had started is lost"


def guarded(callback: Optional[Callable[..., Any]], *arguments: Any) -> None:
    """Calls a function of the host's in a thread of ours: its error is reported like any thread's and breaks nothing here."""
    if callback is None:
        return
    try:
        callback(*arguments)
    except Exception:  # noqa: BLE001
        import sys
        import threading

        threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread())))
