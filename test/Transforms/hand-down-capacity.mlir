// RUN: not buffer-merge-opt %s --buffer-merge='hand-down capacity=default:600' 2>&1 | FileCheck %s
// RUN: buffer-merge-opt %s --buffer-merge='hand-down capacity=default:768' | FileCheck %s --check-prefix=FITS

// A pool that is too large with what it hands down is an error, as pools apart are.

// CHECK: error: 'func.func' holds 768 bytes at one time, with what runs inside and with callees; the capacity is 600

//  FITS-LABEL: func.func @top(
//        FITS:   memref.alloc() {{.*}}: memref<768xi8>
func.func private @leaf(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
func.func @top(%in: memref<64xf32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  call @leaf(%in, %out) : (memref<64xf32>, memref<64xf32>) -> ()
  linalg.add ins(%a, %out : memref<64xf32>, memref<64xf32>) outs(%out : memref<64xf32>)
  return
}
