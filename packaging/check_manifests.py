"""What winget, Scoop, Homebrew and cargo binstall ask of their manifests, held against the archives that the manifests name.

The rules of winget are those of its schemas of version 1.6.0, the rules of Scoop those of its ``schema.json``: no package that is used
here has these schemas. A key that is not listed here is a fault: look its rule up first.
"""

from __future__ import annotations

import hashlib
import json
import re
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import manifests
from archives import Entry, write_tar_gz, write_zip
from platforms import PLATFORMS, Platform

ROOT = Path(__file__).resolve().parent.parent

# winget's schemas.
IDENTIFIER = r'[^.\s\\/:*?"<>|\x01-\x1f]{1,32}(\.[^.\s\\/:*?"<>|\x01-\x1f]{1,32}){1,7}'
VERSION = r'[^\\/:*?"<>|\x01-\x1f]{1,128}'
LOCALE = r"(?=.{1,20}$)([a-zA-Z]{2,3}|[iI]-[a-zA-Z]+|[xX]-[a-zA-Z]{1,8})(-[a-zA-Z]{1,8})*"
URL = r"https://.{1,2040}"
HEAD = {"PackageIdentifier": IDENTIFIER, "PackageVersion": VERSION, "ManifestVersion": r"1\.6\.0"}
WINGET: dict[str, dict[str, str]] = {
    "version": HEAD | {"DefaultLocale": LOCALE, "ManifestType": "version"},
    "installer": HEAD | {"InstallerType": "zip", "NestedInstallerType": "portable", "ManifestType": "installer"},
    "defaultLocale": HEAD
    | {"PackageLocale": LOCALE, "Publisher": ".{2,256}", "PackageName": ".{2,256}", "PackageUrl": URL, "License": ".{3,512}"}
    | {"ShortDescription": ".{3,256}", "ManifestType": "defaultLocale"},
}
#: The pull requests to winget's repository have it in capitals.
INSTALLER = {"Architecture": "x86|x64|arm|arm64|neutral", "InstallerUrl": URL, "InstallerSha256": "[A-F0-9]{64}"}
NESTED = {"RelativeFilePath": r"(?!.*\.\.)[^/:]{1,512}", "PortableCommandAlias": "[A-Za-z0-9_-]{1,40}"}


class Fault(Exception):
    """A rule that a manifest breaks."""


def holds(what: str, condition: object) -> None:
    if not condition:
        raise Fault(what)


def yaml(text: str) -> dict[str, object]:
    """YAML as winget's manifests are written here: mappings, lists of mappings, and plain words that are nothing but strings."""
    lines = [line for line in text.split("\n") if line and not line.startswith("#")]

    def mapping(depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        while lines and len(lines[0]) - len(lines[0].lstrip(" ")) == depth and not lines[0].startswith("- ", depth):
            key, colon, value = lines.pop(0)[depth:].partition(":")
            holds(f"a key: {key}", colon and re.fullmatch("[A-Za-z0-9]+", key) and key not in found)
            if not value:
                found[key] = []
                while lines and lines[0].startswith("- ", depth) and not lines[0][:depth].strip():
                    lines[0] = lines[0][:depth] + "  " + lines[0][depth + 2 :]
                    found[key].append(mapping(depth + 2))  # type: ignore[attr-defined]
                continue
            value = value[1:]
            # What YAML would read as something else: a comment, a mapping, a number, a date, null.
            is_plain = re.match(r"[A-Za-z0-9]", value) and not re.search(r"\s#|:(\s|$)|\s$|\t", value)
            is_string = not re.fullmatch(r"[\d_]*(\.[\d_]*)?([eE][-+]?\d+)?|0[xob][0-9A-Fa-f]+|\d{4}-\d\d?-\d\d?.*|(?i:true|false|null|yes|no|on|off)", value)
            holds(f"{key} is no plain string: {value}", is_plain and is_string)
            found[key] = value
        return found

    found = mapping(0)
    holds(f"left unread: {lines[:1]}", not lines)
    return found


def follows(what: str, found: dict[str, object], rules: dict[str, str], *lists: str) -> None:
    holds(f"{what} has the keys {sorted(found)}, not {sorted([*rules, *lists])}", set(found) == {*rules, *lists})
    for key, rule in rules.items():
        value = found[key]
        holds(f"{what}: {key} is {value!r}", isinstance(value, str) and re.fullmatch(rule, value))


def inside(archive: Path) -> set[str]:
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as opened:
            return set(opened.namelist())
    with tarfile.open(archive) as tar:
        return set(tar.getnames())


def digest(archive: Path) -> str:
    return hashlib.sha256(archive.read_bytes()).hexdigest()


def named(packages: Path, url: str, version: str) -> Path:
    """The archive that an address names, as ``release.yml`` puts it there."""
    place, _, name = url.rpartition("/")
    holds(f"the address {url}", re.fullmatch(URL, url) and place.endswith(f"/releases/download/v{version}"))
    holds(f"{name} is not packed", (packages / name).is_file())
    return packages / name


def winget(packages: Path, directory: Path) -> None:
    version, name = directory.name, directory.parent.name
    wanted = {"version": f"{name}.yaml", "installer": f"{name}.installer.yaml", "defaultLocale": f"{name}.locale.en-US.yaml"}
    holds("the names of winget's files", {path.name for path in directory.iterdir()} == set(wanted.values()))
    read = {}
    for kind, file in wanted.items():
        text = (directory / file).read_text(encoding="utf-8")
        first = text.split("\n", 1)[0]
        address = f"https://aka.ms/winget-manifest.{kind}.1.6.0.schema.json"
        holds(f"{file} begins with {first}", first == f"# yaml-language-server: $schema={address}")
        holds(f"{file} ends in the middle of a line", text.endswith("\n") and "\r" not in text)
        read[kind] = yaml(text)
        follows(file, read[kind], WINGET[kind], *(["Installers"] if kind == "installer" else []))
        holds(f"{file} is of another version", (read[kind]["PackageIdentifier"], read[kind]["PackageVersion"]) == (name, version))
    holds("the locale", read["version"]["DefaultLocale"] == read["defaultLocale"]["PackageLocale"] == "en-US")
    installers = read["installer"]["Installers"]
    holds("there is no installer", isinstance(installers, list) and installers)
    for each in installers:  # type: ignore[attr-defined]
        follows("an installer", each, INSTALLER, "NestedInstallerFiles")
        archive = named(packages, each["InstallerUrl"], version)
        holds(f"the sum of {archive.name}", each["InstallerSha256"].lower() == digest(archive))
        holds("there is no file in it", each["NestedInstallerFiles"])
        for file in each["NestedInstallerFiles"]:
            follows("a file of an installer", file, NESTED)
            path = file["RelativeFilePath"].replace("\\", "/")
            holds(f"{archive.name} has no {path}", path in inside(archive) and path.endswith(".exe"))
        aliases = [file["PortableCommandAlias"] for file in each["NestedInstallerFiles"]]
        holds("two files have one alias", len(aliases) == len(set(aliases)))
    processors = [each["Architecture"] for each in installers]  # type: ignore[attr-defined]
    holds(f"the processors {processors}", len(processors) == len(set(processors)))


def scoop(packages: Path, file: Path) -> None:
    manifest = json.loads(file.read_text(encoding="utf-8"))
    keys = {"version", "description", "homepage", "license", "architecture", "bin", "checkver", "autoupdate"}
    holds(f"Scoop's keys are {sorted(manifest)}", set(manifest) == keys)
    version, update = manifest["version"], manifest["autoupdate"]
    holds(f"Scoop's version {version}", re.fullmatch(r"[\w.+-]+", version))
    holds("Scoop's addresses", re.fullmatch(URL, manifest["homepage"]) and manifest["checkver"] == {"github": manifest["homepage"]})
    holds("Scoop's licences", re.fullmatch(r"[A-Za-z0-9.-]+(\|[A-Za-z0-9.-]+)*", manifest["license"]))
    processors = set(manifest["architecture"])
    holds(f"Scoop's processors are {processors}", processors and processors <= {"32bit", "64bit", "arm64"})
    holds("what Scoop updates", set(update) == {"architecture", "hash"} and set(update["architecture"]) == processors)
    for name, each in manifest["architecture"].items():
        holds(f"Scoop's {name} has {sorted(each)}", set(each) == {"url", "hash", "extract_dir"})
        archive = named(packages, each["url"], version)
        holds(f"the sum of {archive.name}", each["hash"] == digest(archive))
        holds(f"{archive.name} has no {manifest['bin']}", f"{each['extract_dir']}/{manifest['bin']}" in inside(archive))
        newer = {key: value.replace("$version", version) for key, value in update["architecture"][name].items()}
        holds(f"an update takes {newer}", newer == {"url": each["url"], "extract_dir": each["extract_dir"]})
        # The next version is named by what does not change.
        holds(f"an update of {name} stays at {version}", all(version not in value for value in update["architecture"][name].values()))
        # As Scoop looks a sum up in a text.
        sums = (packages / "SHA256SUMS").read_text(encoding="utf-8")
        found = re.search(rf"([a-fA-F0-9]{{32,128}})[ \t]+.*{re.escape(archive.name)}", sums)
        holds(f"SHA256SUMS has no {archive.name}", found and found[1] == each["hash"])
    holds("where sums are looked up", update["hash"] == {"url": "$baseurl/SHA256SUMS"})


def homebrew(packages: Path, file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    stanzas = dict(re.findall(r'^  (desc|homepage|version) "(.*)"$', text, re.M))
    order = re.findall(r"^  (\w+)", text, re.M)
    # The order that `brew style` asks for, and what `brew audit` asks of a description.
    wanted = ["desc", "homepage", "version", "license", *[block for block in ("on_macos", "on_linux") if block in order], "def", "test"]
    holds(f"the order of the formula: {order}", [word for word in order if word != "end"] == wanted)
    desc = stanzas["desc"]
    holds(f"the description: {desc}", len(desc) <= 80 and re.match("[A-Z]", desc) and not re.match(r"(?i)(an?|the|hookshell) |.*\.$", desc))
    pairs = re.findall(r'^      url "(.*)"\n      sha256 "([0-9a-f]{64})"$', text, re.M)
    holds("an address without its sum", pairs and len(pairs) == text.count("url ") == text.count("sha256 "))
    for url, sha256 in pairs:
        archive = named(packages, url, stanzas["version"])
        holds(f"the sum of {archive.name}", sha256 == digest(archive))
        # Homebrew enters the one directory of an archive.
        names = inside(archive)
        place = archive.name.removesuffix(".tar.gz")
        holds(f"{archive.name} has more than one directory", {name.split("/")[0] for name in names} == {place})
        for needed in re.findall(r'install "([^"]+)"', text):
            holds(f"{archive.name} has no {needed}", f"{place}/{needed}" in names)
    holds("two archives for one system", len({url for url, _ in pairs}) == len(pairs))


def binstall(packages: Path, version: str, targets: list[str]) -> None:
    """``cargo binstall`` finds each archive, and the program in it."""
    package = tomllib.loads((ROOT / "crates/cli/Cargo.toml").read_text(encoding="utf-8"))["package"]
    metadata = package["metadata"]["binstall"]
    overrides = metadata.pop("overrides")
    for target in targets:
        rules = metadata | overrides.get(target, {})
        is_windows = "windows" in target

        def filled(template: str) -> str:
            words = {"repo": "https://x", "version": version, "target": target, "bin": "hookshell", "name": "hookshell"}
            words |= {"binary-ext": ".exe" if is_windows else "", "archive-suffix": {"tgz": ".tar.gz", "zip": ".zip"}[rules["pkg-fmt"]]}
            return re.sub(r"\{ ([a-z-]+) \}", lambda found: words[found[1]], template)

        archive = named(packages, filled(rules["pkg-url"]), version)
        holds(f"{archive.name} has no {filled(rules['bin-dir'])}", filled(rules["bin-dir"]) in inside(archive))


def check(packages: Path, version: str, targets: list[str]) -> None:
    """All manifests of packed files."""
    for file in packages.glob("homebrew/*.rb"):
        homebrew(packages, file)
    for file in packages.glob("scoop/*.json"):
        scoop(packages, file)
    for directory in packages.glob("winget/*/*"):
        winget(packages, directory)
    binstall(packages, version, targets)


def pack(out: Path, version: str, platforms: list[Platform]) -> None:
    """Archives with nothing in them, and their manifests."""
    archives = {}
    for each in platforms:
        name = f"hookshell-{version}-{each.target}"
        names = [f"hookshell{each.exe}", "man/hookshell.1", "completions/hookshell.bash", "completions/_hookshell", "completions/hookshell.fish"]
        archive = out / (name + each.archive_end)
        (write_zip if each.is_windows else write_tar_gz)(archive, [Entry(f"{name}/{file}", file.encode()) for file in names], 0)
        archives[each] = (archive.name, digest(archive))
    manifests.write(out, version, "https://example.com/hookshell", archives)
    lines = [f"{sha256}  {name}\n" for name, sha256 in sorted(archives.values())]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


#: The systems of a release. An archive of windows-gnu or of a second Linux stands for another of them.
RELEASED = [each for each in PLATFORMS if each.target not in ("x86_64-pc-windows-gnu", "x86_64-unknown-linux-musl")]

#: A file, what is changed in it, and into what: each must be found out.
WRONG: list[tuple[str, str, str]] = [
    ("winget/*/*/*.installer.yaml", "InstallerSha256: .", "InstallerSha256: G"),
    ("winget/*/*/*.installer.yaml", "InstallerType: zip", "InstallerType: tar"),
    ("winget/*/*/*.installer.yaml", "NestedInstallerType: portable\n", ""),
    ("winget/*/*/*.installer.yaml", r"hookshell\.exe", "hook.exe"),
    ("winget/*/*/*.installer.yaml", r"\\hookshell\.exe", "/hookshell.exe"),
    ("winget/*/*/*.installer.yaml", "Architecture: arm64", "Architecture: x64"),
    ("winget/*/*/*.installer.yaml", "PortableCommandAlias: .*", "PortableCommandAlias: a b"),
    ("winget/*/*/*.installer.yaml", "ManifestVersion: .*", "ManifestVersion: 1.6"),
    ("winget/*/*/*.installer.yaml", "/v1[^/]*/", "/v9.9.9/"),
    ("winget/*/*/*.locale.en-US.yaml", "ShortDescription: ", "ShortDescription: hooks: "),
    ("winget/*/*/*.locale.en-US.yaml", "PackageLocale: .*", "PackageLocale: de-DE"),
    ("winget/*/*/*.locale.en-US.yaml", "License: .*\n", ""),
    ("winget/*/*/*.locale.en-US.yaml", "$", "Tag: x\n"),
    ("winget/*/*/Hookshell.Hookshell.yaml", "PackageVersion: .*", "PackageVersion: 1.0"),
    ("winget/*/*/Hookshell.Hookshell.yaml", "PackageIdentifier: .*", "PackageIdentifier: Hookshell"),
    ("winget/*/*/Hookshell.Hookshell.yaml", "ManifestType: version", "ManifestType: singleton"),
    ("winget/*/*/Hookshell.Hookshell.yaml", "# yaml.*\n", ""),
    ("scoop/*.json", '"hash": "[0-9a-f]{8}', '"hash": "00000000'),
    ("scoop/*.json", '"arm64"', '"arm"'),
    ("scoop/*.json", r"\$version", "1.0.0"),
    ("scoop/*.json", "hookshell.exe", "hook.exe"),
    ("scoop/*.json", '"license"', '"licence"'),
    ("SHA256SUMS", r"[0-9a-f]{8}([0-9a-f]*  .*windows)", r"00000000\1"),
    ("homebrew/*.rb", 'sha256 ".', 'sha256 "'),
    ("homebrew/*.rb", "x86_64-apple", "aarch64-apple"),
    ("homebrew/*.rb", 'desc "', 'desc "A '),
    ("homebrew/*.rb", "  license.*\n", ""),
    ("homebrew/*.rb", 'install "hookshell"', 'install "hook"'),
]


def check_rules(work: Path, fails: Callable[[str], Exception]) -> None:
    """The manifests of all systems of a release keep the rules, and what breaks a rule is found out."""
    targets = [each.target for each in RELEASED] + ["x86_64-unknown-linux-musl"]
    for version in ("1.2.3", "1.2.3-rc.1"):
        for platforms in (RELEASED, RELEASED[:1], [each for each in RELEASED if each.is_windows]):
            out = work / f"{version}-{len(platforms)}"
            out.mkdir(parents=True)
            pack(out, version, platforms)
            check(out, version, targets if platforms == RELEASED else [each.target for each in platforms])
            made = {path.name for path in out.iterdir() if path.is_dir()}
            if made != {"homebrew", "scoop", "winget"} - (set() if len(platforms) > 2 else {"scoop", "winget"} if len(platforms) == 1 else {"homebrew"}):
                raise fails(f"the manifests of {len(platforms)} systems are {made}")
    out = work / f"1.2.3-{len(RELEASED)}"
    for pattern, old, new in WRONG:
        (file,) = out.glob(pattern)
        text = file.read_text(encoding="utf-8")
        changed = re.sub(old, new, text, count=1)
        if changed == text:
            raise fails(f"{pattern} has no {old!r}")
        file.write_text(changed, encoding="utf-8")
        try:
            check(out, "1.2.3", targets)
        except (Fault, KeyError):
            pass
        else:
            raise fails(f"{new!r} for {old!r} in {pattern} is not found out")
        file.write_text(text, encoding="utf-8")
    check(out, "1.2.3", targets)
