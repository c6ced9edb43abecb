// The page begins with the program over time: what the function holds that holds
// most, with what its callees hold, and theirs, when they do: a call takes as many
// ticks as its callee has. At the peak this is what the program is said to hold.

// JSON: "program":
// JSON-DAG: "peakBytes": 416
// JSON-DAG: "largestFunction": "main"
// CHECK:      program: @main pools results callees as given Peak of 416 B at tick 11 in @leaf: pool 256 B, stays %a of @leaf 64 B, stays %b of @leaf 64 B, result %r 32 B
// CHECK-NEXT: tip: tick {{[0-9]+}}{{( in @[a-z]+)?}} pool 256 B
// CHECK-NEXT: map on the first screen: True True
// The colours of pools, callees and results.
// CHECK-NEXT: colours: {{.*}}'#77ccee', {{.*}}'#aa4488', '#ccbb44'
// CHECK-NEXT: errors []

func.func private @use(memref<?xi8>, memref<?xi8>)

func.func @inner(%x: memref<?xi8>) {
  call @leaf(%x) : (memref<?xi8>) -> ()
  return
}

func.func @leaf(%x: memref<?xi8>) {
  %a = memref.alloc() : memref<64xi8>
  %b = memref.alloc() : memref<64xi8>
  %a0 = memref.cast %a : memref<64xi8> to memref<?xi8>
  %b0 = memref.cast %b : memref<64xi8> to memref<?xi8>
  call @use(%a0, %b0) : (memref<?xi8>, memref<?xi8>) -> ()
  memref.dealloc %a : memref<64xi8>
  memref.dealloc %b : memref<64xi8>
  return
}

func.func @main() -> memref<32xi8> {
  %c = arith.constant 1 : i8
  %r = memref.alloc() : memref<32xi8>
  linalg.fill ins(%c : i8) outs(%r : memref<32xi8>)
  %a = memref.alloc() : memref<256xi8>
  linalg.fill ins(%c : i8) outs(%a : memref<256xi8>)
  %a0 = memref.cast %a : memref<256xi8> to memref<?xi8>
  call @inner(%a0) : (memref<?xi8>) -> ()
  memref.dealloc %a : memref<256xi8>
  %b = memref.alloc() : memref<128xi8>
  linalg.fill ins(%c : i8) outs(%b : memref<128xi8>)
  %b0 = memref.cast %b : memref<128xi8> to memref<?xi8>
  call @inner(%b0) : (memref<?xi8>) -> ()
  memref.dealloc %b : memref<128xi8>
  return %r : memref<32xi8>
}
