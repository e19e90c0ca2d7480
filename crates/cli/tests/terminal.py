"""What programs do on a terminal: `python3 terminal.py PROGRAM ARGUMENT... <KEYS` prints what the terminal has shown.

The keys are sent once the program has shown something, and the end of the program ends it.
"""

import os
import pty
import select
import signal
import sys
import time

DEADLINE = 50.0

keys = sys.stdin.buffer.read()
until = time.monotonic() + DEADLINE
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
shown = b""
while True:
    left = until - time.monotonic()
    if left <= 0 or not select.select([terminal], [], [], left)[0]:
        os.kill(child, signal.SIGKILL)
        sys.exit(f"it has not ended after {DEADLINE} s: {shown!r}")
    try:
        data = os.read(terminal, 65536)
    except OSError:
        # Linux's word for the end.
        break
    if not data:
        break
    shown += data
    if keys:
        os.write(terminal, keys)
        keys = b""
os.waitpid(child, 0)
sys.stdout.buffer.write(shown)
