"""One measure of `hookshell serve`, or of what stands beside it, from Python: prints `nanoseconds N`.

    python3 client.py MODE COUNT HOOKSHELL CONFIG SDK
"""

import json
import statistics
import subprocess
import sys
import time
from typing import Callable

mode, text, binary, config, sdk = sys.argv[1:]
count = int(text)
INPUT = {"command": "ls"}


def allowed(verdict: dict) -> None:
    if verdict["decision"] is not None or len(verdict["hooks"]) != 1:
        raise SystemExit(f"not one hook that lets through: {verdict}")


def median(turn: Callable[[], None]) -> float:
    """The median time of one turn, after some that do not count."""
    for _ in range(min(count, 50)):
        turn()
    times = []
    for _ in range(count):
        begin = time.perf_counter_ns()
        turn()
        times.append(time.perf_counter_ns() - begin)
    return statistics.median(times)


def run() -> None:
    """`hookshell run` started for one event, as an agent without `serve` does it."""
    command = [binary, "run", "PreToolUse", "--tool", "bash", "--input", json.dumps(INPUT), "--config", config]
    allowed(json.loads(subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True).stdout))


def events() -> float:
    sys.path.insert(0, sdk)
    from hookshell import Hookshell

    with Hookshell.start(binary=binary, configs=[config], dialect="crush") as hookshell:
        return median(lambda: allowed(hookshell.run_hooks("PreToolUse", tool="bash", input=INPUT)["verdict"]))


print("nanoseconds", round({"runs": lambda: median(run), "events": events}[mode]()))
