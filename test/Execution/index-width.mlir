// The lowering takes the width of `index` from the data layout for memrefs, and from
// an option for numbers. The layout itself is of no use behind it.
// DEFINE: %{lower} = convert-arith-to-llvm{index-bitwidth=16},finalize-memref-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts
// DEFINE: %{strip} = s/^module attributes {.*} {/module {/

// RUN: buffer-merge-opt %s --pass-pipeline='builtin.module(%{lower})' | sed '%{strip}' | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge='pool=global scheduler=first-fit alignment=8' -o %t.mlir
// RUN: buffer-merge-opt %t.mlir --pass-pipeline='builtin.module(%{lower})' | sed '%{strip}' | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump --remarks-filter=buffer-merge --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Offsets in bytes are signed numbers of the width of `index`. Each of these buffers
// is small enough for it, and a pool of five is not: the fifth one would lie where the
// first one does. A pool that is allocated could not be executed here, where pointers are
// wider: MLIR aligns it by numbers of the width of `index`.

module attributes {dlti.dl_spec = #dlti.dl_spec<index = 16 : i64>} {
func.func private @printI64(%x: i64)
func.func private @printNewline()

// REMARK: [Missed] {{.*}}Function=five_alive{{.*}}size-overflow
// IR-LABEL: func.func @five_alive(
// IR-COUNT-5:   memref.alloc() : memref<2048xi64>
func.func @five_alive() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %a = memref.alloc() : memref<2048xi64>
  %b = memref.alloc() : memref<2048xi64>
  %c = memref.alloc() : memref<2048xi64>
  %d = memref.alloc() : memref<2048xi64>
  %e = memref.alloc() : memref<2048xi64>
  memref.store %one, %a[%c0] : memref<2048xi64>
  memref.store %one, %b[%c0] : memref<2048xi64>
  memref.store %one, %c[%c0] : memref<2048xi64>
  memref.store %one, %d[%c0] : memref<2048xi64>
  memref.store %two, %e[%c0] : memref<2048xi64>
  %xa = memref.load %a[%c0] : memref<2048xi64>
  %xb = memref.load %b[%c0] : memref<2048xi64>
  %xc = memref.load %c[%c0] : memref<2048xi64>
  %xd = memref.load %d[%c0] : memref<2048xi64>
  %xe = memref.load %e[%c0] : memref<2048xi64>
  call @printI64(%xa) : (i64) -> ()
  call @printI64(%xb) : (i64) -> ()
  call @printI64(%xc) : (i64) -> ()
  call @printI64(%xd) : (i64) -> ()
  call @printI64(%xe) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

// With the scheduler that reuses nothing, three buffers are too many as well.
// REMARK: [Missed] {{.*}}Function=two_alive{{.*}}size-overflow
// IR-LABEL: func.func @two_alive(
//   IR-NEXT:   memref.get_global @two_alive_pool : memref<24000xi8>
//    IR-NOT:   memref.alloc
//        IR:   return
func.func @two_alive() {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %a = memref.alloc() : memref<1500xi64>
  %b = memref.alloc() : memref<1500xi64>
  %c = memref.alloc() : memref<1500xi64>
  memref.store %one, %a[%c0] : memref<1500xi64>
  memref.store %two, %b[%c0] : memref<1500xi64>
  %x = memref.load %a[%c0] : memref<1500xi64>
  memref.store %x, %c[%c0] : memref<1500xi64>
  %y = memref.load %b[%c0] : memref<1500xi64>
  %z = memref.load %c[%c0] : memref<1500xi64>
  call @printI64(%y) : (i64) -> ()
  call @printI64(%z) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}

func.func @main() {
  call @five_alive() : () -> ()
  call @two_alive() : () -> ()
  return
}
}

// CHECK:      11112
// CHECK-NEXT: 21
