#!/usr/bin/env bash
# Build digits.py for the host and for a Cortex-M4 without a heap, run both, and
# compare: examples/embedded/run.sh TOOLS OUT, where TOOLS has buffer-merge-opt and
# OUT is a directory for what is built. Needs clang-22, lld-22 and qemu-system-arm.
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
tools=$(cd "$1" && pwd)
llvm=/usr/lib/llvm-22/bin
mkdir -p "$2"
cd "$2"

# Tensors become memrefs, and results arguments.
python3 "$source/digits.py" > digits.mlir
"$tools/buffer-merge-opt" digits.mlir \
  --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map' \
  --buffer-results-to-out-params='modify-public-functions hoist-static-allocs' \
  --canonicalize --cse -o memrefs.mlir

# One pool for both entries and what they call, in a section of its own.
"$tools/buffer-merge-opt" memrefs.mlir -o merged.mlir \
  --buffer-merge="pool=global target=$source/cortex-m4.json in-place emit-header=model.h
    report=report.txt,model.ld"

# lower PROGRAM BITS NAME: to LLVM IR, with an index of BITS bits.
lower() {
  "$tools/buffer-merge-opt" "$1" --llvm-request-c-wrappers \
    --convert-linalg-to-loops --convert-scf-to-cf --expand-strided-metadata \
    --lower-affine --convert-arith-to-llvm="index-bitwidth=$2" \
    --finalize-memref-to-llvm="index-bitwidth=$2" \
    --convert-func-to-llvm="index-bitwidth=$2" \
    --convert-cf-to-llvm="index-bitwidth=$2" --reconcile-unrealized-casts \
    --place-globals |
    "$llvm/mlir-translate" --mlir-to-llvmir -o "$3.ll"
}
options=(-O2 -ffp-contract=off -I. -I"$source" -Wno-override-module)

# What is compared with: the host, without merging.
lower memrefs.mlir 64 host
"$llvm/clang" "${options[@]}" host.ll "$source/main.c" "$source/host.c" -o host
./host > host.txt

# There is no library: whatever asks for malloc cannot be linked.
lower merged.mlir 32 device
"$llvm/clang" "${options[@]}" --target=thumbv7em-none-eabihf -mcpu=cortex-m4 \
  -ffreestanding -fdata-sections -ffunction-sections -mno-global-merge \
  -nostdlib -fuse-ld=lld \
  -T "$source/cortex-m4.ld" -L. -Wl,--gc-sections \
  device.ll "$source/main.c" "$source/cortex-m4.c" -o device
timeout 60 qemu-system-arm -machine mps2-an386 -display none -serial none -monitor none \
  -chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console \
  -kernel device > device.txt

diff host.txt device.txt
cat device.txt
grep POOL_BYTES model.h | head -n 1
"$llvm/llvm-size" -A device | grep -E '^\.(text|bss.network|bss) '
