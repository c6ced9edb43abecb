// RUN: buffer-merge-opt %s --buffer-lifetimes=report=%t.json -o /dev/null 2> /dev/null
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: buffer-merge-report %t.json | FileCheck %s --check-prefix=TEXT
// RUN: buffer-merge-report %t.json -o %t.copy.json && diff %t.json %t.copy.json
// RUN: sed 's/"values": 2/"values": 1/' %t.json > %t.bad.json
// RUN: not buffer-merge-report %t.bad.json 2>&1 | FileCheck %s --check-prefix=BAD

// The two values of %a have a place each, and are drawn as two buffers of one name.

// JSON:      "name": "%a",
// JSON-NEXT: "value": 1,
// JSON-NEXT: "values": 2,
// JSON:      "name": "%a",
// JSON-NEXT: "value": 2,
// JSON-NEXT: "values": 2,
// JSON:      "name": "%b",
// JSON-NEXT: "type":

// An allocation counts once.
// TEXT: 2 allocations of 2048 bytes merged
// TEXT: A^ %a (1/2)  {{ *}}0
// TEXT: %a (2/2)  {{ *}}0
// TEXT: %b  {{ *}}0

// BAD: error: {{.*}}.bad.json: number out of range at report.pools[0].buffers[0].values
func.func @values(%x: f32, %in: memref<256xf32>, %out: memref<256xf32>, %i: index) {
  %a = memref.alloc() : memref<256xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<256xf32>)
  %y = memref.load %a[%i] : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  linalg.exp ins(%in : memref<256xf32>) outs(%b : memref<256xf32>)
  memref.copy %b, %out : memref<256xf32> to memref<256xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<256xf32>)
  %z = memref.load %a[%i] : memref<256xf32>
  memref.store %z, %out[%i] : memref<256xf32>
  return
}
