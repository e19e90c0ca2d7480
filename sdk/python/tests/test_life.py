"""The life of the process: crash, restart, close, the end of the host; the program by the package's name."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import unittest
import warnings
from pathlib import Path
from typing import Any, List, Optional

from hookshell import AsyncHookshell, Hookshell
from hookshell.errors import ClosedError, HookshellWarning, ProcessExit, ServerCrashedError

from .support import binary, config, directory, is_alive, options, until, until_async

PACKAGE = Path(__file__).resolve().parent.parent

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)

ENDLESS = "while :; do :; done"


def kill(pid: Optional[int]) -> None:
    assert pid is not None
    os.kill(pid, KILL)


class SyncLife(unittest.TestCase):
    def start(self, **more: Any) -> Hookshell:
        hookshell = Hookshell.start(**options(self, **more))
        self.addCleanup(hookshell.close)
        return hookshell

    def test_after_a_crash_it_is_started_once_more_and_says_so(self) -> None:
        exits: List[ProcessExit] = []
        hookshell = self.start(on_restart=exits.append)
        first = hookshell.pid
        timer = threading.Timer(0.2, kill, [first])
        timer.start()
        with self.assertRaises(ServerCrashedError):
            hookshell.exec(ENDLESS)
        self.assertEqual(hookshell.exec("echo one")["stdout"], "one\n")
        self.assertNotEqual(hookshell.pid, first)
        self.assertEqual(len(exits), 1)
        kill(hookshell.pid)
        until(lambda: hookshell.pid is None)
        with self.assertRaisesRegex(ServerCrashedError, "not started again after 2 crashes"):
            hookshell.exec("echo two")

    @unittest.skipIf(sys.platform == "win32", "the test sends a signal to its own process")
    def test_a_signal_handler_may_ask_and_close_while_an_answer_is_awaited(self) -> None:
        hookshell = self.start()
        seen: List[str] = []

        def ask(*_: Any) -> None:
            seen.append(hookshell.exec("echo asked")["stdout"])
            hookshell.session_end("another")

        def close(*_: Any) -> None:
            hookshell.close()
            seen.append("closed")

        for handler in (ask, close):
            self.addCleanup(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, handler))
            for _ in range(2):
                # It reads for itself from the second one on.
                hookshell.session_end("one")
            timer = threading.Timer(0.3, os.kill, [os.getpid(), signal.SIGTERM])
            timer.start()
            try:
                hookshell.run_hooks("PreToolUse", tool="bash", configs=[self.slow()])
            except ClosedError:
                seen.append("refused")
            timer.join()
        self.assertEqual(seen, ["asked\n", "closed", "refused"])

    def slow(self) -> str:
        return config(directory(self), [{"command": "sleep 1"}])

    def test_after_a_crash_it_works_where_it_did_wherever_the_host_is_by_then(self) -> None:
        first, second = directory(self), directory(self)
        (first / "here").touch()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(first)
        hookshell = self.start(cwd=None, on_restart=lambda _: None)
        os.chdir(second)
        command = "[ -e here ]"
        self.assertEqual(hookshell.exec(command)["exit_code"], 0)
        kill(hookshell.pid)
        until(lambda: hookshell.pid is None)
        self.assertEqual(hookshell.exec(command)["exit_code"], 0)
        self.assertEqual(hookshell.exec(command, cwd=".")["exit_code"], 0)

    def test_without_on_restart_a_warning_says_so(self) -> None:
        hookshell = self.start()
        kill(hookshell.pid)
        until(lambda: hookshell.pid is None)
        with self.assertWarnsRegex(HookshellWarning, "started again"):
            hookshell.exec("true")

    def test_close_ends_the_process_and_fails_what_runs(self) -> None:
        hookshell = self.start()
        pid = hookshell.pid
        assert pid is not None
        raised: List[BaseException] = []

        def run() -> None:
            try:
                hookshell.exec(ENDLESS, on_output=print)
            except ClosedError as error:
                raised.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        hookshell.close()
        thread.join(30)
        self.assertEqual(len(raised), 1)
        self.assertFalse(is_alive(pid))
        with self.assertRaises(ClosedError):
            hookshell.exec("true")
        hookshell.close()

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_process_that_is_forked_gets_errors_and_disturbs_nothing(self) -> None:
        source = (
            "import asyncio, os, sys\n"
            "from hookshell import AsyncHookshell, ClosedError, Hookshell\n"
            "def asked(call, *arguments, **options):\n"
            "    try:\n"
            "        return call(*arguments, **options)\n"
            "    except ClosedError as error:\n"
            "        return str(error)\n"
            "options = dict(binary=os.environ['HOOKSHELL_BIN'], no_hooks=True, log='off')\n"
            "loop = asyncio.new_event_loop()\n"
            "beside = loop.run_until_complete(AsyncHookshell.start(**options))\n"
            "with Hookshell.start(**options) as hookshell:\n"
            "    hookshell.exec('true')\n"
            "    child = os.fork()\n"
            "    if child == 0:\n"
            "        print(asked(hookshell.exec, 'echo hi'))\n"
            "        print(asked(hookshell.run_hooks, 'PreToolUse', tool='bash', on_progress=print))\n"
            "        print(asked(asyncio.run, beside.exec('echo hi')))\n"
            "        asyncio.run(beside.close())\n"
            "        with Hookshell.start(**options) as another:\n"
            "            print(another.exec('echo another')['stdout'], end='')\n"
            "    else:\n"
            "        assert os.waitpid(child, 0)[1] == 0\n"
            "        print(hookshell.exec('echo still')['stdout'], end='')\n"
            "        loop.run_until_complete(beside.close())\n"
        )
        env = {**os.environ, "PYTHONPATH": str(PACKAGE), "HOOKSHELL_BIN": binary(), "PYTHONUNBUFFERED": "1"}
        # From 3.12 on Python itself warns of each fork of a process with threads.
        command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", source]
        run = subprocess.run(command, capture_output=True, text=True, timeout=50, env=env, cwd=directory(self))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        *refused, another, still = run.stdout.splitlines()
        self.assertEqual((another, still, len(refused)), ("another", "still", 3))
        for line in refused:
            self.assertIn("start one here", line)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_a_process_that_is_forked_does_not_keep_it_alive(self) -> None:
        source = (
            "import os, signal, time; from hookshell import Hookshell\n"
            "hookshell = Hookshell.start(binary=os.environ['HOOKSHELL_BIN'], no_hooks=True, log='off')\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    time.sleep(50)\n"
            "    os._exit(0)\n"
            "os.write(1, f'{hookshell.pid} {child}\\n'.encode())\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        env = {**os.environ, "PYTHONPATH": str(PACKAGE), "HOOKSHELL_BIN": binary()}
        command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", source]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, cwd=directory(self)) as host:
            assert host.stdout is not None
            serve, child = map(int, host.stdout.readline().split())
            try:
                until(lambda: not is_alive(serve))
                self.assertTrue(is_alive(child))
            finally:
                kill(child)

    def test_a_block_closes_it(self) -> None:
        with Hookshell.start(**options(self)) as hookshell:
            self.assertEqual(hookshell.exec("echo hi")["stdout"], "hi\n")
        with self.assertRaises(ClosedError):
            hookshell.exec("true")

    def test_the_host_ends_though_nobody_has_closed_it_and_the_process_with_it(self) -> None:
        source = (
            "import os; from hookshell import Hookshell\n"
            "hookshell = Hookshell.start(binary=os.environ['HOOKSHELL_BIN'], no_hooks=True, log='off')\n"
            "print(hookshell.pid, hookshell.exec('echo hi')['stdout'])\n"
        )
        env = {**os.environ, "PYTHONPATH": str(PACKAGE), "HOOKSHELL_BIN": binary()}
        run = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=30, env=env, cwd=directory(self))
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        pid, text = run.stdout.split()
        self.assertEqual(text, "hi")
        until(lambda: not is_alive(int(pid)))

    def test_the_package_starts_the_program(self) -> None:
        env = {**os.environ, "PYTHONPATH": str(PACKAGE), "PATH": str(directory(self)), "HOOKSHELL_BIN": binary()}
        command = [sys.executable, "-m", "hookshell", "sh", "-c", 'echo "$1"; exit 3', "sh", "a b"]
        run = subprocess.run(command, capture_output=True, text=True, timeout=30, env=env)
        self.assertEqual((run.returncode, run.stdout), (3, "a b\n"), run.stderr)


class AsyncLife(unittest.IsolatedAsyncioTestCase):
    async def test_after_a_crash_it_is_started_once_more_and_says_so(self) -> None:
        exits: List[ProcessExit] = []
        hookshell = await AsyncHookshell.start(**options(self, on_restart=exits.append))
        self.addAsyncCleanup(hookshell.close)
        running = asyncio.create_task(hookshell.exec(ENDLESS))
        await asyncio.sleep(0.1)
        kill(hookshell.pid)
        with self.assertRaises(ServerCrashedError):
            await running
        # Those that ask together share one new process.
        one, two = await asyncio.gather(hookshell.exec("echo one"), hookshell.exec("echo two"))
        self.assertEqual((one["stdout"], two["stdout"], len(exits)), ("one\n", "two\n", 1))
        kill(hookshell.pid)
        await until_async(lambda: hookshell.pid is None)
        with self.assertRaisesRegex(ServerCrashedError, "not started again after 2 crashes"):
            await hookshell.exec("echo three")

    async def test_a_block_closes_it_and_fails_what_runs(self) -> None:
        async with await AsyncHookshell.start(**options(self)) as hookshell:
            pid = hookshell.pid
            running = asyncio.create_task(hookshell.exec(ENDLESS))
            await asyncio.sleep(0.05)
        with self.assertRaises(ClosedError):
            await running
        assert pid is not None
        self.assertFalse(is_alive(pid))

    async def test_the_event_loop_may_end_before_the_process(self) -> None:
        def run() -> Optional[int]:
            async def start() -> Optional[int]:
                return (await AsyncHookshell.start(**options(self))).pid

            return asyncio.run(start())

        with warnings.catch_warnings():
            # The process is left on purpose.
            warnings.simplefilter("ignore", ResourceWarning)
            pid = await asyncio.get_running_loop().run_in_executor(None, run)
            kill(pid)
