// RUN: buffer-merge-opt %s --buffer-merge -o %t
// RUN: buffer-merge-opt %s | diff %t -

// R4: no pool for a single buffer, or where it saves nothing: the IR is untouched.

func.func @single(%x: f32, %i: index) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%i] : memref<15xf32>
  memref.dealloc %a : memref<15xf32>
  return
}

func.func @alive_at_once(%x: f32, %i: index, %out: memref<15xf32>) {
  %a = memref.alloc() : memref<15xf32>
  %b = memref.alloc() : memref<15xf32>
  memref.copy %a, %b : memref<15xf32> to memref<15xf32>
  memref.copy %b, %a : memref<15xf32> to memref<15xf32>
  return
}

// They would share, were it not for the alignment: two of 4 bytes, alive at once,
// need 68, and the third makes 12 bytes in all.
func.func @padding(%x: f32, %i: index) {
  %a = memref.alloc() : memref<1xf32>
  %a64 = memref.assume_alignment %a, 64 : memref<1xf32>
  %b = memref.alloc() : memref<1xf32>
  %b64 = memref.assume_alignment %b, 64 : memref<1xf32>
  memref.copy %a64, %b64 : memref<1xf32> to memref<1xf32>
  %c = memref.alloc() : memref<1xf32>
  memref.store %x, %c[%i] : memref<1xf32>
  return
}

// One in each scope, one in each memory space.
func.func @one_each(%n: index, %x: f32) {
  %a = memref.alloc() : memref<15xf32>
  memref.store %x, %a[%n] : memref<15xf32>
  %b = memref.alloc() : memref<15xf32, 1>
  memref.store %x, %b[%n] : memref<15xf32, 1>
  scf.forall (%i) in (%n) {
    %c = memref.alloc() : memref<15xf32>
    memref.store %x, %c[%i] : memref<15xf32>
  }
  return
}

// None at all, and no body.
func.func @empty() {
  return
}
func.func private @declared(memref<15xf32>)

// Nothing that is mergeable.
func.func @unmergeable(%n: index) -> (memref<15xf32>, memref<?xf32>) {
  %a = memref.alloc() : memref<15xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %c = memref.alloc() : memref<0xf32>
  %d = memref.alloc() : memref<15xf32>
  return %a, %b : memref<15xf32>, memref<?xf32>
}
