//===- RegionExecutionOpInterface.td - How regions run -----*- tablegen -*-===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_ANALYSIS_REGIONEXECUTIONOPINTERFACE
#define BUFFER_MERGE_ANALYSIS_REGIONEXECUTIONOPINTERFACE

include "mlir/IR/OpBase.td"

def RegionExecutionOpInterface : OpInterface<"RegionExecutionOpInterface"> {
  let description = [{
    An operation that says how its regions run where the interfaces of MLIR
    cannot. Operations of other dialects get the interface by an external model:

    ```c++
    struct MyModel : buffer_merge::RegionExecutionOpInterface::ExternalModel<
                         MyModel, my::ParallelLoopOp> {
      buffer_merge::RegionExecution getRegionExecution(mlir::Operation *) const {
        return buffer_merge::RegionExecution::Parallel;
      }
    };
    my::ParallelLoopOp::attachInterface<MyModel>(*context);
    ```

    Each execution of a region owns a pool if the operation has the trait
    `AutomaticAllocationScope` and is no sequential loop.
  }];
  let cppNamespace = "::buffer_merge";
  let methods = [
    InterfaceMethod<[{
        Return how the regions of the operation run. It is asked by several
        threads.
      }],
      "::buffer_merge::RegionExecution", "getRegionExecution", (ins)>
  ];
}

#endif // BUFFER_MERGE_ANALYSIS_REGIONEXECUTIONOPINTERFACE
