#!/usr/bin/env python3
"""Show that the tests can fail: switch rules off, one at a time.

  utils/check-mutations.py                    every rule, two at a time
  utils/check-mutations.py L4-cycle L8-tasks  some of them
  utils/check-mutations.py --fuzz             the fuzzers alone
  utils/check-mutations.py --list             their names, where they are, their tests

A rule names itself in the sources, `isMutated("L4-cycle")` (lib/Mutation.h), and is
switched off by the environment variable BUFFER_MERGE_MUTATION in a build that has
such switches, such as that of the preset `mutations`. The file utils/mutations.txt has
a line for each rule, sorted: its name, and the test that fails without it. For each
rule that test runs first. If it passes, all lit tests run until the first failure, then
the unit tests, then both fuzzers until the first seed that fails. The table says what
failed. A mutation that nothing notices means a missing test, and gives exit code 1.
"""

import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "utils" / "mutations.txt"
# From the fastest to the slowest.
SUITES = ["Scheduling", "Analysis", "GPU", "Transforms", "Report", "Execution"]
# The mode of the host fuzzer that has many programs for the rules with this prefix.
MODES = {
    "L5-": ["--sequential"],
    "L7-": ["--carried"],
    "L8-": ["--async"],
    "L9-address-taken": ["--addresses", "--batch=0"],
    "L10-": ["--reuse"],
    "L11-": ["--reuse"],
    "L12-": ["--reuse"],
    "R6-": ["--sequential"],
    "R7-arenas": ["--sequential", "--pool=arena"],
    "R7-": ["--sequential"],
    "R8-": ["--parallel"],
    "T": ["--reorder"],
    "arena-": ["--pool=arena"],
    "attribute-": ["--attributes", "--batch=0"],
    "dynamic-": ["--dynamic=bounded", "--in-place"],
    "emplace-": ["--reuse"],
    "emplaced-": ["--addresses", "--batch=0"],
    "global-": ["--pool=global"],
    "in-place-": ["--in-place"],
    "lent-": ["--lent"],
    "propagate-": ["--in-place"],
    "slots-": ["--carried"],
    "target-": ["--target"],
}
# The same for kernels.
KERNEL_MODES = {
    "G10-": ["--kinds=tiles"],
    "G12-": ["--kinds=engine"],
    "G13-": ["--kinds=engine"],
    "G14-": ["--kinds=engine"],
}


class Failure(Exception):
    """The rules cannot be checked."""


def find_places():
    """Return where each rule that can be switched off is, by name, in order."""
    found = {}
    for path in sorted((ROOT / "lib").rglob("*.cpp")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for name in re.findall(r'isMutated\(\s*"([^"]*)"', line):
                place = f"{path.relative_to(ROOT)}:{number}"
                if name in found:
                    raise Failure(f"'{name}' is at {found[name]} and at {place}")
                found[name] = place
    return dict(sorted(found.items()))


def read_tests(places):
    """Return the test of each of the rules at `places`, by name."""
    lines = [line.split() for line in TESTS.read_text().splitlines()]
    tests = {name: test for name, test in lines}
    for name in places:
        if name not in tests:
            raise Failure(f"{TESTS.name} has no test of '{name}', {places[name]}")
    for name, test in tests.items():
        if name not in places:
            raise Failure(f"{TESTS.name}: no rule is called '{name}'")
        if ":" not in test and not (ROOT / "test" / test).is_file():
            raise Failure(f"{TESTS.name}: there is no test/{test}")
    if [name for name, _ in lines] != list(places):
        raise Failure(f"{TESTS.name} is not sorted, or has two lines of a rule")
    return tests


class Process:
    """A process of its own group, so that it can be ended with its children."""

    def __init__(self, command, timeout, name=""):
        self.timeout = timeout
        self.start = time.monotonic()
        self.process = subprocess.Popen(
            command,
            env={**os.environ, "BUFFER_MERGE_MUTATION": name},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    def finish(self):
        """Return the exit code, None if it took too long, and what it printed."""
        left = max(self.timeout - (time.monotonic() - self.start), 0.1)
        try:
            output, _ = self.process.communicate(timeout=left)
            return self.process.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            return None, self.process.communicate()[0]


def build():
    for command in (
        ["cmake", "--preset", "mutations"],
        ["cmake", "--build", "--preset", "mutations", "--target", "check-buffer-merge-depends"],
    ):
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if result.returncode:
            raise Failure(f"cannot build: {(result.stdout + result.stderr)[-4000:]}")


def find_lit(folder):
    for line in (folder / "CMakeCache.txt").read_text().splitlines():
        if re.match(r"(BUFFER_MERGE_LIT|LLVM_EXTERNAL_LIT):\w+=.", line):
            return line.split("=", 1)[1]
    raise Failure("lit is not found")


def run_lit(name, test, options):
    """Return `test`, a file in test/, if it fails, or an empty string."""
    # Two rules may have one test.
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, find_lit(options.build), "-v", "-j1"]
        command += [f"--param=exec_root={folder}", str(options.build / "test" / test)]
        code, output = Process(command, options.timeout, name).finish()
    if code is None or re.search(r"^(?:FAIL|TIMEOUT|UNRESOLVED|XPASS): ", output, re.M):
        return test
    if code:
        raise Failure(f"lit fails: {output[-2000:]}")
    return ""


def run_unit_tests(name, programs, pattern, options):
    """Return the first test of `programs`, folders of unit tests, that fails, or ""."""
    for folder in programs:
        program = options.build / "unittests" / folder / f"BufferMerge{folder}Tests"
        command = [str(program), "--gtest_fail_fast", "--gtest_brief=1"]
        code, output = Process(
            [*command, f"--gtest_filter={pattern}"], options.timeout, name
        ).finish()
        failed = re.search(r"^\[  FAILED  \] (\w[^\s,]*)", output, re.M)
        if failed or code != 0:
            return f"{folder}:{failed[1] if failed else '* (ends too early, or never)'}"
    return ""


def run_test(name, test, options):
    """Run a test as utils/mutations.txt names it: a file in test/, `FOLDER:CASE`."""
    if ":" in test:
        folder, pattern = test.split(":")
        return run_unit_tests(name, [folder], pattern, options)
    return run_lit(name, test, options)


def run_all_tests(name, options):
    for suite in SUITES:
        for path in sorted((ROOT / "test" / suite).glob("*.[mt]*")):
            if failed := run_lit(name, f"{suite}/{path.name}", options):
                return failed
    folders = [path.name for path in (options.build / "unittests").glob("[A-Z]*")]
    folders = sorted(set(folders) - {"CMakeFiles"})
    return run_unit_tests(name, folders, "*", options)


def find_mode(name, modes):
    return next((mode for prefix, mode in modes.items() if name.startswith(prefix)), [])


def run_fuzzers(name, options):
    """Return the first seed that fails of one of the fuzzers and why, or ""."""
    seeds = f"--seeds={options.seeds}"
    host = ["buffer-merge-fuzz", seeds, "--schedulers=first-fit", *find_mode(name, MODES)]
    kernels = ["buffer-merge-gpu-fuzz", seeds, *find_mode(name, KERNEL_MODES)]
    # A rule of kernels is in one of them, any other rule in the other.
    for tool, *arguments in [kernels] if re.match(r"G\d", name) else [host]:
        command = [str(options.build / "bin" / tool), *arguments]
        code, output = Process(command, options.timeout, name).finish()
        failed = re.search(r"^seed (\d+), (?:scheduler|options|mode) ([^:]*): (.*)", output, re.M)
        if failed:
            why = re.sub(r" \(instance \d+\)", "", failed[3]).replace("|", "\\|")
            return f"seed {failed[1]}, {failed[2]}: {why}"
        if code is None:
            return "a seed that does not end"
        if code < 0 or "Stack dump" in output:
            return "a seed that crashes"
        if code:
            raise Failure(f"the fuzzer fails: {output[-2000:]}")
    return ""


def check(name, test, options):
    """Return what fails without the rule, or an empty string."""
    if options.fuzz:
        return run_fuzzers(name, options)
    if test and (failed := run_test(name, test, options)):
        return failed
    return run_all_tests(name, options) or run_fuzzers(name, options)


def run_baseline(tests, options):
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda test: run_test("", test, options), sorted(set(tests)))
        if failed := next(filter(None, results), ""):
            raise Failure(f"with every rule in place, {failed} fails")


def run(tests, options):
    """Switch each rule of `tests` off, and run its test first."""
    start = time.monotonic()
    if options.build == ROOT / "build" / "mutations":
        build()
    if not options.fuzz:
        run_baseline(tests.values(), options)
    print("| mutation | fails |\n| --- | --- |", flush=True)
    survivors = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda entry: check(*entry, options), tests.items())
        for (name, test), failed in zip(tests.items(), results):
            survivors += not failed
            new = "" if options.fuzz or failed.startswith(test) else ", and not its test"
            shown = f"{failed}{new}" if failed else "**survives**"
            print(f"| `{name}` | {shown} |", flush=True)
    minutes = (time.monotonic() - start) / 60
    print(f"\n{len(tests)} mutations, {survivors} survive, {minutes:.0f} minutes")
    return 1 if survivors else 0


def main():
    # The end of this program is the end of what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="rules to switch off; all if none")
    parser.add_argument(
        "--list", action="store_true", help="print names, places and tests"
    )
    parser.add_argument("--fuzz", action="store_true", help="run the fuzzers alone")
    parser.add_argument("--seeds", default="0..699", help="of the fuzzers, A..B")
    parser.add_argument(
        "--build",
        type=lambda text: Path(text).resolve(),
        default=ROOT / "build" / "mutations",
        help="a folder with such a build; that of the preset is built first",
    )
    parser.add_argument("--jobs", type=int, default=2, help="rules at a time")
    parser.add_argument(
        "--timeout", type=float, default=180, help="seconds for a test or a fuzzer"
    )
    options = parser.parse_args()
    try:
        places = find_places()
        tests = read_tests(places)
        unknown = [name for name in options.names if name not in tests]
        if unknown:
            parser.error(f"unknown rule '{unknown[0]}'; --list names them")
        if options.list:
            for name, place in places.items():
                print(f"{name} {place} {tests[name]}")
            return 0
        return run({name: tests[name] for name in options.names or tests}, options)
    except Failure as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
