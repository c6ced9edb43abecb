// RUN: buffer-merge-opt %s --buffer-merge='limit-peak=deallocated min-gain=0' | FileCheck %s

// A buffer that an arm yields, where nothing uses the result, is not held in
// this arm: a pool in front of the loop would be, beside %small.

// CHECK-LABEL: func.func @in_vain(
//   CHECK-NOT:   xi8>
//       CHECK:   return

func.func private @use(f32)
func.func @in_vain(%c: i1, %d: i1, %x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %k = %c0 to %c2 step %c1 {
    %a = memref.alloc() : memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    scf.if %c {
      %v = memref.load %a[%i] : memref<16xf32>
      func.call @use(%v) : (f32) -> ()
      %r = scf.if %d -> memref<16xf32> {
        %big = memref.alloc() : memref<1024xf32>
        linalg.fill ins(%x : f32) outs(%big : memref<1024xf32>)
        %v2 = memref.load %big[%i] : memref<1024xf32>
        func.call @use(%v2) : (f32) -> ()
        memref.dealloc %big : memref<1024xf32>
        scf.yield %a : memref<16xf32>
      } else {
        %small = memref.alloc() : memref<100xf32>
        linalg.fill ins(%x : f32) outs(%small : memref<100xf32>)
        %v2 = memref.load %small[%i] : memref<100xf32>
        func.call @use(%v2) : (f32) -> ()
        memref.dealloc %small : memref<100xf32>
        scf.yield %a : memref<16xf32>
      }
    }
    memref.dealloc %a : memref<16xf32>
  }
  return
}

// Where the result is used, it is.

// CHECK-LABEL: func.func @used(
//       CHECK:   memref.alloc() {{.*}} : memref<64xi8>
//       CHECK:   scf.for

func.func @used(%c: i1, %d: i1, %x: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %k = %c0 to %c2 step %c1 {
    %a = memref.alloc() : memref<16xf32>
    linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
    scf.if %c {
      %v = memref.load %a[%i] : memref<16xf32>
      func.call @use(%v) : (f32) -> ()
      %r = scf.if %d -> memref<16xf32> {
        %big = memref.alloc() : memref<1024xf32>
        linalg.fill ins(%x : f32) outs(%big : memref<1024xf32>)
        %v2 = memref.load %big[%i] : memref<1024xf32>
        func.call @use(%v2) : (f32) -> ()
        memref.dealloc %big : memref<1024xf32>
        scf.yield %a : memref<16xf32>
      } else {
        %small = memref.alloc() : memref<100xf32>
        linalg.fill ins(%x : f32) outs(%small : memref<100xf32>)
        %v2 = memref.load %small[%i] : memref<100xf32>
        func.call @use(%v2) : (f32) -> ()
        memref.dealloc %small : memref<100xf32>
        scf.yield %a : memref<16xf32>
      }
      %v3 = memref.load %r[%i] : memref<16xf32>
      func.call @use(%v3) : (f32) -> ()
    }
    memref.dealloc %a : memref<16xf32>
  }
  return
}
