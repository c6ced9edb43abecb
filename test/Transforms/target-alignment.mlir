// Where nothing says how buffers are aligned, they are aligned to less in a
// region, too, if the pool is smaller for it.
//
// RUN: buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"m","bytes":101,"address":0}]}' | FileCheck %s
// RUN: not buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"m","bytes":101,"address":0,"alignment":64}]}' 2>&1 | FileCheck %s --check-prefix=ALIGNED
// RUN: not buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"m","bytes":101,"address":0}]} alignment=64' 2>&1 | FileCheck %s --check-prefix=ALIGNED
//
// An error does not ask for more than is needed with less alignment.
// RUN: not buffer-merge-opt %s --buffer-merge='target={"regions":[{"name":"m","bytes":100,"address":0}]}' 2>&1 | FileCheck %s --check-prefix=LESS
// RUN: not buffer-merge-opt %s --buffer-merge='capacity=default:100' 2>&1 | FileCheck %s --check-prefix=CAPACITY

// ALIGNED: error: pool of 'func.func' in region m needs 129 bytes, its capacity is 101
// LESS: error: pool of 'func.func' in region m needs 101 bytes, its capacity is 100
// CAPACITY: error: pool of 'func.func' needs 101 bytes, its capacity is 100
// CHECK: memref.alloc() {{.*}} : memref<101xi8>
func.func @main(%x: i8, %i: index, %out: memref<100xi8>) {
  %a = memref.alloc() : memref<1xi8>
  memref.store %x, %a[%i] : memref<1xi8>
  %b = memref.alloc() : memref<100xi8>
  linalg.fill ins(%x : i8) outs(%b : memref<100xi8>)
  %y = memref.load %a[%i] : memref<1xi8>
  memref.store %y, %b[%i] : memref<100xi8>
  linalg.copy ins(%b : memref<100xi8>) outs(%out : memref<100xi8>)
  return
}
