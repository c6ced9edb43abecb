// RUN: buffer-merge-opt %s --buffer-lifetimes=in-place=false -o %t 2> %t.remarks
// RUN: FileCheck %s --implicit-check-not=remark: < %t.remarks
// RUN: buffer-merge-opt %s | diff - %t

// All remarks: each allocation has one, each pool has one at its scope, and each
// reason is counted. The IR stays as it is.

// CHECK-DAG: :[[#@LINE+1]]:1: remark: pool: 3 buffers of 180 bytes, 120 alive at tick 5, pool of 124 bytes{{$}}
func.func @merged(%x: f32, %i: index, %out: memref<15xf32>) -> memref<5xf32> {
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [4, 6), 60 bytes{{$}}
  %a = memref.alloc() : memref<15xf32>                            // 0
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [5, 7), 60 bytes{{$}}
  %b = memref.alloc() : memref<15xf32>                            // 1
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [6, 8), 60 bytes{{$}}
  %c = memref.alloc() : memref<15xf32>                            // 2
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: returned, its function returns it ('func.return'){{$}}
  %d = memref.alloc() : memref<5xf32>                             // 3
  memref.store %x, %a[%i] : memref<15xf32>                        // 4
  memref.copy %a, %b : memref<15xf32> to memref<15xf32>           // 5
  memref.copy %b, %c : memref<15xf32> to memref<15xf32>           // 6
  memref.copy %c, %out : memref<15xf32> to memref<15xf32>         // 7
  return %d : memref<5xf32>
}

// One buffer alone needs no pool (R4).
// CHECK-DAG: :[[#@LINE+1]]:1: remark: pool: 1 buffer of 60 bytes, 60 alive at tick 1, no pool: no-partner{{$}}
func.func @no_partner(%x: f32, %i: index) {
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [1, 2), 60 bytes{{$}}
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  return
}

// Two that are alive at once save nothing.
// CHECK-DAG: :[[#@LINE+1]]:1: remark: pool: 2 buffers of 120 bytes, 120 alive at tick 2, no pool: no-gain{{$}}
func.func @no_gain(%x: f32, %i: index) {
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [2, 3), 60 bytes{{$}}
  %a = memref.alloc() : memref<15xf32>
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [2, 3), 60 bytes{{$}}
  %b = memref.alloc() : memref<15xf32>
  memref.copy %a, %b : memref<15xf32> to memref<15xf32>
  return
}

// A pool for each memory space.
// CHECK-DAG: :[[#@LINE+2]]:1: remark: pool: 2 buffers of 120 bytes, 60 alive at tick 1, pool of 60 bytes{{$}}
// CHECK-DAG: :[[#@LINE+1]]:1: remark: pool in memory space 3 : i32: 2 buffers of 120 bytes, 60 alive at tick 5, pool of 60 bytes{{$}}
func.func @spaces(%x: f32, %i: index) {
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [1, 2), 60 bytes{{$}}
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [3, 4), 60 bytes{{$}}
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [5, 6), 60 bytes{{$}}
  %c = memref.alloc() : memref<15xf32, 3 : i32>
  memref.store %x, %c[%i] : memref<15xf32, 3 : i32>
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: lifetime [7, 8), 60 bytes{{$}}
  %d = memref.alloc() : memref<15xf32, 3 : i32>
  memref.store %x, %d[%i] : memref<15xf32, 3 : i32>
  return
}

// Two reasons: one, that of the type, is given.
func.func @one_reason(%n: index) -> memref<0xf32> {
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: zero-size,
  %a = memref.alloc() : memref<0xf32>
  return %a : memref<0xf32>
}

// That a size is known only at run time is one if there is no other.
func.func @last_reason(%n: index) -> memref<?xf32> {
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: returned, its function returns it ('func.return')
  %a = memref.alloc(%n) : memref<?xf32>
  return %a : memref<?xf32>
}

// Of several uses the first in the order of execution is to blame.
func.func @first_use(%m: memref<4xmemref<15xf32>>, %i: index) -> memref<15xf32> {
  // CHECK-DAG: :[[#@LINE+1]]:8: remark: not mergeable: stored-as-value, the memref itself is stored ('memref.store'){{$}}
  %a = memref.alloc() : memref<15xf32>
  memref.store %a, %m[%i] : memref<4xmemref<15xf32>>
  %p = memref.extract_aligned_pointer_as_index %a : memref<15xf32> -> index
  return %a : memref<15xf32>
}

// CHECK-DAG: remark: left alone: 1 allocation of 0 bytes: zero-size{{$}}
// CHECK-DAG: remark: left alone: 2 allocations of 20 bytes: returned{{$}}
// CHECK-DAG: remark: left alone: 1 allocation of 60 bytes: stored-as-value{{$}}
// CHECK-DAG: remark: left alone: 1 allocation of 60 bytes: no-partner{{$}}
// CHECK-DAG: remark: left alone: 2 allocations of 120 bytes: no-gain{{$}}
