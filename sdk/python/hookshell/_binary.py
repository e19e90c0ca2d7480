"""Finding the program ``hookshell`` on this machine."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path
from typing import List, Mapping, Optional

from .errors import BinaryNotFoundError

__all__ = ["BINARY_VARIABLE", "find_binary"]

#: The variable that names the program where neither the wheel nor PATH has it.
BINARY_VARIABLE = "HOOKSHELL_BIN"

#: The program's file name here.
NAME = "hookshell.exe" if sys.platform == "win32" else "hookshell"

#: How much of a script is read to see whether it is a launcher.
_LAUNCHER_HEAD = 4096


def find_binary(env: Optional[Mapping[str, str]] = None, package: Optional[Path] = None) -> str:
    """The absolute path of the program: of the wheel, else the first in PATH, else what ``HOOKSHELL_BIN`` names.

    ``env`` and ``package`` (the directory of this package) are this process's own unless given. Raises BinaryNotFoundError
    where none of the three has it: its message lists where it was looked for.
    """
    env = os.environ if env is None else env
    package = Path(__file__).resolve().parent if package is None else package
    tried: List[str] = []

    in_wheel = package / "bin" / NAME
    if _is_program(in_wheel):
        return str(in_wheel)
    tried.append(f"the package has no {in_wheel}")

    for directory in env.get("PATH", "").split(os.pathsep):
        # A relative entry would give the program to whoever writes to the working directory.
        if not os.path.isabs(directory):
            continue
        path = Path(directory, NAME)
        if _is_program(path) and not _is_launcher(path):
            return str(path)
    tried.append(f"PATH has no {NAME}")

    named = env.get(BINARY_VARIABLE, "")
    if not named:
        tried.append(f"{BINARY_VARIABLE} is not set")
    elif not os.path.isabs(named):
        tried.append(f"{BINARY_VARIABLE} is not an absolute path: {named}")
    elif _is_program(Path(named)):
        return named
    else:
        tried.append(f"{BINARY_VARIABLE} names no program: {named}")
    raise BinaryNotFoundError(tried)


def _is_program(path: Path) -> bool:
    try:
        return path.is_file() and os.access(path, os.X_OK)
    except OSError:
        return False


def _is_launcher(path: Path) -> bool:
    """Is it one of the scripts that pip, npm and bun install under the name ``hookshell``?

    They look for the program in turn: started from here they would find each other forever.
    """
    try:
        with path.open("rb") as file:
            head = file.read(_LAUNCHER_HEAD)
        if head.startswith(b"#!"):
            # pnpm's script starts `hookshell.js` by its path.
            return any(mark in head for mark in (b"hookshell.__main__", b"hookshell-launcher", b"hookshell.js"))
        # On Windows pip's launchers are an .exe that has a zip archive with the script at its end, and bun's one that reads what it is
        # to start from a file beside it.
        return head.startswith(b"MZ") and (zipfile.is_zipfile(path) or path.with_name("hookshell.bunx").is_file())
    except OSError:
        return False
