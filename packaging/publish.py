#!/usr/bin/env python3
"""Publishes what a release has. Each command can be run again after half of it failed: what is published already is passed over.

    publish.py draft TAG DIRECTORY [--repository OWNER/NAME]   the draft release, by gh
    publish.py npm TAG DIRECTORY                               npm's tarballs: the platforms' first
    publish.py crates [--registry NAME]                        the crates of the workspace in the working directory

What is published is never replaced: the same version with other content is an error. ``release.yml`` calls it.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import NoReturn

#: How often, and how long after, npm is asked whether it has what it has just refused: not all of its servers know of it at once.
ASK_TIMES, ASK_SECONDS = 3, 20


def fail(message: str) -> NoReturn:
    sys.exit(f"publish: {message}")


def output(command: list[str | Path]) -> tuple[int, str]:
    """Exit code and standard output; what goes to standard error is shown."""
    ran = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    return ran.returncode, ran.stdout.decode(errors="replace")


def is_prerelease(tag: str) -> bool:
    """``v1.0.0-rc.1`` is only for those who ask for it."""
    return "-" in tag


def draft(tag: str, directory: Path, repository: str) -> None:
    # The manifests of Homebrew, Scoop and winget too, whose names differ.
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    if not files:
        fail(f"{directory} has no files")
    at = ["--repo", repository] if repository else []
    code, found = output(["gh", "release", "view", tag, *at, "--json", "isDraft"])
    if code:
        options = ["--draft", "--verify-tag", "--title", tag, "--generate-notes", *(["--prerelease"] if is_prerelease(tag) else [])]
        code, _ = output(["gh", "release", "create", tag, *at, *options, *files])
    elif json.loads(found)["isDraft"]:
        print(f"publish: there is a draft of {tag}: its files are replaced")
        code, _ = output(["gh", "release", "upload", tag, *at, "--clobber", *files])
    else:
        fail(f"the release {tag} is public, and stays as it is: raise the version")
    if code:
        fail(f"gh failed: exit code {code}")


def npm_integrity(tarball: Path) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode()


def npm_published(package: str) -> str | None:
    """The integrity of a published version, None where there is none."""
    code, text = output(["npm", "view", package, "dist.integrity", "--json"])
    # A package without this version is no error to older npms.
    if code == 0 and not text.strip():
        return None
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if code == 0 and isinstance(found, str):
        return found
    if isinstance(found, dict) and isinstance(found.get("error"), dict) and found["error"].get("code") == "E404":
        return None
    # A registry that does not answer is not one without the package.
    fail(f"npm view {package}: exit code {code}: {text.strip()}")


def npm(tag: str, directory: Path, ask_seconds: float) -> None:
    # `hookshell` depends on the platforms' packages: whoever installs it in between would get none.
    tarballs = [*sorted(directory.glob("hookshell-cli-*.tgz")), *sorted(directory.glob("hookshell-[0-9]*.tgz"))]
    if not tarballs or not tarballs[-1].name.startswith("hookshell-" + tag.removeprefix("v")):
        fail(f"{directory} has no hookshell-{tag.removeprefix('v')}.tgz")
    for tarball in tarballs:
        with tarfile.open(tarball) as tar:
            member = tar.extractfile("package/package.json")
            manifest = json.loads(member.read()) if member else {}
        package, integrity = f"{manifest['name']}@{manifest['version']}", npm_integrity(tarball)
        published = npm_published(package)
        if published is None:
            command = ["npm", "publish", "--access", "public", "--tag", "next" if is_prerelease(tag) else "latest", f"./{tarball}"]
            if tarball.is_absolute():
                command[-1] = str(tarball)
            code, _ = output(command)
            if code == 0:
                print(f"publish: {package} is published", flush=True)
                continue
            # It may have been taken all the same, before the connection broke or a moment ago.
            for _ in range(ASK_TIMES):
                published = npm_published(package)
                if published is not None:
                    break
                time.sleep(ask_seconds)
            else:
                fail(f"npm publish {tarball}: exit code {code}")
        if published != integrity:
            fail(
                f"{package} is published with other content ({published}, here {integrity}): "
                "run the failed jobs again, whose packages are kept, not all jobs; else raise the version"
            )
        print(f"publish: {package} is published already", flush=True)


def crates_missing(registry: str) -> set[str]:
    """The workspace's crates that the registry is to have, and has not in this version."""
    code, text = output(["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"])
    if code:
        fail(f"cargo metadata: exit code {code}")
    missing = set()
    # Outside of the workspace, or its own crates would be shown.
    with tempfile.TemporaryDirectory() as elsewhere:
        for package in json.loads(text)["packages"]:
            if package["publish"] is not None and registry not in package["publish"]:
                continue
            name, version = package["name"], package["version"]
            asked = ["cargo", "info", "--quiet", f"{name}@{version}", "--registry", registry]
            ran = subprocess.run(
                asked, cwd=elsewhere, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
            )
            # A registry that does not answer has none of them: cargo publish finds that out.
            if ran.returncode:
                missing.add(name)
            else:
                print(f"publish: {name} {version} is published already", flush=True)
    return missing


def crates(registry: str, wait: float, attempts: int, options: list[str]) -> None:
    missing = crates_missing(registry)
    verify: list[str] = []
    for attempt in range(attempts):
        if not missing:
            print("publish: every crate is published")
            return
        if attempt:
            print(f"publish: the registry takes no more for now; {len(missing)} crates are left: once more in {wait:.0f} s", flush=True)
            time.sleep(wait)
        # `--workspace` refuses all of them for one that is published.
        chosen = [word for name in sorted(missing) for word in ("--package", name)]
        command = ["cargo", "publish", "--locked", "--registry", registry, *options, *verify, *chosen]
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        said = ran.stderr.decode(errors="replace")
        print(said, file=sys.stderr, end="", flush=True)
        if ran.returncode == 0:
            print("publish: every crate is published")
            return
        before, missing = missing, crates_missing(registry)
        # crates.io takes a handful of new crates, and then one in ten minutes.
        if "429 Too Many Requests" not in said:
            fail(f"cargo publish: exit code {ran.returncode}; not published: {', '.join(sorted(missing))}")
        if missing != before:
            # All of them are verified before the first is taken.
            verify = ["--no-verify"]
    if missing:
        fail(f"not published: {', '.join(sorted(missing))}; run it again later")


def main() -> None:
    parser = argparse.ArgumentParser(prog="publish", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("draft", "npm"):
        command = commands.add_parser(name)
        command.add_argument("tag")
        command.add_argument("directory", type=Path)
        if name == "draft":
            command.add_argument("--repository", default="")
        else:
            command.add_argument("--ask-seconds", type=float, default=ASK_SECONDS)
    command = commands.add_parser("crates")
    command.add_argument("--registry", default="crates-io")
    command.add_argument("--wait", type=float, default=610)
    command.add_argument("--attempts", type=int, default=25)
    command.add_argument("options", nargs="*", help="options of cargo publish, after --")
    arguments = parser.parse_args()
    if arguments.command == "draft":
        draft(arguments.tag, arguments.directory, arguments.repository)
    elif arguments.command == "npm":
        npm(arguments.tag, arguments.directory, arguments.ask_seconds)
    else:
        crates(arguments.registry, arguments.wait, arguments.attempts, arguments.options)


if __name__ == "__main__":
    main()
