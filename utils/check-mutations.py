#!/usr/bin/env python3
"""Show that the tests and the fuzzers can fail: switch rules off, one at a time.

  utils/check-mutations.py                    every rule: an hour or so
  utils/check-mutations.py L4-cycle L8-wait   some of them
  utils/check-mutations.py --list             their names, and where they are

A rule names itself in the sources, `isMutated("L4-cycle")` (lib/Mutation.h), and is
switched off by the environment variable BUFFER_MERGE_MUTATION in the one build that
has such switches, the preset `mutations`. For each rule, lit runs until the first
failure, then the unit tests if there is none, and both fuzzers until the first seed
that fails. The table says what caught it. A mutation that nothing catches means a missing test, and gives exit code 1.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "mutations"
# From the fastest to the slowest.
SUITES = ["Scheduling", "Analysis", "GPU", "Transforms", "Report", "Execution"]
# The mode of the host fuzzer that has many programs for the rules with this prefix.
MODES = {
    "arena-": ["--pool=arena"],
    "hand-down-": ["--hand-down"],
    "hoist-": ["--parallel"],
    "async-": ["--async"],
    "carried-": ["--carried"],
    "dynamic-": ["--dynamic=bounded", "--in-place"],
    "emplace-": ["--reuse"],
    "escape-address": ["--addresses", "--batch=0"],
    "given-": ["--sequential"],
    "heap-": ["--sequential"],
    "in-place-": ["--in-place"],
    "lent-": ["--lent"],
    "move-": ["--in-place"],
    "peak-of-": ["--sequential", "--pool=arena"],
    "peak-": ["--sequential"],
    "pin-": ["--target"],
    "pool-global": ["--pool=global"],
    "pool-stack": ["--pool=stack"],
    "propagate-": ["--in-place"],
    "read-": ["--in-place"],
    "refill-": ["--reuse"],
    "slots-": ["--carried"],
    "split-": ["--reuse"],
    "target-": ["--target"],
    "webs-": ["--reuse"],
    "whole-": ["--reuse"],
    "writes-": ["--in-place"],
}
# The same for kernels.
KERNEL_MODES = {"G10-": ["--kinds=tiles"]}


class Failure(Exception):
    """The rules cannot be checked."""


def find_names():
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
            self.kill()
            return None, self.process.communicate()[0]

    def kill(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)


def build():
    for command in (
        ["cmake", "--preset", "mutations"],
        ["cmake", "--build", "--preset", "mutations", "--target", "check-buffer-merge-depends"],
    ):
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if result.returncode:
            raise Failure(f"cannot build: {(result.stdout + result.stderr)[-4000:]}")


def find_lit():
    for line in (BUILD / "CMakeCache.txt").read_text().splitlines():
        if re.match(r"(BUFFER_MERGE_LIT|LLVM_EXTERNAL_LIT):\w+=.", line):
            return line.split("=", 1)[1]
    raise Failure("lit is not found")


def run_lit(name, options):
    """Return the first test that fails, or an empty string."""
    lit = [sys.executable, find_lit(), "-v", "-j1", "--order=lexical", "--max-failures=1"]
    for suite in options.suites:
        command = [*lit, str(BUILD / "test" / suite)]
        code, output = Process(command, options.timeout, name).finish()
        failed = re.search(r"^(?:FAIL|TIMEOUT|UNRESOLVED|XPASS): .*? :: (\S+)", output, re.M)
        if failed:
            return failed[1]
        if code is None:
            return f"{suite} (does not end)"
        if code:
            raise Failure(f"lit fails: {output[-2000:]}")
    return ""


def run_unit_tests(name, options):
    """Return the first unit test that fails, or an empty string."""
    for program in sorted((BUILD / "unittests").glob("*/BufferMerge*Tests")):
        command = [str(program), "--gtest_fail_fast", "--gtest_brief=1"]
        code, output = Process(command, options.timeout, name).finish()
        failed = re.search(r"^\[  FAILED  \] (\w\S*)", output, re.M)
        if failed or code != 0:
            return failed[1] if failed else f"{program.name} (does not end)"
    return ""


def start_fuzzers(name, options):
    mode = next((mode for prefix, mode in MODES.items() if name.startswith(prefix)), [])
    host = ["buffer-merge-fuzz", f"--seeds={options.seeds}", "--schedulers=first-fit", *mode]
    mode = next((mode for prefix, mode in KERNEL_MODES.items() if name.startswith(prefix)), [])
    kernels = ["buffer-merge-gpu-fuzz", f"--seeds={options.seeds}", *mode]
    return [
        Process([str(BUILD / "bin" / tool), *arguments], options.timeout, name)
        for tool, *arguments in (host, kernels)
    ]


def finish_fuzzer(process):
    """Return the first seed that fails and why, or an empty string."""
    code, output = process.finish()
    failed = re.search(r"^seed (\d+), (scheduler|options|mode) ([^:]*): (.*)", output, re.M)
    if failed:
        kernel = "kernel " if failed[2] == "mode" else ""
        why = re.sub(r" \(instance \d+\)", "", failed[4]).replace("|", "\\|")
        return f"{kernel}{failed[1]}, {failed[3]}: {why}"
    if code is None:
        return "(does not end)"
    if code < 0 or "Stack dump" in output:
        return "(crashes)"
    if code:
        raise Failure(f"the fuzzer fails: {output[-2000:]}")
    return ""


def check(name, options):
    """Return what fails without the rule: the first lit or unit test, the first seeds."""
    fuzzers = start_fuzzers(name, options) if options.fuzz else []
    try:
        lit = run_lit(name, options) if options.lit else ""
        if options.lit and not lit:
            lit = run_unit_tests(name, options)
        return lit, "; ".join(filter(None, map(finish_fuzzer, fuzzers)))
    finally:
        for fuzzer in fuzzers:
            fuzzer.kill()


def run(names, options):
    build()
    if options.baseline and any(check("", options)):
        raise Failure("there is a failure with every rule in place")
    print("| mutation | test | fuzzers |\n| --- | --- | --- |", flush=True)
    survivors = 0
    for name in names:
        lit, fuzz = check(name, options)
        survivors += not lit and not fuzz
        caught = f"`{lit}`" if lit else "-" if fuzz else "**survives**"
        print(f"| `{name}` | {caught} | {fuzz or '-'} |", flush=True)
    print(f"\n{len(names)} mutations, {survivors} survive", flush=True)
    return 1 if survivors else 0


def main():
    # The end of this program is the end of what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="rules to switch off; all if none")
    parser.add_argument("--list", action="store_true", help="print names and places")
    parser.add_argument("--seeds", default="0..699", help="of both fuzzers, A..B")
    parser.add_argument(
        "--suites",
        type=lambda text: text.split(","),
        default=SUITES,
        help="folders of lit tests, in order",
    )
    parser.add_argument(
        "--no-lit", dest="lit", action="store_false", help="neither lit nor unit tests"
    )
    parser.add_argument("--no-fuzz", dest="fuzz", action="store_false")
    parser.add_argument(
        "--no-baseline",
        dest="baseline",
        action="store_false",
        help="do not test first with every rule in place",
    )
    parser.add_argument(
        "--timeout", type=float, default=180, help="seconds for a suite or a fuzzer"
    )
    options = parser.parse_args()
    try:
        known = find_names()
        unknown = [name for name in options.names if name not in known]
        if unknown:
            parser.error(f"unknown rule '{unknown[0]}'; --list names them")
        if options.list:
            for name, place in known.items():
                print(f"{name} {place}")
            return 0
        return run(options.names or list(known), options)
    except Failure as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
