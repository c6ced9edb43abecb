#!/usr/bin/env bash
# The main job on a real program: a four-layer perceptron goes from linalg on tensors
# through one-shot bufferization, buffer-merge and the JIT. Prints the IR before and
# after, bytes, lower bound and memory map, and compares what both programs compute.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/install-packages.sh
echo "Building ..."
utils/build.sh release buffer-merge-opt

llvm=/usr/lib/llvm-22
opt=build/release/bin/buffer-merge-opt
out=build/demo
mkdir -p $out

bufferize=(--inline --linalg-fuse-elementwise-ops --eliminate-empty-tensors
  "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map"
  --canonicalize --cse)
lower=(--convert-linalg-to-loops --expand-strided-metadata --lower-affine --convert-scf-to-cf
  --convert-arith-to-llvm --finalize-memref-to-llvm --convert-func-to-llvm --convert-cf-to-llvm
  --reconcile-unrealized-casts)

# Allocations, views of the pool and what they are used by, of the function @mlp.
show() {
  sed -n '/func.func @mlp/,/^  }/p' "$1" |
    grep -E 'func.func|memref.alloc|memref.view|memref.dealloc|linalg.(matmul|generic)|return' |
    sed -E 's/\{indexing_maps[^}]*\} //; s/memref<128x128xf32>/M/g; s/memref<128xf32>/V/g'
}

# Run the program; the addresses that it prints are not part of its result.
run() {
  $opt "$1" "${lower[@]}" |
    $llvm/bin/mlir-runner -O2 -e main -entry-point-result=void \
      --shared-libs=$llvm/lib/libmlir_runner_utils.so,$llvm/lib/libmlir_c_runner_utils.so |
    sed 's/base@ = 0x[0-9a-f]* //'
}

$opt examples/mlp/mlp.mlir "${bufferize[@]}" -o $out/before.mlir
$opt $out/before.mlir --buffer-merge=report=$out/map.html -o $out/after.mlir

echo
echo "== @mlp before: one allocation for each intermediate result (M is memref<128x128xf32>)"
echo
show $out/before.mlir
echo
echo "== @mlp after: $opt before.mlir --buffer-merge"
echo
show $out/after.mlir
echo
echo "== Bytes and memory map of @mlp: --buffer-lifetimes=report=map.txt ($out/map.html for a browser)"
echo
$opt $out/before.mlir --buffer-lifetimes=report=$out/map.txt -o /dev/null 2> $out/remarks.txt
sed -n '/^pool 1 of/,/^pool .*@main/{/^pool .*@main/d;p}' $out/map.txt
echo
echo "== Both programs, through the JIT"
echo
run $out/before.mlir > $out/before.txt
run $out/after.mlir > $out/after.txt
cat $out/after.txt
if ! cmp $out/before.txt $out/after.txt; then
  echo "The merged program computes something else." >&2
  exit 1
fi
echo "The program computes the same before and after merging."
