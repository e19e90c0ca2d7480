#!/usr/bin/env python3
"""Installs hookshell from its packed files into empty prefixes, as its users do, and runs it there.

For Linux on x64: the archive through install.sh from a server on 127.0.0.1, the steps of action.yml as a runner calls them, npm's
tarballs, and the wheel. What a registry
or a program is missing for is skipped with a message, unless REQUIRE_PACKAGES=1.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import check_manifests as rules
from wheels import python_version

ROOT = Path(__file__).resolve().parent.parent

#: How long one command may take, in seconds.
DEADLINE = 240
HOOK = """{"hooks":{"PreToolUse":[{"command":"echo 'not that' >&2; exit 2"}]}}"""
REQUIRED = os.environ.get("REQUIRE_PACKAGES") == "1"


class Failed(Exception):
    """A check that does not hold."""


def run(command: list[str | Path], *, code: int = 0, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """The command's standard output. Another exit code than ``code`` fails."""
    ran = subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        timeout=DEADLINE,
        check=False,
    )
    if ran.returncode != code:
        words = " ".join(str(word) for word in command)
        raise Failed(f"{words}: exit code {ran.returncode}, not {code}\n{ran.stdout.decode()}{ran.stderr.decode()}")
    return ran.stdout.decode() + (ran.stderr.decode() if code else "")


def denies(command: list[str | Path], cwd: Path, env: dict[str, str]) -> None:
    """The program says its version and denies a call."""
    version = run([*command, "--version"], cwd=cwd, env=env)
    if not version.startswith("hookshell "):
        raise Failed(f"--version says {version!r}")
    (cwd / "crush.json").write_text(HOOK, encoding="utf-8")
    event = ["run", "PreToolUse", "--config", "crush.json", "--tool", "bash", "--input", '{"command":"ls"}', "--no-log"]
    verdict = json.loads(run([*command, *event], code=2, cwd=cwd, env=env).splitlines()[0])
    if (verdict["decision"], verdict["reason"]) != ("deny", "not that"):
        raise Failed(f"the verdict is {verdict}")


def user(home: Path, *, path: str | None = None) -> dict[str, str]:
    """A user who has nothing but a home directory."""
    home.mkdir(parents=True, exist_ok=True)
    system = path or os.environ.get("PATH", "/usr/bin:/bin")
    return {"HOME": str(home), "PATH": system, "LC_ALL": "C", "HOOKSHELL_LOG": "off"}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def releases(archive: Path, site: Path) -> Iterator[str]:
    """The address of a server that has the archive as a release."""
    for at in (f"download/v{version_of(archive)}", "latest/download"):
        (site / at).mkdir(parents=True)
        for name in (archive.name, "SHA256SUMS"):
            shutil.copy(archive.parent / name, site / at / name)
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def version_of(archive: Path) -> str:
    return re.split("-(?:x86_64|aarch64)-", archive.name.removeprefix("hookshell-"))[0]


def check_install_sh(packages: Path, work: Path) -> None:
    archive = next(packages.glob("hookshell-*-x86_64-unknown-linux-*.tar.gz"))
    version = version_of(archive)
    site = work / "site"
    with releases(archive, site) as base:
        home = work / "home"
        env = user(home) | {"HOOKSHELL_BASE_URL": base}
        script = packages / "install.sh"
        shells = [shell for shell in ("dash", "bash", "busybox", "zsh", "mksh", "ksh") if shutil.which(shell)]
        shells = shells or ["sh"]
        for shell in shells:
            start = [shell, "sh", script] if shell == "busybox" else [shell, script]
            for arguments in ([], ["--version", version], ["--version=latest"])[: 3 if shell == shells[0] else 1]:
                run([*start, *arguments], env=env)
                project = work / f"project-{shell}"
                project.mkdir(exist_ok=True)
                denies([home / ".local/bin/hookshell"], project, env)
                if not (home / ".local/share/man/man1/hookshell-run.1").is_file():
                    raise Failed("the manual pages are not installed")
                run([*start, "--uninstall"], env=env)
                left = list(home.rglob("*"))
                if left:
                    raise Failed(f"--uninstall leaves {left}")
            if shell in ("dash", "bash", "busybox", "sh"):
                check_prefixes([*start], work / f"prefixes-{shell}", env)
            check_failures([*start], work / f"failures-{shell}", env)
        for shell in shells:
            start = [shell, "sh", script] if shell == "busybox" else [shell, script]
            check_wired(start, work / f"wired-{shell}", base)
        check_strangers(script, work / "strangers", env)
        for shell in shells:
            start = [shell, "sh", script] if shell == "busybox" else [shell, script]
            check_surroundings(start, work / f"surroundings-{shell}", env)
        check_downloads(script, work / "downloads", env)
        run(["sh", script], env=env | {"HOOKSHELL_BASE_URL": f"{base}/"})
        # A newer version takes away what only the older one had.
        run(["sh", script], env=env)
        old = home / ".local/share/man/man1/hookshell-old.1"
        old.write_text("x")
        with (home / ".local/share/hookshell/files").open("a") as file:
            file.write(f"{old}\n")
        for shell, hint in (("/usr/bin/fish", "fish_add_path"), ("/bin/zsh", "~/.zshrc"), ("/bin/bash", "~/.bashrc")):
            said = run(["sh", "-c", 'sh "$0" 2>&1', script], env=env | {"SHELL": shell})
            if hint not in said:
                raise Failed(f"the hint for {shell} is {said}")
        if old.exists():
            raise Failed("an upgrade leaves files of the older version")
        run(["sh", script, "--uninstall"], env=env)
        # What cannot be written is not installed.
        (home / ".local/bin/hookshell").mkdir(parents=True)
        said = run(["sh", script], code=1, env=env)
        if "is a directory: nothing is installed" not in said or (home / ".local/share").exists():
            raise Failed(f"a directory in the program's place: {said}")
        (home / ".local/bin/hookshell").rmdir()
        check_hints(script, work / "hints", env)
        # What was changed on its way is not installed.
        with (site / "latest/download" / archive.name).open("ab") as file:
            file.write(b"x")
        said = run(["sh", script], code=1, env=env)
        if "is not what the release says" not in said or (home / ".local/bin/hookshell").exists():
            raise Failed(f"a changed archive is installed: {said}")
        said = run(["sh", script, "--version", "9.9.9"], code=1, env=env)
        if "is there a version 9.9.9?" not in said:
            raise Failed(f"a version that is not there: {said}")
        for version in ("1/../../../other", "1.0 x", "1\n2", "$(x)"):
            said = run(["sh", script, "--version", version], code=1, env=env)
            if "that is no version" not in said:
                raise Failed(f"--version {version!r}: {said}")
        said = run(["sh", "-c", 'sh -s -- --help <"$0"', script], env=env)
        if "--uninstall" not in said:
            raise Failed(f"--help of a script that comes through a pipe: {said}")
        source = ROOT / "packaging/install.sh"
        said = run(["sh", source], code=1, env={name: value for name, value in env.items() if name != "HOOKSHELL_BASE_URL"})
        if "the script of the sources" not in said:
            raise Failed(f"the script of the sources: {said}")
        said = run(["sh", script], code=1, env={name: value for name, value in env.items() if name != "HOME"})
        if "there is no home directory" not in said:
            raise Failed(f"without HOME: {said}")
    with tarfile.open(archive) as tar:
        inside = {name.split("/", 1)[1] for name in tar.getnames()}
    wanted = {"hookshell", "LICENSE-MIT", "README.md", "completions/_hookshell", "man/hookshell.1", "hookshell.cdx.json"}
    if not wanted <= inside:
        raise Failed(f"the archive lacks {wanted - inside}")


def check_prefixes(start: list[str | Path], work: Path, env: dict[str, str]) -> None:
    """Prefixes as people write them: the hint can be pasted, and what is there already stays."""
    odd = work / "a b'c\"$d`e"
    odd.mkdir(parents=True)
    for prefix, other in ((f"{odd}/one", f"{odd}/one//"), (f"{odd}/two/", f"{odd}/two")):
        said = run(["sh", "-c", '"$@" 2>&1', "sh", *start, "--prefix", prefix], env=env)
        hint = re.search("add the line  (.*)  to", said)
        found = run(["sh", "-c", f"{hint[1] if hint else ''}\ncommand -v hookshell"], env=env)
        if found != f"{prefix.rstrip('/')}/bin/hookshell\n":
            raise Failed(f"the line of the hint finds {found!r}: {said}")
        (Path(prefix) / "share/man/man1/other.1").write_text("of another program")
        run([*start, "--uninstall", "--prefix", other], env=env)
        left = [path.name for path in Path(prefix).rglob("*") if not path.is_dir()]
        if left != ["other.1"] or (Path(prefix) / "bin").exists():
            raise Failed(f"--uninstall --prefix {other} leaves {left}")
    (odd / "file").touch()
    for prefix, message in (
        ("", "needs a directory"),
        ("relative", "must be an absolute path"),
        (f"{odd}\nx", "line end"),
        (f"{odd}/file/x", "nothing is installed"),
    ):
        said = run([*start, "--prefix", prefix], code=1, env=env)
        if message not in said:
            raise Failed(f"--prefix {prefix!r}: {said}")


def check_failures(start: list[str | Path], work: Path, env: dict[str, str]) -> None:
    """What cannot be installed leaves nothing; what could be in part only is found by --uninstall."""
    prefix = work / "prefix"
    (prefix / "share").mkdir(parents=True)
    (prefix / "share/fish").touch()
    said = run([*start, "--prefix", prefix], code=1, env=env)
    left = sorted(path.relative_to(prefix).as_posix() for path in prefix.rglob("*"))
    if "could not be made: nothing is installed" not in said or left != ["share", "share/fish"]:
        raise Failed(f"a file in a directory's place: {said}, and there is {left}")
    (prefix / "share/fish").unlink()
    blocked = prefix / "share/fish/vendor_completions.d/hookshell.fish.new"
    (blocked / "x").mkdir(parents=True)
    said = run([*start, "--prefix", prefix], code=1, env=env)
    if "installed in part" not in said or (prefix / "bin/hookshell").exists() or not (prefix / "share/man/man1/hookshell.1").is_file():
        raise Failed(f"a file that cannot be written: {said}")
    run([*start, "--prefix", prefix, "--uninstall"], env=env)
    shutil.rmtree(blocked)
    left = sorted(path.relative_to(prefix).as_posix() for path in prefix.rglob("*"))
    if left != ["share", "share/fish", "share/fish/vendor_completions.d"]:
        raise Failed(f"--uninstall after a failure leaves {left}")


def check_strangers(script: Path, work: Path, env: dict[str, str]) -> None:
    """Links and lists lead to no file of another program's."""
    prefix = work / "prefix"
    theirs = work / "theirs"
    names = ("bin/hookshell", "share/hookshell/files", "share/man/man1/hookshell.1")
    for name in names:
        link = prefix / f"{name}.new"
        link.parent.mkdir(parents=True)
        theirs.write_text("theirs")
        link.symlink_to(theirs)
    start: list[str | Path] = ["sh", script, "--prefix"]
    run([*start, prefix], env=env)
    if theirs.read_text() != "theirs" or any((prefix / name).is_symlink() for name in names):
        raise Failed("what is installed is written through a link")
    # Another name of the prefix has no files in the list.
    other = work / "other"
    other.symlink_to(prefix)
    said = run([*start, other, "--uninstall"], code=1, env=env)
    if f"another --prefix: {prefix}\n" not in said or not (prefix / "bin/hookshell").is_file():
        raise Failed(f"--uninstall by another name: {said}")
    with (prefix / "share/hookshell/files").open("a") as file:
        file.write(f"{prefix}/../theirs\n{theirs}\n{prefix}/bin/../../theirs\n")
    run([*start, prefix], env=env)
    with (prefix / "share/hookshell/files").open("a") as file:
        file.write(f"{prefix}/../theirs\n{theirs}\n{prefix}/bin/../../theirs\n")
    run([*start, prefix, "--uninstall"], env=env)
    if not theirs.is_file() or (prefix / "bin/hookshell").exists():
        raise Failed("--uninstall takes away what is not below the prefix")
    (prefix / "share/hookshell/files").mkdir(parents=True, exist_ok=True)
    said = run([*start, prefix], code=1, env=env)
    if "files is a directory: nothing is installed" not in said or (prefix / "bin/hookshell").exists():
        raise Failed(f"a directory in the list's place: {said}")


def check_wired(start: list[str | Path], work: Path, base: str) -> None:
    """The user installs, wires an agent and uninstalls: what agents start is not taken away from under them."""
    home = work / "home"
    env = user(home) | {"HOOKSHELL_BASE_URL": base}
    system = env["PATH"]
    config = home / ".claude/settings.json"
    config.parent.mkdir()
    text = '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"echo hi"}]}]}}'
    config.write_text(text)
    program = home / ".local/bin/hookshell"
    for install, uninstall, end in (([], "--user", "/"), (["--shell"], "--shell", "")):
        # However PATH writes the directory.
        env["PATH"] = f"{home}/.local/bin{end}:{system}"
        said = run(["sh", "-c", '"$@" 2>&1', "sh", *start], env=env)
        if "in PATH" in said:
            raise Failed(f"install.sh does not find itself in PATH: {said}")
        run([program, "install", *install, "claude"], env=env, cwd=home)
        # An upgrade changes nothing for the agents.
        run([*start], env=env)
        said = run([*start, "--uninstall"], code=1, env=env, cwd=home)
        if f"run  hookshell uninstall {uninstall}  first" not in said or str(config) not in said or not program.is_file():
            raise Failed(f"--uninstall of what an agent starts: {said}")
        run([program, "uninstall", uninstall], env=env, cwd=home)
    run([*start, "--uninstall"], env=env, cwd=home)
    if program.exists() or config.read_text() != text:
        raise Failed("a home is not what it was before")


def check_surroundings(start: list[str | Path], work: Path, env: dict[str, str]) -> None:
    """What stands in the working directory, or in variables for other programs, changes nothing."""
    start = [shutil.which(start[0]) or start[0], *start[1:]]
    theirs = work / "theirs"
    theirs.mkdir(parents=True)
    for name in ("curl", "wget", "tar", "sha256sum", "mktemp", "uname", "sed", "sort", "grep", "hookshell"):
        (theirs / name).write_text(f"#!/bin/sh\ntouch {work}/was-run\nexit 1\n")
        (theirs / name).chmod(0o755)
    options = {"TAR_OPTIONS": "--strip-components=1", "GREP_OPTIONS": "-v", "CDPATH": "/", "IFS": "/t"}
    home = work / "a home"
    home.mkdir()
    each = env | options | {"HOME": str(home), "PATH": f".:../theirs::{env['PATH']}:"}
    run(start, cwd=theirs, env=each)
    run([*start, "--uninstall"], cwd=theirs, env=each)
    if (work / "was-run").exists() or list(home.iterdir()):
        raise Failed("programs of the working directory are run, or something is left")


def only(directory: Path, *names: str) -> Path:
    """A directory for PATH that has what install.sh needs of a system, and those programs."""
    directory.mkdir(parents=True)
    needed = ("sh", "mkdir", "mktemp", "rm", "cp", "mv", "chmod", "sort", "grep", "sed", "cut", "cat", "rmdir", "uname", "tar", "gzip")
    for name in (*needed, *names):
        (directory / name).symlink_to(shutil.which(name) or f"/bin/{name}")
    return directory


def check_downloads(script: Path, work: Path, env: dict[str, str]) -> None:
    """What downloads, and what a machine may lack for it."""
    for number, (names, message) in enumerate((((), "neither curl nor wget"), (("curl", "wget"), "neither sha256sum nor shasum"))):
        if all(shutil.which(name) for name in names):
            path = only(work / f"bin-{number}", *names)
            said = run(["sh", script], code=1, env=env | {"PATH": str(path)})
            if message not in said:
                raise Failed(f"with {names}: {said}")
    # Both in the one that is there alone: wget, and that of busybox, which has fewer options.
    if shutil.which("wget"):
        home = work / "wget home"
        home.mkdir()
        path = only(work / "wget", "wget", "sha256sum")
        run(["sh", script], env=env | {"PATH": str(path), "HOME": str(home)})
    if busybox := shutil.which("busybox"):
        path = only(work / "busybox", "sha256sum")
        (path / "wget").symlink_to(busybox)
        (work / "busybox home").mkdir()
        run(["sh", script], env=env | {"PATH": str(path), "HOME": str(work / "busybox home")})
    # A server that says nothing is not waited for without end, and https leads nowhere else.
    path = only(work / "curl", "sha256sum")
    (path / "curl").write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >>{work}/curl-said\nexit 1\n')
    (path / "curl").chmod(0o755)
    (path / "wget").write_text(f'#!/bin/sh\n[ "$1" != --version ] || echo GNU Wget\nprintf "%s\\n" "$*" >>{work}/wget-said\nexit 1\n')
    (path / "wget").chmod(0o755)
    for base in ("https://127.0.0.1:1", "http://127.0.0.1:1"):
        run(["sh", script], code=1, env=env | {"PATH": str(path), "HOOKSHELL_BASE_URL": base})
    (path / "curl").unlink()
    run(["sh", script], code=1, env=env | {"PATH": str(path)})
    secure, plain = (work / "curl-said").read_text().splitlines()
    limits = "--connect-timeout 30 --speed-limit 1 --speed-time 60"
    if "--proto =https" not in secure or "--proto" in plain or limits not in secure or limits not in plain:
        raise Failed(f"curl is called with {secure!r} and {plain!r}")
    if "-T 60 -t 3" not in (work / "wget-said").read_text():
        raise Failed("wget is called without limits")


def check_hints(script: Path, work: Path, env: dict[str, str]) -> None:
    """What else may be amiss is said."""
    for name, code, program, arguments, message in (
        ("hookshell", 0, "exit 0", [], f"another one comes first in PATH: {work}/0/hookshell"),
        ("uname", 1, "if [ $1 = -s ]; then echo MINGW64_NT-10.0; else echo x86_64; fi", [], "this is Windows: take install.ps1"),
        ("uname", 1, "if [ $1 = -s ]; then echo Linux; else echo armv7l; fi", [], "there is no binary for Linux on armv7l"),
        ("none", 1, "exit 0", ["--version", ""], "--version needs a version"),
        ("none", 1, "exit 0", ["--version="], "--version needs a version"),
        # A cache that gives an error's page, and an archive that ends too early.
        ("curl", 1, 'while [ "$1" != -o ]; do shift; done; echo "<html>" >"$2"', [], "has no archive for x86_64-unknown-linux-gnu"),
        ("tar", 1, "echo 'tar: Unexpected EOF in archive' >&2; exit 2", [], "could not be unpacked"),
    ):
        first = work / str(len(list(work.glob("*"))))
        first.mkdir(parents=True)
        (first / name).write_text(f"#!/bin/sh\n{program}\n")
        (first / name).chmod(0o755)
        said = run(["sh", "-c", '"$@" 2>&1', "sh", "sh", script, *arguments], code=code, env=env | {"PATH": f"{first}:{env['PATH']}"})
        if message not in said:
            raise Failed(f"{arguments} with {name} of another kind: {said}")
        if code == 0:
            run(["sh", script, "--uninstall"], env=env)


def steps(action: str) -> dict[str, str]:
    """The scripts of an action's steps that run in bash, by the step's name and where it is installed from."""
    found = {}
    for part in action.split("\n    - name: ")[1:]:
        name, source = part.split("\n", 1)[0], re.search(r"inputs\.source == '(\w+)'", part)
        script = re.search(r"\n      run: (?:\|\n((?:        .*\n|\n)+)|(.*)\n)", part + "\n")
        if "\n      shell: bash\n" in part and script:
            found[f"{name} ({source[1]})" if source else name] = textwrap.dedent(script[1] or script[2] or "")
    return found


def check_action(packages: Path, work: Path) -> None:
    scripts = steps((ROOT / "action.yml").read_text(encoding="utf-8"))
    wanted = {"Install from the release (release)", "Install from npm (npm)", "Install from PyPI (pypi)", "Version", "hookshell check", "hookshell test", "Inputs"}
    if set(scripts) != wanted:
        raise Failed(f"action.yml has the steps {sorted(scripts)}")
    temp, project, outputs = work / "temp", work / "project", {name: work / name for name in ("GITHUB_PATH", "GITHUB_OUTPUT")}
    (project / "hooks").mkdir(parents=True)
    temp.mkdir()

    def step(name: str, *, code: int = 0, **inputs: str) -> str:
        """As a runner does it: the script in a file, with its own options of bash; what earlier steps added to PATH comes first."""
        for file in outputs.values():
            file.touch()
        added = outputs["GITHUB_PATH"].read_text(encoding="utf-8").split("\n")[-2::-1]
        env = user(work / "home") | {key: str(file) for key, file in outputs.items()} | {"RUNNER_TEMP": str(temp)} | inputs
        env["PATH"] = os.pathsep.join([*added, env["PATH"]])
        script = temp / "step.sh"
        script.write_text(scripts[name], encoding="utf-8")
        return run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], code=code, cwd=project, env=env)

    for source in ("release", "npm", "pypi"):
        for version in ("latest", "0.1.0", "v1.2.3", "1.0.0-rc.1", "1.0.0rc1"):
            step("Inputs", SOURCE=source, VERSION=version)
    said = step("Inputs", code=1, SOURCE="brew\n::add-path::/tmp 100%", VERSION="latest")
    if said != "::error title=hookshell::source is release, npm or pypi, not brew%0A::add-path::/tmp 100%25\n":
        raise Failed(f"a wrong source: {said}")
    for version in ("", "1.0", "^1.0.0", "npm:other@1.0.0", "1.0.0/../../../../other", "1.0.0 @ file:x", "$(touch x)", "`x`", "1.0.0\nx", "latest\n"):
        said = step("Inputs", code=1, SOURCE="npm", VERSION=version)
        if not re.fullmatch("::error title=hookshell::version is latest, .*\n", said):
            raise Failed(f"the version {version!r}: {said}")
    archive = next(packages.glob("hookshell-*-x86_64-unknown-linux-*.tar.gz"))
    with releases(archive, work / "site") as base:
        place = {"ACTION_PATH": str(ROOT), "HOOKSHELL_BASE_URL": base}
        step("Install from the release (release)", VERSION="latest", **place)
        step("Install from the release (release)", VERSION=version_of(archive), **place)
        step("Install from the release (release)", code=1, VERSION="9.9.9", **place)
    step("Version")
    said = outputs["GITHUB_OUTPUT"].read_text(encoding="utf-8")
    if said != f"version={version_of(archive)}\n":
        raise Failed(f"the output is {said!r}")
    (project / "crush.json").write_text(HOOK, encoding="utf-8")
    check = {"FAIL_ON": "warning", "TARGET": ""}
    step("hookshell check", FILES="crush.json\n\nhooks\n", **check)
    # Words that a shell would read in another way are names of files, and options are none.
    for odd in ("$(touch was-run)", "`touch was-run`", "'; touch was-run; '", 'a"b', "--fix", "*", "~", "$HOME"):
        (project / odd).mkdir()
        (project / odd / "crush.json").write_text(HOOK, encoding="utf-8")
        step("hookshell check", FILES=f"{odd}/crush.json", **check)
        (project / odd / "x.hooktest.json").write_text('{"tool_name":"bash","expect":{"decision":"deny"}}', encoding="utf-8")
        step("hookshell test", DIRECTORY=odd)
        step("hookshell check", code=64, FILES="crush.json", **(check | {"FAIL_ON": odd}))
        step("hookshell check", code=64, FILES="crush.json", **(check | {"TARGET": odd}))
        shutil.rmtree(project / odd)
    if (project / "was-run").exists():
        raise Failed("an input is run as a command")
    (project / "hooks/a b.sh").write_text("#!/bin/sh\nif [[ -n $1 ]]; then echo; fi\n", encoding="utf-8")
    said = step("hookshell check", code=1, FILES="crush.json\nhooks/a b.sh", **check)
    if "::warning " not in said and "::error " not in said:
        raise Failed(f"a finding is no annotation: {said}")
    step("hookshell check", code=1, FILES="hooks", **(check | {"TARGET": "windows"}))
    fixture = project / "crush.hooktest.json"
    fixture.write_text('{"tool_name":"bash","expect":{"decision":"deny"}}', encoding="utf-8")
    step("hookshell test", DIRECTORY=".")
    fixture.write_text('{"tool_name":"bash","expect":{"decision":"allow"}}', encoding="utf-8")
    said = step("hookshell test", code=1, DIRECTORY=".")
    if "::error " not in said:
        raise Failed(f"a failed case is no annotation: {said}")


def check_npm(packages: Path, work: Path) -> None:
    project = work / "npm"
    project.mkdir()
    (project / "package.json").write_text('{"private":true}', encoding="utf-8")
    env = user(work / "npm-home")
    tarballs = [next(packages.glob("hookshell-cli-linux-x64-*.tgz")), next(packages.glob("hookshell-[0-9]*.tgz"))]
    # The packages of other platforms are not there, and not needed: nothing is fetched.
    run(["npm", "install", "--no-audit", "--no-fund", "--offline", *tarballs], cwd=project, env=env)
    denies(["npx", "--no-install", "hookshell"], project, env)
    # Where no package fits it says so, and its exit code is no verdict.
    binary = project / "node_modules/@hookshell/cli-linux-x64"
    shutil.rmtree(binary)
    said = run(["npx", "--no-install", "hookshell", "--version"], code=69, cwd=project, env=env)
    if "@hookshell/cli-linux-x64" not in said:
        raise Failed(f"without its platform's package it says {said!r}")


def check_wheel(packages: Path, work: Path) -> None:
    venv = work / "venv"
    run([sys.executable, "-m", "venv", venv])
    env = user(work / "pip-home")
    wheel = next(packages.glob("*manylinux*x86_64*.whl"))
    run([venv / "bin/pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel], env=env)
    project = work / "pip"
    project.mkdir()
    denies([venv / "bin/hookshell"], project, env)
    bare = user(work / "pip-home", path="/nonexistent")
    said = run([venv / "bin/python", "-c", "import hookshell, pathlib; p = pathlib.Path(hookshell.__file__).parent / 'bin/hookshell'; assert p.stat().st_mode & 0o111; print(p)"], env=bare)
    denies([Path(said.strip())], project, bare)
    run([venv / "bin/pip", "check", "--disable-pip-version-check"], env=env)


def check_versions(_: Path, __: Path) -> None:
    """Versions before a release, whose wheels and archives have names of their own."""
    for version, wanted in (("1.2.3", "1.2.3"), ("1.2.3-rc.1", "1.2.3rc1"), ("1.2.3-beta2", "1.2.3b2"), ("1.2.3-alpha.10", "1.2.3a10")):
        if python_version(version) != wanted:
            raise Failed(f"{version} is {python_version(version)} for PyPI, not {wanted}")
        name = f"hookshell-{version}-x86_64-unknown-linux-gnu.tar.gz"
        if version_of(Path(name)) != version:
            raise Failed(f"{name} is of {version_of(Path(name))}")
    with contextlib.suppress(SystemExit):
        raise Failed(f"PyPI has {python_version('1.2.3-nightly')}")


def check_sums(packages: Path, _: Path) -> None:
    lines = (packages / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    for line in lines:
        digest, name = line.split("  ")
        if hashlib.sha256((packages / name).read_bytes()).hexdigest() != digest:
            raise Failed(f"{name} has another sum")
    files = {path.name for path in packages.iterdir() if path.is_file()} - {"SHA256SUMS"}
    if files != {line.split("  ")[1] for line in lines}:
        raise Failed("SHA256SUMS does not list every file")
    for bill in packages.glob("*.cdx.json"):
        sbom = json.loads(bill.read_text(encoding="utf-8"))
        names = {component["name"] for component in sbom["components"]}
        refs = {component["bom-ref"] for component in sbom["components"]} | {sbom["metadata"]["component"]["bom-ref"]}
        if not {"clap", "hookshell-shell"} <= names or {"criterion", "proptest"} & names:
            raise Failed(f"{bill.name} does not say what is in the binary")
        if not all(ref in refs for each in sbom["dependencies"] for ref in [each["ref"], *each["dependsOn"]]):
            raise Failed(f"{bill.name} refers to what it does not list")


def check_manifests(packages: Path, work: Path) -> None:
    """The manifests that are packed, and those of all systems."""
    archives = [*packages.glob("hookshell-*.tar.gz"), *packages.glob("hookshell-*.zip")]
    version = version_of(archives[0])
    try:
        rules.check(packages, version, [re.sub(r"\.tar\.gz$|\.zip$", "", path.name).removeprefix(f"hookshell-{version}-") for path in archives])
        rules.check_rules(work, Failed)
    except rules.Fault as fault:
        raise Failed(str(fault)) from None


def holds(name: str, check: Callable[[], None]) -> bool:
    """Runs a check, and says how it came out."""
    start = time.monotonic()
    try:
        check()
    except (Failed, OSError, StopIteration, subprocess.SubprocessError, ValueError, KeyError) as error:
        print(f"{name}: FAILED: {type(error).__name__}: {error}")
        return False
    print(f"{name}: ok ({time.monotonic() - start:.1f} s)")
    return True


def summary(results: list[bool]) -> int:
    """Says how many checks hold; the exit code."""
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="check", description=__doc__)
    parser.add_argument("packages", type=Path)
    packages: Path = parser.parse_args().packages.resolve()
    checks = [("sums", check_sums, None), ("versions", check_versions, None), ("manifests", check_manifests, None), ("install.sh", check_install_sh, "curl"), ("action", check_action, "curl"), ("npm", check_npm, "npm"), ("wheel", check_wheel, None)]
    results = []
    for name, check, needs in checks:
        if needs and not shutil.which(needs) and not (needs == "curl" and shutil.which("wget")):
            if not REQUIRED:
                print(f"package: {name}: skipped: there is no {needs}")
                continue
            print(f"package: {name}: FAILED: there is no {needs}")
            results.append(False)
            continue
        with tempfile.TemporaryDirectory(prefix="hookshell-package.") as work:
            results.append(holds(f"package: {name}", functools.partial(check, packages, Path(work))))
    return summary(results)


if __name__ == "__main__":
    sys.exit(main())
