#!/usr/bin/env python3
"""Builds one jq from its release tarball: jq.py VERSION DIRECTORY makes DIRECTORY/jq.

The tarballs come from PyPI, whose source package `jq` holds them as they were released. Each is pinned by its checksum.
Exit code 3: it cannot be fetched, or there is no compiler. Nothing is left behind then.
"""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request

UNAVAILABLE = 3
FILES = "https://files.pythonhosted.org/packages/"

# The source package, the checksum of the tarball in it.
RELEASES = {
    "1.7.1": (
        "ba/32/3eaca3ac81c804d6849da2e9f536ac200f4ad46a696890854c1f73b2f749/jq-1.8.0.tar.gz",
        "478c9ca129fd2e3443fe27314b455e211e0d8c60bc8ff7df703873deeee580c2",
    ),
    "1.8.2": (
        "67/67/bd53dc762c2e7728b7b32bdbe59ecb74ae6bc6b7609e5063e6e44553b44f/jq-1.13.0.tar.gz",
        "71b8d6e8f5fe81f6c6d0d110e3892251f6ce76ed095abd315e26e6e1193af3af",
    ),
}

# No documentation, no shared library; the regular expressions are those of the Oniguruma that is in the tarball.
CONFIGURE = ["--with-oniguruma=builtin", "--disable-maintainer-mode", "--disable-docs", "--disable-shared"]


def unavailable(why):
    print(f"jq: {why}", file=sys.stderr)
    sys.exit(UNAVAILABLE)


def fetched(version):
    """The release's tarball."""
    package, checksum = RELEASES[version]
    try:
        with urllib.request.urlopen(FILES + package, timeout=60) as answer:
            data = answer.read()
    except OSError as error:
        unavailable(f"{FILES + package}: {error}")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        name = next(name for name in archive.getnames() if name.endswith(f"/deps/jq-{version}.tar.gz"))
        tarball = archive.extractfile(name).read()
    found = hashlib.sha256(tarball).hexdigest()
    if found != checksum:
        sys.exit(f"jq: jq-{version}.tar.gz has the checksum {found}, not {checksum}")
    return tarball


def build(version, target):
    missing = [name for name in ("cc", "make") if shutil.which(name) is None]
    if missing:
        unavailable(f"{' and '.join(missing)} must be installed to build it")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with tempfile.TemporaryDirectory(dir=os.path.dirname(target)) as place:
        with tarfile.open(fileobj=io.BytesIO(fetched(version))) as archive:
            archive.extractall(place)
        source = os.path.join(place, f"jq-{version}")
        jobs = str(os.cpu_count() or 2)
        for command in (["./configure", *CONFIGURE], ["make", "-j", jobs]):
            ran = subprocess.run(command, cwd=source, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, check=False)
            if ran.returncode != 0:
                sys.stderr.buffer.write(ran.stdout[-4000:])
                sys.exit(f"jq: {' '.join(command)} failed in {version}")
        # Beside the sources it has only this name; nobody sees half of it.
        made = os.path.join(place, "made")
        os.mkdir(made)
        shutil.copy(os.path.join(source, "jq"), made)
        shutil.rmtree(target, ignore_errors=True)
        os.rename(made, target)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in RELEASES:
        sys.exit(f"usage: jq.py {'|'.join(RELEASES)} DIRECTORY")
    build(sys.argv[1], os.path.abspath(sys.argv[2]))
