#!/usr/bin/env python3
"""Compare the pools of kernels with what tests of other compilers expect.

    benchmarks/kernels.py [FILE...] [--opt build/dev/bin/buffer-merge-opt]
                          [--chips sm_80,sm_90] [--amd gfx942] [--update]

Without a FILE, those of benchmarks/kernels. Each kernel has a line `// peer: BYTES` before
it: what a test of another compiler expects for the same buffers. A row has the bytes of the
buffers and of the pool, with the barriers of the kernel and with more of them
(barriers=insert). With `--update` the table is written into docs/GPU.md.

Merged in each way and storage (an attribution, dynamic memory), each kernel is lowered with
the stock passes and assembled, for NVIDIA if ptxas is installed, for AMD if llc is: the
memory must have the bytes and the alignment of the plan.

Exit code 1 if a check fails, or a pool with more barriers is larger than the peer's; a line
`// larger: REASON` after that of the peer allows it.
"""

import argparse
import contextlib
import glob
import json
import os
import re
import sys
import tempfile

import gpu
import programs

DOCUMENT = os.path.join(gpu.ROOT, "docs", "GPU.md")
WAYS = {"existing": "", "insert": "barriers=insert"}


def plan(opt, path, options):
    """Return the pools of the kernels in `path` by their names."""
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        gpu.call([opt, path, f"--buffer-lifetimes={options} report={report}", "-o", os.devnull], None)
        with open(report) as file:
            return {pool["function"].rpartition("::")[2]: pool for pool in json.load(file)["pools"]}


def launch(module):
    """Return `module` with a launch of each of its kernels."""
    hosts = [f"  func.func @launch_{name}({arguments}) {{\n"
             "    %c1 = arith.constant 1 : index\n    %c32 = arith.constant 32 : index\n"
             f"    gpu.launch_func @kernels::@{name} blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)"
             + (f" args({arguments})" if arguments else "") + "\n    return\n  }\n"
             for name, arguments in re.findall(r"gpu\.func @(\w+)\((.*?)\) kernel", module)]
    aliases = "".join(re.findall(r"(?m)^#.*\n", module))
    body = re.sub(r"(?m)^#.*\n", "", module)
    return f"{aliases}module attributes {{gpu.container_module}} {{\n{body}{''.join(hosts)}}}\n"


def check_dynamic(tools, merged, pools):
    """Check the kernels in `merged`, whose pools are in dynamic memory."""
    sizes = {int(size) for size in re.findall(r"arith\.constant (\d+) : i32", merged)}
    for name, pool in pools.items():
        if pool.get("launchBytes", pool["poolSize"]) not in sizes:
            raise gpu.Wrong(f"{name}: no launch gives {pool['poolSize']} bytes")
    ptx = tools.to_ptx(merged.encode())
    if not re.search(r"\.extern \.shared \.align 16 \.b8 dynamic_shared_memory\[\]", ptx):
        raise gpu.Wrong("no dynamic memory in the assembled code")
    with tempfile.TemporaryDirectory() as folder:
        assembled = gpu.assemble_nvidia(tools, ptx, folder)[0] if tools.ptxas else {}
    for name, (static, _) in assembled.items():
        if static:
            raise gpu.Wrong(f"{name}: {static} bytes of static memory beside the pool")
    if tools.llc:
        with contextlib.suppress(gpu.Unlowered):  # What is NVIDIA's alone.
            tools.to_amd(merged.encode())


def check_code(args, path, options, pools):
    """Assemble the kernels of `path`, merged with `options`, for each chip in each storage;
    return in how many ways."""
    with open(path) as file:
        text = file.read()
    forms = {storage: gpu.call([args.opt, f"--buffer-merge={options} workgroup-pool={storage}"],
                               launch(text).encode()).decode()
             for storage in ("attribution", "dynamic")}
    for chip in args.chips.split(","):
        args.chip = chip
        tools = gpu.Tools(args)
        planned = gpu.find_kernels(forms["attribution"])
        for name, pool in pools.items():
            if (pool["poolSize"], pool["poolAlignment"]) not in planned[name][1]:
                raise gpu.Wrong(f"{name}: no attribution of {pool['poolSize']} bytes")
        gpu.check_form(forms["attribution"], tools)
        check_dynamic(tools, forms["dynamic"], pools)
    return len(forms) * len(args.chips.split(","))


def compare(args, path):
    """Return the rows of the kernels of `path`, and what is wrong with them."""
    with open(path) as file:
        text = file.read()
    pools = {way: plan(args.opt, path, options) for way, options in WAYS.items()}
    for way, options in WAYS.items():
        args.numForms += check_code(args, path, options, pools[way])
    rows, wrong = [], []
    for peer, reason, name in re.findall(
            r"// peer: (\d+)\n(?: *// larger: (.*)\n)? *gpu\.func @(\w+)", text):
        existing, insert = (pools[way][name] for way in WAYS)
        number = len(insert["sync"].get("insertedBarriers", []))
        rows.append([os.path.basename(path)[:-len(".mlir")], name, len(insert["buffers"]), insert["totalBytes"],
                     int(peer), existing["poolSize"], insert["poolSize"], number])
        if insert["poolSize"] > int(peer) and not reason:
            wrong.append(f"{name}: {insert['poolSize']} bytes, {int(peer)} in {os.path.basename(path)}")
    return rows, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--opt", default=os.path.join(gpu.ROOT, "build/dev/bin/buffer-merge-opt"))
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin", help="the folder of LLVM's tools")
    parser.add_argument("--chips", default="sm_80,sm_90")
    parser.add_argument("--amd", default="gfx942")
    parser.add_argument("--update", action="store_true", help="write the table into docs/GPU.md")
    args = parser.parse_args()
    args.numForms = 0
    rows, wrong = [], []
    for path in args.files or sorted(glob.glob(os.path.join(gpu.ROOT, "benchmarks", "kernels", "*.mlir"))):
        try:
            compared, failures = compare(args, path)
        except (gpu.Wrong, gpu.Unlowered) as error:
            compared, failures = [], [f"{os.path.basename(path)}: {error}"]
        rows += compared
        wrong += failures
    header = ["peer", "kernel", "buffers", "bytes", "peer's", "merged", "with more barriers", "inserted"]
    lines = ["| " + " | ".join(header) + " |", "| --- | --- |" + " ---: |" * (len(header) - 2)]
    lines += ["| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else cell for cell in row) + " |" for row in rows]
    print("\n".join(lines))
    print(f"{len(rows)} kernels, assembled in {args.numForms} forms")
    if args.update:
        programs.replace_table(DOCUMENT, "peers", "\n".join(lines))
    for failure in wrong:
        print(f"failed: {failure}", file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
