#!/usr/bin/env python3
"""Count the tests of build folders: count-tests.py BUILD...

Reads what `ctest --output-junit ctest-results.xml` and the lit test have left there,
and counts the tests inside lit one by one. Prints `N passed, N failed, N skipped`.
"""

import json
import os
import sys
import xml.etree.ElementTree


def count(build):
    passed = failed = skipped = 0
    results = xml.etree.ElementTree.parse(os.path.join(build, "ctest-results.xml"))
    for test in results.getroot().iter("testcase"):
        if test.get("name") == "lit":
            continue
        status = test.get("status")
        passed += status == "run"
        failed += status == "fail"
        skipped += status not in ("run", "fail")
    with open(os.path.join(build, "lit-results.json")) as file:
        for test in json.load(file)["tests"]:
            passed += test["code"] in ("PASS", "XFAIL", "FLAKYPASS")
            failed += test["code"] in ("FAIL", "XPASS", "UNRESOLVED", "TIMEOUT")
            skipped += test["code"] in ("UNSUPPORTED", "SKIPPED", "EXCLUDED")
    return passed, failed, skipped


def main():
    total = [0, 0, 0]
    for build in sys.argv[1:]:
        total = [a + b for a, b in zip(total, count(build))]
    passed, failed, skipped = total
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(failed != 0 or passed == 0)


if __name__ == "__main__":
    main()
