# MLIR's headers are most of what there is to compile. One target precompiles those
# that many sources include; use_precompiled_headers(TARGET...) shares them. A source
# still includes what it uses: `-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON` builds without.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/PrecompiledHeaders.cpp CONTENT "")
add_library(BufferMergePrecompiledHeaders OBJECT
  ${CMAKE_BINARY_DIR}/PrecompiledHeaders.cpp)
llvm_update_compile_flags(BufferMergePrecompiledHeaders)
target_precompile_headers(BufferMergePrecompiledHeaders PRIVATE
  <mlir/Dialect/Affine/IR/AffineOps.h>
  <mlir/Dialect/Arith/IR/Arith.h>
  <mlir/Dialect/Bufferization/IR/Bufferization.h>
  <mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h>
  <mlir/Dialect/ControlFlow/IR/ControlFlowOps.h>
  <mlir/Dialect/Func/IR/FuncOps.h>
  <mlir/Dialect/GPU/IR/GPUDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h>
  <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/NVGPU/IR/NVGPUDialect.h>
  <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/BuiltinOps.h>
  <mlir/IR/PatternMatch.h>
  <mlir/Interfaces/DataLayoutInterfaces.h>
  <mlir/Interfaces/FunctionInterfaces.h>
  <mlir/Pass/PassManager.h>
)

function(use_precompiled_headers)
  foreach(target ${ARGN})
    target_precompile_headers(${target} REUSE_FROM BufferMergePrecompiledHeaders)
  endforeach()
endfunction()
