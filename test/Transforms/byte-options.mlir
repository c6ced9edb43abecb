// RUN: buffer-merge-opt %s --buffer-merge='alignment=1KiB' | FileCheck %s --check-prefix=ALIGN
// RUN: buffer-merge-opt %s --buffer-merge='pool=stack target={"stack": {"limit": "1KiB"}}' | FileCheck %s --check-prefix=STACK
// RUN: buffer-merge-opt %s --buffer-merge='pool=stack target={"stack": {"limit": 1023}}' | FileCheck %s --check-prefix=LIMIT
// RUN: buffer-merge-opt %s --buffer-merge='capacity=default:1KiB' | FileCheck %s --check-prefix=LIMIT
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=default:1KB' 2>&1 | FileCheck %s --check-prefix=CAPACITY
// RUN: not buffer-merge-opt %s --buffer-merge='target={"stack": {"limit": "9999999999GiB"}}' 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(buffer-merge{target={ "stack": {"limit": "2MiB"}, "workgroup": {"alignment": "1KiB"}}})' \
// RUN:   --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRINTED

// Numbers of bytes may have a unit. A target is printed as JSON that can be read again.

// ALIGN: memref.alloc() {alignment = 1024 : i64} : memref<1024xi8>
// STACK: memref.alloca() {alignment = 64 : i64} : memref<1024xi8>
// LIMIT: memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
// CAPACITY: error: capacity 'default:1KB' is not SPACE:BYTES with a positive number of bytes, such as default:65536
// LARGE: error: target:1:21: expected a number such as 65536, "64KiB" or "0x20000000"
// PRINTED: target={"stack": {"limit": "2MiB"}, "workgroup": {"alignment": "1KiB"{{[}][}]}} workgroup-pool
func.func @two(%x: f32, %i: index) {
  %a = memref.alloc() : memref<256xf32>
  memref.store %x, %a[%i] : memref<256xf32>
  %b = memref.alloc() : memref<256xf32>
  memref.store %x, %b[%i] : memref<256xf32>
  return
}
