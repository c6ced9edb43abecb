// RUN: buffer-merge-opt %s --buffer-merge='report=%t.csv scheduler=bump' -o /dev/null
// RUN: FileCheck %s < %t.csv
// RUN: buffer-merge-opt --buffer-merge='report=%t.csv scheduler=bump' -o /dev/null < %s
// RUN: FileCheck %s --check-prefix=STDIN < %t.csv
// RUN: buffer-merge-opt %s --one-shot-bufferize --buffer-merge='report=%t.csv scheduler=bump' -o /dev/null
// RUN: FileCheck %s --check-prefix=TENSOR < %t.csv
// RUN: buffer-merge-opt %s --buffer-merge='report=%t.txt scheduler=bump' -o /dev/null
// RUN: FileCheck %s --check-prefix=LOCATION < %t.txt

// The name in a location, or the one in the source, or the one that is printed.

// CHECK: id,lower
func.func @sources(%x: f32) {
  // A name that means something.
  // CHECK-NEXT: sources/1/%weights.0,
  // STDIN:      sources/1/%alloc,
  %weights.0 = memref.alloc() : memref<4xf32>
  // CHECK-NEXT: sources/1/%1,
  // STDIN-NEXT: sources/1/%alloc_0,
  %1 = memref.alloc() : memref<4xf32>
  // CHECK-NEXT: sources/1/%$_-,
  %$_- = memref.alloc() : memref<4xf32>
  // Behind another operation on its line.
  // CHECK-NEXT: sources/1/%d,
  %c = arith.constant 0 : index %d = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%weights.0 : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%1 : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%$_- : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%d : memref<4xf32>)
  return
}

// The first part of a fused location that says something; the callee of a call
// site; a name whose location is a place; a place that is not what it was, and a
// file that is not there.
// LOCATION: pool {{.*}} @locations
// LOCATION: buffer {{.*}} location
func.func @locations(%x: f32) {
  // CHECK-NEXT: locations/2/fused,
  // LOCATION-NEXT: A{{\^?}} fused {{.*}} 4xf32{{$}}
  %a = memref.alloc() : memref<4xf32> loc(fused<"tag">[unknown, "fused", "other"])
  // CHECK-NEXT: locations/2/callee,
  // LOCATION-NEXT: B{{\^?}} callee {{.*}} 4xf32 callee, called at gone.mlir:7:8{{$}}
  %b = memref.alloc() : memref<4xf32> loc(callsite("callee" at "gone.mlir":7:8))
  // CHECK-NEXT: locations/2/named,
  // LOCATION-NEXT: C{{\^?}} named {{.*}} 4xf32 gone.mlir:1:2{{$}}
  %c = memref.alloc() : memref<4xf32> loc("named"("gone.mlir":1:2))
  // CHECK-NEXT: locations/2/%alloc_2,
  // LOCATION-NEXT: D{{\^?}} %alloc_2 {{.*}} 4xf32 gone.mlir:3:4{{$}}
  %d = memref.alloc() : memref<4xf32> loc("gone.mlir":3:4)
  // CHECK-NEXT: locations/2/%alloc_3,
  // LOCATION-NEXT: E{{\^?}} %alloc_3 {{.*}} 4xf32{{$}}
  %e = memref.alloc() : memref<4xf32> loc(unknown)
  linalg.fill ins(%x : f32) outs(%a : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%c : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%d : memref<4xf32>)
  linalg.fill ins(%x : f32) outs(%e : memref<4xf32>)
  return
}

// After bufferization, the names of the tensors.
// TENSOR: tensors/3/%zeros,
// TENSOR-NEXT: tensors/3/%ones,
func.func @tensors(%x: f32, %i: index) -> f32 {
  %zeros = tensor.empty() : tensor<4xf32>
  %0 = linalg.fill ins(%x : f32) outs(%zeros : tensor<4xf32>) -> tensor<4xf32>
  %ones = tensor.empty() : tensor<4xf32>
  %1 = linalg.fill ins(%x : f32) outs(%ones : tensor<4xf32>) -> tensor<4xf32>
  %a = tensor.extract %0[%i] : tensor<4xf32>
  %b = tensor.extract %1[%i] : tensor<4xf32>
  %c = arith.addf %a, %b : f32
  return %c : f32
}

// A scope in no function of its own, and kernels in a module of theirs.
// CHECK-NEXT: kernels::kernel/3/%k,
// CHECK-NEXT: kernels::kernel/3/%l,
module @kernels {
  func.func @kernel(%x: f32, %n: index) {
    scf.forall (%i) in (%n) {
      %k = memref.alloc() : memref<4xf32>
      linalg.fill ins(%x : f32) outs(%k : memref<4xf32>)
      %l = memref.alloc() : memref<4xf32>
      linalg.fill ins(%x : f32) outs(%l : memref<4xf32>)
    }
    return
  }
}
