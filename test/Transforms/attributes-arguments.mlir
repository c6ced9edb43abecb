// RUN: buffer-merge-opt %s --split-input-file --buffer-lifetimes='limit-peak=none' -o /dev/null 2>&1 | FileCheck %s --implicit-check-not='holds no buffer'
// RUN: buffer-merge-opt %s --split-input-file --buffer-merge='limit-peak=none' --remarks-filter='buffer-merge' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: not buffer-merge-opt %s --split-input-file --buffer-merge='pool=arena limit-peak=none' -o /dev/null 2>&1 | FileCheck %s --check-prefix=ARENA

// Attributes that become false if buffers are in an argument.

!m = memref<64xf32>

//  CHECK: argument 0 holds no buffer: the attribute 'llvm.readonly' of argument 0 of 'read' would become false
// REMARK: [Missed] ArgumentHoldsNothing | Category:buffer-merge | Function=read | Argument=0, Reason="the attribute 'llvm.readonly' of argument 0 of 'read' would become false"
// IR-LABEL: func.func @read(
//   IR-NOT:   reinterpret_cast
func.func @read(%x: !m {buffer_merge.donated, llvm.readonly}, %y: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%y : !m)
  return
}

// CHECK: argument 1 holds no buffer: the attribute 'llvm.writeonly' of argument 1 of 'written' would become false
func.func @written(%x: !m, %y: !m {buffer_merge.output, llvm.writeonly}) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  %c = memref.alloc() : !m
  linalg.exp ins(%b : !m) outs(%c : !m)
  linalg.exp ins(%c : !m) outs(%y : !m)
  return
}

// CHECK: argument 0 holds no buffer: the attribute 'bufferization.access' of argument 0 of 'access' would become false
func.func @access(%x: !m {buffer_merge.donated, bufferization.access = "read"}, %y: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%y : !m)
  return
}

// CHECK: argument 0 holds no buffer: the attribute 'bufferization.writable' of argument 0 of 'writable' would become false
func.func @writable(%x: !m {buffer_merge.donated, bufferization.writable = false}, %y: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%y : !m)
  return
}

// CHECK: argument 0 holds no buffer: what the attribute 'llvm.byval' of argument 0 of 'unknown' says is not known
func.func @unknown(%x: !m {buffer_merge.donated, llvm.byval = !m}, %y: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%y : !m)
  return
}

// Of the function, which may only read what arguments point to.
#reads = #llvm.memory_effects<other = readwrite, argMem = read, inaccessibleMem = readwrite, errnoMem = readwrite, targetMem0 = readwrite, targetMem1 = readwrite>
// CHECK: argument 0 holds no buffer: the attribute 'memory_effects' of 'reads' would become false
func.func @reads(%x: !m {buffer_merge.donated}) -> f32 attributes {memory_effects = #reads} {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  %r = memref.load %b[%c0] : !m
  return %r : f32
}

// An address that is passed on might be kept, in spite of llvm.nocapture.
func.func private @pass(!m)
// CHECK: argument 0 holds no buffer: the attribute 'llvm.nocapture' of argument 0 of 'passes' would become false
//       IR: func.func @passes(
//   IR-NOT:   reinterpret_cast
func.func @passes(%x: !m {buffer_merge.donated, llvm.align = 64 : i64, llvm.nocapture}, %y: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  call @pass(%b) : (!m) -> ()
  linalg.exp ins(%b : !m) outs(%y : !m)
  return
}

// None of these is about what is in the argument.
// IR-LABEL: func.func @harmless(
//       IR:   memref.reinterpret_cast %arg0
func.func @harmless(%x: !m {buffer_merge.donated, llvm.nocapture, llvm.noalias, llvm.align = 64 : i64, llvm.nonnull,
                            llvm.dereferenceable = 256 : i64, llvm.noundef, llvm.nofree, bufferization.access = "read-write", my.attribute},
                    %y: !m) attributes {passthrough = ["willreturn", "nosync", ["memory", "255"]]} {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%y : !m)
  return
}

// -----

!m = memref<64xf32>

// What callers are given and pass on, also behind views and choices.
// CHECK: argument 0 holds no buffer: the attribute 'llvm.readonly' of argument 1 of 'gives' would become false
func.func private @given(%x: !m {buffer_merge.donated}, %y: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%y : !m)
  return
}
func.func private @between(%x: !m, %y: !m) {
  call @given(%x, %y) : (!m, !m) -> ()
  return
}
func.func @gives(%c: i1, %x: !m {llvm.readonly}, %y: !m) {
  %own = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%own : !m)
  %z = scf.if %c -> !m {
    scf.yield %own : !m
  } else {
    scf.yield %x : !m
  }
  call @between(%z, %y) : (!m, !m) -> ()
  return
}

// -----

!m = memref<64xf32>
memref.global "private" constant @weights : !m = dense<1.0>

// CHECK: argument 0 holds no buffer: the attribute 'constant' of 'weights' would become false
func.func private @given(%x: !m {buffer_merge.donated}, %y: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%y : !m)
  return
}
func.func @gives(%y: !m) {
  %w = memref.get_global @weights : !m
  call @given(%w, %y) : (!m, !m) -> ()
  return
}

// -----

!m = memref<64xf32>

// What is not known to call it may do so, too.
// CHECK: argument 0 holds no buffer: the attribute 'llvm.readonly' of argument 0 of 'calls' would become false
func.func private @given(%x: !m {buffer_merge.donated}, %y: !m) {
  %a = memref.alloc() : !m
  linalg.exp ins(%x : !m) outs(%a : !m)
  %b = memref.alloc() : !m
  linalg.exp ins(%a : !m) outs(%b : !m)
  linalg.exp ins(%b : !m) outs(%y : !m)
  return
}
func.func @gives() -> ((!m, !m) -> ()) {
  %f = constant @given : (!m, !m) -> ()
  return %f : (!m, !m) -> ()
}
func.func @calls(%x: !m {llvm.readonly}, %y: !m, %f: (!m, !m) -> ()) {
  call_indirect %f(%x, %y) : (!m, !m) -> ()
  return
}

// -----

// ARENA: error: 'marked' can have no arena: the attribute 'llvm.readonly' of argument 1 of 'marked' would become false
func.func private @marked(%x: f32, %arena: memref<?xi8> {buffer_merge.arena, llvm.readonly}) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %r = memref.load %a[%c0] : memref<64xf32>
  return %r : f32
}

// -----

// ARENA: error: 'marked' can have no arena: the attribute 'llvm.readonly' of argument 0 of 'provides' would become false
func.func private @marked(%x: f32, %arena: memref<?xi8> {buffer_merge.arena}) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %r = memref.load %a[%c0] : memref<64xf32>
  return %r : f32
}
func.func @provides(%memory: memref<?xi8> {llvm.readonly}, %x: f32) -> f32 {
  %r = call @marked(%x, %memory) : (f32, memref<?xi8>) -> f32
  return %r : f32
}
