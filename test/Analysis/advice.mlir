// RUN: buffer-merge-opt %s --buffer-lifetimes='in-place=false advise report=%t.json scheduler=first-fit' -o /dev/null 2> %t.remarks
// RUN: grep -e advice: -e remark:.*pool %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: buffer-merge-report %t.json | FileCheck %s --check-prefix=TEXT
// RUN: buffer-merge-opt %s --buffer-lifetimes='in-place=false scheduler=first-fit' -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: buffer-merge-opt %s --buffer-lifetimes='in-place=false advise scheduler=first-fit capacity=default:1500 over-capacity=warn' -o /dev/null 2>&1 | FileCheck %s

// The three changes that would make a pool smaller most, each as it was tried. With half
// of %a and %b, %small shares bytes with %a; without %b, too. With in-place, exp overwrites
// its operand, but %small needs bytes of its own beside %b. %small is not alive at the peak,
// and @one has nothing to share a pool with. A pool that does not fit gets the same advice.

// NONE-NOT: advice:

// CHECK:     remark: pool: 3 buffers
// CHECK:     advice.mlir:[[# @LINE + 24]]:8: remark: advice: choose a smaller tile or batch: half of the {{.*}} elements in dimension 0 of all {{.*}}; the pool is then 1024 bytes smaller
// CHECK:     advice.mlir:[[# @LINE + 25]]:8: remark: advice: keep this buffer elsewhere: in another memory, or in a buffer of the caller; the pool is then 1024 bytes smaller
// CHECK:     advice.mlir:[[# @LINE + 21]]:1: remark: advice: merge with the option in-place; the pool is then 960 bytes smaller
// CHECK-NOT: advice:

// JSON:      "program": {
// JSON:        "advice": [
// JSON:      "pools": [
// JSON:      "advice": [
// JSON-NEXT:   {
// JSON-NEXT:     "change": "choose a smaller tile or batch: half of the 256 elements in dimension 0 of all memref<256xf32>",
// JSON-NEXT:     "savedBytes": 1024
// JSON-NEXT:   },
// JSON-NEXT:   {
// JSON-NEXT:     "change": "keep %b elsewhere: in another memory, or in a buffer of the caller",
// JSON-NEXT:     "savedBytes": 1024
// JSON-NEXT:   },
// JSON-NEXT:   {
// JSON-NEXT:     "change": "merge with the option in-place",
// JSON-NEXT:     "savedBytes": 960
// JSON-NOT:  "change"

// TEXT: advice: merge with the option in-place: saves 960 bytes
func.func @f(%x: f32, %i: index) {
  %a = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  %b = memref.alloc() : memref<256xf32>
  linalg.exp ins(%a : memref<256xf32>) outs(%b : memref<256xf32>)
  %small = memref.alloc() : memref<16xf32>
  memref.store %x, %small[%i] : memref<16xf32>
  %y = memref.load %b[%i] : memref<256xf32>
  memref.store %y, %small[%i] : memref<16xf32>
  return
}
func.func @one(%x: f32, %i: index) {
  %c = memref.alloc() : memref<256xf32>
  memref.store %x, %c[%i] : memref<256xf32>
  return
}
