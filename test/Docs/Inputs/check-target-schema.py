"""Check that the schema of targets has the keys, and the choices, that targets may have.

usage: check-target-schema.py BUFFER-MERGE-OPT SCHEMA
"""

import json
import re
import subprocess
import sys


def find_expected(tool, target):
    """Return what the error about `target` says is expected."""
    done = subprocess.run([tool, f"--buffer-merge=target={json.dumps(target)}"],
                          input="module {}", capture_output=True, text=True, check=False)
    return re.search(r"expected one of: (.*);", done.stderr).group(1).split(", ")


def main():
    tool, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        schema = json.load(file)
    count = 0

    def check(node, wrap):
        """Check an object of the schema; `wrap` makes a target of one."""
        nonlocal count
        node = schema["$defs"][node["$ref"].split("/")[-1]] if "$ref" in node else node
        count += 1
        if "enum" in node:
            found = find_expected(tool, wrap("no-such-choice"))
        elif "properties" in node:
            found = find_expected(tool, wrap({"no-such-key": 1}))
        else:
            return
        wanted = node.get("enum") or list(node["properties"])
        if sorted(found) != sorted(wanted):
            sys.exit(f"{path}: {wanted} instead of {found}")
        for key, child in node.get("properties", {}).items():
            if key not in ("regions", "reserved", "storage", "banks", "window"):
                check(child, lambda value, key=key: wrap({key: value}))

    check(schema, lambda value: value)
    region = {"name": "a", "bytes": 64}
    for key, wrap in {
        "region": lambda value: {"regions": [value]},
        "range": lambda value: {"regions": [{**region, "window": value}]},
        "banks": lambda value: {"regions": [{**region, "banks": value}]},
    }.items():
        check({"$ref": key}, wrap)
    print(f"{count} members")


if __name__ == "__main__":
    main()
