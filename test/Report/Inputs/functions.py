"""Print a module of 200 functions with ten allocations each, of which nine merge."""

for i in range(200):
    print(f"func.func @f{i}(%x: f32) -> memref<64xf32> {{")
    for j in range(10):
        print(f"  %b{j} = memref.alloc() : memref<64xf32>")
        print(f"  linalg.fill ins(%x : f32) outs(%b{j} : memref<64xf32>)")
    print("  return %b9 : memref<64xf32>\n}")
