"""``run_hooks`` against the real program."""

from __future__ import annotations

import asyncio
import json
import os
import queue
import signal
import sys
import threading
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from hookshell import AsyncHookshell, Hookshell
from hookshell.aio import AsyncLlm, AsyncUi
from hookshell.client import CancelToken, Llm, Ui
from hookshell.errors import CancelledError, InvalidParamsError, RequestFailedError
from hookshell.protocol import CompleteParams, CompleteResult, ProgressParams, RunResult, WakeParams

from .support import DEADLINE, config, directory, options

GUARD = 'case $CRUSH_TOOL_INPUT_COMMAND in *"rm -rf"*) echo "not that" >&2; exit 2;; esac'

ENDLESS = "while :; do :; done"

#: It waits for nothing but its end, unless the file is there.
UNTIL_END = "until [ -e end ]; do sleep 0.01; done; echo over >&2; exit 2"

GATE = """from hookshell import BlockToolResult
async def check(event, ctx):
    name = await ctx.input("Name?", "yours")
    colour = await ctx.select("Colour?", ["red", "green"])
    sure = await ctx.confirm("Sure?", event.input["command"])
    ctx.notify(f"{name} {colour} {sure}", "warning")
    return BlockToolResult(reason=f"{name} {colour} {sure}")
def register(hooks):
    hooks.on_tool_call(check)
"""

MODEL_SAYS_NO = '{"allow": false, "reason": "the model says no"}'


def text_of(request: CompleteParams) -> str:
    return "\n".join(message["content"] for message in request["messages"])


class SyncHooks(unittest.TestCase):
    def start(self, hooks: List[Dict[str, Any]], **more: Any) -> Hookshell:
        self.root = directory(self)
        hookshell = Hookshell.start(**options(self, cwd=str(self.root), configs=[config(self.root, hooks)], **more))
        self.addCleanup(hookshell.close)
        return hookshell

    def test_a_hook_denies_and_another_event_has_no_opinion(self) -> None:
        hookshell = self.start([{"name": "guard", "command": GUARD}])
        self.assertEqual(hookshell.info["server"]["name"], "hookshell")
        denied = hookshell.run_hooks("PreToolUse", tool="bash", input={"command": "rm -rf /"})
        self.assertEqual((denied["verdict"]["decision"], denied["verdict"]["reason"]), ("deny", "not that"))
        self.assertEqual((denied["exit_code"], denied["verdict"]["hooks"][0]["name"]), (2, "guard"))
        passed = hookshell.run_hooks("PreToolUse", tool="bash", input={"command": "ls"})
        self.assertEqual((passed["verdict"]["decision"], passed["exit_code"]), (None, 0))

    def test_many_threads_each_with_its_own_answers(self) -> None:
        hookshell = self.start([{"command": 'echo "$CRUSH_TOOL_INPUT_COMMAND" >&2; exit 2'}])
        wrong: List[str] = []

        def ask(thread: int) -> None:
            for number in range(50):
                text = f"thread {thread}, command {number}"
                result = hookshell.run_hooks("PreToolUse", tool="bash", input={"command": text})
                if result["verdict"]["reason"] != text:
                    wrong.append(text)

        threads = [threading.Thread(target=ask, args=(thread,), daemon=True) for thread in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(DEADLINE)
            self.assertFalse(thread.is_alive())
        self.assertEqual(wrong, [])

    def test_events_and_commands_take_turns(self) -> None:
        hookshell = self.start([{"command": GUARD}])
        for number in range(30):
            self.assertEqual(hookshell.run_hooks("PreToolUse", tool="bash")["exit_code"], 0)
            self.assertEqual(hookshell.exec(f"echo {number}")["stdout"], f"{number}\n")

    @unittest.skipIf(sys.platform == "win32", "the test sends a signal to its own process")
    def test_after_a_ctrl_c_the_same_process_is_asked_again(self) -> None:
        hookshell = self.start([{"command": f'[ "$CRUSH_TOOL_INPUT_COMMAND" = ls ] || {{ {ENDLESS}; }}', "timeout": 50}])
        pid = hookshell.pid
        for _ in range(3):
            self.assertEqual(hookshell.run_hooks("PreToolUse", tool="bash", input={"command": "ls"})["exit_code"], 0)
            timer = threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT])
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                hookshell.run_hooks("PreToolUse", tool="bash", input={"command": "endless"})
            timer.join()
        self.assertEqual(hookshell.run_hooks("PreToolUse", tool="bash", input={"command": "ls"})["exit_code"], 0)
        self.assertEqual(hookshell.pid, pid)

    def test_a_relative_config_is_read_anew_when_it_has_changed(self) -> None:
        root = directory(self)
        config(root, [{"command": "exit 2"}])
        hookshell = Hookshell.start(**options(self, cwd=str(root), configs=["hooks.json"]))
        self.addCleanup(hookshell.close)
        self.assertEqual(hookshell.run_hooks("PreToolUse", tool="bash")["verdict"]["decision"], "deny")
        config(root, [{"command": 'echo \'{"decision":"allow"}\' # another length'}])
        self.assertEqual(hookshell.run_hooks("PreToolUse", tool="bash")["verdict"]["decision"], "allow")

    def test_the_variables_of_a_request_lie_over_those_of_the_start(self) -> None:
        command = 'echo "${A-none} ${B-none} ${C-none}" >&2; exit 2'
        hookshell = self.start([{"command": command}], env={"A": "1", "B": "1"})
        self.assertEqual(hookshell.run_hooks("PreToolUse", tool="bash")["verdict"]["reason"], "1 1 none")
        changed = hookshell.run_hooks("PreToolUse", tool="bash", env={"B": None, "C": "2"})
        self.assertEqual(changed["verdict"]["reason"], "1 none 2")

    def test_progress_says_which_hook_has_started_and_ended(self) -> None:
        hookshell = self.start([{"name": "looks", "command": "true", "status_message": "Looking"}])
        seen: List[ProgressParams] = []
        hookshell.run_hooks("PreToolUse", tool="bash", on_progress=seen.append)
        said = [(one["hook"], one["name"], one["state"], one.get("status_message")) for one in seen]
        self.assertEqual(said, [(0, "looks", "started", "Looking"), (0, "looks", "ended", None)])

    def test_a_hook_of_the_background_tells_the_model_something(self) -> None:
        woken: queue.Queue[WakeParams] = queue.Queue()
        hook = {"name": "build", "command": "echo broken >&2; exit 2", "async_rewake": True}
        hookshell = self.start([hook], session="s1", on_wake=woken.put)
        hookshell.run_hooks("PreToolUse", tool="bash")
        wake = woken.get(timeout=DEADLINE)
        said = (wake["session"], wake["event"], wake["name"], wake["text"].strip())
        self.assertEqual(said, ("s1", "PreToolUse", "build", "broken"))

        async def with_asyncio() -> WakeParams:
            heard: asyncio.Queue[WakeParams] = asyncio.Queue()
            given = options(self, cwd=str(self.root), configs=["hooks.json"], on_wake=heard.put_nowait)
            async with await AsyncHookshell.start(**given) as other:
                await other.run_hooks("PreToolUse", tool="bash")
                return await asyncio.wait_for(heard.get(), DEADLINE)

        self.assertEqual(asyncio.run(with_asyncio())["text"].strip(), "broken")

    def test_a_token_cancels_the_hooks(self) -> None:
        hookshell = self.start([{"command": ENDLESS, "timeout": 50}])
        token = CancelToken()
        with self.assertRaises(CancelledError):
            hookshell.run_hooks("PreToolUse", tool="bash", cancel=token, on_progress=lambda _: token.cancel())
        # One that is cancelled already sends nothing.
        with self.assertRaises(CancelledError):
            hookshell.run_hooks("PreToolUse", tool="bash", cancel=token)

    def test_the_end_of_a_session_cancels_its_hooks_and_no_other_sessions(self) -> None:
        hookshell = self.start([{"command": UNTIL_END, "timeout": 50}], session="ours")
        ended: queue.SimpleQueue[Tuple[str, Optional[str]]] = queue.SimpleQueue()
        begun = threading.Semaphore(0)

        def ask(session: str) -> None:
            try:
                result = hookshell.run_hooks("PreToolUse", tool="bash", session=session, on_progress=lambda _: begun.release())
                ended.put((session, result["verdict"]["reason"]))
            except CancelledError:
                ended.put((session, None))

        threads = [threading.Thread(target=ask, args=(session,)) for session in ("ours", "other")]
        for thread in threads:
            thread.start()
        for _ in threads:
            self.assertTrue(begun.acquire(timeout=DEADLINE))
        hookshell.session_end("nobody")
        self.assertTrue(ended.empty())
        hookshell.session_end()
        self.assertEqual(ended.get(timeout=DEADLINE), ("ours", None))
        Path(self.root, "end").touch()
        self.assertEqual(ended.get(timeout=DEADLINE), ("other", "over"))
        for thread in threads:
            thread.join(DEADLINE)
        # A session that has ended may begin again.
        self.assertEqual(hookshell.run_hooks("PreToolUse", tool="bash")["verdict"]["reason"], "over")

    def test_what_is_wrong_has_a_class(self) -> None:
        hookshell = self.start([])
        with self.assertRaises(InvalidParamsError):
            hookshell.run_hooks("PreToolUse", tool="bash", nonsense=1)  # type: ignore[call-arg]
        broken = self.root / "broken.json"
        broken.write_text("{", encoding="utf-8")
        with self.assertRaisesRegex(RequestFailedError, r"broken\.json"):
            hookshell.run_hooks("PreToolUse", tool="bash", configs=[str(broken)])
        closed = hookshell.run_hooks("PreToolUse", tool="bash", configs=[str(broken)], fail_closed=True)
        self.assertEqual(closed["verdict"]["decision"], "deny")
        # One path where a list is wanted: its characters are no paths.
        paths: List[Any] = [broken, str(broken)]
        for one in paths:
            with self.assertRaisesRegex(InvalidParamsError, r"broken\.json"):
                hookshell.run_hooks("PreToolUse", tool="bash", configs=one)
            with self.assertRaisesRegex(InvalidParamsError, r"broken\.json"):
                hookshell.check(one)

    def test_what_is_no_json_or_no_number_has_the_same_class(self) -> None:
        hookshell = self.start([])
        circular: Dict[str, Any] = {}
        circular["self"] = circular
        for value in (circular, {"ratio": float("nan")}, {"bytes": b""}):
            with self.assertRaisesRegex(InvalidParamsError, "not JSON"):
                hookshell.run_hooks("PreToolUse", tool="bash", input=value)
        for limits in ({"timeout": float("nan")}, {"timeout": -1}, {"max_output": -1}):
            with self.assertRaises(InvalidParamsError):
                hookshell.exec("true", **limits)  # type: ignore[arg-type]
        self.assertEqual(hookshell.exec("true")["exit_code"], 0)

    def test_a_prompt_hook_asks_the_hosts_model(self) -> None:
        asked: List[str] = []

        class Model(Llm):
            def complete(self, request: CompleteParams) -> CompleteResult:
                asked.append(text_of(request))
                return {"text": MODEL_SAYS_NO}

        hookshell = self.start([{"type": "prompt", "prompt": "Is this allowed? $ARGUMENTS"}], llm=Model())
        verdict = hookshell.run_hooks("PreToolUse", tool="bash", input={"command": "deploy"})["verdict"]
        self.assertEqual((verdict["decision"], verdict["reason"]), ("deny", "the model says no"))
        self.assertEqual(len(asked), 1)
        self.assertRegex(asked[0], r"(?s)Is this allowed\?.*deploy")

    def test_a_module_asks_the_hosts_user(self) -> None:
        told: List[Tuple[str, str]] = []
        has_told = threading.Event()

        class OurUi(Ui):
            def input(self, title: str, placeholder: str) -> Optional[str]:
                return f"Ada ({placeholder})"

            def select(self, title: str, options: List[str]) -> Optional[str]:
                return options[1]

            def confirm(self, title: str, message: str) -> bool:
                return message == "ls"

            def notify(self, message: str, level: str) -> None:
                told.append((level, message))
                has_told.set()

        hookshell = self.start([{"type": "module", "module": "gate.py", "timeout": 30}], ui=OurUi(), session="s")
        Path(self.root, "gate.py").write_text(GATE, encoding="utf-8")
        verdict = hookshell.run_hooks("PreToolUse", tool="bash", input={"command": "ls"})["verdict"]
        self.assertEqual((verdict["decision"], verdict["reason"]), ("deny", "Ada (yours) green True"))
        self.assertTrue(has_told.wait(10))
        self.assertEqual(told, [("warning", "Ada (yours) green True")])
        hookshell.session_end()

    def test_requests_of_many_threads_each_get_their_own_answer(self) -> None:
        hookshell = self.start([{"command": 'echo "$CRUSH_TOOL_INPUT_COMMAND" >&2; exit 2'}])
        reasons: Dict[str, Optional[str]] = {}

        def ask(thread: int) -> None:
            for number in range(10):
                text = f"command {thread} {number}"
                verdict = hookshell.run_hooks("PreToolUse", tool="bash", input={"command": text})["verdict"]
                reasons[text] = verdict["reason"]

        threads = [threading.Thread(target=ask, args=(thread,)) for thread in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(len(reasons), 80)
        self.assertTrue(all(text == reason for text, reason in reasons.items()), reasons)

    def test_explain_check_and_doctor(self) -> None:
        hookshell = self.start([{"command": "if true; then"}])
        explanation = hookshell.explain("echo hi").get("explanation")
        assert explanation is not None
        self.assertEqual((explanation.get("argv0"), explanation["tokens"]), ("echo", ["echo", "hi"]))
        checked = hookshell.check(["hooks.json"])
        self.assertEqual(checked["hooks"], 1)
        found = {(finding["severity"], finding["file"]) for finding in checked["findings"]}
        self.assertIn(("error", str(self.root / "hooks.json")), found)
        self.assertIsInstance(hookshell.doctor()["version"], str)


class AsyncHooks(unittest.IsolatedAsyncioTestCase):
    async def start(self, hooks: List[Dict[str, Any]], **more: Any) -> AsyncHookshell:
        self.root = directory(self)
        made = options(self, cwd=str(self.root), configs=[config(self.root, hooks)], **more)
        hookshell = await AsyncHookshell.start(**made)
        self.addAsyncCleanup(hookshell.close)
        return hookshell

    async def test_many_events_at_once_each_with_its_own_answer(self) -> None:
        hookshell = await self.start([{"command": 'echo "$CRUSH_TOOL_INPUT_COMMAND" >&2; exit 2'}])
        texts = [f"command {number}" for number in range(200)]
        results = await asyncio.gather(*(hookshell.run_hooks("PreToolUse", tool="bash", input={"command": text}) for text in texts))
        self.assertEqual([result["verdict"]["reason"] for result in results], texts)

    async def test_progress_and_a_task_that_is_cancelled(self) -> None:
        hookshell = await self.start([{"name": "endless", "command": ENDLESS, "timeout": 50}])
        seen: List[str] = []
        task: Optional[asyncio.Task[Any]] = None

        def on_progress(progress: ProgressParams) -> None:
            seen.append(progress["state"])
            if task is not None:
                task.cancel()

        task = asyncio.create_task(hookshell.run_hooks("PreToolUse", tool="bash", on_progress=on_progress))
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(seen[0], "started")

    async def test_the_end_of_a_session_cancels_its_hooks_and_no_other_sessions(self) -> None:
        hookshell = await self.start([{"command": UNTIL_END, "timeout": 50}], session="ours")
        begun = asyncio.Semaphore(0)

        def ask(session: str) -> asyncio.Task[RunResult]:
            run = hookshell.run_hooks("PreToolUse", tool="bash", session=session, on_progress=lambda _: begun.release())
            return asyncio.create_task(run)

        ours, other = ask("ours"), ask("other")
        for _ in range(2):
            await asyncio.wait_for(begun.acquire(), DEADLINE)
        await hookshell.session_end()
        with self.assertRaises(CancelledError):
            await ours
        self.assertFalse(other.done())
        Path(self.root, "end").touch()
        self.assertEqual((await other)["verdict"]["reason"], "over")

    async def test_what_is_wrong_has_a_class(self) -> None:
        hookshell = await self.start([])
        with self.assertRaises(InvalidParamsError):
            await hookshell.run_hooks("PreToolUse", payload={}, nonsense=1)  # type: ignore[call-arg]
        with self.assertRaisesRegex(InvalidParamsError, "not JSON"):
            await hookshell.run_hooks("PreToolUse", tool="bash", input={"ratio": float("inf")})

    async def test_hooks_ask_the_host(self) -> None:
        told: List[Tuple[str, str]] = []

        class OurUi(AsyncUi):
            async def input(self, title: str, placeholder: str) -> Optional[str]:
                return f"Ada ({placeholder})"

            async def select(self, title: str, options: List[str]) -> Optional[str]:
                await asyncio.sleep(0)
                return options[1]

            async def confirm(self, title: str, message: str) -> bool:
                return message == "ls"

            def notify(self, message: str, level: str) -> None:
                told.append((level, message))

        class Model(AsyncLlm):
            async def complete(self, request: CompleteParams) -> CompleteResult:
                await asyncio.sleep(0)
                return {"text": MODEL_SAYS_NO}

        hooks = [{"type": "module", "module": "gate.py", "timeout": 30}]
        hookshell = await self.start(hooks, ui=OurUi(), llm=Model(), session="s")
        Path(self.root, "gate.py").write_text(GATE, encoding="utf-8")
        result = await hookshell.run_hooks("PreToolUse", tool="bash", input={"command": "ls"})
        self.assertEqual(result["verdict"]["reason"], "Ada (yours) green True")
        self.assertEqual(told, [("warning", "Ada (yours) green True")])
        other = Path(self.root, "prompt.json")
        other.write_text(json.dumps({"hooks": {"PreToolUse": [{"type": "prompt", "prompt": "May it?"}]}}))
        result = await hookshell.run_hooks("PreToolUse", tool="bash", configs=[str(other)])
        self.assertEqual(result["verdict"]["reason"], "the model says no")
        await hookshell.session_end()

    async def test_explain_check_and_doctor(self) -> None:
        hookshell = await self.start([{"command": "if true; then"}])
        explained = await hookshell.explain()
        self.assertEqual(len(explained.get("hooks") or []), 1)
        self.assertEqual((await hookshell.check(["hooks.json"]))["hooks"], 1)
        self.assertIsInstance((await hookshell.doctor())["version"], str)
