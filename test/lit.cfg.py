import glob
import importlib.util
import os
import shutil
import subprocess
import sys

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import FindTool, ToolSubst

config.name = "buffer-merge"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
# Of several runs at a time, each has files of its own (utils/check-mutations.py).
config.test_exec_root = lit_config.params.get(
    "exec_root", os.path.join(config.buffer_merge_obj_root, "test")
)

llvm_config.with_system_environment([
    "HOME", "TMP", "TEMP", "ASAN_OPTIONS", "BUFFER_MERGE_MUTATION", "BUFFER_MERGE_RESULTS"
])
# Scripts that ask for python3 get the one that runs the tests. What a version manager
# has in its place may take longer than a script.
llvm_config.with_environment(
    "PATH", [config.llvm_tools_dir, os.path.dirname(sys.executable)], append_path=True
)
llvm_config.use_default_substitutions()

# A test that fails the IR verifier or the round trip through text after a pass
# fails, whatever its CHECK lines say.
opt_flags = []
if os.environ.get("BUFFER_MERGE_OPT_VERIFY_ROUNDTRIP"):
    opt_flags.append("--verify-roundtrip")

# Most of the time that a short test takes goes into loading libMLIR.so: what the tests
# start has a program run by a process that is forked after that.
tools = [config.buffer_merge_tools_dir, config.llvm_tools_dir]
fork_server = os.path.join(config.buffer_merge_lib_dir, "libForkServer.so")
if os.path.exists(fork_server):
    clients = os.path.join(config.buffer_merge_obj_root, "test/ForkServer")
    llvm_config.with_environment("BUFFER_MERGE_FORK_SERVER", os.urandom(16).hex())
    # They end with this process.
    for program in (
        os.path.join(config.buffer_merge_tools_dir, "buffer-merge-opt"),
        os.path.join(config.llvm_tools_dir, "mlir-opt"),
        os.path.join(config.llvm_tools_dir, "mlir-runner"),
    ):
        subprocess.Popen(
            [program],
            env=dict(config.environment, LD_PRELOAD=fork_server),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    tools.insert(0, clients)
    llvm_config.with_environment("PATH", clients, append_path=True)
buffer_merge_opt = os.path.join(tools[0], "buffer-merge-opt")

llvm_config.add_tool_substitutions(
    [
        ToolSubst("buffer-merge-fuzz", unresolved="fatal"),
        ToolSubst("buffer-merge-gpu-fuzz", unresolved="fatal"),
        ToolSubst("buffer-merge-opt", extra_args=opt_flags, unresolved="fatal"),
        ToolSubst("buffer-merge-report", unresolved="fatal"),
        ToolSubst("buffer-merge-schedule", unresolved="fatal"),
        ToolSubst("mlir-opt", FindTool("mlir-opt"), unresolved="fatal"),
        ToolSubst("mlir-runner", FindTool("mlir-runner"), unresolved="fatal"),
    ],
    tools,
)

# `... | %execute` lowers a module on standard input to LLVM, runs its @main, which
# returns nothing, and prints what that prints, less the addresses of memrefs.
lowering = ",".join(
    [
        "convert-bufferization-to-memref",
        "func.func(scf-forall-to-parallel)",
        "convert-linalg-to-loops",
        "func.func(convert-vector-to-scf)",
        "async-to-async-runtime",
        "func.func(async-runtime-ref-counting)",
        "convert-async-to-llvm",
        "lower-affine",
        "expand-strided-metadata",
        "lower-affine",
        "convert-scf-to-cf",
        "func.func(memref-expand,arith-expand)",
        "convert-vector-to-llvm",
        "func.func(math-expand-ops)",
        "convert-math-to-llvm",
        "convert-math-to-libm",
        "convert-index-to-llvm",
        "convert-complex-to-llvm",
        "convert-arith-to-llvm",
        "finalize-memref-to-llvm",
        "convert-func-to-llvm",
        "convert-cf-to-llvm",
        "convert-ub-to-llvm",
        "reconcile-unrealized-casts",
    ]
)
libraries = ["runner_utils", "c_runner_utils", "async_runtime"]
shared_libs = ",".join(
    os.path.join(config.mlir_lib_dir, f"libmlir_{name}.so") for name in libraries
)
run = f"mlir-runner -O1 -e main -entry-point-result=void --shared-libs={shared_libs}"


def lower(pipeline):
    # One thread: to start more takes longer than what they save.
    return f"mlir-opt --mlir-disable-threading '--pass-pipeline=builtin.module({pipeline})'"


# Stock tools take the same module to the same result, whichever build wrote it: these
# commands are the same for both.
run_once = os.path.join(config.test_source_root, "Execution/Inputs/run-once.sh")


def once(command):
    return f"bash '{run_once}' \"{command}\""


config.substitutions.append(("%run-once", f"bash '{run_once}'"))


def execute(pipeline):
    return once(f"{lower(pipeline)} | {run} | sed 's/base@ = 0x[0-9a-f]* //'")


config.substitutions.append(("%execute", execute(lowering)))
config.environment["EXECUTE"] = execute(lowering)

# `... | %counted_execute` does so with allocations and frees by functions that the
# module defines, so that it can count them.
counted = lowering.replace(
    "finalize-memref-to-llvm", "finalize-memref-to-llvm{use-generic-functions}"
)
config.substitutions.append(("%counted_execute", execute(counted)))

# The same ahead of time, over a heap that gives freed addresses again at once.  The
# module prints by functions of Inputs/reusing-heap.c, and its @main returns 0.
inputs = os.path.join(config.test_source_root, "Execution", "Inputs")
clang = os.path.join(config.llvm_tools_dir, "clang")
config.substitutions.append(
    (
        "%reusing_execute",
        once(
            f"{lower(counted)}"
            f" | '{config.llvm_tools_dir}/mlir-translate' --mlir-to-llvmir -o program.ll"
            f" && '{clang}' -O2 -Wno-override-module program.ll"
            f" '{inputs}/reusing-heap.c' -lm -o program && ./program"
        ),
    )
)

# `... | %compiled_execute` lowers a module, compiles it ahead of time with clang, which
# believes what attributes say, and runs its @main, which returns a number. With
# `%bare_compiled_execute` memrefs of static shape are passed as pointers: only those
# keep the attributes of arguments.
mlir_translate = os.path.join(config.llvm_tools_dir, "mlir-translate")


def execute_compiled(pipeline):
    links = " ".join(
        f"'{os.path.join(config.mlir_lib_dir, f'libmlir_{name}.so')}'"
        for name in ("runner_utils", "c_runner_utils")
    )
    return once(
        f"{lower(pipeline)} | '{mlir_translate}' --mlir-to-llvmir"
        f" | '{clang}' -O2 -w -x ir - -x none {links}"
        f" -Wl,-rpath,'{config.mlir_lib_dir}' -lm -o program && ./program"
    )


config.substitutions.append(("%compiled_execute", execute_compiled(lowering)))
bare = lowering.replace(
    "convert-func-to-llvm", "convert-func-to-llvm{use-bare-ptr-memref-call-conv}"
)
config.substitutions.append(("%bare_compiled_execute", execute_compiled(bare)))

# As %execute, but with OpenMP, where its runtime library is installed.
openmp = glob.glob(os.path.join(config.mlir_lib_dir, "libomp.so*")) + glob.glob(
    "/usr/lib/*/libomp.so*"
)
if openmp:
    config.available_features.add("openmp")
    config.substitutions.append(
        (
            "%openmp_execute",
            once(
                lower(lowering.replace("finalize-", "convert-openmp-to-llvm,finalize-"))
                + f" | {run},{openmp[0]} | sed 's/base@ = 0x[0-9a-f]* //'"
            ),
        )
    )

# The same for a module that aborts.  What it has printed by then is not lost.
config.substitutions.append(
    (
        "%abort",
        f"{lower(lowering)} | not --crash stdbuf -o0 '{config.llvm_tools_dir}'/{run} 2>&1",
    )
)

# Where two releases of MLIR print, read or do different things (docs/Testing.md).
config.available_features.add(f"llvm-{config.llvm_version_major}")
is_22 = config.llvm_version_major == 22
config.substitutions.append(("%token", "!llvm.token" if is_22 else "token"))
config.substitutions.append(("%barrier0", "nvvm.barrier0" if is_22 else "nvvm.barrier"))

# Sanitizers reserve more memory than a limit would allow.
if config.use_sanitizer:
    config.available_features.add("sanitizer")

# Functions of a module of which threads work on several at a time.
config.substitutions.append(("%many", "30" if config.use_sanitizer else "300"))

# `%check-memory PROGRAM...` runs programs as binaries that check every access and free.
if os.path.exists(clang):
    config.available_features.add("clang")
runtimes = os.path.join(config.mlir_lib_dir, "clang/*/lib/*/libclang_rt.asan*.a")
# It takes a while, and says nothing new where the tools have sanitizers, too.
lld = os.path.join(config.llvm_tools_dir, "ld.lld")
if (
    not config.use_sanitizer
    and os.path.exists(clang)
    and os.path.exists(lld)
    and glob.glob(runtimes)
):
    config.available_features.add("asan-programs")
if shutil.which("qemu-system-arm"):
    config.available_features.add("qemu-system-arm")
script = os.path.join(config.test_source_root, "Memory", "Inputs", "check-memory.py")
config.substitutions.append(
    (
        "%check-memory",
        f"'{sys.executable}' '{script}' "
        f"--opt='{buffer_merge_opt}' "
        f"--bin='{config.llvm_tools_dir}' --lib='{config.mlir_lib_dir}' "
        f"--lowering='{lowering}' --temp=%t",
    )
)

# `%check-lowering FOLDER` says which programs stock passes lower before merging only.
script = os.path.join(config.test_source_root, "Transforms/Inputs/check-lowering.py")
config.substitutions.append(
    (
        "%check-lowering",
        f"'{sys.executable}' '{script}' --lowering='{lowering}' "
        f"--opt='{buffer_merge_opt}'",
    )
)

config.substitutions.append(
    ("%toolpath", f"{config.buffer_merge_tools_dir}:{config.llvm_tools_dir}")
)
config.substitutions.append(("%python", f"'{sys.executable}'"))

# The stock mlir-opt is not built with sanitizers, and an instrumented plugin does
# not load into it.
config.substitutions.append(
    ("%plugin", os.path.join(config.buffer_merge_lib_dir, "libBufferMergePlugin.so"))
)
if not config.use_sanitizer and config.link_dylib == "ON":
    config.available_features.add("plugin")
# The records of MLIR's operations, which a page is made from.
config.substitutions.append(("%llvm", os.path.dirname(config.llvm_tools_dir)))
config.substitutions.append(("%tools", config.buffer_merge_tools_dir))
# For scripts: the client, if there is one.
config.substitutions.append(("%client_opt", buffer_merge_opt))
config.substitutions.append(("%libs", config.buffer_merge_lib_dir))
if os.path.exists(os.path.join(config.llvm_tools_dir, "llvm-tblgen")) and os.path.exists(
    os.path.join(config.llvm_tools_dir, "../include/mlir/Dialect/MemRef/IR/MemRefOps.td")
):
    config.available_features.add("mlir-records")
# Installing a copy and building against it is tested once, in the release build.
config.substitutions.append(("%buildroot", config.buffer_merge_obj_root))
config.substitutions.append(("%srcroot", os.path.dirname(config.test_source_root)))
config.substitutions.append(("%mlirdir", config.mlir_dir))
if config.build_type == "Release":
    config.available_features.add("install")
if all(map(shutil.which, ("cpack", "dpkg-deb", "dpkg-shlibdeps", "file"))):
    config.available_features.add("dpkg")
# A browser that shows pages, which utils/browser.py drives. A page is the same with
# sanitizers in what writes it.
if not config.use_sanitizer and (
    shutil.which("chromium") or shutil.which("chromium-browser")
):
    config.available_features.add("chromium")
# Counts instructions.
if shutil.which("valgrind") and shutil.which("callgrind_annotate"):
    config.available_features.add("valgrind")
# Checks files of JSON against a schema.
if importlib.util.find_spec("jsonschema"):
    config.available_features.add("jsonschema")
# Arrays and models are read with packages that the Python of the system may have alone.
with_packages = [sys.executable, "/usr/bin/python3"]
for python in filter(os.path.exists, with_packages):
    command = [python, "-c", "import flatbuffers, numpy, onnx"]
    if not subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
        config.substitutions.append(("%packages-python", python))
        config.available_features.add("python-packages")
        break
# The assembler of CUDA, and LLVM's for AMD GPUs, tell where shared memory lies.
ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
if ptxas:
    config.substitutions.append(("%ptxas", f"'{ptxas}'"))
    config.available_features.add("ptxas")
llc = os.path.join(config.llvm_tools_dir, "llc")
if os.path.exists(llc):
    targets = subprocess.run([llc, "--version"], stdout=subprocess.PIPE, check=False)
    config.substitutions.append(("%llc", f"'{llc}'"))
    if b"amdgcn" in targets.stdout:
        config.available_features.add("amdgpu")
if config.build_type == "Debug":
    config.available_features.add("asserts")
