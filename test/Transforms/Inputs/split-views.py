#!/usr/bin/env python3
"""Print a function with one allocation of N values, behind N views."""

import sys

count = int(sys.argv[1])
print("func.func @f(%in: memref<4xf32>, %out: memref<4xf32>) {")
print("  %0 = memref.alloc() : memref<4xf32>")
for k in range(count):
    print(f"  %{k + 1} = memref.assume_alignment %{k}, 4 : memref<4xf32>")
for _ in range(count):
    print(f"  memref.copy %in, %{count} : memref<4xf32> to memref<4xf32>")
    print(f"  memref.copy %{count}, %out : memref<4xf32> to memref<4xf32>")
print("  return\n}")
