"""From a program on buffers to an executable, with the tools of LLVM and the C compiler.
Used by run_programs.py and run_time.py.
"""

import functools
import json
import os
import re
import subprocess
import time

import programs
from programs import Failure

# How a C program calls @main, whatever that returns.
RESULTS = {"void": "program_main();",
           "i1": 'printf("%d\\n", program_main() & 1);',
           "i32": 'printf("%d\\n", program_main());',
           "i64": 'printf("%lld\\n", program_main());',
           "float": 'printf("%.9g\\n", program_main());',
           "double": 'printf("%.17g\\n", program_main());'}
C_TYPES = {"void": "void", "i1": "int", "i32": "int", "i64": "long long", "float": "float",
           "double": "double"}

# What most programs print with, so that they need not load MLIR's library for it, which
# brings 80 MB of LLVM along. All digits of a number are printed: what differs is seen.
START = """#include <stdio.h>
#include <stdlib.h>
void printI64(long long x) { printf("%lld", x); }
void printU64(unsigned long long x) { printf("%llu", x); }
void printF32(float x) { printf("%.9g", x); }
void printF64(double x) { printf("%.17g", x); }
void printOpen(void) { printf("( "); }
void printClose(void) { printf(" )"); }
void printComma(void) { printf(", "); }
void printNewline(void) { printf("\\n"); }
void allocation_counter_start(void) __attribute__((weak));
void allocation_counter_stop(void) __attribute__((weak));
/* The peak resident set that the parent gets to see begins with that of the parent. */
static void write_peak(void) {
  const char *path = getenv("PEAK_RESIDENT");
  FILE *out = path ? fopen(path, "w") : NULL, *in = fopen("/proc/self/status", "r");
  char line[256];
  while (out && in && fgets(line, sizeof(line), in))
    fputs(line, out);
  if (out)
    fclose(out);
}
"""


class NotExecutable(Failure):
    """Nothing is wrong with the program, but it cannot be run as it is."""


def add_library_option(parser):
    parser.add_argument("--library", action="append", default=[], metavar="FILE",
                        help="C source or library with functions that programs declare")


def build_libraries(tools, paths, folder):
    """Return the objects and libraries of `--library`, sources compiled into `folder`."""
    built = []
    for i, path in enumerate(paths):
        if path.endswith(".c"):
            target = os.path.join(folder, f"library-{i}.o")
            tools.run(["cc", "-O2", "-fPIC", "-w", "-c", path, "-o", target], path)
            path = target
        built.append(os.path.abspath(path))
    return built


def prepare(tools, path):
    """Return the text of the program `path`, as MLIR prints it, and that of its driver
    or None. Fail if it has nothing to run."""
    text = tools.opt(programs.read_text(path), "", "reading")
    result = json.loads(tools.run(
        [tools.own("buffer-merge-compile-benchmark"), "-", "--rounds=0"],
        {3: "bufferization", None: "reading"}, input=text))
    if result["tensors"]:
        raise NotExecutable("is not bufferized")
    driver = programs.find_driver(path)
    if driver is None:
        main = re.search(r"func\.func (?:public )?@main\((.*)", text)
        if not main:
            raise NotExecutable("no @main and no driver")
        if not main[1].startswith(")"):
            raise NotExecutable("@main has arguments, and there is no driver")
        return text, None
    return text, programs.read_text(driver)


@functools.lru_cache(maxsize=None)
def find_triple(tools):
    return re.search(r"Default target: (\S+)",
                     tools.run([tools.stock("llc"), "--version"], "llc"))[1]


def compile_program(tools, text, driver, libraries, optimize, target, cpu="native"):
    """Compile the program `text` with `driver` to the executable `target`, with the
    instructions of `cpu`."""
    if driver is not None:
        text = programs.attach_driver(text, driver)
    folder = os.path.dirname(target)
    lowered = tools.opt(text, programs.LOWER, "lowering")
    ir = tools.run([tools.stock("mlir-translate"), "--mlir-to-llvmir", "-"], "translation",
                   input=lowered)
    main = re.search(r"^define (?:\w+ )*?(\S+) @main\(", ir, flags=re.MULTILINE)
    if not main:
        raise NotExecutable("no @main")
    if main[1] not in RESULTS:
        raise NotExecutable(f"@main returns {main[1]}")
    ir = re.sub(r"@main\b", "@program_main", ir)
    unoptimized = os.path.join(folder, "program.ll")
    bitcode = os.path.join(folder, "program.bc")
    code = os.path.join(folder, "program.o")
    start = os.path.join(folder, "start.c")
    with open(unoptimized, "w") as file:
        file.write(ir)
    with open(start, "w") as file:
        file.write(START + f"{C_TYPES[main[1]]} program_main();\n"
                   "int main() {\n"
                   "  static char buffer[1 << 16];\n"
                   "  setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));\n"
                   "  if (allocation_counter_start) allocation_counter_start();\n"
                   f"  {RESULTS[main[1]]}\n"
                   "  if (allocation_counter_stop) allocation_counter_stop();\n"
                   "  write_peak();\n  return 0;\n}\n")
    triple = find_triple(tools)
    tools.run([tools.stock("opt"), f"-O{optimize}", f"-mtriple={triple}", f"-mcpu={cpu}",
               unoptimized, "-o", bitcode], "opt")
    tools.run([tools.stock("llc"), f"-O{optimize}", f"-mcpu={cpu}", "-filetype=obj",
               "-relocation-model=pic", bitcode, "-o", code], "llc")
    mlir = os.path.join(tools.llvm, "lib")
    runtime = [f"-lmlir_{name}" for name in ("runner_utils", "c_runner_utils",
                                             "async_runtime")]
    try:
        tools.run(["cc", "-w", start, code, *libraries, "-o", target, f"-L{mlir}",
                   f"-Wl,-rpath,{mlir}", "-Wl,--as-needed", *runtime, "-lm"], "linking")
    except Failure as failure:
        undefined = re.search(r"undefined reference to [`'](\w+)'", failure.stderr)
        if undefined:
            raise NotExecutable(f"nothing defines {undefined[1]}") from failure
        raise


def execute(tools, executable):
    """Return what an executable prints, less the addresses of memrefs, and its seconds."""
    start = time.monotonic()
    try:
        result = subprocess.run([executable], capture_output=True, text=True,
                                timeout=tools.limit)
    except subprocess.TimeoutExpired as error:
        raise NotExecutable(f"runs for more than {tools.limit:g} s") from error
    if result.returncode != 0:
        raise Failure(f"running: {programs.describe(result)}")
    output = re.sub(r"base@ = 0x[0-9a-f]* ", "", result.stdout)
    return output, time.monotonic() - start


def frees_buffers(text):
    return "memref.dealloc" in text or "bufferization.dealloc" in text
