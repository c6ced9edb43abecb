#!/usr/bin/env python3
"""Print a function of N blocks, with N allocations of two values each."""

import sys

count = int(sys.argv[1])
print("func.func @f(%in: memref<4xf32>, %out: memref<4xf32>) {")
for k in range(count):
    print(f"  %{k} = memref.alloc() : memref<4xf32>")
print("  cf.br ^bb0")
for k in range(count):
    print(f"^bb{k}:")
    for _ in range(2):
        print(f"  memref.copy %in, %{k} : memref<4xf32> to memref<4xf32>")
        print(f"  memref.copy %{k}, %out : memref<4xf32> to memref<4xf32>")
    if k + 1 < count:
        print(f"  cf.br ^bb{k + 1}")
print("  return\n}")
