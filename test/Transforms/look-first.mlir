// What buffer-lifetimes shows with some options is what buffer-merge does with
// them: the reports are the same, in every kind of pool. Looking changes nothing.

// RUN: rm -rf %t && mkdir %t

// RUN: buffer-merge-opt %s --buffer-lifetimes=report=%t/look.json -o %t/look.mlir 2> %t/remarks
// RUN: buffer-merge-opt %s --buffer-merge=report=%t/merge.json -o %t/merge.mlir
// RUN: diff %t/look.json %t/merge.json
// RUN: buffer-merge-opt %s | diff - %t/look.mlir
// RUN: FileCheck %s --check-prefix=ALLOC --input-file=%t/look.json

// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=stack target={"stack": {"limit": 512}} report=%t/look.json' -o %t/look.mlir 2> %t/remarks
// RUN: buffer-merge-opt %s --buffer-merge='pool=stack target={"stack": {"limit": 512}} report=%t/merge.json' -o %t/merge.mlir
// RUN: diff %t/look.json %t/merge.json
// RUN: buffer-merge-opt %s | diff - %t/look.mlir
// RUN: FileCheck %s --check-prefix=STACK --input-file=%t/look.json

// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=arena report=%t/look.json' -o %t/look.mlir 2> %t/remarks
// RUN: buffer-merge-opt %s --buffer-merge='pool=arena report=%t/merge.json' -o %t/merge.mlir
// RUN: diff %t/look.json %t/merge.json
// RUN: buffer-merge-opt %s | diff - %t/look.mlir
// RUN: FileCheck %s --check-prefix=ARENA --input-file=%t/look.json

// RUN: buffer-merge-opt %s --buffer-lifetimes='pool=global report=%t/look.json' -o %t/look.mlir 2> %t/remarks
// RUN: buffer-merge-opt %s --buffer-merge='pool=global report=%t/merge.json' -o %t/merge.mlir
// RUN: diff %t/look.json %t/merge.json
// RUN: buffer-merge-opt %s | diff - %t/look.mlir
// RUN: FileCheck %s --check-prefix=GLOBAL --input-file=%t/look.json

// RUN: buffer-merge-opt %s --buffer-lifetimes='merge-attributions workgroup-pool=attribution report=%t/look.json' -o %t/look.mlir 2> %t/remarks
// RUN: buffer-merge-opt %s --buffer-merge='merge-attributions workgroup-pool=attribution report=%t/merge.json' -o %t/merge.mlir
// RUN: diff %t/look.json %t/merge.json
// RUN: buffer-merge-opt %s | diff - %t/look.mlir
// RUN: FileCheck %s --check-prefix=ATTRIBUTION --input-file=%t/look.json

// RUN: buffer-merge-opt %s --buffer-lifetimes='limit-peak=none capacity=default:4096 reuse=as-needed report=%t/look.json' -o %t/look.mlir 2> %t/remarks
// RUN: buffer-merge-opt %s --buffer-merge='limit-peak=none capacity=default:4096 reuse=as-needed report=%t/merge.json' -o %t/merge.mlir
// RUN: diff %t/look.json %t/merge.json
// RUN: buffer-merge-opt %s | diff - %t/look.mlir
// RUN: FileCheck %s --check-prefix=REUSE --input-file=%t/look.json

// RUN: buffer-merge-opt %s --buffer-lifetimes='target=stm32h743 report=%t/look.json' -o %t/look.mlir 2> %t/remarks
// RUN: buffer-merge-opt %s --buffer-merge='target=stm32h743 report=%t/merge.json' -o %t/merge.mlir
// RUN: diff %t/look.json %t/merge.json
// RUN: buffer-merge-opt %s | diff - %t/look.mlir
// RUN: FileCheck %s --check-prefix=TARGET --input-file=%t/look.json

// What cannot be is the same error in both.
// RUN: not buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-lifetimes{pool=arena}))' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge{pool=arena}))' 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: pool=arena changes the module, so the pass must run on the top-level module

// ALLOC-NOT: "storage"
// REUSE:     "reuse":
// TARGET:    "regions":
// STACK:     "storage": "stack"
// ARENA:     "storage": "arena"
// GLOBAL:    "storage": "global"
// ATTRIBUTION: "storage": "attribution"

func.func @caller(%x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  call @callee(%x, %out) : (f32, memref<64xf32>) -> ()
  %b = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

// One buffer needs no pool, unless the pool is no allocation.
func.func private @callee(%x: f32, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
  return
}

gpu.module @kernels {
  gpu.func @kernel(%i: index, %x: f32, %out: memref<64xf32>)
      workgroup(%a: memref<64xf32, #gpu.address_space<workgroup>>,
                %b: memref<64xf32, #gpu.address_space<workgroup>>) kernel {
    memref.store %x, %a[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    %y = memref.load %a[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    memref.store %y, %b[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    %z = memref.load %b[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %z, %out[%i] : memref<64xf32>
    gpu.return
  }
}
