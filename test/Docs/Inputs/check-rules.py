"""Check the citations of rules, and the links between pages.

usage: check-rules.py SOURCE-ROOT

A rule is a heading of docs/Rules.md that begins with its number, such as `### L4 CFG
cycles`. Every number that sources, tests and pages cite must be one of these, and public
headers cite the name as well. Every relative link of a page must lead to a file and, after
a `#`, to a heading of it.
"""

import glob
import os
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def find_files(root):
    for folder in ["include", "lib", "test", "unittests", "tools", "docs"]:
        for path in sorted(glob.glob(os.path.join(root, folder, "**"), recursive=True)):
            if path.endswith((".h", ".cpp", ".td", ".mlir", ".md")):
                yield path
    for name in ["README.md", "AGENTS.md", "CONTRIBUTING.md"]:
        yield os.path.join(root, name)


def find_anchors(page):
    """Return the anchors of the headings of a page, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", read(page), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings]


def check_citations(path, text, rules):
    for match in re.finditer(r"\b[LRGT][1-9]\d?\b", text):
        rule = match.group()
        after = re.sub(r"\s+(///|//)?\s*", " ", text[match.end() : match.end() + 60])
        isRange = after.startswith(" to ") or text[: match.start()].endswith(" to ")
        if rule not in rules:
            yield f"{path}: there is no rule {rule}"
        elif "/include/" in path and not isRange and not after.startswith(" " + rules[rule]):
            yield f"{path}: {rule} without its name, '{rules[rule]}'"


def check_links(path, text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = os.path.join(os.path.dirname(path), name) if name else path
        if not os.path.exists(target):
            yield f"{path}: there is no file {link}"
        elif anchor and anchor not in find_anchors(target):
            yield f"{path}: there is no heading {link}"


def main():
    (root,) = sys.argv[1:]
    headings = re.findall(
        r"^### ([LRGT]\d+) (.*)$", read(os.path.join(root, "docs/Rules.md")), re.M
    )
    rules = dict(headings)
    errors = []
    if len(rules) != len(headings):
        errors.append("docs/Rules.md: a rule is there twice")
    for path in find_files(root):
        text = read(path)
        errors += check_citations(path, text, rules)
        if path.endswith(".md"):
            errors += check_links(path, text)
    print("\n".join(errors + [f"{len(rules)} rules, {len(errors)} errors"]))
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
