#!/usr/bin/env python3
"""Run the programs of a folder before and after merging, and compare what they print.

    benchmarks/run_programs.py FOLDER [--library FILE]... [--only REGEX] [--limit SECONDS]
                               [--ways merge,merge-dealloc,dealloc-merge,cf-merge]
                               [--options 'scheduler=best-fit'] [-O 0..3]
                               [--json FILE] [--build build/release]

Each program on buffers that has a @main without arguments, or a driver, is compiled and
run as it is, and then after each of these ways:

    merge           --buffer-merge
    merge-dealloc   --buffer-merge, then the stock deallocation pipeline
    dealloc-merge   the stock deallocation pipeline, then --buffer-merge
    cf-merge        everything structured lowered to loops, loops to blocks, then
                    --buffer-merge

The second and the third are left out where the program frees its buffers itself, or where
the deallocation pipeline alone refuses it. All must print the same, byte by byte; only
the addresses in what printMemref prints are no part of it.

Exit code: 0, 1 if anything differs or fails, 2 if there is no program. A program that
cannot be executed (nothing to call, functions that nothing defines, the time limit) is
named with the reason and does not count as a failure, as long as some program runs.
"""

import argparse
import hashlib
import json
import os
import sys
import tempfile

import executables
import programs
from executables import NotExecutable
from programs import Failure

TO_BLOCKS = ("func.func(scf-forall-to-parallel),convert-linalg-to-loops,lower-affine,"
             "convert-scf-to-cf")
DEALLOCATE = "buffer-deallocation-pipeline"
WAYS = {"merge": ["{merge}"],
        "merge-dealloc": ["{merge}", DEALLOCATE],
        "dealloc-merge": [DEALLOCATE, "{merge}"],
        "cf-merge": [TO_BLOCKS, "{merge}"]}


def list_stages(way, options):
    merge = f"buffer-merge{{{options}}}" if options else "buffer-merge"
    return [merge if stage == "{merge}" else stage for stage in WAYS[way]]


def run_program(tools, path, args, libraries, results):
    """Run one program in all ways; append (way, verdict, bytes printed, seconds)."""
    text, driver = executables.prepare(tools, path)
    can_deallocate = not executables.frees_buffers(text)
    if can_deallocate:
        try:
            tools.opt(text, DEALLOCATE, "deallocation")
        except Failure:
            can_deallocate = False

    with tempfile.TemporaryDirectory() as folder:
        executable = os.path.join(folder, "program")

        def run(program):
            executables.compile_program(tools, program, driver, libraries, args.O, executable)
            return executables.execute(tools, executable)

        expected, seconds = run(text)
        if not expected:
            raise NotExecutable("prints nothing that could be compared")
        digest = hashlib.sha256(expected.encode()).hexdigest()[:12]
        results.append(("as it is", f"prints {digest}", len(expected), seconds))
        for way in args.ways.split(","):
            if DEALLOCATE in WAYS[way] and not can_deallocate:
                continue
            try:
                merged = text
                for stage in list_stages(way, args.options):
                    merged = tools.opt(merged, stage, stage)
                actual, seconds = run(merged)
                verdict = "identical" if actual == expected else "DIFFERENT"
                if "memref.view" not in merged:
                    verdict += ", nothing merged"
                results.append((way, verdict, len(actual), seconds))
            except Failure as failure:
                results.append((way, f"FAILED: {failure}", 0, 0.0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="folder of programs, or one program")
    parser.add_argument("--only", metavar="REGEX", help="programs whose name has this in it")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--options", default="", help="options of buffer-merge")
    parser.add_argument("-O", default="2", choices=list("0123"), help="optimization level")
    parser.add_argument("--json", metavar="FILE", help="write the results to this file")
    executables.add_library_option(parser)
    programs.Tools.add_options(parser, limit=300)
    args = parser.parse_args()
    for way in args.ways.split(","):
        if way not in WAYS:
            print(f"unknown way '{way}', expected one of: {', '.join(WAYS)}", file=sys.stderr)
            return 2
    tools = programs.Tools.from_options(args)
    found = programs.find_programs(args.folder, args.only)
    if not found:
        print(f"{args.folder}: no programs (*.mlir, *.mlir.gz)"
              + (f" that match '{args.only}'" if args.only else ""), file=sys.stderr)
        return 2

    table, skipped, everything = [], [], []
    num_failed = num_same = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            libraries = executables.build_libraries(tools, args.library, folder)
        except Failure as failure:
            print(failure, file=sys.stderr)
            return 2
        for name, path in found:
            print(name, file=sys.stderr, flush=True)
            results, reason = [], None
            try:
                run_program(tools, path, args, libraries, results)
            except NotExecutable as failure:
                reason = str(failure)
                skipped.append([name, reason])
            except Failure as failure:
                results.append(("as it is", f"FAILED: {failure}", 0, 0.0))
            for way, verdict, length, seconds in results:
                num_failed += verdict.startswith(("DIFFERENT", "FAILED"))
                num_same += verdict.startswith("identical")
                table.append([name, way, verdict, length, f"{seconds:.2f}"])
            everything.append({"program": name, "notExecutable": reason, "runs": [
                dict(zip(("way", "verdict", "bytesPrinted", "seconds"), result))
                for result in results]})
    if table:
        programs.print_table(["program", "way", "verdict", "bytes printed", "seconds"], table)
    if skipped:
        print("\nNot executed:\n")
        programs.print_table(["program", "why"], skipped)
    print(f"\n{num_same} runs identical, {num_failed} failed or different, "
          f"{len(skipped)} programs not executed")
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"version": 1, "programs": everything}, file, indent=2)
            file.write("\n")
    return 1 if num_failed or not num_same else 0


if __name__ == "__main__":
    sys.exit(main())
