"""Check that relative links in the Markdown files of a folder lead to something.

check-links.py FOLDER prints each that does not, and how many there are.
"""

import re
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)


def anchors(path):
    """Return the anchors of the headings of a page, as GitHub makes them."""
    found = set()
    for line in re.sub(r"```.*?```", "", path.read_text(), flags=re.S).splitlines():
        if line.startswith("#"):
            title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("# ").lower())
            name = re.sub(r"[^\w\- ]", "", title.strip()).replace(" ", "-")
            number = 0
            while name + (f"-{number}" if number else "") in found:
                number += 1
            found.add(name + (f"-{number}" if number else ""))
    return found


def main():
    root = Path(sys.argv[1])
    links = dead = 0
    for page in sorted(root.rglob("*.md")):
        parts = page.relative_to(root).parts
        if parts[0] in ("build", "shared") or parts[0].startswith("."):
            continue
        text = CODE.sub("", page.read_text())
        for link in LINK.findall(text):
            if re.match(r"[a-z]+:", link):
                continue
            links += 1
            name, _, anchor = link.partition("#")
            target = page.parent / name if name else page
            is_there = target.exists() and target.resolve().is_relative_to(root.resolve())
            if is_there and anchor and target.suffix == ".md":
                is_there = anchor in anchors(target)
            if not is_there:
                dead += 1
                print(f"{page.relative_to(root)}: {link}")
    print(f"{links} links, {dead} dead")


if __name__ == "__main__":
    main()
