// RUN: buffer-merge-opt %s --buffer-merge | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge=pool=global | FileCheck %s --check-prefixes=CHECK,OTHER
// RUN: buffer-merge-opt %s --buffer-merge=pool=stack | FileCheck %s --check-prefixes=CHECK,OTHER

// A kernel as a function. By its lifetimes the second buffer could have the bytes of
// the first one, and a thread that is ahead would write what another one still reads.
// CHECK-LABEL: func.func @number(
//       CHECK:   memref.alloc() : memref<64xf32, 3>
//       CHECK:   memref.alloc() : memref<64xf32, 3>
func.func @number(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c63 = arith.constant 63 : index
  %t = gpu.thread_id x
  %a = memref.alloc() : memref<64xf32, 3>
  %b = memref.alloc() : memref<64xf32, 3>
  %x = memref.load %in[%t] : memref<64xf32>
  memref.store %x, %a[%t] : memref<64xf32, 3>
  gpu.barrier
  %r = arith.subi %c63, %t : index
  %y = memref.load %a[%r] : memref<64xf32, 3>
  memref.store %y, %b[%t] : memref<64xf32, 3>
  gpu.barrier
  %z = memref.load %b[%r] : memref<64xf32, 3>
  memref.store %z, %out[%t] : memref<64xf32>
  return
}

// Memory of the default space is that of a thread, in what a launch calls as well: it
// is merged, and all threads must not have one variable for it.
// CHECK-LABEL: func.func @host(
// CHECK-LABEL: func.func private @callee(
//  CHECK-NEXT:   memref.alloc() {alignment = 64 : i64} : memref<256xi8>
//   OTHER-NOT:   memref.alloc
//   OTHER-NOT:   memref.get_global
//       CHECK:   return
func.func @host(%n: index, %out: memref<?xf32>) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) {
    func.call @callee(%tx, %out) : (index, memref<?xf32>) -> ()
    gpu.terminator
  }
  return
}

func.func private @callee(%i: index, %out: memref<?xf32>) {
  %v = memref.load %out[%i] : memref<?xf32>
  %a = memref.alloc() : memref<64xf32>
  memref.store %v, %a[%i] : memref<64xf32>
  %w = memref.load %a[%i] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %w, %b[%i] : memref<64xf32>
  %u = memref.load %b[%i] : memref<64xf32>
  memref.store %u, %out[%i] : memref<?xf32>
  return
}

// The same in a kernel that is a function, of which each thread has its own frame or
// allocation.
// CHECK-LABEL: func.func @kernel(
//  CHECK-NEXT:   memref.alloc() {alignment = 64 : i64} : memref<256xi8>
func.func @kernel(%out: memref<?xf32>) {
  %t = gpu.thread_id x
  %v = memref.load %out[%t] : memref<?xf32>
  %a = memref.alloc() : memref<64xf32>
  memref.store %v, %a[%t] : memref<64xf32>
  %w = memref.load %a[%t] : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.store %w, %b[%t] : memref<64xf32>
  %u = memref.load %b[%t] : memref<64xf32>
  memref.store %u, %out[%t] : memref<?xf32>
  return
}
