// RUN: buffer-merge-opt %s --split-input-file --buffer-merge='in-place=false pool=global limit-peak=none' --remarks-filter='buffer-merge' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=GLOBAL --implicit-check-not=would --implicit-check-not='is not known'
// RUN: buffer-merge-opt %s --split-input-file --buffer-merge='in-place=false pool=arena limit-peak=none' --remarks-filter='buffer-merge' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=ARENA --implicit-check-not=would --implicit-check-not='is not known'
// RUN: buffer-merge-opt %s --split-input-file --buffer-merge='in-place=false pool=stack' --remarks-filter='buffer-merge' --remark-format=emitRemark -o %t.mlir 2>&1 | FileCheck %s --check-prefix=STACK --implicit-check-not=would --implicit-check-not='is not known'

// Attributes that say what a function does to memory, and what becomes false when
// its pool is a global, an argument, or on the stack of the caller.

// GLOBAL: Function=reads_alone{{.*}}the attribute 'passthrough readonly' of 'reads_alone' would become false
//  ARENA: Function=reads_alone{{.*}}the attribute 'passthrough readonly' of 'reads_alone' would become false
func.func @reads_alone(%x: memref<64xf32>, %y: memref<64xf32>) attributes {passthrough = ["readonly"]} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

#arguments = #llvm.memory_effects<other = none, argMem = readwrite, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>

// A global is none of its arguments. Checks of an arena may print something.
// GLOBAL: Function=arguments{{.*}}the attribute 'memory_effects' of 'arguments' would become false
//  ARENA: Function=arguments{{.*}}the attribute 'memory_effects' of 'arguments' would become false
func.func @arguments(%x: memref<64xf32>, %y: memref<64xf32>) attributes {memory_effects = #arguments} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  call @in_arguments(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}
// A private function has no such checks, but nobody has an arena for it.
// GLOBAL: Function=in_arguments{{.*}}the attribute 'memory_effects' of 'in_arguments' would become false
//  ARENA: Function=in_arguments{{.*}}a caller of the function has no arena
func.func private @in_arguments(%x: memref<64xf32>, %y: memref<64xf32>) attributes {memory_effects = #arguments} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

#globals = #llvm.memory_effects<other = readwrite, argMem = none, inaccessibleMem = readwrite, errnoMem = none, targetMem0 = none, targetMem1 = none>

// It may access globals, so it has one of its own.
// ARENA: Function=globals{{.*}}the attribute 'llvm.memory_effects' of 'globals' would become false
func.func private @globals(%x: f32) -> f32 attributes {llvm.memory_effects = #globals} {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  %r = memref.load %c[%c0] : memref<64xf32>
  return %r : f32
}
func.func @calls_globals(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %y = call @globals(%x) : (f32) -> f32
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  %r = memref.load %c[%c0] : memref<64xf32>
  return %r : f32
}

// -----

// The checks of an arena abort.
// ARENA: Function=returns{{.*}}the attribute 'passthrough willreturn' of 'returns' would become false
func.func @returns(%x: memref<64xf32>, %y: memref<64xf32>) attributes {passthrough = ["willreturn"]} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// What is not known is nothing that a pool in the function itself changes.
// GLOBAL: Function=unknown{{.*}}what the attribute 'llvm.frobnicates' of 'unknown' says is not known
//  ARENA: Function=unknown{{.*}}what the attribute 'llvm.frobnicates' of 'unknown' says is not known
func.func @unknown(%x: memref<64xf32>, %y: memref<64xf32>) attributes {llvm.frobnicates} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
// GLOBAL: Function=unknown_entry{{.*}}what the attribute 'passthrough frobnicates' of 'unknown_entry' says is not known
//  ARENA: Function=unknown_entry{{.*}}what the attribute 'passthrough frobnicates' of 'unknown_entry' says is not known
func.func @unknown_entry(%x: memref<64xf32>, %y: memref<64xf32>) attributes {passthrough = ["noinline", ["frobnicates", "much"]]} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
// A property of llvm.func that the table does not have.
// GLOBAL: Function=unknown_property{{.*}}what the attribute 'arm_new_za' of 'unknown_property' says is not known
//  ARENA: Function=unknown_property{{.*}}what the attribute 'arm_new_za' of 'unknown_property' says is not known
func.func @unknown_property(%x: memref<64xf32>, %y: memref<64xf32>) attributes {arm_new_za} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// Harmless ones, and what means nothing to LLVM.
func.func @harmless(%x: memref<64xf32> {llvm.noalias, llvm.nocapture, llvm.readonly}, %y: memref<64xf32> {llvm.noalias, llvm.writeonly}) attributes {
    my.attribute, mine, no_unwind, llvm.emit_c_interface, no_inline, frame_pointer = #llvm.framePointerKind<all>,
    passthrough = ["noinline", "nounwind", "nofree", "nosync", "norecurse", "mustprogress", ["target-cpu", "x86-64"], ["no-trapping-math", "true"]]} {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

#none = #llvm.memory_effects<other = none, argMem = none, inaccessibleMem = none, errnoMem = none, targetMem0 = none, targetMem1 = none>

// What calls say counts as well.
//  ARENA: Function=called{{.*}}the attribute 'memory_effects' of a call of 'called' would become false
// GLOBAL: Function=called{{.*}}the attribute 'memory_effects' of a call of 'called' would become false
func.func private @called(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  %r = memref.load %c[%c0] : memref<64xf32>
  return %r : f32
}
func.func @calls(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %y = call @called(%x) {memory_effects = #none} : (f32) -> f32
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  %r = memref.load %c[%c0] : memref<64xf32>
  return %r : f32
}

// -----

// One more operand would want attributes for each of the operands that it is
// lowered to.
//  ARENA: Function=called{{.*}}the attribute 'arg_attrs' of a call of 'called' would become false
func.func private @called(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  %r = memref.load %c[%c0] : memref<64xf32>
  return %r : f32
}
func.func @calls(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %y = call @called(%x) {arg_attrs = [{llvm.noundef}]} : (f32) -> f32
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  %r = memref.load %c[%c0] : memref<64xf32>
  return %r : f32
}

// -----

// A tail call must not be given what is on the stack of its caller.
// STACK: Function=tail_calls{{.*}}the attribute 'TailCallKind' of a call of 'tail' would become false
func.func private @tail(memref<64xf32>)
func.func @tail_calls(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  call @tail(%c) {TailCallKind = #llvm.tailcallkind<tail>} : (memref<64xf32>) -> ()
  return
}

// -----

// It would have no pool by itself.
// GLOBAL: NotMerged {{.*}}Function=alone {{.*}}Reason="no-gain{{.*}}Storage="the attribute 'llvm.readnone' of 'alone' would become false"
// GLOBAL: NotMerged {{.*}}Function=alone {{.*}}Reason="no-gain{{.*}}Storage="the attribute 'llvm.readnone' of 'alone' would become false"
//  ARENA: NotMerged {{.*}}Function=alone {{.*}}Reason="no-gain{{.*}}Storage="the attribute 'llvm.readnone' of 'alone' would become false"
//  ARENA: NotMerged {{.*}}Function=alone {{.*}}Reason="no-gain{{.*}}Storage="the attribute 'llvm.readnone' of 'alone' would become false"
func.func private @alone(%x: f32) -> f32 attributes {llvm.readnone} {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %r = memref.load %b[%c0] : memref<64xf32>
  return %r : f32
}
func.func @calls_alone(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %y = call @alone(%x) : (f32) -> f32
  %a = memref.alloc() : memref<64xf32>
  linalg.fill ins(%y : f32) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  %r = memref.load %c[%c0] : memref<64xf32>
  return %r : f32
}
