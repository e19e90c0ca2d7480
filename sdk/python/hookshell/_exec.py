"""The output of ``shell/exec``: collected, or given to the caller as it comes."""

from __future__ import annotations

import base64
from typing import Any, Dict, List, Optional, Union

from .protocol import ExecResult, OutputStream

#: How many bytes of output may be on their way before the caller has done its work with them.
WINDOW = 1024 * 1024

#: How many bytes of each stream are kept unless the caller says otherwise.
MAX_OUTPUT = 16 * 1024 * 1024


class OutputChunk:
    """Something that a command has written."""

    __slots__ = ("_bytes", "_text", "stream")

    def __init__(self, params: Dict[str, Any]) -> None:
        self.stream: OutputStream = params["stream"]
        self._text: Optional[str] = params.get("text")
        self._bytes: Optional[bytes] = None
        if self._text is None:
            self._bytes = base64.b64decode(params.get("base64") or "")

    @property
    def text(self) -> str:
        """As text; bytes that are not UTF-8 become U+FFFD. A character is never divided between two chunks."""
        return self.bytes.decode("utf-8", "replace") if self._text is None else self._text

    @property
    def bytes(self) -> bytes:
        """The bytes as they were written."""
        if self._bytes is None:
            self._bytes = (self._text or "").encode()
        return self._bytes

    def __len__(self) -> int:
        return len(self.bytes)

    def __repr__(self) -> str:
        data: Union[str, bytes] = self.bytes if self._text is None else self._text
        return f"OutputChunk({self.stream!r}, {data!r})"


class ExecOutcome(ExecResult):
    """What ``exec`` gives."""

    #: What was written to standard output; "" where ``on_output`` was given.
    stdout: str

    #: What was written to standard error; "" where ``on_output`` was given or ``merge_stderr`` is set.
    stderr: str

    #: Output was dropped, because a stream had more than ``max_output`` bytes.
    truncated: bool


class Collector:
    """Keeps what a command writes, up to a limit for each stream."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._chunks: Dict[str, List[OutputChunk]] = {"stdout": [], "stderr": []}
        self._lengths = {"stdout": 0, "stderr": 0}

    def push(self, chunk: OutputChunk) -> None:
        if self._lengths[chunk.stream] <= self._limit:
            self._lengths[chunk.stream] += len(chunk)
            self._chunks[chunk.stream].append(chunk)

    @property
    def truncated(self) -> bool:
        return any(length > self._limit for length in self._lengths.values())

    def text(self, stream: str) -> str:
        if self._lengths[stream] <= self._limit:
            return "".join(chunk.text for chunk in self._chunks[stream])
        all_bytes = b"".join(chunk.bytes for chunk in self._chunks[stream])
        # A character that the limit divides is left out.
        end = self._limit
        while end > 0 and self._limit - end < 4 and all_bytes[end] & 0xC0 == 0x80:
            end -= 1
        return all_bytes[:end].decode("utf-8", "replace")

    def outcome(self, result: Dict[str, Any]) -> Dict[str, Any]:
        return {**result, "stdout": self.text("stdout"), "stderr": self.text("stderr"), "truncated": self.truncated}


class Acknowledger:
    """Counts the bytes that the caller has done its work with: not each chunk is acknowledged, half of the window is always open."""

    def __init__(self) -> None:
        self._done = 0

    def add(self, chunk: OutputChunk) -> int:
        """How many bytes are to be acknowledged now; 0: none yet."""
        self._done += len(chunk)
        if self._done < WINDOW // 2:
            return 0
        done, self._done = self._done, 0
        return done
