"""Execute the commands of a page, and compare what they print with what the page shows.

usage: run-guide.py PAGE --path=DIR:DIR... --root=DIR --temp=DIR [--plugin]

A block of code behind `<!-- file: NAME -->` is written to that file. A block of `sh` is
executed; the block of `text` behind it, if there is one, shows what it prints, where a
line `...` stands for any number of lines and `...` inside a line for any text. A block of
`sh` behind `<!-- needs: plugin -->` is executed with --plugin alone.
"""

import argparse
import os
import re
import subprocess
import sys

BLOCK = re.compile(
    r"(?:<!-- (\w+): ([\w.]+) -->\n)?```(\w+)\n(.*?)\n```\n(?:```text\n(.*?)\n```\n)?",
    re.S,
)


def to_pattern(text):
    pattern = ""
    for line in text.split("\n"):
        if line == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*".join(re.escape(part) for part in line.split("...")) + r"\n"
    return pattern


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page")
    for name in ("path", "root", "temp"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--plugin", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.temp, exist_ok=True)
    environment = dict(os.environ, BUFFER_MERGE=options.root)
    environment["PATH"] = options.path + ":" + environment["PATH"]
    with open(options.page, encoding="utf-8") as file:
        page = file.read()
    passed = failed = 0
    for match in BLOCK.finditer(page):
        directive, argument, language, code, expected = match.groups()
        if directive == "file":
            path = os.path.join(options.temp, argument)
            with open(path, "w", encoding="utf-8") as file:
                file.write(code + "\n")
        if language != "sh" or (directive == "needs" and not options.plugin):
            continue
        result = subprocess.run(
            ["bash", "-c", code],
            cwd=options.temp,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if result.returncode == 0 and (
            expected is None or re.fullmatch(to_pattern(expected), result.stdout)
        ):
            passed += 1
            continue
        failed += 1
        print(f"FAILED, exit code {result.returncode}:\n{code}\n--- printed:")
        print(f"{result.stdout}--- expected:\n{expected}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
