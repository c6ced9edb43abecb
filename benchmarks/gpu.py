#!/usr/bin/env python3
"""Check and measure kernels, before and after merging, down to assembled code.

    benchmarks/gpu.py [FILE...] [--opt build/dev/bin/buffer-merge-opt] [--options OPTIONS]
                      [--chip sm_80] [--amd gfx942] [--grid N] [--verbose]

Without a FILE, the kernels of test/GPU. Each part of a file is lowered with the stock
passes, with one object for each buffer (scheduler=bump) and merged; if they do not lower
all of it, each kernel by itself. ptxas and llc, where they are installed, assemble both: every attribution must be there with its bytes, at an
address with its alignment, and the kernel must not take more than these. A row for each
kernel has the bytes of shared memory that the assemblers report, and the registers.

With a CUDA driver and a GPU, both kernels are run on the same random inputs, in shared
memory that was filled with NaNs before. The outputs must be equal; a row then also has
how many workgroups a multiprocessor holds, and the time of a launch. Without, the
assembled code is all, which the last line says. Exit code 1 if a check fails.
"""

import argparse
import glob
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import cuda_driver

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOWERING = (
    "convert-nvgpu-to-nvvm,expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-vector-to-llvm,"
    "{convert},reconcile-unrealized-casts"
)
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8}


class Unlowered(Exception):
    """The stock passes, or those of this project, do not lower a part."""


class TooLarge(Unlowered):
    """A kernel has more static shared memory than there may be."""


class Wrong(Exception):
    """Assembled code is not as it was planned."""


def call(command, text):
    """Return what `command` prints, given `text`."""
    done = subprocess.run(command, input=text, capture_output=True)
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        raise Unlowered(lines[0] if lines else f"{command[0]} fails")
    return done.stdout


class Tools:
    """The programs that lower and assemble."""

    def __init__(self, args):
        self.opt = args.opt
        self.mlir_opt = shutil.which("mlir-opt", path=args.llvm) or "mlir-opt"
        self.llc = shutil.which("llc", path=args.llvm)
        self.ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
        self.chip, self.amd = args.chip, args.amd
        if self.llc and b"amdgcn" not in call([self.llc, "--version"], None):
            self.llc = None

    def lower(self, module, attach, convert, form):
        """Return the code of the device module in `module`."""
        passes = LOWERING.format(convert=convert)
        printed = call(
            [self.mlir_opt, "--pass-pipeline=builtin.module("
             f"{attach},gpu.module({passes}),gpu-module-to-binary{{format={form}}})"], module)
        script = os.path.join(ROOT, "test", "GPU", "Inputs", "device-code.py")
        return call([sys.executable, script], printed)

    def to_ptx(self, module):
        # As the stock pipeline does: copies of sm_80 need version 7.0 at least.
        return self.lower(module, f"nvvm-attach-target{{chip={self.chip} features=+ptx80}}",
                          "convert-gpu-to-nvvm", "isa").decode()

    def to_amd(self, module):
        code = self.lower(module, f"rocdl-attach-target{{chip={self.amd}}}",
                          f"convert-gpu-to-rocdl{{chipset={self.amd}}}", "llvm")
        return call([self.llc, "-mtriple=amdgcn-amd-amdhsa", f"-mcpu={self.amd}", "-o", "-"],
                    code).decode()


def read_section(cubin, name):
    """Return the bytes and the alignment of a section of an ELF file, or nothing."""
    table, = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, table + k * size) for k in range(count)]
    strings = headers[names][4]
    for header in headers:
        begin = strings + header[0]
        if cubin[begin:cubin.index(b"\0", begin)].decode() == name:
            return header[5], header[8]
    return None


def find_kernels(module):
    """Return the signature and the attributions of each kernel of `module`: their bytes and
    alignments. Kernels with memory that is not counted here are left out."""
    kernels = {}
    for match in re.finditer(r"gpu\.func @(\w+)\((.*?)\)(?: workgroup\((.*?)\))?[^\n]* kernel", module):
        name, arguments, attributions = match.groups()
        objects = []
        for shape, align in re.findall(
                r"memref<([\w?]+)(?:, [^<>]*(?:<\w+>)?)?>(?: \{llvm\.align = (\d+) : i64\})?", attributions or ""):
            *sizes, element = shape.split("x")
            if element not in BYTES or "?" in sizes:
                break
            total = BYTES[element]
            for size in sizes:
                total *= int(size)
            objects.append((total, int(align or 1)))
        else:
            kernels[name] = (arguments, objects)
    return kernels


def check_bytes(what, taken, objects, others=()):
    """Check that a kernel takes the bytes of `objects`, and besides no more than padding and
    `others`: barrier objects, reductions, globals."""
    least = sum(size for size, _ in objects)
    most = sum(size + align - 1 for size, align in (*objects, *others))
    if not least <= taken <= most:
        raise Wrong(f"{what}: {taken} bytes of shared memory, but {least} are planned")


def check_ptx(kernel, ptx, objects):
    """Check the objects of `kernel` in the text of `ptx`. Return those that are there, and
    what else is."""
    there, others = [], []
    for align, name, size in re.findall(
            r"\.shared \.align (\d+) \.\w+ (\w+)(?:\[(\d*)\])?[ ;]", ptx):
        # A scalar has 8 bytes at most.
        size, align = int(size or 8), int(align)
        number = re.fullmatch(rf"__wg_{kernel}_(\d+)", name)
        # What nothing accesses is not there.
        # The lowering of reductions adds attributions.
        number = number and int(number[1]) < len(objects) and number
        if number:
            planned = objects[int(number[1])]
            if size != planned[0] or align % planned[1]:
                raise Wrong(f"{kernel}: {size} bytes aligned to {align}, planned: {planned}")
        (there if number else others).append((size, align))
    return there, others


def assemble_nvidia(tools, ptx, folder):
    """Return what `ptxas` says of each kernel (bytes, registers), and the assembled code."""
    path, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
    with open(path, "w") as file:
        file.write(ptx)
    done = subprocess.run([tools.ptxas, f"-arch={tools.chip}", "-v", path, "-o", cubin],
                          capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[0]
        raise TooLarge(reason) if "too much shared data" in reason else Unlowered(reason)
    kernels = {}
    for name, text in re.findall(r"Compiling entry function '(\w+)'(.*?Used [^\n]*)",
                                 done.stderr, re.S):
        smem = re.search(r"(\d+) bytes smem", text)
        registers = re.search(r"Used (\d+) registers", text)
        kernels[name] = (int(smem[1]) if smem else 0, int(registers[1]))
    with open(cubin, "rb") as file:
        return kernels, file.read()


def check_part(tools, module, ptx, kernels, folder):
    """Check each kernel of a part in all assembled forms; return NVIDIA's numbers."""
    assembled, placed = {}, {}
    if tools.ptxas:
        assembled, cubin = assemble_nvidia(tools, ptx, folder)
    for name, (_, objects) in kernels.items():
        there, others = placed[name] = check_ptx(name, ptx, objects)
        if name in assembled and objects:
            check_bytes(f"{name}, ptxas", assembled[name][0], there, others)
            section = read_section(cubin, f".nv.shared.{name}")
            most = max((align for _, align in there), default=1)
            if section and section[1] % most:
                raise Wrong(f"{name}: shared memory at a multiple of {section[1]}, not {most}")
    if tools.llc:
        try:
            text = tools.to_amd(module)
        except Unlowered:
            return assembled  # What is NVIDIA's alone.
        for name, size in re.findall(
                r"\.amdhsa_kernel (\w+)\n\s*\.amdhsa_group_segment_fixed_size (\d+)", text):
            if name in kernels and int(size):
                check_bytes(f"{name}, llc", int(size), *placed[name])
    return assembled


def keep_kernel(module, name):
    """Return `module` without all kernels but `name`."""
    kernel = r"(?m)^( *)gpu\.func @(\w+)\([^\n]* kernel [^\n]*\n(?:.*\n)*?\1}\n"
    module = re.sub(kernel, lambda match: match[0] if match[2] == name else "", module)
    launch = r"(?m)^ *gpu\.launch_func +@\w+::@(\w+) .*\n"
    return re.sub(launch, lambda match: match[0] if match[1] == name else "", module)


def check_form(module, tools):
    """Lower and check a part in one form; return its PTX, and the numbers of each kernel."""
    ptx, kernels = tools.to_ptx(module.encode()), find_kernels(module)
    with tempfile.TemporaryDirectory() as folder:
        return ptx, check_part(tools, module.encode(), ptx, kernels, folder)


def check_kernels(path, part, forms, args, tools, driver):
    """Check a part in both forms; return the rows of its kernels."""
    kernels, is_too_large = find_kernels(forms[1]), False
    try:
        old_ptx, before = check_form(forms[0], tools)
    except TooLarge:
        # Of several, which one that is must be found out first.
        if len(kernels) > 1:
            raise
        is_too_large, before = True, {}
    new_ptx, after = check_form(forms[1], tools)
    rows = []
    for name, (arguments, _) in kernels.items():
        row = [os.path.basename(path), name, "too large" if is_too_large else before.get(name, ("",))[0],
               *after.get(name, ("", ""))]
        if driver:
            row += ([""] * 5 if is_too_large
                    else driver.compare(old_ptx, new_ptx, name, arguments, part, args.grid))
        rows.append(row)
    return rows


def check_file(path, args, tools, driver):
    """Check all parts of one file; return a row for each kernel, and why others are not
    checked."""
    with open(path) as file:
        parts = file.read().split("// -----\n")
    file_name, rows, reasons = os.path.basename(path), [], []
    for number, part in enumerate(parts):
        if "gpu.func" not in part:
            continue
        names = []
        try:
            forms = [call([tools.opt, f"--buffer-merge={options}"], part.encode()).decode()
                     for options in ("scheduler=bump", args.options)]
            names = list(find_kernels(forms[1]))
            rows += check_kernels(path, part, forms, args, tools, driver)
            continue
        except Unlowered as reason:
            if len(names) < 2:
                reasons.append(f"{file_name}, part {number + 1}: {reason}")
        for name in names if len(names) > 1 else []:
            try:
                kept = [keep_kernel(form, name) for form in forms]
                rows += check_kernels(path, part, kept, args, tools, driver)
            except Unlowered as reason:
                reasons.append(f"{file_name}, {name}: {reason}")
    return rows, reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--opt", default=os.path.join(ROOT, "build/dev/bin/buffer-merge-opt"))
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin", help="the folder of LLVM's tools")
    parser.add_argument("--options", default="", help="those of buffer-merge")
    parser.add_argument("--chip", default="sm_80")
    parser.add_argument("--amd", default="gfx942")
    parser.add_argument("--grid", type=int, default=1, help="workgroups of a launch")
    parser.add_argument("--verbose", action="store_true", help="say why a part is not lowered")
    args = parser.parse_args()
    tools = Tools(args)
    driver, why_not = cuda_driver.open_driver()
    rows, reasons = [], []
    try:
        for path in args.files or sorted(glob.glob(os.path.join(ROOT, "test", "GPU", "*.mlir"))):
            checked, unlowered = check_file(path, args, tools, driver)
            rows += checked
            reasons += unlowered
    except Wrong as error:
        sys.exit(f"{path}: {error}")
    print("| file | kernel | bytes before | bytes | registers |"
          + (" equal | workgroups before | after | us before | after |" if driver else ""))
    print("|" + " --- |" * (len(rows[0]) if rows else 5))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    if args.verbose:
        for reason in reasons:
            print(f"not lowered: {reason}")
    print(f"{len(rows)} kernels checked, {len(reasons)} kernels or parts not lowered by stock passes")
    for tool, found in (("ptxas", tools.ptxas), ("llc for AMD GPUs", tools.llc)):
        if not found:
            print(f"skipped: {tool} is not installed")
    if not driver:
        print(f"stopped at assembled code: {why_not}")
    if driver and any("no" in row for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
