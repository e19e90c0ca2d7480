"""Archives that are the same for the same content: sorted, without the builder's user, with one time."""

from __future__ import annotations

import gzip
import io
import tarfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """A file of an archive."""

    name: str
    data: bytes
    is_program: bool = False

    @property
    def mode(self) -> int:
        return 0o755 if self.is_program else 0o644


def write_tar_gz(path: Path, entries: list[Entry], stamp: int) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for entry in sorted(entries, key=lambda entry: entry.name):
            info = tarfile.TarInfo(entry.name)
            info.size, info.mode, info.mtime = len(entry.data), entry.mode, stamp
            tar.addfile(info, io.BytesIO(entry.data))
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, stamp) as packed:
        packed.write(buffer.getvalue())


def write_zip(path: Path, entries: list[Entry], stamp: int, *, keep_order: bool = False) -> None:
    # The format's times begin with 1980.
    date = time.gmtime(max(stamp, 315532800))[:6]
    ordered = entries if keep_order else sorted(entries, key=lambda entry: entry.name)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for entry in ordered:
            info = zipfile.ZipInfo(entry.name, date)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (0o100000 | entry.mode) << 16
            archive.writestr(info, entry.data)
