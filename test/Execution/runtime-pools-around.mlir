// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="limit-peak=deallocated in-place=false" -o %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="limit-peak=deallocated in-place=false min-gain=20%" | FileCheck %s --check-prefix=GAIN
// RUN: buffer-merge-opt %s --buffer-merge="limit-peak=deallocated in-place=false" --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: sed '/^func.func private @empty/,/^}/d; /@empty/d' %s | buffer-merge-opt --buffer-merge="limit-peak=deallocated in-place=false report=%t.txt" -o /dev/null
// RUN: FileCheck %s --check-prefix=TEXT < %t.txt

// No pool of all buffers, nor one that is as large as the peak, has room beside those that
// overlap its ends. What is used in front of the peak, or behind it, is in pools there, of
// static size if all of its buffers are: where they are worth it (R4).

// IR-LABEL: func.func private @chain
//       IR:   %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
//       IR:   memref.view %[[POOL]][%{{.*}}][] : memref<512xi8> to memref<64xf32>
//       IR:   memref.view %[[POOL]][%{{.*}}][] : memref<512xi8> to memref<64xf32>
//       IR:   memref.view %[[POOL]][%{{.*}}][] : memref<512xi8> to memref<16xf32>
//   IR-NOT:   memref.view
//       IR:   return
// GAIN-LABEL: func.func private @chain
//   GAIN-NOT:   memref.view
//       GAIN:   return
// TEXT: 3 allocations of 576 bytes merged into 512 bytes{{$}}
// TEXT: at the peak 1024 bytes deallocated, 1024 as planned (0.0 %){{$}}
// TEXT: {{^}}pool in @chain: 3 buffers, alignment 64
// TEXT-NEXT: bytes: 512
// REMARK: RuntimePool {{.*}} Function=chain {{.*}} Buffers=3, Bytes=512
func.func private @chain(%n: index, %m: index, %f: f32, %i: index) -> f32 {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<16xf32>
  linalg.fill ins(%f : f32) outs(%c : memref<16xf32>)
  %b0 = memref.load %b[%i] : memref<64xf32>
  memref.store %b0, %c[%i] : memref<16xf32>
  %d = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%d : memref<?xf32>)
  %c0 = memref.load %c[%i] : memref<16xf32>
  memref.store %c0, %d[%i] : memref<?xf32>
  %e = memref.alloc(%n) : memref<?xf32>
  linalg.add ins(%d, %d : memref<?xf32>, memref<?xf32>) outs(%e : memref<?xf32>)
  %g = memref.alloc(%m) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%g : memref<?xf32>)
  %e0 = memref.load %e[%i] : memref<?xf32>
  memref.store %e0, %g[%i] : memref<?xf32>
  %h = memref.alloc() : memref<256xf32>
  linalg.fill ins(%f : f32) outs(%h : memref<256xf32>)
  %g0 = memref.load %g[%i] : memref<?xf32>
  memref.store %g0, %h[%i] : memref<256xf32>
  %k = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%k : memref<?xf32>)
  %h0 = memref.load %h[%i] : memref<256xf32>
  memref.store %h0, %k[%i] : memref<?xf32>
  %k0 = memref.load %k[%i] : memref<?xf32>
  return %k0 : f32
}

// Its size is the number of its offsets.

// IR-LABEL: func.func private @empty
//       IR:   %[[POOL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<0xi8>
//       IR:   memref.view %[[POOL]]
func.func private @empty(%f: f32) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc(%c0) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  %b = memref.alloc(%c0) : memref<?xf32>
  linalg.fill ins(%f : f32) outs(%b : memref<?xf32>)
  return
}

func.func @main() {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %c40 = arith.constant 40 : index
  %three = arith.constant 3.0 : f32
  scf.for %n = %c3 to %c40 step %c9 {
    %r = func.call @chain(%n, %c9, %three, %c2) : (index, index, f32, index) -> f32
    %s = func.call @chain(%c9, %n, %r, %c2) : (index, index, f32, index) -> f32
    func.call @empty(%s) : (f32) -> ()
    vector.print %s : f32
  }
  return
}
// CHECK-COUNT-5: 48
