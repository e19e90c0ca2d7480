"""``python -m hookshell`` and the console script ``hookshell``: the program itself, with the same arguments and streams."""

from __future__ import annotations

import os
import subprocess
import sys

from ._binary import find_binary
from .errors import BinaryNotFoundError

#: ``EX_UNAVAILABLE`` of sysexits.h.
EXIT_UNAVAILABLE = 69


def main() -> int:
    """Becomes the program where the system can do that, else waits for it and gives its exit code."""
    try:
        binary = find_binary()
    except BinaryNotFoundError as error:
        print(f"hookshell: {error}", file=sys.stderr)
        return EXIT_UNAVAILABLE
    arguments = [binary, *sys.argv[1:]]
    try:
        if sys.platform != "win32":
            os.execv(binary, arguments)
        with subprocess.Popen(arguments) as process:
            while True:
                try:
                    return process.wait()
                except KeyboardInterrupt:
                    # The console tells both of a Ctrl-C: the program decides what it means.
                    continue
    except OSError as error:
        print(f"hookshell: {binary} cannot be started: {error}", file=sys.stderr)
        return EXIT_UNAVAILABLE


if __name__ == "__main__":
    sys.exit(main())
