//===- MyDialect.td - A dialect with the interfaces --------*- tablegen -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MY_DIALECT
#define MY_DIALECT

include "buffer-merge/Analysis/InPlaceOpInterface.td"
include "buffer-merge/Analysis/RegionExecutionOpInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def My_Dialect : Dialect {
  let name = "my";
  let cppNamespace = "::my";
}

def My_ReluOp : Op<My_Dialect, "relu",
    [DeclareOpInterfaceMethods<InPlaceOpInterface>]> {
  let summary = "The larger of each element and zero";
  let arguments = (ins
    Arg<MemRefOf<[F32]>, "", [MemRead]>:$in,
    Arg<MemRefOf<[F32]>, "", [MemWrite]>:$out);
  let assemblyFormat = "$in `,` $out attr-dict `:` type($in) `,` type($out)";
}

def My_DoneOp : Op<My_Dialect, "done", [Pure, Terminator]> {
  let summary = "Ends the body of my.tiles";
  let assemblyFormat = "attr-dict";
}

def My_TilesOp : Op<My_Dialect, "tiles",
    [AutomaticAllocationScope, RecursiveMemoryEffects,
     SingleBlockImplicitTerminator<"DoneOp">,
     DeclareOpInterfaceMethods<RegionExecutionOpInterface>]> {
  let summary = "Executes its body once for each tile, in any order";
  let arguments = (ins I64Attr:$count);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$count $body attr-dict";
}

#endif // MY_DIALECT
