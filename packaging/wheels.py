"""PyPI's wheels: the Python SDK with the binary in it, one for each platform."""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
from pathlib import Path

from archives import Entry, write_zip
from platforms import Platform


def python_version(version: str) -> str:
    """A version as PyPI writes it: ``1.0.0-rc.1`` is ``1.0.0rc1``."""
    release, _, pre = version.partition("-")
    if not pre:
        return release
    found = re.fullmatch(r"(alpha|beta|rc)\.?(\d+)", pre)
    if not found:
        raise SystemExit(f"package: PyPI has no such version: {version} (-alpha.1, -beta.1 and -rc.1 are known)")
    return release + {"alpha": "a", "beta": "b", "rc": "rc"}[found[1]] + found[2]


def wheel(
    out: Path, root: Path, platform: Platform, binary: bytes, texts: list[Entry], version: str, repository: str, stamp: int
) -> Path:
    sdk = root / "sdk" / "python"
    version = python_version(version)
    project = tomllib.loads((sdk / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package = sdk / "hookshell"
    files = [path for path in sorted(package.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    entries = [
        Entry(path.relative_to(sdk).as_posix(), path.read_bytes())
        for path in files
        if not path.is_relative_to(package / "bin")
    ]
    entries.append(Entry(f"hookshell/bin/hookshell{platform.exe}", binary, is_program=True))
    info = f"hookshell-{version}.dist-info"
    entries.append(Entry(f"{info}/entry_points.txt", b"[console_scripts]\nhookshell = hookshell.__main__:main\n"))
    readme = sdk / "README.md"
    licenses = sorted(text.name for text in texts if text.name.startswith("LICENSE"))
    urls = project.get("urls") or {"Source": repository}
    lines = [
        "Metadata-Version: 2.4",
        "Name: hookshell",
        f"Version: {version}",
        f"Summary: {project.get('description', 'Run hooks of coding agents')}",
        "License-Expression: MIT OR Apache-2.0",
        *[f"License-File: {name}" for name in licenses],
        *[f"Project-URL: {name}, {url}" for name, url in urls.items()],
        *([f"Keywords: {','.join(project['keywords'])}"] if project.get("keywords") else []),
        f"Requires-Python: {project.get('requires-python', '>=3.9')}",
        *[f"Classifier: {name}" for name in project.get("classifiers", [])],
        "Description-Content-Type: text/markdown",
        "",
        readme.read_text(encoding="utf-8"),
    ]
    entries.append(Entry(f"{info}/METADATA", "\n".join(lines).encode()))
    tags = [f"py3-none-{tag}" for tag in platform.wheel.split(".")]
    head = ["Wheel-Version: 1.0", "Generator: hookshell-package", "Root-Is-Purelib: false"]
    entries.append(Entry(f"{info}/WHEEL", "\n".join([*head, *[f"Tag: {tag}" for tag in tags], ""]).encode()))
    entries.extend(Entry(f"{info}/licenses/{text.name}", text.data) for text in texts if text.name.startswith("LICENSE"))
    # What describes the package stands at the end, as PEP 427 recommends.
    entries.sort(key=lambda entry: (entry.name.startswith(info), entry.name))

    def digest(data: bytes) -> str:
        return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

    record = [f"{entry.name},sha256={digest(entry.data)},{len(entry.data)}" for entry in entries]
    record.append(f"{info}/RECORD,,")
    entries.append(Entry(f"{info}/RECORD", ("\n".join(record) + "\n").encode()))
    path = out / f"hookshell-{version}-py3-none-{platform.wheel}.whl"
    write_zip(path, entries, stamp, keep_order=True)
    return path
