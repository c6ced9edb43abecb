// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="pool=stack limit-peak=none" -o %t.stack
// RUN: FileCheck %s --check-prefix=STACK < %t.stack
// RUN: cat %t.stack | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.stack --buffer-deallocation-pipeline --convert-bufferization-to-memref | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.stack --scf-forall-to-for --canonicalize | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge="pool=stack limit-peak=none" -o %t.after
// RUN: FileCheck %s --check-prefix=STACK < %t.after
// RUN: cat %t.after | %execute | diff %t.before -
// RUN: sed '/DEEP/d' %s | buffer-merge-opt --buffer-merge=pool=global -o %t.global
// RUN: FileCheck %s --check-prefix=GLOBAL < %t.global
// RUN: cat %t.global | %execute | diff %t.before -
// RUN: buffer-merge-opt %t.global --buffer-deallocation-pipeline --convert-bufferization-to-memref | %execute | diff %t.before -
// RUN: sed '/DEEP/d' %s | buffer-merge-opt --buffer-deallocation-pipeline --convert-bufferization-to-memref --buffer-merge=pool=global -o %t.after
// RUN: FileCheck %s --check-prefix=GLOBAL < %t.after
// RUN: cat %t.after | %execute | diff %t.before -

// Pools on the stack and in globals, by themselves, before deallocation and behind
// it.

//  STACK-LABEL: func.func @chain(
//   STACK-NEXT:   memref.alloca() {{.*}} : memref<512xi8>
//    STACK-NOT:   memref.alloc
//    STACK-NOT:   memref.dealloc
//        STACK:   return
//       GLOBAL: memref.global "private" @chain_pool : memref<512xi8>
// GLOBAL-LABEL: func.func @chain(
//   GLOBAL-NOT:   memref.alloc
//   GLOBAL-NOT:   memref.dealloc
//       GLOBAL:   return
func.func @chain(%x: f32, %out: memref<64xf32>) {
  %c63 = arith.constant 63 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.add ins(%b, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  memref.store %x, %c[%c63] : memref<64xf32>
  linalg.add ins(%b, %c : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// The caller's pool is another one than the callee's.

// STACK-LABEL: func.func @calls(
//       STACK:   memref.alloca() {{.*}} : memref<512xi8>
func.func @calls(%x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  func.call @chain(%x, %a) : (f32, memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  linalg.add ins(%a, %a : memref<64xf32>, memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  func.call @chain(%x, %c) : (f32, memref<64xf32>) -> ()
  linalg.add ins(%b, %c : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// 16 KiB each time would be 160 MB of stack.

// STACK-LABEL: func.func @many(
//       STACK:   scf.forall
//  STACK-NEXT:     memref.alloc() {{.*}} : memref<16384xi8>
func.func @many(%out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = arith.constant 10000 : index
  scf.forall (%i) in (%n) {
    %k = arith.remui %i, %c64 : index
    %v = arith.index_cast %k : index to i32
    %f = arith.sitofp %v : i32 to f32
    %a = memref.alloc() : memref<4096xf32>
    memref.store %f, %a[%k] : memref<4096xf32>
    %r = memref.load %a[%k] : memref<4096xf32>
    %b = memref.alloc() : memref<4096xf32>
    memref.store %r, %b[%k] : memref<4096xf32>
    %s = memref.load %b[%k] : memref<4096xf32>
    memref.store %s, %out[%k] : memref<64xf32>
  }
  return
}

// 16 KiB a level, and 4000 levels.

// STACK-LABEL: func.func @deep(
//       STACK:   memref.alloc() {{.*}} : memref<16384xi8>
func.func @deep(%n: index, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %more = arith.cmpi ne, %n, %c0 : index
  %a = memref.alloc() : memref<4096xf32> // DEEP
  %x = memref.load %out[%c0] : memref<64xf32> // DEEP
  memref.store %x, %a[%c0] : memref<4096xf32> // DEEP
  %y = memref.load %a[%c0] : memref<4096xf32> // DEEP
  scf.if %more {
    %m = arith.subi %n, %c1 : index
    func.call @deep(%m, %out) : (index, memref<64xf32>) -> ()
  }
  %b = memref.alloc() : memref<4096xf32> // DEEP
  memref.store %y, %b[%c0] : memref<4096xf32> // DEEP
  %z = memref.load %b[%c0] : memref<4096xf32> // DEEP
  memref.store %z, %out[%c0] : memref<64xf32> // DEEP
  return
}

func.func @main() {
  %c4000 = arith.constant 4000 : index
  %one = arith.constant 1.0 : f32
  %out = memref.alloc() : memref<64xf32>
  %any = memref.cast %out : memref<64xf32> to memref<*xf32>
  call @chain(%one, %out) : (f32, memref<64xf32>) -> ()
  // CHECK: [6,  6,{{.*}}  6,  3]
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  call @calls(%one, %out) : (f32, memref<64xf32>) -> ()
  // CHECK: [18,  18,{{.*}}  18,  9]
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  call @many(%out) : (memref<64xf32>) -> ()
  call @deep(%c4000, %out) : (index, memref<64xf32>) -> ()
  // CHECK: [0,  1,  2,{{.*}}  62,  63]
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(memref<*xf32>) attributes {llvm.emit_c_interface}
