// RUN: buffer-merge-opt %s --buffer-merge='pool=arena limit-peak=deallocated' --split-input-file --verify-diagnostics -o %t.none
// RUN: split-file %s %t.dir
// RUN: not buffer-merge-opt %t.dir/small.mlir --buffer-merge='pool=arena limit-peak=deallocated' --mlir-print-ir-after-failure 2>&1 | FileCheck %s --check-prefix=UNTOUCHED
// RUN: not buffer-merge-opt %t.dir/capacity.mlir --buffer-merge='pool=arena capacity=default:100 limit-peak=deallocated' 2>&1 | FileCheck %s --check-prefix=CAPACITY
// RUN: buffer-merge-opt %t.dir/capacity.mlir --buffer-merge='pool=arena capacity=default:100 over-capacity=warn limit-peak=deallocated' 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: buffer-merge-opt %t.dir/capacity.mlir --buffer-merge='pool=arena capacity=default:124 limit-peak=deallocated' -o %t.none
// RUN: buffer-merge-opt %t.dir/joined.mlir --buffer-merge='pool=arena capacity=default:100 over-capacity=warn limit-peak=deallocated' 2>&1 | FileCheck %s --check-prefix=JOINED --implicit-check-not='the arena of'

// UNTOUCHED: error: the arena passed to 'f' has 59 bytes, but 60 are needed
// UNTOUCHED-NOT: error:
// UNTOUCHED: func.func @f(
// UNTOUCHED-SAME: {buffer_merge.arena}) {
// UNTOUCHED-NEXT: memref.alloc() : memref<15xf32>
// UNTOUCHED-NOT: @f_arena_size
// CAPACITY: error: the arena of 'f' needs 124 bytes, but its memory space has 100
// CAPACITY-NOT: error:
// WARN: warning: the arena of 'f' needs 124 bytes, but its memory space has 100
// WARN: buffer_merge.arena = {alignment = {{[0-9]+}} : i64, bytes = 124 : i64}

// The values of %a and %b were planned apart before, which saves nothing: that plan has no warning.
// JOINED: warning: the arena of 'joined' needs 192 bytes, but its memory space has 100

// expected-error @below {{the arena of 'f' must be of the type memref<?xi8> or memref<Nxi8>, not 'memref<?xf32>'}}
func.func @f(%x: f32, %i: index, %arena: memref<?xf32> {buffer_merge.arena}) {
  return
}

// -----

// expected-error @below {{the arena of 'f' must be of the type memref<?xi8> or memref<Nxi8>, not 'memref<?xi8, 1>'}}
func.func @f(%x: f32, %i: index, %arena: memref<?xi8, 1> {buffer_merge.arena}) {
  return
}

// -----

// expected-error @below {{the arena of 'f' must be of the type memref<?xi8> or memref<Nxi8>, not 'index'}}
func.func @f(%x: f32, %i: index {buffer_merge.arena}) {
  return
}

// -----

// expected-error @below {{the arena of 'f' must be of the type memref<?xi8> or memref<Nxi8>, not 'memref<?xi8, strided<[1], offset: ?>>'}}
func.func @f(%x: f32, %a: memref<?xi8, strided<[1], offset: ?>> {buffer_merge.arena}) {
  return
}

// -----

// expected-error @below {{'f' has two arenas: arguments 0 and 2}}
func.func @f(%a: memref<?xi8> {buffer_merge.arena}, %i: index, %b: memref<?xi8> {buffer_merge.arena}) {
  return
}

// -----

// expected-error @below {{the attribute 'buffer_merge.arena' of 'f' is not {alignment = A : i64, bytes = N : i64}}}
func.func @f(%a: memref<?xi8> {buffer_merge.arena}) attributes {buffer_merge.arena = {alignment = 3 : i64, bytes = 8 : i64}} {
  return
}

// -----

// expected-error @below {{the attribute 'buffer_merge.arena' of 'f' is not}}
func.func @f(%a: memref<?xi8> {buffer_merge.arena}) attributes {buffer_merge.arena = 12} {
  return
}

// -----

// expected-error @below {{'f' can have no arena: it is recursive}}
func.func @f(%x: f32, %i: index, %arena: memref<?xi8> {buffer_merge.arena}) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @f(%x, %i, %arena) : (f32, index, memref<?xi8>) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// -----

func.func private @outer()
module @inner {
  // expected-error @below {{'f' can have no arena: it is not directly inside the module}}
  func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
    return
  }
}

// -----

// expected-error @below {{'f' uses its arena itself, so its pool cannot be there}}
func.func @f(%x: i8, %i: index, %arena: memref<?xi8> {buffer_merge.arena}) {
  %cast = memref.cast %arena : memref<?xi8> to memref<64xi8>
  // expected-note @below {{used here}}
  memref.store %x, %cast[%i] : memref<64xi8>
  return
}

// -----

// Nobody knows what the callee does with it.

func.func private @g(memref<?xi8>)
// expected-error @below {{'f' uses its arena itself}}
func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
  // expected-note @below {{used here}}
  func.call @g(%arena) : (memref<?xi8>) -> ()
  return
}

// -----

// One that is too small by one byte, in the type of the argument.

// expected-error @below {{the arena of 'f' has 59 bytes, but 60 are needed}}
func.func @f(%x: f32, %i: index, %arena: memref<59xi8> {buffer_merge.arena}) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// -----

// By the caller's own pool.

// expected-error @below {{the arena of 'g' has 123 bytes, but 124 are needed}}
func.func @g(%x: f32, %i: index, %arena: memref<123xi8> {buffer_merge.arena}) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @f(%x, %i) : (f32, index) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @f(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

// -----

// The same value for the arena and for another argument; a part of it; all of
// which it is a part. Two parts of one buffer are two buffers.

func.func @f(%data: memref<?xi8>, %arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
func.func @parts(%all: memref<?xi8>, %i: index) {
  %a = memref.view %all[%i][%i] : memref<?xi8> to memref<?xi8>
  %b = memref.view %all[%i][%i] : memref<?xi8> to memref<?xi8>
  func.call @f(%a, %b) : (memref<?xi8>, memref<?xi8>) -> ()
  return
}
func.func @same(%all: memref<64xi8>) {
  %a = memref.cast %all : memref<64xi8> to memref<?xi8>
  %b = memref.cast %all : memref<64xi8> to memref<?xi8>
  // expected-error @below {{the arena passed to 'f' is also its argument 0}}
  func.call @f(%a, %b) : (memref<?xi8>, memref<?xi8>) -> ()
  return
}

// -----

func.func @f(%data: memref<?xi8>, %arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
func.func @part(%all: memref<?xi8>, %i: index) {
  %a = memref.view %all[%i][%i] : memref<?xi8> to memref<?xi8>
  // expected-error @below {{the arena passed to 'f' is also its argument 0}}
  func.call @f(%a, %all) : (memref<?xi8>, memref<?xi8>) -> ()
  return
}

// -----

func.func @f(%data: memref<?xi8>, %arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
func.func @part(%all: memref<?xi8>, %i: index) {
  %a = memref.view %all[%i][%i] : memref<?xi8> to memref<?xi8>
  // expected-error @below {{the arena passed to 'f' is also its argument 0}}
  func.call @f(%all, %a) : (memref<?xi8>, memref<?xi8>) -> ()
  return
}

// -----

// What runs at the same time needs an arena each, as here.

func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
func.func @one_each(%n: index, %true: i1) {
  scf.forall (%k) in (%n) {
    %arena = memref.alloc(%n) : memref<?xi8>
    scf.if %true {
      func.call @f(%arena) : (memref<?xi8>) -> ()
    }
  }
  return
}
func.func @parts(%n: index, %arena: memref<?xi8>) {
  scf.forall (%k) in (%n) {
    %offset = arith.muli %k, %n : index
    %c = memref.view %arena[%offset][%n] : memref<?xi8> to memref<?xi8>
    func.call @f(%c) : (memref<?xi8>) -> ()
  }
  return
}
func.func @shared(%n: index, %arena: memref<64xi8>) {
  scf.forall (%k) in (%n) {
    %c = memref.cast %arena : memref<64xi8> to memref<?xi8>
    // expected-error @below {{calls of 'f' that may run at the same time share an arena}}
    func.call @f(%c) : (memref<?xi8>) -> ()
  }
  return
}

// -----

func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
func.func @shared(%n: index, %arena: memref<?xi8> {buffer_merge.arena}) {
  %token = async.execute {
    // expected-error @below {{calls of 'f' that may run at the same time share the arena of 'shared'}}
    func.call @f(%arena) : (memref<?xi8>) -> ()
    async.yield
  }
  async.await %token : !async.token
  return
}

// -----

// A function from an earlier run has a pool at the start of its arena.

func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
func.func @earlier(%arena: memref<?xi8> {buffer_merge.arena})
    attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 512 : i64}} {
  // expected-error @below {{'earlier' has a pool at the start of the arena that it passes to 'f'}}
  func.call @f(%arena) : (memref<?xi8>) -> ()
  return
}

// -----

// The names of the functions that tell what is needed are not free.

func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
// expected-error @below {{'f_arena_size' tells what the arena of 'f' needs, and must be a declaration of type '() -> index' or not exist}}
func.func private @f_arena_size() -> i64

// -----

func.func @f(%x: memref<?x2x?xf32>, %n: index, %arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
// expected-error @below {{'f_arena_size_for' tells what the arena of 'f' needs, and must be a declaration of type '(index, index, index) -> index' or not exist}}
func.func private @f_arena_size_for(index) -> index

// -----

func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
// expected-error @below {{'f_arena_alignment' tells what the arena of 'f' needs, and must be}}
memref.global "private" @f_arena_alignment : memref<4xi8>

// -----

func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
// expected-error @below {{'f_arena_bytes' is the number of bytes that the arena of 'f' needs, and must be a declaration of type memref<i64> or not exist}}
memref.global "private" @f_arena_bytes : memref<i32>

// -----

func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
// expected-error @below {{'f_arena_bytes' is the number of bytes}}
memref.global "private" constant @f_arena_bytes : memref<i64> = dense<1>

// -----

func.func @f(%arena: memref<?xi8> {buffer_merge.arena}) {
  return
}
// expected-error @below {{'f_arena_bytes' is the number of bytes}}
func.func private @f_arena_bytes() -> i64

// -----

// A pool fits what an index counts, and with that of a callee it does not.

module attributes {dlti.dl_spec = #dlti.dl_spec<index = 16 : i64>} {
func.func private @inner(%x: f32, %i: index) {
  %a = memref.alloc() : memref<5000xf32>
  memref.store %x, %a[%i] : memref<5000xf32>
  %b = memref.alloc() : memref<5000xf32>
  memref.store %x, %b[%i] : memref<5000xf32>
  return
}
// expected-error @below {{the arena of 'outer' needs 40032 bytes, but its memory space has 32767}}
func.func @outer(%x: f32, %i: index) {
  %a = memref.alloc() : memref<5000xf32>
  memref.store %x, %a[%i] : memref<5000xf32>
  func.call @inner(%x, %i) : (f32, index) -> ()
  %u = memref.load %a[%i] : memref<5000xf32>
  return
}
}

// -----

//--- small.mlir
func.func @f(%x: f32, %i: index, %arena: memref<?xi8> {buffer_merge.arena}) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func @g(%x: f32, %i: index) {
  %small = memref.alloc() : memref<59xi8>
  %cast = memref.cast %small : memref<59xi8> to memref<?xi8>
  // expected-error @below {{the arena passed to 'f' has 59 bytes, but 60 are needed}}
  func.call @f(%x, %i, %cast) : (f32, index, memref<?xi8>) -> ()
  return
}

// -----

//--- capacity.mlir
func.func @f(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  func.call @g(%x, %i) : (f32, index) -> ()
  %u = memref.load %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}
func.func private @g(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.store %x, %b[%i] : memref<15xf32>
  return
}

//--- joined.mlir
func.func @joined(%x: i64, %out: memref<8xi64>) {
  %a = memref.alloc() : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%a : memref<8xi64>)
  %b = memref.alloc() : memref<8xi64>
  linalg.fill ins(%x : i64) outs(%b : memref<8xi64>)
  %c = memref.alloc() : memref<8xi64>
  linalg.add ins(%a, %b : memref<8xi64>, memref<8xi64>) outs(%c : memref<8xi64>)
  linalg.fill ins(%x : i64) outs(%a : memref<8xi64>)
  linalg.fill ins(%x : i64) outs(%b : memref<8xi64>)
  linalg.add ins(%a, %b : memref<8xi64>, memref<8xi64>) outs(%out : memref<8xi64>)
  linalg.add ins(%a, %c : memref<8xi64>, memref<8xi64>) outs(%out : memref<8xi64>)
  return
}
