"""``exec`` against the real program."""

from __future__ import annotations

import asyncio
import threading
import unittest
from typing import List

from hookshell import AsyncHookshell, Hookshell
from hookshell.client import CancelToken, OutputChunk
from hookshell.errors import CancelledError

from .support import IS_WINDOWS, directory, is_alive, options, until, until_async

BYTES = bytes(range(256))

ENDLESS = "while :; do echo x; done"

TREE = "/bin/sh -c '/bin/sleep 1000 & echo $!; wait'; echo not reached"


class SyncExec(unittest.TestCase):
    def start(self) -> Hookshell:
        hookshell = Hookshell.start(**options(self))
        self.addCleanup(hookshell.close)
        return hookshell

    def test_output_standard_input_directory_variables_and_exit_code(self) -> None:
        root = directory(self)
        command = 'cat; pwd; echo "$WHO" >&2; exit 7'
        result = self.start().exec(command, cwd=str(root), env={"WHO": "me"}, stdin="hällo\n")
        self.assertEqual((result["exit_code"], result["end"], result["stderr"]), (7, "exited", "me\n"))
        self.assertEqual(result["stdout"].splitlines()[0], "hällo")
        # On Windows the shell says `/c/…`.
        if not IS_WINDOWS:
            self.assertEqual(result["stdout"].splitlines()[1], str(root))

    def test_bytes_that_are_not_utf8_go_both_ways(self) -> None:
        chunks: List[bytes] = []
        result = self.start().exec("cat", stdin=BYTES, on_output=lambda chunk: chunks.append(chunk.bytes))
        self.assertEqual(b"".join(chunks), BYTES)
        self.assertEqual((result["stdout_bytes"], result["stdout"]), (256, ""))

    def test_a_chunk_shows_its_stream_and_what_was_written(self) -> None:
        shown: List[str] = []
        self.start().exec("printf 'ab\\n'; printf '\\377' >&2", on_output=lambda chunk: shown.append(repr(chunk)))
        self.assertEqual(sorted(shown), ["OutputChunk('stderr', b'\\xff')", "OutputChunk('stdout', 'ab\\n')"])

    def test_a_failure_of_the_command_is_a_result(self) -> None:
        hookshell = self.start()
        self.assertEqual(hookshell.exec("no-such-program-anywhere")["exit_code"], 127)
        self.assertEqual(hookshell.exec("if true")["end"], "syntax_error")
        self.assertEqual(hookshell.exec("while :; do :; done", timeout=0.2, grace=0.1)["end"], "timed_out")
        self.assertEqual(hookshell.exec("f() { f; }; f", limits=["call-depth=100"])["end"], "limit_exceeded")

    def test_with_merge_stderr_both_streams_come_in_the_order_of_the_writes(self) -> None:
        result = self.start().exec("for i in 1 2 3; do echo out $i; echo err $i >&2; done", merge_stderr=True)
        self.assertEqual(result["stdout"], "".join(f"out {i}\nerr {i}\n" for i in (1, 2, 3)))

    def test_collected_output_ends_at_its_limit_between_two_characters(self) -> None:
        result = self.start().exec("for i in 1 2 3 4 5 6; do printf 'ä'; done; printf 'ok' >&2", max_output=5)
        self.assertEqual((result["stdout"], result["stderr"], result["truncated"]), ("ää", "ok", True))
        self.assertEqual(result["stdout_bytes"], 12)

    def test_a_reader_that_stops_holds_up_its_own_command_and_no_other(self) -> None:
        hookshell = self.start()
        lengths: List[int] = []
        gate = threading.Event()

        def on_output(chunk: OutputChunk) -> None:
            lengths.append(len(chunk))
            gate.wait(60)

        def run() -> None:
            hookshell.exec("head -c 8000000 /dev/zero | tr '\\0' x", on_output=on_output)

        slow = threading.Thread(target=run)
        slow.start()
        until(lambda: bool(lengths))
        self.assertEqual(hookshell.exec("echo quick")["stdout"], "quick\n")
        gate.set()
        slow.join(60)
        self.assertEqual(sum(lengths), 8_000_000)

    @unittest.skipIf(IS_WINDOWS, "it needs /bin/sleep")
    def test_a_token_ends_the_command_and_its_tree(self) -> None:
        hookshell = self.start()
        token = CancelToken()
        output: List[str] = []

        def on_output(chunk: OutputChunk) -> None:
            output.append(chunk.text)
            if "\n" in "".join(output):
                token.cancel()

        with self.assertRaises(CancelledError):
            hookshell.exec(TREE, grace=0.5, cancel=token, on_output=on_output)
        pid = int("".join(output))
        until(lambda: not is_alive(pid))

    def test_an_error_in_on_output_cancels_the_command(self) -> None:
        hookshell = self.start()

        def fail(chunk: OutputChunk) -> None:
            raise ZeroDivisionError("mine")

        with self.assertRaises(ZeroDivisionError):
            hookshell.exec(ENDLESS, grace=0.2, on_output=fail)
        self.assertEqual(hookshell.exec("echo still here")["stdout"], "still here\n")


class AsyncExec(unittest.IsolatedAsyncioTestCase):
    async def start(self) -> AsyncHookshell:
        hookshell = await AsyncHookshell.start(**options(self))
        self.addAsyncCleanup(hookshell.close)
        return hookshell

    async def test_bytes_that_are_not_utf8_go_both_ways(self) -> None:
        chunks: List[bytes] = []
        hookshell = await self.start()
        result = await hookshell.exec("cat", stdin=BYTES, on_output=lambda chunk: chunks.append(chunk.bytes))
        self.assertEqual((b"".join(chunks), result["stdout_bytes"]), (BYTES, 256))
        collected = await hookshell.exec("printf 'a\\nb'; exit 3")
        self.assertEqual((collected["stdout"], collected["exit_code"]), ("a\nb", 3))

    async def test_a_slow_reader_loses_nothing_and_holds_up_no_other(self) -> None:
        hookshell = await self.start()
        lengths: List[int] = []
        gate = asyncio.Event()

        async def on_output(chunk: OutputChunk) -> None:
            lengths.append(len(chunk))
            await gate.wait()

        slow = asyncio.create_task(hookshell.exec("head -c 8000000 /dev/zero | tr '\\0' x", on_output=on_output))
        await until_async(lambda: bool(lengths))
        self.assertEqual((await hookshell.exec("echo quick"))["stdout"], "quick\n")
        gate.set()
        self.assertEqual((await slow)["stdout_bytes"], 8_000_000)
        self.assertEqual(sum(lengths), 8_000_000)

    @unittest.skipIf(IS_WINDOWS, "it needs /bin/sleep")
    async def test_a_task_that_is_cancelled_ends_the_command_and_its_tree_first(self) -> None:
        hookshell = await self.start()
        output: List[str] = []
        task = asyncio.create_task(hookshell.exec(TREE, grace=0.5, on_output=lambda chunk: output.append(chunk.text)))
        await until_async(lambda: "\n" in "".join(output))
        pid = int("".join(output))
        self.assertTrue(is_alive(pid))
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        await until_async(lambda: not is_alive(pid))

    async def test_an_error_in_on_output_cancels_the_command(self) -> None:
        hookshell = await self.start()

        async def fail(chunk: OutputChunk) -> None:
            raise ZeroDivisionError("mine")

        with self.assertRaises(ZeroDivisionError):
            await hookshell.exec(ENDLESS, grace=0.2, on_output=fail)
        self.assertEqual((await hookshell.exec("echo still here"))["stdout"], "still here\n")
