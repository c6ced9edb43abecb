// The page of a program in several memories of a target: a map for each, with its
// capacity and what lives where.

// CHECK: summary: allocated {{.*}} as given {{.*}} planned {{.*}} difference {{.*}}
// CHECK: panel: @f
// CHECK-NEXT: facts: 2 buffers of 128 B in a pool of 64 B: {{.*}}, 66.7 % of the capacity,
// CHECK-NEXT: panel: @f
// The capacity is that of the window.
// CHECK-NEXT: facts: 1 buffer of 64 B in a pool of 64 B: {{.*}}, 14.3 % of the capacity,
// CHECK-NEXT: panel: @f · space "mat"
// CHECK-NEXT: facts: 1 buffer of 64 B in a pool of 64 B: {{.*}}, 6.3 % of the capacity,
// CHECK: text: capacity of tcm 96 B
// CHECK: text: alpha
// CHECK: text: gamma
// CHECK: text: tcm
// CHECK: buffer: alpha {{.*}} region tcm
// CHECK: buffer: beta {{.*}} region sram
// CHECK: buffer: delta {{.*}} region mat
// CHECK: legend: tcm 128 B mat 64 B sram 64 B
// CHECK: errors []

//--- board.json
{"regions": [
  {"name": "tcm", "bytes": 128, "address": "0x20000000", "reserved": [{"begin": 0, "end": 32}], "alignment": 32},
  {"name": "sram", "bytes": 512, "address": "0x24000000", "window": {"begin": 64, "end": 512}, "alignment": 32},
  {"name": "mat", "space": "mat", "bytes": 1024, "address": 0, "alignment": 32}
]}
//--- in.mlir
func.func private @g(memref<16xf32>, memref<16xf32>)
func.func private @h(memref<16xf32, "mat">)
func.func @f(%in: memref<16xf32>, %out: memref<16xf32>, %x: f32) {
  %a = memref.alloc() : memref<16xf32> loc("alpha")
  memref.copy %in, %a : memref<16xf32> to memref<16xf32>
  %b = memref.alloc() : memref<16xf32> loc("beta")
  call @g(%a, %b) : (memref<16xf32>, memref<16xf32>) -> ()
  %c = memref.alloc() : memref<16xf32> loc("gamma")
  call @g(%b, %c) : (memref<16xf32>, memref<16xf32>) -> ()
  call @g(%b, %c) : (memref<16xf32>, memref<16xf32>) -> ()
  memref.copy %c, %out : memref<16xf32> to memref<16xf32>
  %m = memref.alloc() : memref<16xf32, "mat"> loc("delta")
  linalg.fill ins(%x : f32) outs(%m : memref<16xf32, "mat">)
  call @h(%m) : (memref<16xf32, "mat">) -> ()
  return
}
