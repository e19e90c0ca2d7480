"""The systems that hookshell is packed for, and what each registry calls them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Platform:
    """One system. ``target`` is Rust's name; ``wheel`` the tags of PyPI; ``npm`` its system and processor."""

    target: str
    npm_os: str
    npm_cpu: str
    wheel: str
    #: Of winget and Scoop; None elsewhere.
    windows_arch: str | None = None

    @property
    def npm(self) -> str:
        return f"@hookshell/cli-{self.npm_os}-{self.npm_cpu}"

    @property
    def is_windows(self) -> bool:
        return self.npm_os == "win32"

    @property
    def exe(self) -> str:
        return ".exe" if self.is_windows else ""

    @property
    def archive_end(self) -> str:
        return ".zip" if self.is_windows else ".tar.gz"


# A static program needs no C library: its wheel is for every Linux.
LINUX_X64 = "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64"
LINUX_ARM64 = "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64"

PLATFORMS = [
    Platform("x86_64-unknown-linux-gnu", "linux", "x64", LINUX_X64),
    Platform("x86_64-unknown-linux-musl", "linux", "x64", LINUX_X64),
    Platform("aarch64-unknown-linux-musl", "linux", "arm64", LINUX_ARM64),
    Platform("x86_64-apple-darwin", "darwin", "x64", "macosx_10_12_x86_64"),
    Platform("aarch64-apple-darwin", "darwin", "arm64", "macosx_11_0_arm64"),
    Platform("x86_64-pc-windows-msvc", "win32", "x64", "win_amd64", "x64"),
    Platform("x86_64-pc-windows-gnu", "win32", "x64", "win_amd64", "x64"),
    Platform("aarch64-pc-windows-msvc", "win32", "arm64", "win_arm64", "arm64"),
]

#: The packages that ``hookshell`` of npm may choose from.
NPM_PACKAGES = sorted({platform.npm for platform in PLATFORMS})


def platform(target: str) -> Platform:
    for known in PLATFORMS:
        if known.target == target:
            return known
    raise SystemExit(f"package: no such target: {target} (known: {', '.join(known.target for known in PLATFORMS)})")
