"""Print N functions that need 8192 bytes, in which memref-emulate-wide-int has an error."""

import sys

ops = [("x", "a"), ("a", "b"), ("b", "c"), ("c", "y")]
m = "memref<1024xf32>"

for i in range(int(sys.argv[1])):
    print(f"func.func @f{i}(%x: {m}, %y: {m}, %i: index, %wide: i64) {{")
    for name in "abc":
        print(f"  %{name} = memref.alloc() : {m}")
    for source, target in ops:
        print(f"  linalg.exp ins(%{source} : {m}) outs(%{target} : {m})")
    print("  %bytes = memref.alloca() : memref<8xi8>")
    print("  %view = memref.view %bytes[%i][] : memref<8xi8> to memref<1xi64>")
    print("  memref.store %wide, %view[%i] : memref<1xi64>")
    print("  return\n}")
