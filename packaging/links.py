#!/usr/bin/env python3
"""Checks the documentation: every relative link leads to a file, and every anchor to a heading; says which pages the book lacks.

``book.py`` builds the book and checks the links of its pages.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+(?:\([^()]*\)[^()\s]*)?)\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")


def lines(path: Path) -> list[tuple[int, str]]:
    """The lines outside of code."""
    kept, fence = [], ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            kept.append((number, line))
    return kept


def anchors(path: Path) -> set[str]:
    """The headings' anchors, as GitHub and mdBook make them."""
    found: dict[str, int] = {}
    names = set()
    for _, line in lines(path):
        heading = HEADING.match(line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            slug = "".join(c for c in text.replace(" ", "-") if c.isalnum() or c in "-_")
            count = found.get(slug, 0)
            found[slug] = count + 1
            names.add(f"{slug}-{count}" if count else slug)
        names.update(re.findall(r'(?:id|name)="([^"]+)"', line))
    return names


def main() -> int:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
    pages = [path for name in listed.stdout.decode().splitlines() if (path := ROOT / name).is_file()]
    wrong, count = [], 0
    for page in pages:
        for number, line in lines(page):
            # What stands in code is no link.
            for target in LINK.findall(re.sub(r"`[^`]*`", "``", line)):
                if re.match(r"[a-z][a-z0-9+.-]*:", target):
                    continue
                count += 1
                name, _, anchor = target.partition("#")
                to = (page.parent / name).resolve() if name else page
                where = f"{page.relative_to(ROOT)}:{number}: {target}"
                if not to.exists():
                    wrong.append(f"{where}: there is no such file")
                elif not to.is_relative_to(ROOT):
                    wrong.append(f"{where}: it is outside of the repository")
                elif anchor and to.suffix == ".md" and anchor not in anchors(to):
                    wrong.append(f"{where}: there is no such heading")
    summary = (ROOT / "docs" / "SUMMARY.md").read_text(encoding="utf-8")
    inside = set(re.findall(r"\]\(([^)]+\.md)\)", summary))
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = page.relative_to(ROOT / "docs").as_posix()
        if name != "SUMMARY.md" and name not in inside:
            # The page is read all the same, only not in the book.
            print(f"links: warning: docs/SUMMARY.md does not have {name}")
    for line in wrong:
        print(line)
    print(f"links: {count} links of {len(pages)} pages, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
