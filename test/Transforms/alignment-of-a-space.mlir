// RUN: buffer-merge-opt %s --buffer-merge='alignment=32,left:512 scheduler=first-fit' | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='alignment=left:512 scheduler=first-fit' | FileCheck %s --check-prefix=GENERAL
// RUN: buffer-merge-opt %s --buffer-merge='alignment=left:512 scheduler=first-fit target={"regions":[{"name":"l","space":"left","bytes":4096,"address":512}]}' | FileCheck %s --check-prefix=REGION
// RUN: buffer-merge-opt %s --buffer-merge='alignment=left:512 scheduler=first-fit target={"regions":[{"name":"l","space":"left","bytes":4096,"alignment":128}]}' | FileCheck %s --check-prefix=OWN
// RUN: not buffer-merge-opt %s --buffer-merge=alignment=left:3 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: not buffer-merge-opt %s --buffer-merge=alignment=left: 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not buffer-merge-opt %s --buffer-merge=alignment=#x:64 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not buffer-merge-opt %s --buffer-merge=alignment=64,32 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: not buffer-merge-opt %s --buffer-merge=alignment=left:64,left:32 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: buffer-merge-opt %s --buffer-merge=alignment=lift:64 2>&1 | FileCheck %s --check-prefix=UNUSED

// The alignment of one memory space, beside that of the others. That of a region of the
// target is its own.

// CHECK-DAG: memref.alloc() {alignment = 512 : i64} : memref<1624xi8, "left">
// CHECK-DAG: memref.alloc() {alignment = 32 : i64} : memref<1208xi8>
// GENERAL-DAG: memref.alloc() {alignment = 512 : i64} : memref<1624xi8, "left">
// GENERAL-DAG: memref.alloc() {alignment = 64 : i64} : memref<1240xi8>
// REGION-DAG: memref.alloc() {alignment = 512 : i64, buffer_merge.region = {address = 512 : i64, name = "l", offset = 0 : i64}} : memref<1624xi8, "left">
// OWN-DAG: memref.alloc() {alignment = 128 : i64} : memref<1240xi8, "left">
// POWER: error: alignment 3 is not a power of two
// POWER-NOT: error:
// NUMBER: error: alignment 'left:' is neither a number of bytes nor SPACE:BYTES, such as 64 or left:512
// NUMBER-NOT: error:
// UNKNOWN: error: unknown memory space '#x'
// UNKNOWN-NOT: error:
// SECOND: error: alignment '32' is the second one
// SECOND-NOT: error:
// TWO: error: memory space 'left' has two alignments
// TWO-NOT: error:
// UNUSED: warning: no type has the memory space 'lift' of an option; the nearest that occurs is 'left'
func.func @f(%x: i8, %i: index) {
  %a = memref.alloc() : memref<600xi8, "left">
  %b = memref.alloc() : memref<600xi8, "left">
  %c = memref.alloc() : memref<600xi8, "left">
  memref.store %x, %a[%i] : memref<600xi8, "left">
  memref.store %x, %b[%i] : memref<600xi8, "left">
  memref.store %x, %a[%i] : memref<600xi8, "left">
  memref.store %x, %c[%i] : memref<600xi8, "left">
  memref.store %x, %a[%i] : memref<600xi8, "left">
  %d = memref.alloc() : memref<600xi8>
  %e = memref.alloc() : memref<600xi8>
  %f = memref.alloc() : memref<600xi8>
  memref.store %x, %d[%i] : memref<600xi8>
  memref.store %x, %e[%i] : memref<600xi8>
  memref.store %x, %d[%i] : memref<600xi8>
  memref.store %x, %f[%i] : memref<600xi8>
  memref.store %x, %d[%i] : memref<600xi8>
  return
}
