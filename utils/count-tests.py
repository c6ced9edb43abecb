#!/usr/bin/env python3
"""Count the tests of build folders: count-tests.py BUILD...

Reads what `ctest --output-junit ctest-results.xml`, the lit test and the unit tests have
left there, and counts the tests inside lit and inside of each program of unit tests one by
one. Prints `N passed, N failed, N skipped`, and before it what ended without results.
"""

import json
import os
import re
import sys
import xml.etree.ElementTree


def count_lit(path):
    passed = failed = skipped = 0
    with open(path) as file:
        for test in json.load(file)["tests"]:
            passed += test["code"] in ("PASS", "XFAIL", "FLAKYPASS")
            failed += test["code"] in ("FAIL", "XPASS", "UNRESOLVED", "TIMEOUT")
            skipped += test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED")
    return passed, failed, skipped


def count_unit_tests(path):
    passed = failed = skipped = 0
    with open(path) as file:
        for suite in json.load(file)["testsuites"]:
            for test in suite["testsuite"]:
                if test.get("failures"):
                    failed += 1
                elif test["result"] == "COMPLETED":
                    passed += 1
                else:
                    skipped += 1
    return passed, failed, skipped


def count_inside(build, name):
    """Return the counts of the tests inside of the entry of ctest called `name`, or None
    if it is one test."""
    if name == "lit":
        return count_lit(os.path.join(build, "lit-results.json"))
    if re.fullmatch(r"BufferMerge\w+Tests", name):
        return count_unit_tests(os.path.join(build, "unittests", f"{name}.json"))
    return None


def count(build):
    total = [0, 0, 0]
    results = xml.etree.ElementTree.parse(os.path.join(build, "ctest-results.xml"))
    for test in results.getroot().iter("testcase"):
        name, status = test.get("name"), test.get("status")
        try:
            counts = count_inside(build, name)
        except (OSError, ValueError, KeyError) as error:
            print(f"{build}: {name} has left no results: {error}", file=sys.stderr)
            counts = 0, 1, 0
        if counts is None:
            counts = status == "run", status == "fail", status not in ("run", "fail")
        elif status != "run" and not counts[1]:
            # A leak, for instance, which shows when all tests have passed.
            print(f"{build}: {name} fails, and none of its tests", file=sys.stderr)
            counts = counts[0], 1, counts[2]
        total = [a + b for a, b in zip(total, counts)]
    return total


def main():
    total = [0, 0, 0]
    for build in sys.argv[1:]:
        total = [a + b for a, b in zip(total, count(build))]
    passed, failed, skipped = total
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed != 0 or passed == 0)


if __name__ == "__main__":
    main()
