"""What the clients do with a server that misbehaves: a stand-in, as the real one cannot be made to."""

from __future__ import annotations

import asyncio
import threading
import unittest
from typing import Any, Dict, List, Optional

from hookshell.aio import AsyncHookshell, AsyncLlm, AsyncUi
from hookshell.client import Hookshell, Llm, Ui
from hookshell.errors import (
    BusyError,
    CancelledError,
    ClosedError,
    MessageTooLargeError,
    RequestError,
    RequestFailedError,
    ServerCrashedError,
    StartError,
)
from hookshell.protocol import CompleteParams, CompleteResult

from .support import IS_WINDOWS, fake_server, is_alive, until

OTHER_VERSION = 'def line(message): send({"id": message["id"], "result": {"protocol_version": 7}})'

NO_SERVE = 'print("no such command: serve", file=sys.stderr); sys.exit(64)'

SILENT = "def line(message): pass"

ERRORS = """
ERRORS = {
    "hooks/run": {"code": -32000, "message": "bad config", "data": {"reasons": ["a", "b"], "hint": "mend it", "exit_code": 65}},
    "shell/exec": {"code": -32003, "message": "busy"},
    "doctor": {"code": -32800, "message": "cancelled"},
    "check": {"code": 17, "message": "new"},
}

def line(message):
    if message["method"] == "initialize":
        hello(message)
    elif not ends(message):
        error = ERRORS.get(message["method"])
        send({"id": message["id"], **({"error": error} if error else {"result": {}})})
"""

GARBAGE = """
def line(message):
    if message["method"] == "initialize":
        hello(message)
    else:
        print("Segmentation fault", flush=True)
"""

QUESTIONS = """
answers = []
request = None

def line(message):
    global request
    if message.get("method") == "initialize":
        return hello(message)
    if "method" in message and ends(message):
        return
    if "method" not in message:
        answers.append(message)
        if message["id"] == "s1":
            send({"method": "$/cancel", "params": {"id": "s9"}})
            send({"method": "$/cancel", "params": {"id": "s2"}})
    elif message["method"] == "doctor":
        request = message["id"]
        methods = ["ui/confirm", "ui/input", "ui/select", "ui/later", "llm/complete"]
        for number, method in enumerate(methods, 1):
            send({"id": f"s{number}", "method": method, "params": {
                "title": "T", "message": "M", "placeholder": "", "options": [], "messages": []}})
        send({"method": "ui/notify", "params": {"message": "hello", "level": "info"}})
    if len(answers) == 5:
        send({"id": request, "result": {"answers": answers}})
"""

STUBBORN = """
def line(message):
    if message["method"] == "initialize":
        hello(message)
        while True:
            time.sleep(1)
"""


def by_id(answers: List[Dict[str, Any]]) -> Dict[str, Any]:
    return {answer["id"]: answer["result"] if "result" in answer else answer["error"]["code"] for answer in answers}


EXPECTED = {"s1": {"confirmed": True}, "s2": -32800, "s3": {"selected": None}, "s4": -32601, "s5": -32603}


@unittest.skipIf(IS_WINDOWS, "a script is no program there")
class SyncServer(unittest.TestCase):
    def start(self, body: str, **more: Any) -> Hookshell:
        hookshell = Hookshell.start(binary=fake_server(self, body), **more)
        self.addCleanup(hookshell.close)
        return hookshell

    def test_a_server_that_cannot_be_used_is_a_start_error(self) -> None:
        for body, message in ((OTHER_VERSION, "version 7"), (NO_SERVE, "exit code 64: no such command: serve")):
            with self.assertRaisesRegex(StartError, message):
                self.start(body)
        with self.assertRaisesRegex(StartError, "not answered in time"):
            self.start(SILENT, start_timeout=0.2)
        with self.assertRaisesRegex(StartError, "/nowhere/hookshell"):
            Hookshell.start(binary="/nowhere/hookshell")

    def test_the_errors_of_the_protocol_are_classes(self) -> None:
        hookshell = self.start(ERRORS)
        with self.assertRaises(RequestFailedError) as raised:
            hookshell.run_hooks("PreToolUse")
        error = raised.exception
        self.assertEqual((error.reasons, error.hint, error.exit_code), (["a", "b"], "mend it", 65))
        self.assertEqual(str(error), "hooks/run: bad config (mend it)")
        with self.assertRaises(BusyError):
            hookshell.exec("ls")
        with self.assertRaises(CancelledError):
            hookshell.doctor()
        with self.assertRaises(RequestError) as other:
            hookshell.check()
        self.assertEqual(other.exception.code, 17)
        # The limit is what the server said in `initialize`; nothing is sent.
        with self.assertRaises(MessageTooLargeError):
            hookshell.exec("x" * 1000)
        hookshell.session_end()

    def test_a_server_that_sends_what_is_not_json_is_given_up(self) -> None:
        hookshell = self.start(GARBAGE)
        with self.assertRaisesRegex(ServerCrashedError, "not the protocol"):
            hookshell.doctor()

    def test_a_question_is_answered_cancelled_and_refused(self) -> None:
        seen: List[str] = []
        never = threading.Event()
        self.addCleanup(never.set)

        class OurUi(Ui):
            def confirm(self, title: str, message: str) -> bool:
                seen.append(title + message)
                return True

            def input(self, title: str, placeholder: str) -> Optional[str]:
                never.wait()
                return None

            def notify(self, message: str, level: str) -> None:
                seen.append(message)

        class NoModel(Llm):
            def complete(self, request: CompleteParams) -> CompleteResult:
                raise LookupError("no model")

        hookshell = self.start(QUESTIONS, ui=OurUi(), llm=NoModel())
        self.assertEqual(by_id(hookshell.doctor()["answers"]), EXPECTED)
        until(lambda: sorted(seen) == ["TM", "hello"])

    def test_close_kills_a_server_that_does_not_end(self) -> None:
        hookshell = self.start(STUBBORN, close_timeout=0.3)
        pid = hookshell.pid
        assert pid is not None
        raised: List[BaseException] = []

        def ask() -> None:
            try:
                hookshell.doctor()
            except ClosedError as error:
                raised.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        hookshell.close()
        thread.join(10)
        self.assertEqual(len(raised), 1)
        until(lambda: not is_alive(pid))
        with self.assertRaises(ClosedError):
            hookshell.doctor()


@unittest.skipIf(IS_WINDOWS, "a script is no program there")
class AsyncServer(unittest.IsolatedAsyncioTestCase):
    async def start(self, body: str, **more: Any) -> AsyncHookshell:
        hookshell = await AsyncHookshell.start(binary=fake_server(self, body), **more)
        self.addAsyncCleanup(hookshell.close)
        return hookshell

    async def test_a_server_that_cannot_be_used_is_a_start_error(self) -> None:
        for body, message in ((OTHER_VERSION, "version 7"), (NO_SERVE, "exit code 64: no such command: serve")):
            with self.assertRaisesRegex(StartError, message):
                await self.start(body)
        with self.assertRaisesRegex(StartError, "not answered in time"):
            await self.start(SILENT, start_timeout=0.2)

    async def test_the_errors_of_the_protocol_are_classes(self) -> None:
        hookshell = await self.start(ERRORS)
        with self.assertRaises(RequestFailedError):
            await hookshell.run_hooks("PreToolUse")
        with self.assertRaises(BusyError):
            await hookshell.exec("ls")
        with self.assertRaises(MessageTooLargeError):
            await hookshell.exec("x" * 1000)
        await hookshell.session_end()

    async def test_a_server_that_sends_what_is_not_json_is_given_up(self) -> None:
        hookshell = await self.start(GARBAGE)
        with self.assertRaisesRegex(ServerCrashedError, "not the protocol"):
            await hookshell.doctor()

    async def test_a_question_is_answered_cancelled_and_refused(self) -> None:
        seen: List[str] = []
        cancelled: List[str] = []
        has_begun = asyncio.Event()

        class OurUi(AsyncUi):
            async def confirm(self, title: str, message: str) -> bool:
                await has_begun.wait()
                seen.append(title + message)
                return True

            async def input(self, title: str, placeholder: str) -> Optional[str]:
                has_begun.set()
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    cancelled.append(title)
                    raise
                return None

            def notify(self, message: str, level: str) -> None:
                seen.append(message)

        class NoModel(AsyncLlm):
            async def complete(self, request: CompleteParams) -> CompleteResult:
                raise LookupError("no model")

        hookshell = await self.start(QUESTIONS, ui=OurUi(), llm=NoModel())
        self.assertEqual(by_id((await hookshell.doctor())["answers"]), EXPECTED)
        self.assertEqual((sorted(seen), cancelled), (["TM", "hello"], ["T"]))

    async def test_a_large_request_does_not_hold_the_loop_up(self) -> None:
        # The server reads nothing for a while: the pipe is full, and the loop goes on.
        body = ERRORS.replace('"max_message_bytes": 1000', "").replace(
            "        hello(message)", "        hello(message)\n        time.sleep(2)"
        )
        hookshell = await self.start(body)
        server = hookshell._server
        assert server is not None
        server.max_message_bytes = 1 << 24
        asked = asyncio.create_task(hookshell.exec("x" * (1 << 20)))
        ticks = 0
        while not asked.done():
            await asyncio.sleep(0.01)
            ticks += 1
        with self.assertRaises(BusyError):
            asked.result()
        self.assertGreater(ticks, 5)

    async def test_close_kills_a_server_that_does_not_end(self) -> None:
        hookshell = await self.start(STUBBORN, close_timeout=0.3)
        pid = hookshell.pid
        assert pid is not None
        asked = asyncio.create_task(hookshell.doctor())
        await asyncio.sleep(0)
        await asyncio.gather(hookshell.close(), hookshell.close())
        with self.assertRaises(ClosedError):
            await asked
        until(lambda: not is_alive(pid))
        with self.assertRaises(ClosedError):
            await hookshell.doctor()
