#!/usr/bin/env python3
"""Packs hookshell: archives, npm's and PyPI's packages, manifests, sums and bills of materials.

``cargo xtask package`` calls it. Nothing is built here but the SDK of Node, where its ``dist`` is not there.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import manifests
import npm
from archives import Entry, write_tar_gz, write_zip
from platforms import Platform, platform
from sbom import sbom
from wheels import wheel

ROOT = Path(__file__).resolve().parent.parent
#: The shell's file name in completions.
COMPLETIONS = {
    "bash": "hookshell.bash",
    "zsh": "_hookshell",
    "fish": "hookshell.fish",
    "elvish": "hookshell.elv",
    "powershell": "_hookshell.ps1",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="package", description=__doc__)
    parser.add_argument(
        "--binary", action="append", required=True, metavar="TARGET=PATH", help="a binary and what it is for; may be repeated"
    )
    parser.add_argument("--host-binary", type=Path, help="one that runs here: it makes completions and manual pages")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "packages")
    arguments = parser.parse_args()

    binaries: dict[Platform, Path] = {}
    for pair in arguments.binary:
        target, _, path = pair.partition("=")
        each = platform(target)
        if not Path(path).is_file():
            raise SystemExit(f"package: --binary {pair}: there is no such file (it is written TARGET=PATH)")
        twin = next((other for other in binaries if other.npm == each.npm), None)
        if twin:
            raise SystemExit(f"package: {twin.target} and {each.target} are the same package of npm, PyPI and winget: name one of them")
        binaries[each] = Path(path)
    for each, path in binaries.items():
        check_binary(each, path, path.read_bytes())
    version, repository = workspace("version"), workspace("repository")
    stamp = int(os.environ.get("SOURCE_DATE_EPOCH") or git_time())
    out: Path = arguments.out
    # Only what was made before is taken away.
    if (out / "SHA256SUMS").is_file():
        shutil.rmtree(out)
    out.mkdir(parents=True, exist_ok=True)

    host = arguments.host_binary or next(iter(binaries.values()))
    texts = [Entry(name, (ROOT / name).read_bytes()) for name in ("LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md")]
    made = pages(host)
    archives: dict[Platform, tuple[str, str]] = {}
    for each, path in binaries.items():
        binary = path.read_bytes()
        bill = sbom(ROOT, each.target, stamp)
        name = f"hookshell-{version}-{each.target}"
        entries = [Entry(f"hookshell{each.exe}", binary, is_program=True), Entry("hookshell.cdx.json", bill), *texts, *made]
        if each.is_windows:
            # Agents look for a shell under these names (docs/WINDOWS.md).
            entries += [Entry(f"{shell}.exe", binary, is_program=True) for shell in ("bash", "sh")]
        inside = [Entry(f"{name}/{entry.name}", entry.data, entry.is_program) for entry in entries]
        archive = out / (name + each.archive_end)
        (write_zip if each.is_windows else write_tar_gz)(archive, inside, stamp)
        (out / f"{name}.cdx.json").write_bytes(bill)
        archives[each] = (archive.name, hashlib.sha256(archive.read_bytes()).hexdigest())
        npm.platform_package(out, each, binary, texts, version, repository, stamp)
        wheel(out, ROOT, each, binary, texts, version, repository, stamp)
    npm.main_package(out, ROOT, texts, version, repository, stamp)
    manifests.write(out, version, repository, archives)
    for script in ("install.sh", "install.ps1"):
        text = (ROOT / "packaging" / script).read_text(encoding="utf-8")
        (out / script).write_text(text.replace("@REPOSITORY@", repository), encoding="utf-8", newline="\n")
    files = sorted(path for path in out.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")
    for path in files:
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    print(f"package: {len(files)} files in {out}")


def workspace(key: str) -> str:
    text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    section = text.split("[workspace.package]", 1)[1]
    found = re.search(rf'^{key} = "(.*)"$', section, re.M)
    if not found:
        raise SystemExit(f"package: Cargo.toml has no {key} in [workspace.package]")
    return found[1]


def git_time() -> str:
    """The last commit's time: the same packages from the same commit."""
    run = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, stdout=subprocess.PIPE, check=False)
    return run.stdout.decode().strip() or "315532800"


def pages(host: Path) -> list[Entry]:
    """Completions and manual pages, as the program itself makes them."""
    entries = []
    host = host.resolve()
    for shell, name in COMPLETIONS.items():
        try:
            script = subprocess.run([host, "completions", shell], check=True, stdout=subprocess.PIPE).stdout
        except OSError as error:
            raise SystemExit(f"package: {host} does not run here: name one that does with --host-binary ({error.strerror})") from None
        entries.append(Entry(f"completions/{name}", script))
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([host, "man", "--dir", directory], check=True)
        entries += [Entry(f"man/{page.name}", page.read_bytes()) for page in sorted(Path(directory).iterdir())]
    return entries


def check_binary(each: Platform, path: Path, binary: bytes) -> None:
    """A binary for another system, or one of Linux that needs a C library, would be found out by users."""
    fault = SystemExit(f"package: {path}: it is no program for {each.target}")
    try:
        found = machine(binary)
    except struct.error:
        raise fault from None
    if not found or found[0] != each.npm_os:
        raise fault
    # One of macOS may be for both processors.
    if each.npm_cpu not in found[1]:
        raise SystemExit(f"package: {path}: it is for another processor than {each.target}")
    if each.npm_os != "linux":
        return
    at, size, count = struct.unpack_from("<Q", binary, 32)[0], *struct.unpack_from("<HH", binary, 54)
    if at + size * count > len(binary):
        raise fault
    kinds = [struct.unpack_from("<I", binary, at + index * size)[0] for index in range(count)]
    interp = 3
    if interp in kinds:
        raise SystemExit(f"package: {path}: it needs a dynamic linker: build it static (Debian: libc6-dev) or for musl")


def machine(binary: bytes) -> tuple[str, list[str]] | None:
    """The system that a program is for, and the processors: what its header says."""
    if binary.startswith(b"\x7fELF"):
        return "linux", [{62: "x64", 183: "arm64"}.get(struct.unpack_from("<H", binary, 18)[0], "")]
    if binary.startswith(b"MZ"):
        header = struct.unpack_from("<I", binary, 60)[0]
        if binary[header : header + 4] != b"PE\0\0":
            return None
        return "win32", [{0x8664: "x64", 0xAA64: "arm64"}.get(struct.unpack_from("<H", binary, header + 4)[0], "")]
    processors = {0x01000007: "x64", 0x0100000C: "arm64"}
    if binary.startswith(b"\xcf\xfa\xed\xfe"):
        return "darwin", [processors.get(struct.unpack_from("<I", binary, 4)[0], "")]
    if binary.startswith(b"\xca\xfe\xba\xbe"):
        count = min(struct.unpack_from(">I", binary, 4)[0], 8)
        return "darwin", [processors.get(struct.unpack_from(">I", binary, 8 + index * 20)[0], "") for index in range(count)]
    return None


if __name__ == "__main__":
    try:
        main()
    except (subprocess.CalledProcessError, OSError) as error:
        sys.exit(f"package: {error}")
