"""Run programs under AddressSanitizer, as they are and merged, with deallocations.

usage: check-memory.py --opt=PATH --bin=DIR --lib=DIR --lowering=PASSES --temp=DIR
                       [--without-deallocation] PROGRAM...

Each program is lowered to machine code that checks every access, every free, and at
its end what was not freed:

  before             with the deallocations of --buffer-deallocation-pipeline
  merge, free        merged, then with deallocations
  free, merge        with deallocations, then merged
  free early, merge  the same behind --optimize-allocation-liveness
  free late, merge   merged between --ownership-based-buffer-deallocation and the
                     lowering of bufferization.dealloc

With --without-deallocation nothing is inserted, and what a program does not free is no
error: for programs that MLIR's deallocation does not take. All variants of a program
must print the same. One line for each variant says what is wrong, or `ok`, or that the
passes do not take the program without merging either; the last line counts.
"""

import argparse
import os
import re
import subprocess
import sys

DEALLOCATE = "buffer-deallocation-pipeline"
OWNERSHIP = "ownership-based-buffer-deallocation,canonicalize," + (
    "buffer-deallocation-simplification"
)
VARIANTS = {
    "before": DEALLOCATE,
    "merge, free": "buffer-merge," + DEALLOCATE,
    "free, merge": DEALLOCATE + ",buffer-merge",
    "free early, merge": DEALLOCATE
    + ",func.func(optimize-allocation-liveness),buffer-merge",
    "free late, merge": "func.func(expand-realloc),canonicalize,"
    + OWNERSHIP
    + ",buffer-merge,bufferization-lower-deallocations",
}
VARIANTS_WITHOUT = {"before": "", "merge": "buffer-merge"}
SKIPPED = "not possible, nor without merging"
MERGE = re.compile(r"(?<=,)buffer-merge,?|^buffer-merge,?")


def run(command, data=None, sanitizer=None):
    environment = dict(os.environ)
    if sanitizer:
        environment["ASAN_OPTIONS"] = sanitizer
    return subprocess.run(
        command,
        env=environment,
        input=data,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def check(options, program, passes):
    """Return what the program prints, and what is wrong or None."""
    pipeline = ",".join(filter(None, [passes, options.lowering]))
    lowered = run([options.opt, program, f"--pass-pipeline=builtin.module({pipeline})"])
    if lowered.returncode:
        error = "does not compile: " + lowered.stderr.strip().splitlines()[0]
        without = MERGE.sub("", pipeline)
        arguments = [options.opt, program, f"--pass-pipeline=builtin.module({without})"]
        return "", error if run(arguments).returncode == 0 else SKIPPED
    llvm = run([f"{options.bin}/mlir-translate", "--mlir-to-llvmir"], lowered.stdout)
    if llvm.returncode:
        return "", "does not translate: " + llvm.stderr.strip().splitlines()[0]
    # Accesses are checked in functions with this attribute alone.
    text = re.sub(r"(?m)^(define .*) \{$", r"\1 sanitize_address {", llvm.stdout)
    # The entry point returns nothing, and a process must return a number.
    text = text.replace("@main(", "@program(")
    text += "\ndefine i32 @main() {\n  call void @program()\n  ret i32 0\n}\n"
    base = os.path.join(options.temp, "program")
    with open(base + ".ll", "w", encoding="utf-8") as file:
        file.write(text)
    names = ["runner_utils", "c_runner_utils", "async_runtime", "float16_utils"]
    link = run(
        [f"{options.bin}/clang", "-O0", "-w", "-fsanitize=address", "-fuse-ld=lld"]
        + [base + ".ll"]
        + [f"{options.lib}/libmlir_{name}.so" for name in names]
        + [f"-Wl,-rpath,{options.lib}", "-lm", "-o", base]
    )
    if link.returncode:
        return "", "does not link: " + link.stderr.strip().splitlines()[0]
    leaks = 0 if options.without_deallocation else 1
    result = run([base], sanitizer=f"detect_leaks={leaks}")
    output = re.sub(r"base@ = 0x[0-9a-f]* ", "", result.stdout)
    for line in result.stderr.splitlines():
        match = re.search(r"ERROR: (?:Address|Leak)Sanitizer: (.*)", line)
        if match:
            return output, match.group(1)
    if result.returncode:
        return output, f"exit code {result.returncode}"
    return output, None


def main():
    parser = argparse.ArgumentParser()
    for name in ("opt", "bin", "lib", "lowering", "temp"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--without-deallocation", action="store_true")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    os.makedirs(options.temp, exist_ok=True)
    passed = failed = skipped = 0
    variants = VARIANTS_WITHOUT if options.without_deallocation else VARIANTS
    for program in options.programs:
        expected = None
        for name, passes in variants.items():
            output, error = check(options, program, passes)
            if expected is None:
                expected = output
            if not error and output != expected:
                error = "prints something else than before"
            print(f"{os.path.basename(program)}: {name}: {error or 'ok'}", flush=True)
            passed += not error
            skipped += error == SKIPPED
            failed += bool(error) and error != SKIPPED
    print(f"{passed} passed, {failed} failed, {skipped} not possible")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
