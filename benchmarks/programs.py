"""What the commands of this folder have in common: folders of programs, the tools that
work on them, and tables. See docs/Benchmarks.md for what a folder of programs is.
"""

import gzip
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# From buffers to LLVM, with the passes of MLIR alone.
LOWER = ("convert-bufferization-to-memref,func.func(scf-forall-to-parallel),"
         "convert-linalg-to-loops,func.func(convert-vector-to-scf),"
         "async-to-async-runtime,func.func(async-runtime-ref-counting),convert-async-to-llvm,"
         "lower-affine,expand-strided-metadata,lower-affine,convert-scf-to-cf,"
         "func.func(memref-expand,arith-expand),convert-vector-to-llvm,"
         "func.func(math-expand-ops),convert-math-to-llvm,convert-math-to-libm,"
         "convert-index-to-llvm,convert-complex-to-llvm,convert-arith-to-llvm,"
         "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,"
         "reconcile-unrealized-casts")


class Failure(Exception):
    """A step of one program failed: what its row says."""

    stderr = ""  # all that the tool said


def find_programs(folder, only=None):
    """Return (name, path) of each program below `folder`, in the order of the names.

    A program is a file `*.mlir` or `*.mlir.gz` that is not a driver; its name is the
    path below the folder. `only` is a regular expression that the name must match
    somewhere. A path to a file is a folder with this program."""
    if os.path.isfile(folder):
        return [(os.path.basename(folder), folder)]
    programs = []
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for file in files:
            path = os.path.join(parent, file)
            name = os.path.relpath(path, folder)
            if (re.search(r"\.mlir(\.gz)?$", file) and not file.startswith("driver")
                    and (not only or re.search(only, name))):
                programs.append((name, path))
    return sorted(programs)


def find_driver(path):
    """Return the driver of the program `path`, or None: of the files `driver_X.mlir`
    beside it whose X the program's name begins with, the one with the longest X; else
    `driver.mlir`."""
    folder, file = os.path.split(path)
    best = None
    for other in os.listdir(folder or "."):
        match = re.fullmatch(r"driver(?:_(.+))?\.mlir", other)
        if match and file.startswith(match[1] or ""):
            if best is None or len(other) > len(best):
                best = other
    return os.path.join(folder, best) if best else None


def read_text(path):
    opener = gzip.open if path.endswith(".gz") else open
    try:
        with opener(path, "rt") as file:
            return file.read()
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise Failure(f"cannot be read: {error}") from error


def make_zero(match):
    """Return the global of `match` (see below) as a variable that is 0."""
    head, name, kind, attributes = match.groups()
    zero = "0.0" if re.search(r"[x<]b?f\d+(E\w+)?[,>]", kind) else "0"
    return f"{head}{name} : {kind} = dense<{zero}>{attributes}"


def attach_driver(program, driver):
    """Return the text of the module `program`, as MLIR prints it, with the functions of
    `driver` at its end.

    A driver calls the program's functions from a @main of its own. If the program has a
    @main too, it becomes @__model_main for a driver that calls @main, and vanishes
    otherwise. A line `// JITTER @g` says that the driver fills the constant global @g: it
    becomes a variable that is 0, so that its value takes no part in compilation."""
    if re.search(r"\bcall @main\(", driver):
        program = re.sub(r"@main\b", "@__model_main", program)
        driver = re.sub(r"\bcall @main\(", "call @__model_main(", driver)
    else:
        program = re.sub(r"^  func\.func (public )?@main\(.*?^  \}\n", "", program,
                         flags=re.DOTALL | re.MULTILINE)
    filled = set(re.findall(r"^// JITTER (@\S+)$", driver, flags=re.MULTILINE))
    program = re.sub(r"^( *memref\.global (?:\"\w+\" )?)constant (@[\w.$-]+) : "
                     r"(memref<.*?>) = \S.*?((?: \{[^{}]*\})?)$",
                     lambda m: make_zero(m) if m[2] in filled else m[0], program,
                     flags=re.MULTILINE)
    # What the program declares already is not declared again.
    declared = set(re.findall(r"^  func\.func private (@[\w.$-]+)\(", program,
                              flags=re.MULTILINE))
    lines = [line for line in driver.splitlines()
             if not ((match := re.match(r" *func\.func private (@[\w.$-]+)\(.*[^{]$", line))
                     and match[1] in declared)]
    head, brace, tail = program.rpartition("\n}\n")
    if not brace:
        raise Failure("is not one module")
    return head + "\n" + "\n".join(lines) + "\n}\n" + tail


def replace_table(document, name, table):
    """Write `table` between the marks `name` of `document`."""
    with open(document) as file:
        text = file.read()
    text, count = re.subn(rf"(<!-- measured: {name} -->\n).*?(<!-- end -->)",
                          lambda m: f"{m[1]}\n{table}\n\n{m[2]}", text, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{document}: {count} marks for {name}")
    with open(document, "w") as file:
        file.write(text)


class Tools:
    """Where the programs are that do the work, and how long each may take."""

    def __init__(self, build, llvm, limit):
        self.build, self.llvm, self.limit = build, llvm, limit

    def add_options(parser, limit):
        parser.add_argument("--build", default=os.path.join(ROOT, "build/release"),
                            help="build folder of buffer-merge (default build/release)")
        parser.add_argument("--llvm", default="/usr/lib/llvm-22",
                            help="where LLVM and MLIR are (default %(default)s)")
        parser.add_argument("--limit", type=float, default=limit, metavar="SECONDS",
                            help="time limit of each step of a program (default %(default)s)")

    def from_options(args):
        tools = Tools(args.build, args.llvm, args.limit)
        names = [f"buffer-merge-{name}" for name in ("opt", "schedule", "compile-benchmark")]
        missing = [name for name in names if not os.path.exists(tools.own(name))]
        if missing and not tools.build_targets(missing):
            print(f"{tools.own(missing[0])} does not exist: build it, or name the folder with "
                  "--build", file=sys.stderr)
            sys.exit(2)
        return tools

    def build_targets(self, names):
        """Build the programs `names`. Return false if the folder is none that CMake knows or
        if that fails, which the errors of the build say."""
        if not os.path.exists(os.path.join(self.build, "CMakeCache.txt")):
            return False
        print(f"Building {', '.join(names)} ...", file=sys.stderr)
        result = subprocess.run(["cmake", "--build", self.build, "--target", *names],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                errors="replace")
        if result.returncode != 0:
            print(result.stdout, end="", file=sys.stderr)
        return result.returncode == 0

    def own(self, name):
        return os.path.join(self.build, "bin", name)

    def stock(self, name):
        return os.path.join(self.llvm, "bin", name)

    def run(self, command, what, stderr_too=False, **options):
        """Run a command; return what it prints on standard output (or error as well). If it fails or exceeds the limit, the
        Failure is `what` (or what[exit code], else what[None]) and its first error."""
        def name(code):
            return what.get(code, what[None]) if isinstance(what, dict) else what
        try:
            result = subprocess.run(command, capture_output=True, text=True,
                                    errors="replace", timeout=self.limit, **options)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{name(None)}: more than {self.limit:g} s") from error
        except OSError as error:
            raise Failure(f"{name(None)}: {error}") from error
        if result.returncode != 0:
            failure = Failure(f"{name(result.returncode)}: {describe(result)}")
            failure.stderr = result.stderr
            raise failure
        return result.stdout + (result.stderr if stderr_too else "")

    def opt(self, text, passes, what):
        """Return the module `text` after `passes`."""
        tool = self.own("buffer-merge-opt")
        if "BUFFER_MERGE_FORK_SERVER" in os.environ:  # a test: the server has it loaded
            tool = os.path.join(self.build, "test/ForkServer/buffer-merge-opt")
        pipeline = [f"--pass-pipeline=builtin.module({passes})"] if passes else []
        return self.run([tool, "-", *pipeline], what, input=text)


def describe(result):
    """Return why the process of `result` failed: its first error, in one short line."""
    lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()] or lines
    if result.returncode < 0:
        errors = [f"signal {-result.returncode}"] + errors[:1]
    message = ": ".join(errors[:2] if result.returncode < 0 else errors[:1])
    message = re.sub(r'^(?:loc\(".*?"|[^\s:]*):(\d+):\d+\)?: (error: )?', r"line \1: ", message)
    return message[:200] or f"exit code {result.returncode}"


def print_table(header, rows):
    """Print a table that is one in Markdown as well. The first column and texts are
    flush left, numbers flush right."""
    rows = [[str(cell) for cell in row] for row in rows]
    is_number = [all(re.fullmatch(r"[-\d.,%×]*( [kMG]?B)?", row[i]) for row in rows)
                 for i in range(len(header))]
    widths = [max(len(cells[i]) for cells in [header, *rows]) for i in range(len(header))]

    def join(cells):
        return "| " + " | ".join(
            cell.rjust(width) if right and i else cell.ljust(width)
            for i, (cell, width, right) in enumerate(zip(cells, widths, is_number))) + " |"

    print(join(header))
    print("|" + "|".join("-" * (width + 1) + (":" if right and i else "-")
                         for i, (width, right) in enumerate(zip(widths, is_number))) + "|")
    for row in rows:
        print(join(row))
    sys.stdout.flush()


def format_bytes(count):
    """Return a number of bytes with three digits, in units of 1000."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            value = count / size
            digits = 2 if value < 10 else 1 if value < 100 else 0
            return f"{value:.{digits}f} {unit}"
    return f"{count} B"


def median(values):
    """Return the middle one; of an even number of values, the lower of both."""
    return sorted(values)[(len(values) - 1) // 2]


