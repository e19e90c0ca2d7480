#!/usr/bin/env python3
"""Writes the tables of what characters are, from the C library of this machine: `python3 xtask/glibc_tables.py [--check]`.

The tables are those of C.UTF-8 in glibc 2.36 (Debian 12). --check: an error where they are not what this glibc says.
"""

import ctypes
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LC_ALL = 6
PER_LINE = 7


def tables(libc):
    """What each table holds: the file, its name, and whether a character is in it."""
    regex = "crates/regex/src/tables.rs"
    widths = "crates/text/src/width.rs"
    return [
        (regex, "ALPHA", libc.iswalpha),
        (regex, "UPPER", libc.iswupper),
        (regex, "LOWER", libc.iswlower),
        ("crates/text/src/printable.rs", "PRINTABLE", libc.iswprint),
        (widths, "ZERO_WIDTH", lambda c: libc.iswprint(c) and libc.wcwidth(c) == 0),
        (widths, "WIDE", lambda c: libc.wcwidth(c) == 2),
    ]


def ranges(is_in):
    """The inclusive ranges of characters beyond ASCII, surrogates left out."""
    start = None
    for character in range(0x80, 0x110001):
        found = character < 0x110000 and not 0xD800 <= character < 0xE000 and is_in(character)
        if found and start is None:
            start = character
        elif not found and start is not None:
            yield start, character - 1
            start = None


def rust(found):
    """The lines of a table."""
    pairs = [f"({first:#x}, {last:#x})," for first, last in found]
    lines = [pairs[at : at + PER_LINE] for at in range(0, len(pairs), PER_LINE)]
    return "".join(f"    {' '.join(line)}\n" for line in lines)


def main():
    is_check = sys.argv[1:] == ["--check"]
    libc = ctypes.CDLL("libc.so.6")
    libc.setlocale.restype = ctypes.c_char_p
    libc.gnu_get_libc_version.restype = ctypes.c_char_p
    version = libc.gnu_get_libc_version().decode()
    if libc.setlocale(LC_ALL, b"C.UTF-8") is None or version != "2.36":
        sys.exit(f"glibc 2.36 and its C.UTF-8 are needed, this is {version}")
    wrong = []
    for name, table, is_in in tables(libc):
        path = ROOT / name
        text = path.read_text()
        pattern = re.compile(rf"(const {table}: &\[\(u32, u32\)\] = &\[\n)(.*?)(^\];)", re.S | re.M)
        lines = rust(ranges(is_in))
        new, count = pattern.subn(lambda found: found[1] + lines + found[3], text)
        if count != 1:
            sys.exit(f"{name}: there is no table {table}")
        if new != text and is_check:
            wrong.append(f"{name}: {table} is not what glibc {version} says")
        elif new != text:
            path.write_text(new)
    if wrong:
        sys.exit("\n".join(wrong))


main()
