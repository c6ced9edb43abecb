//===- InPlaceOpInterface.td - Operations that work in place -*- tablegen -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_INPLACEOPINTERFACE
#define BUFFER_MERGE_ANALYSIS_INPLACEOPINTERFACE

include "mlir/IR/OpBase.td"

def InPlaceOpInterface : OpInterface<"InPlaceOpInterface"> {
  let description = [{
    An operation that may write a buffer that shares bytes with one that it
    reads. Operations of other dialects get the interface by an external model:

    ```c++
    struct MyModel : buffer_merge::InPlaceOpInterface::ExternalModel<
                         MyModel, my::ReluOp> {
      std::optional<buffer_merge::InPlaceCondition>
      getInPlaceCondition(mlir::Operation *op, mlir::OpOperand &read,
                          mlir::OpOperand &written) const {
        return buffer_merge::InPlaceCondition::SameOffset;
      }
    };
    my::ReluOp::attachInterface<MyModel>(*context);
    ```
  }];
  let cppNamespace = "::buffer_merge";
  let methods = [
    InterfaceMethod<[{
        Return under which condition the buffers of two operands of memref type
        may share bytes, or nothing if they must not. It is asked for a `read`
        buffer that nothing accesses afterwards, and a `written` one that
        nothing has accessed before.

        `SameOffset` promises for operands of contiguous row-major memrefs that
        start at the same byte: every byte is read for the last time before it
        is written, however the operation is lowered, in whatever order and by
        however many threads its parts are executed. `AnyOffset` promises that
        everything is read before anything is written.

        Other operands do not matter: the interface is asked for each pair of
        operands that may refer to the two buffers, and the answer must be yes
        for all of them.
      }],
      "::std::optional<::buffer_merge::InPlaceCondition>",
      "getInPlaceCondition",
      (ins "::mlir::OpOperand &":$read, "::mlir::OpOperand &":$written)>
  ];
}

#endif // BUFFER_MERGE_ANALYSIS_INPLACEOPINTERFACE
