"""Check that pages name every reason and every error.

usage: check-diagnostics.py SOURCE-ROOT PAGE...

The reasons are those of UnmergeableReason.cpp, which every page must name. The errors are
the longest texts of the statements that emit errors, or add them to the messages about a
plan; the first page must have each of them.
"""

import glob
import os
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def find_errors(source):
    """Return the longest text of each statement that emits an error."""
    statements = re.findall(r"\b(?:emit|add)\w*Error\([^;{}]*?<<[^;]*;", source)
    statements += re.findall(r"^ +(?:diagnostic|error)\s+<< [^;]*;", source, re.M)
    for statement in statements:
        joined = re.sub(r'"\s*\n\s*"', "", statement)
        texts = re.findall(r'"((?:[^"\\]|\\.)*)"', joined)
        texts = [text.strip(" :'[()") for text in texts]
        if texts and len(max(texts, key=len)) > 6:
            yield max(texts, key=len)


def main():
    root, *pages = sys.argv[1:]
    texts = {page: " ".join(read(page).split()) for page in pages}
    missing = 0
    reasons = re.findall(
        r'UnmergeableReason::\w+,\s*"([\w-]+)"',
        read(os.path.join(root, "lib/Analysis/UnmergeableReason.cpp")),
    )
    for page, text in texts.items():
        for reason in reasons:
            if f"`{reason}`" not in text:
                print(f"{page}: the reason `{reason}` is missing")
                missing += 1
    errors = []
    paths = []
    for library in "Planning", "Transforms":
        paths += glob.glob(os.path.join(root, "lib", library, "**/*.cpp"), recursive=True)
    paths += glob.glob(os.path.join(root, "lib/Report/*Errors.cpp"))
    for path in sorted(paths):
        errors += find_errors(read(path))
    for error in errors:
        if error not in texts[pages[0]]:
            print(f"{pages[0]}: the error '{error}' is missing")
            missing += 1
    print(f"{len(reasons)} reasons, {len(errors)} errors, {missing} missing")
    return missing != 0


if __name__ == "__main__":
    sys.exit(main())
