"""Manifests of Homebrew, Scoop and winget, made from the archives' sums."""

from __future__ import annotations

import json
from pathlib import Path

from platforms import Platform

DESCRIPTION = "Run coding agents' hooks the same on Windows, macOS and Linux"


def write(out: Path, version: str, repository: str, archives: dict[Platform, tuple[str, str]]) -> list[Path]:
    """``archives``: each platform's archive and its SHA-256. A manifest without a platform of its own is left out."""
    base = f"{repository}/releases/download/v{version}"
    unix = {platform: archive for platform, archive in archives.items() if not platform.is_windows}
    windows = {platform: archive for platform, archive in archives.items() if platform.is_windows}
    written = []

    def put(name: str, text: str) -> None:
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        written.append(path)

    if unix:
        put("homebrew/hookshell.rb", homebrew(version, repository, base, unix))
    if windows:
        put("scoop/hookshell.json", scoop(version, repository, base, windows))
        directory = f"winget/Hookshell.Hookshell/{version}"
        for name, text in winget(version, repository, base, windows).items():
            put(f"{directory}/{name}", text)
    return written


def homebrew(version: str, repository: str, base: str, archives: dict[Platform, tuple[str, str]]) -> str:
    systems = {"darwin": "on_macos", "linux": "on_linux"}
    processors = {"arm64": "on_arm", "x64": "on_intel"}
    lines = [
        "class Hookshell < Formula",
        f'  desc "{DESCRIPTION}"',
        f'  homepage "{repository}"',
        f'  version "{version}"',
        '  license any_of: ["MIT", "Apache-2.0"]',
        "",
    ]
    for system, block in systems.items():
        of_system = {platform.npm_cpu: archive for platform, archive in archives.items() if platform.npm_os == system}
        if not of_system:
            continue
        lines.append(f"  {block} do")
        for cpu, (name, digest) in sorted(of_system.items()):
            lines += [
                f"    {processors[cpu]} do",
                f'      url "{base}/{name}"',
                f'      sha256 "{digest}"',
                "    end",
            ]
        lines += ["  end", ""]
    lines += [
        "  def install",
        '    bin.install "hookshell"',
        '    man1.install Dir["man/*.1"]',
        '    bash_completion.install "completions/hookshell.bash" => "hookshell"',
        '    zsh_completion.install "completions/_hookshell"',
        '    fish_completion.install "completions/hookshell.fish"',
        "  end",
        "",
        "  test do",
        '    assert_match version.to_s, shell_output("#{bin}/hookshell --version")',
        "    assert_equal \"hi\\n\", shell_output(\"#{bin}/hookshell sh -c 'echo hi'\")",
        "  end",
        "end",
        "",
    ]
    return "\n".join(lines)


def scoop(version: str, repository: str, base: str, archives: dict[Platform, tuple[str, str]]) -> str:
    names = {"x64": "64bit", "arm64": "arm64"}
    architecture, update = {}, {}
    for platform, (name, digest) in archives.items():
        directory = name.removesuffix(".zip")
        key = names[platform.windows_arch or "x64"]
        architecture[key] = {"url": f"{base}/{name}", "hash": digest, "extract_dir": directory}
        update[key] = {
            "url": f"{repository}/releases/download/v$version/{name.replace(version, '$version')}",
            "extract_dir": directory.replace(version, "$version"),
        }
    manifest = {
        "version": version,
        "description": DESCRIPTION,
        "homepage": repository,
        "license": "MIT|Apache-2.0",
        "architecture": architecture,
        "bin": "hookshell.exe",
        "checkver": {"github": repository},
        "autoupdate": {"architecture": update, "hash": {"url": "$baseurl/SHA256SUMS"}},
    }
    return json.dumps(manifest, indent=4) + "\n"


def winget(version: str, repository: str, base: str, archives: dict[Platform, tuple[str, str]]) -> dict[str, str]:
    schema = "1.6.0"

    def head(kind: str) -> list[str]:
        return [
            f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{schema}.schema.json",
            "PackageIdentifier: Hookshell.Hookshell",
            f"PackageVersion: {version}",
        ]

    def tail(kind: str) -> list[str]:
        return [f"ManifestType: {kind}", f"ManifestVersion: {schema}", ""]

    installers = ["InstallerType: zip", "NestedInstallerType: portable", "Installers:"]
    for platform, (name, digest) in archives.items():
        directory = name.removesuffix(".zip")
        installers += [
            f"- Architecture: {platform.windows_arch}",
            f"  InstallerUrl: {base}/{name}",
            f"  InstallerSha256: {digest.upper()}",
            "  NestedInstallerFiles:",
            f"  - RelativeFilePath: {directory}\\hookshell.exe",
            "    PortableCommandAlias: hookshell",
        ]
    locale = [
        "PackageLocale: en-US",
        "Publisher: hookshell",
        "PackageName: hookshell",
        f"PackageUrl: {repository}",
        "License: MIT OR Apache-2.0",
        f"ShortDescription: {DESCRIPTION}",
    ]
    name = "Hookshell.Hookshell"
    return {
        f"{name}.yaml": "\n".join([*head("version"), "DefaultLocale: en-US", *tail("version")]),
        f"{name}.installer.yaml": "\n".join([*head("installer"), *installers, *tail("installer")]),
        f"{name}.locale.en-US.yaml": "\n".join([*head("defaultLocale"), *locale, *tail("defaultLocale")]),
    }
