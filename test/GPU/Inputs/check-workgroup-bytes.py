"""Compare what workgroup-bytes prints with what buffer-merge leaves a kernel with.

usage: check-workgroup-bytes.py BUFFER-MERGE-OPT KERNEL.mlir OPTIONS

The sizes are written into the program as constants, and the bytes of attributions and
of dynamic memory are read from the merged kernel.
"""

import itertools
import re
import subprocess
import sys
import tempfile

opt, path, options = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    source = file.read()
rows = list(itertools.product((33, 96), (17, 128), (1, 3)))


def run(*arguments, text=None):
    return subprocess.run([opt, *arguments], input=text, capture_output=True, text=True,
                          check=True).stdout


with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
    table.write("arg2,arg3,arg4\n" + "".join(f"{m},{n},{s}\n" for m, n, s in rows))
    table.flush()
    printed = run(path, "-o", "/dev/null",
                  f"--workgroup-bytes=function=kernels::gemm sizes={table.name} {options}")
numbers = [int(line.split(",")[-1]) for line in printed.splitlines()[1:]]
for row, number in zip(rows, numbers, strict=True):
    constants = "".join(f"    %{name} = arith.constant {value} : index\n"
                        for name, value in zip(("m", "n", "stages"), row))
    head, body = source.split("%t = gpu.thread_id x", 1)
    head = head.replace("%m: index, %n: index, %stages: index", "%m_: index, %n_: index, %stages_: index", 1)
    merged = run("--canonicalize", f"--buffer-merge={options}",
                 text=head + "%t = gpu.thread_id x\n" + constants + body)
    signature = re.search(r"gpu\.func @gemm\(.*?workgroup\((.*?)\)", merged, re.S)
    static = sum(int(size) for size in re.findall(r"memref<(\d+)xi8", signature[1])) if signature else 0
    launch = re.search(r"dynamic_shared_memory_size %(\w+)", merged)
    dynamic = int(re.search(rf"%{launch[1]} = arith.constant (\d+) : i32", merged)[1]) if launch else 0
    if static + dynamic != number:
        sys.exit(f"{row}: {number} is printed, {static} and {dynamic} are there")
print(f"{len(rows)} configurations, {len(set(numbers))} different numbers, all as merged")
