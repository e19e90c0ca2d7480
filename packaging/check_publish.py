#!/usr/bin/env python3
"""Publishes small packages with publish.py, to registries on 127.0.0.1 that refuse some of them, and runs it again.

``cargo xtask package`` calls it. Without npm or cargo their part is skipped with a message, unless REQUIRE_PACKAGES=1.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import http.server
import json
import os
import shutil
import struct
import sys
import tempfile
import threading
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import npm
from archives import Entry
from check import REQUIRED, ROOT, Failed, holds, run, summary

PUBLISH: list[str | Path] = [sys.executable, ROOT / "packaging/publish.py"]


class Registry(http.server.ThreadingHTTPServer):
    """What it has, and which puts it refuses: their numbers, counted from 1, and the status that is given."""

    def __init__(self, handler: type[http.server.BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.documents: dict[str, dict[str, object]] = {}
        self.index: dict[str, list[str]] = {}
        self.files: dict[tuple[str, str], bytes] = {}
        self.puts: list[str] = []
        self.refused: dict[int, int] = {}
        #: Puts that are taken although an error is given.
        self.taken: set[int] = set()
        self.is_down = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def put(self, name: str) -> tuple[int, bool]:
        """The status for this put, and whether what came is kept."""
        self.puts.append(name)
        number = len(self.puts)
        status = self.refused.get(number, 200)
        return status, status == 200 or number in self.taken


class Handler(http.server.BaseHTTPRequestHandler):
    server: Registry

    def log_message(self, format: str, *args: object) -> None:
        pass

    def answer(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers["content-length"]))


class Npm(Handler):
    def do_GET(self) -> None:
        found = self.server.documents.get(urllib.parse.unquote(self.path.split("?")[0][1:]))
        status = 500 if self.server.is_down else 200 if found else 404
        self.answer(status, json.dumps(found or {"error": "not here"}).encode())

    def do_PUT(self) -> None:
        document = json.loads(self.body())
        name, (version,) = document["name"], document["versions"]
        has = self.server.documents.get(name)
        if has and version in has["versions"]:  # type: ignore[operator]
            self.answer(403, b'{"error":"You cannot publish over the previously published versions"}')
            return
        status, is_kept = self.server.put(f"{name}@{version}")
        if is_kept:
            self.server.documents[name] = {key: document[key] for key in ("name", "versions", "dist-tags")}
        self.answer(status, b"{}")


class Crates(Handler):
    def do_GET(self) -> None:
        words = self.path.strip("/").split("/")
        if words == ["index", "config.json"]:
            self.answer(200, json.dumps({"dl": f"{self.server.url}/dl", "api": self.server.url}).encode())
        elif words[0] == "index":
            found = self.server.index.get(words[-1])
            self.answer(200 if found else 404, "\n".join(found or []).encode())
        else:
            self.answer(200, self.server.files[words[1], words[2]])

    def do_PUT(self) -> None:
        body = self.body()
        length = struct.unpack_from("<I", body)[0]
        crate = body[8 + length :]
        about = json.loads(body[4 : 4 + length])
        name, version = about["name"], about["vers"]
        status, is_kept = self.server.put(name)
        if is_kept:
            deps = [
                {"name": dep["name"], "req": dep["version_req"], "kind": dep["kind"], "registry": dep.get("registry")}
                | {key: dep[key] for key in ("features", "optional", "default_features", "target")}
                for dep in about["deps"]
            ]
            row = {"name": name, "vers": version, "deps": deps, "cksum": hashlib.sha256(crate).hexdigest(), "features": {}, "yanked": False}
            self.server.index.setdefault(name, []).append(json.dumps(row))
            self.server.files[name, version] = crate
        self.answer(status, b'{"warnings":{}}' if status == 200 else b'{"errors":[{"detail":"not now"}]}')


@contextlib.contextmanager
def registry(handler: type[http.server.BaseHTTPRequestHandler]) -> Iterator[Registry]:
    with Registry(handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        raise Failed(f"{what}: {found!r}, not {wanted!r}")


def check_npm(work: Path) -> None:
    def pack(version: str, more: str = "") -> Path:
        out = work / version
        out.mkdir(exist_ok=True)
        for name in ("@hookshell/cli-a-b", "@hookshell/cli-c-d", "hookshell"):
            text = json.dumps({"name": name, "version": version, "description": more})
            npm.pack(out, name, [Entry("package.json", text.encode())], version, 0)
        return out

    with registry(Npm) as server:
        (work / "npmrc").write_text(f"registry={server.url}/\n//127.0.0.1:{server.server_address[1]}/:_authToken=x\n")
        env = {"PATH": os.environ["PATH"], "HOME": str(work), "npm_config_userconfig": str(work / "npmrc"), "npm_config_fetch_retries": "0"}
        all_three = ["@hookshell/cli-a-b@1.0.0", "@hookshell/cli-c-d@1.0.0", "hookshell@1.0.0"]

        def publish(version: str, *, code: int = 0) -> str:
            return run([*PUBLISH, "npm", f"v{version}", version, "--ask-seconds", "0"], code=code, cwd=work, env=env)

        pack("1.0.0")
        server.refused = {2: 400}
        publish("1.0.0", code=1)
        expect("half of it is published, the platforms first", server.puts, all_three[:2])
        # What was refused once is taken now, with an error after that: a connection may break.
        server.puts, server.refused, server.taken = [], {1: 400}, {1}
        said = publish("1.0.0")
        expect("only what was left is published", server.puts, all_three[1:])
        expect("what is there is passed over", said.count("is published already"), 2)
        server.puts = []
        expect("a third time nothing is", publish("1.0.0").count("is published already"), 3)
        pack("1.0.0", "changed")
        said = publish("1.0.0", code=1)
        if "@hookshell/cli-a-b@1.0.0 is published with other content" not in said:
            raise Failed(f"other content of the same version: {said}")
        expect("what is published stays", server.puts, [])
        expect("the tag of a release", list(server.documents["hookshell"]["dist-tags"]), ["latest"])  # type: ignore[call-overload]
        pack("1.1.0-rc.1")
        publish("1.1.0-rc.1")
        expect("the tag of a version before it", list(server.documents["hookshell"]["dist-tags"]), ["next"])  # type: ignore[call-overload]
        server.puts, server.is_down = [], True
        publish("1.1.0-rc.1", code=1)
        expect("a registry that is down is not asked to take anything", server.puts, [])
        # The tarballs of another version.
        if "has no hookshell-2.0.0.tgz" not in run([*PUBLISH, "npm", "v2.0.0", "1.0.0"], code=1, cwd=work, env=env):
            raise Failed("the tag and the tarballs are of different versions")


def check_crates(work: Path) -> None:
    names = ["hookshell-a", "hookshell-b", "hookshell-c"]
    with registry(Crates) as server:
        config = f'[registries.fake]\nindex = "sparse+{server.url}/index/"\ntoken = "t"\n[registry]\nglobal-credential-providers = ["cargo:token"]\n'
        (work / "home").mkdir()
        (work / "home/config.toml").write_text(config)
        env = dict(os.environ) | {"CARGO_HOME": str(work / "home"), "CARGO_TARGET_DIR": str(work / "target")}
        project = work / "project"
        project.mkdir()
        members = [*names, "hookshell-private"]
        (project / "Cargo.toml").write_text(f'[workspace]\nresolver = "3"\nmembers = {json.dumps(members)}\n')
        before = ""
        for name in members:
            (project / name / "src").mkdir(parents=True)
            (project / name / "src/lib.rs").touch()
            text = f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2024"\nlicense = "MIT"\ndescription = "x"\n'
            text += "publish = false\n" if name == "hookshell-private" else ""
            # Each needs the one before it.
            needs = f'[dependencies]\n{before} = {{ version = "1.0.0", path = "../{before}", registry = "fake" }}\n'
            (project / name / "Cargo.toml").write_text(text + (needs if before else ""))
            before = name
        run(["cargo", "generate-lockfile", "--quiet"], cwd=project, env=env)

        def publish(*options: str, code: int = 0) -> str:
            command = [*PUBLISH, "crates", "--registry", "fake", "--wait", "0", *options, "--", "--allow-dirty"]
            return run(command, code=code, cwd=project, env=env)

        server.refused = {2: 400}
        said = publish(code=1)
        if "not published: hookshell-b, hookshell-c" not in said:
            raise Failed(f"what is left is not said: {said}")
        expect("half of it is published", server.puts, names[:2])
        # Too many for the registry: it is asked again later, and takes them.
        server.puts, server.refused = [], {1: 429, 3: 429}
        publish()
        expect("only what was left is published", server.puts, [names[1], names[1], names[2], names[2]])
        server.puts = []
        if "every crate is published" not in publish() or server.puts:
            raise Failed(f"a third time it publishes {server.puts}")
        server.index.clear()
        server.refused = dict.fromkeys(range(1, 9), 429)
        if "run it again later" not in publish("--attempts", "2", code=1):
            raise Failed("a registry that never takes anything is no failure")
        expect("it is asked as often as it was told", len(server.puts), 2)


#: Notes its arguments, and says what a file beside it says of the release.
GH = """#!/bin/sh
printf '%s\\n' "$*" >>"$0.said"
case $2 in view) [ -f "$0.release" ] && cat "$0.release" ;; esac
"""


def check_draft(work: Path) -> None:
    gh = work / "gh"
    gh.write_text(GH)
    gh.chmod(0o755)
    files = work / "packages/winget"
    files.mkdir(parents=True)
    for name in ("a b", "$(c)"):
        (files / name).touch()
    env = {"PATH": f"{work}:{os.environ['PATH']}"}

    def draft(tag: str, release: str, *, code: int = 0) -> list[str]:
        (work / "gh.said").unlink(missing_ok=True)
        (work / "gh.release").unlink(missing_ok=True)
        if release:
            (work / "gh.release").write_text(release)
        run([*PUBLISH, "draft", tag, "packages", "--repository", "o/r"], code=code, cwd=work, env=env)
        return (work / "gh.said").read_text().splitlines()[1:]

    assets = "packages/winget/$(c) packages/winget/a b"
    create = "--repo o/r --draft --verify-tag --title"
    expect("a first draft", draft("v1", ""), [f"release create v1 {create} v1 --generate-notes {assets}"])
    expect("one before a release", draft("v1-rc.1", ""), [f"release create v1-rc.1 {create} v1-rc.1 --generate-notes --prerelease {assets}"])
    expect("a draft that is there", draft("v1", '{"isDraft":true}'), [f"release upload v1 --repo o/r --clobber {assets}"])
    expect("a release that is public", draft("v1", '{"isDraft":false}', code=1), [])


def main() -> int:
    results = []
    for name, check, needs in (("npm", check_npm, "npm"), ("crates", check_crates, "cargo"), ("draft", check_draft, "sh")):
        if not shutil.which(needs):
            print(f"publish: {name}: {'FAILED' if REQUIRED else 'skipped'}: there is no {needs}")
            results += [False] if REQUIRED else []
            continue
        with tempfile.TemporaryDirectory(prefix="hookshell-publish.") as work:
            results.append(holds(f"publish: {name}", functools.partial(check, Path(work))))
    return summary(results)


if __name__ == "__main__":
    sys.exit(main())
