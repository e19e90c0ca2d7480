"""npm's tarballs: ``hookshell``, and one package with the binary for each platform."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from archives import Entry, write_tar_gz
from platforms import NPM_PACKAGES, Platform


def manifest(version: str, repository: str, **more: object) -> dict[str, object]:
    return {
        "version": version,
        "license": "MIT OR Apache-2.0",
        "homepage": repository,
        "repository": {"type": "git", "url": f"git+{repository}.git"},
        **more,
    }


def pack(out: Path, name: str, entries: list[Entry], version: str, stamp: int) -> Path:
    # As `npm pack` names it.
    path = out / f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
    write_tar_gz(path, [Entry(f"package/{entry.name}", entry.data, entry.is_program) for entry in entries], stamp)
    return path


def platform_package(
    out: Path, platform: Platform, binary: bytes, texts: list[Entry], version: str, repository: str, stamp: int
) -> Path:
    package = manifest(
        version,
        repository,
        name=platform.npm,
        description=f"The program of hookshell for {platform.npm_os} on {platform.npm_cpu}",
        os=[platform.npm_os],
        cpu=[platform.npm_cpu],
        preferUnplugged=True,
    )
    entries = [
        Entry("package.json", (json.dumps(package, indent=2) + "\n").encode()),
        Entry("README.md", f"# {platform.npm}\n\nThe program of [hookshell]({repository}) for one platform. Install `hookshell`.\n".encode()),
        Entry(f"bin/hookshell{platform.exe}", binary, is_program=True),
        *[entry for entry in texts if entry.name.startswith("LICENSE")],
    ]
    return pack(out, platform.npm, entries, version, stamp)


def build(sdk: Path) -> None:
    """Makes ``dist``, where it is not there or older than a source."""
    made = sdk / "dist" / "index.js"
    sources = [*(sdk / "src").rglob("*.ts"), sdk / "tsconfig.json", sdk / "package.json"]
    if made.is_file() and all(source.stat().st_mtime <= made.stat().st_mtime for source in sources):
        return
    shutil.rmtree(sdk / "dist", ignore_errors=True)
    for command in (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "build"]):
        subprocess.run(command, cwd=sdk, check=True, stdout=subprocess.DEVNULL)


def main_package(out: Path, root: Path, texts: list[Entry], version: str, repository: str, stamp: int) -> Path:
    """The SDK (sdk/node) with its launcher."""
    sdk = root / "sdk" / "node"
    build(sdk)
    package = json.loads((sdk / "package.json").read_text(encoding="utf-8"))
    for key in ("devDependencies", "scripts"):
        package.pop(key, None)
    files = [path for name in package["files"] for path in sorted((sdk / name).rglob("*")) if path.is_file()]
    entries = [Entry(path.relative_to(sdk).as_posix(), path.read_bytes(), path.parent.name == "bin") for path in files]
    package |= manifest(version, repository)
    package["optionalDependencies"] = dict.fromkeys(NPM_PACKAGES, version)
    entries.append(Entry("package.json", (json.dumps(package, indent=2) + "\n").encode()))
    entries.append(Entry("README.md", (sdk / "README.md").read_bytes()))
    entries.extend(entry for entry in texts if entry.name.startswith("LICENSE"))
    return pack(out, "hookshell", entries, version, stamp)
