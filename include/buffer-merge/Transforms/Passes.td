//===- Pass definitions --------------------------------------------------===//
//
// Part of the buffer-merge project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BUFFER_MERGE_TRANSFORMS_PASSES
#define BUFFER_MERGE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

defvar callsOption =
  Option<"calls", "calls", "::buffer_merge::CallPolicy",
         /*default=*/"::buffer_merge::CallPolicy::KeepNothing",
         "What a call may do with a memref that it is given.",
         [{::llvm::cl::values(
           clEnumValN(::buffer_merge::CallPolicy::KeepNothing, "keep-nothing",
                      "access it and return it, but keep it nowhere"),
           clEnumValN(::buffer_merge::CallPolicy::Escape, "escape",
                      "keep it: such a buffer is not merged")
         )}]>;

// What the two passes have in common: how lifetimes are found and scheduled.
defvar schedulingOptions = [
  Option<"scheduler", "scheduler", "std::string", /*default=*/"\"auto\"",
         "Name of the scheduler that decides the offsets.">,
  Option<"effort", "effort", "unsigned", /*default=*/"2",
         "How much work the scheduler may do: 0 (one pass) to 9.">,
  Option<"alignment", "alignment", "int64_t", /*default=*/"64",
         "Least alignment of pools and of the slices of a pool, in bytes: a "
         "power of two.">,
  callsOption,
  ListOption<"memorySpaces", "memory-spaces", "std::string",
             "Memory spaces that are merged, by default all that are understood: "
             "'default', a name for a string attribute, or another attribute "
             "such as 1 or #gpu.address_space<private>.">,
  ListOption<"capacity", "capacity", "std::string",
             "Most bytes that a pool may take, as SPACE:BYTES for each memory "
             "space that has a limit.">,
  Option<"offsets", "offsets", "std::string", /*default=*/"\"\"",
         "File with an offset for every buffer, which another solver has "
         "decided: a CSV file as 'report' writes it. No scheduler is asked.">,
  Option<"report", "report", "std::string", /*default=*/"\"\"",
         "File to write the memory map to, in the format that its extension "
         "says: .csv, .html, .json or .txt; or - for text on standard error.">
];

// The same for memory that the threads of a workgroup share (docs/GPU.md).
defvar workgroupOptions = [
  Option<"barriers", "barriers", "::buffer_merge::BarrierPolicy",
         /*default=*/"::buffer_merge::BarrierPolicy::Existing",
         "Which barriers buffers in workgroup memory may share bytes across.",
         [{::llvm::cl::values(
           clEnumValN(::buffer_merge::BarrierPolicy::Existing, "existing",
                      "those that are there"),
           clEnumValN(::buffer_merge::BarrierPolicy::InsertOutsideLoops,
                      "insert-outside-loops",
                      "new ones as well, outside of loops and where the pool "
                      "becomes smaller"),
           clEnumValN(::buffer_merge::BarrierPolicy::Insert, "insert",
                      "the same, wherever all threads execute them together")
         )}]>,
  Option<"workgroupPool", "workgroup-pool", "::buffer_merge::PoolKind",
         /*default=*/"::buffer_merge::PoolKind::Attribution",
         "What becomes of buffers in workgroup memory.",
         [{::llvm::cl::values(
           clEnumValN(::buffer_merge::PoolKind::Attribution, "attribution",
                      "a workgroup attribution of their gpu.func, which lowers; "
                      "elsewhere as alloc"),
           clEnumValN(::buffer_merge::PoolKind::Dynamic, "dynamic",
                      "gpu.dynamic_shared_memory of their gpu.func or "
                      "gpu.launch, for more than the static limit; sets the "
                      "size on every launch, which the module must contain"),
           clEnumValN(::buffer_merge::PoolKind::Alloc, "alloc",
                      "a memref.alloc at the front of the kernel, for flows "
                      "with a lowering of their own")
         )}]>,
  Option<"workgroupAlignment", "workgroup-alignment", "int64_t",
         /*default=*/"16",
         "Least alignment of pools in workgroup memory and of their slices, in "
         "bytes: a power of two. 16 is what the widest accesses of one thread "
         "need; 128 leaves the bank pattern of every buffer as it was.">
];

// What the analysis of kernels takes for granted.
defvar kernelOptions = [
  ListOption<"workgroupSpaces", "workgroup-spaces", "std::string",
             "Memory spaces that are workgroup memory besides "
             "#gpu.address_space<workgroup>, such as 3, written as for "
             "'memory-spaces'.">,
  ListOption<"barrierOps", "barrier-ops", "std::string",
             "Names of operations that are barriers of the workgroup and its "
             "memory besides gpu.barrier, nvvm.barrier0, nvvm.barrier without "
             "operands, rocdl.barrier and amdgpu.lds_barrier.">,
  Option<"assumeForallSync", "assume-forall-sync", "bool", /*default=*/"true",
         "All threads are done at the end of an scf.forall that is mapped to "
         "threads, as transform.gpu.map_nested_forall_to_threads makes it.">
];

def BufferLifetimesPass : Pass<"buffer-lifetimes"> {
  let summary = "Show when each allocation is in use and what merging would save";
  let description = [{
    Reports, without changing the IR, what `buffer-merge` would find. As remark
    diagnostics:

    - at every `memref.alloc` its lifetime, a half-open interval of ticks, and its
      size in bytes; or the reason why it cannot be merged;
    - at every alloc scope (the function, or the parallel loop) and memory space
      the bytes that all its buffers take, the most bytes alive at one tick (the
      lower bound: no pool can be smaller), and the bytes of the pool;
    - at the operation that the pass runs on, for every reason the number of
      allocations and of bytes that it leaves alone.

    Operations are numbered in the order of execution; one with regions has a first
    and a last tick, around those of what is inside.

    ```mlir
    // remark: pool: 2 buffers of 32 bytes, 16 alive at tick 3, ...
    func.func @f(%x: f32, %i: index) -> f32 {
      // remark: lifetime [2, 4), 16 bytes
      %a = memref.alloc() : memref<4xf32>
      // remark: lifetime [4, 6), 16 bytes
      %b = memref.alloc() : memref<4xf32>
      memref.store %x, %a[%i] : memref<4xf32>
      %y = memref.load %a[%i] : memref<4xf32>
      memref.store %y, %b[%i] : memref<4xf32>
      %z = memref.load %b[%i] : memref<4xf32>
      return %z : f32
    }
    ```

    The options mean what they mean for `buffer-merge`; `report` shows what would
    be merged.
  }];
  let options = !listconcat(schedulingOptions, workgroupOptions, kernelOptions);
}

def BufferMergePass : Pass<"buffer-merge"> {
  let summary = "Merge memref.alloc ops into views of one pool";
  let description = [{
    Computes when each `memref.alloc` is really in use, gives each a place in a
    pool such that no two that are in use at the same time share a byte, and
    replaces it by a `memref.view` of the pool. There is one pool for each alloc
    scope and memory space: an `i8` buffer, allocated at the front of the scope.

    ```mlir
    func.func @f(%in: memref<64xf32>, %out: memref<64xf32>) {
      %a = memref.alloc() : memref<64xf32>
      memref.copy %in, %a : memref<64xf32> to memref<64xf32>
      %b = memref.alloc() : memref<64xf32>
      call @g(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
      %c = memref.alloc() : memref<64xf32>
      call @g(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
      memref.copy %c, %out : memref<64xf32> to memref<64xf32>
      return
    }
    ```

    becomes, as `%a` is no longer in use when `%c` is written,

    ```mlir
    func.func @f(%in: memref<64xf32>, %out: memref<64xf32>) {
      %pool = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
      %c0 = arith.constant 0 : index
      %a = memref.view %pool[%c0][] : memref<512xi8> to memref<64xf32>
      memref.copy %in, %a : memref<64xf32> to memref<64xf32>
      %c256 = arith.constant 256 : index
      %b = memref.view %pool[%c256][] : memref<512xi8> to memref<64xf32>
      call @g(%a, %b) : (memref<64xf32>, memref<64xf32>) -> ()
      %c0_0 = arith.constant 0 : index
      %c = memref.view %pool[%c0_0][] : memref<512xi8> to memref<64xf32>
      call @g(%b, %c) : (memref<64xf32>, memref<64xf32>) -> ()
      memref.copy %c, %out : memref<64xf32> to memref<64xf32>
      return
    }
    ```

    **Alloc scopes** are function bodies and the bodies of `scf.forall`,
    `scf.parallel`, `affine.parallel`, `gpu.launch`, `async.execute` and
    `memref.alloca_scope`. What a sequential loop allocates goes into the pool of
    the scope around it.

    **Deallocations.** Without them in the input, there are none in the output: the
    pass can run before `ownership-based-buffer-deallocation`, which then owns the
    pool. With them, those of merged buffers vanish, and a pool is freed once at
    every exit of its scope.

    **What stays.** An allocation whose size is not static, whose layout is not
    row-major, whose address may be kept by anything, or for which no rule proves
    that one slot is enough, is left as it is; legal IR never makes the pass fail.
    The remarks of category `buffer-merge` (`--remarks-filter=buffer-merge
    --remark-format=emitRemark`) and `buffer-lifetimes` give the reason for each.
    A pool that would save nothing is not made, so that running the pass twice is
    the same as running it once.

    **Capacity.** With `capacity=default:65536`, buffers of one alloc scope in the
    default memory space that need more than 65,536 bytes are an error, and nothing
    is changed. It names the scope, the bytes needed, those there are, the lower
    bound (if that is above the capacity, no scheduler can help), and the buffers
    alive at the peak.

    **Function boundaries.** A callee may access a memref that it is given and may
    return it, but neither keeps nor frees it, as MLIR's deallocation passes ask of
    functions; `calls=escape` drops this assumption.

    **GPU kernels.** Threads of a workgroup run ahead of each other, so that two
    buffers in `#gpu.address_space<workgroup>` share bytes only if, besides, a
    barrier that all threads execute lies between the accesses of one and those of
    the other, on every path. The pool is that of the kernel, whatever loops lie
    between: a workgroup attribution of its `gpu.func`, aligned by `llvm.align`. As
    MLIR has no lowering of `memref.alloc` in workgroup memory, even one buffer
    becomes such a pool.

    The pass runs on any operation: on a module for all functions inside, or on
    functions one by one.

    **Reports.** `report=map.txt` writes a map of every pool: where each buffer
    lies, when, what the peak is made of, and what stays and why. The file is
    replaced as a whole before the IR is changed; if it cannot be written, that is
    an error and the IR stays as it is. A report is on all of a module, so that
    with this option the pass must run on the top-level operation.

    **Offsets of another solver.** `offsets=q.csv` takes the offsets from a file
    instead of a scheduler: that which `report=p.csv` has written, with other
    numbers in the column `offset`. It must have a row for every buffer of every
    pool, and no other; sizes and lifetimes, if it has them, must be those of the
    program. The offsets are verified against the program before they are used.
    Whatever is wrong is one error, and the IR stays as it is. As the ids are those
    of all of a module, the pass must run on the top-level operation.
  }];
  let options = !listconcat(schedulingOptions, workgroupOptions, kernelOptions, [
    Option<"mergeAttributions", "merge-attributions", "bool",
           /*default=*/"false",
           "Merge workgroup attributions of gpu.func as well, if that saves "
           "bytes.">
  ]);
  let statistics = [
    Statistic<"numMerged", "num-merged",
              "Number of allocations replaced by views of a pool">,
    Statistic<"numLeft", "num-left", "Number of allocations left alone">,
    Statistic<"numPools", "num-pools", "Number of pools">,
    Statistic<"numBarriers", "num-barriers",
              "Number of barriers inserted into kernels">,
    Statistic<"bytesMerged", "bytes-merged",
              "Bytes of the allocations that pools replace">,
    Statistic<"bytesPools", "bytes-pools", "Bytes of the pools">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def CheckWorkgroupRacesPass : Pass<"check-workgroup-races"> {
  let summary = "Look for races between views of one pool in workgroup memory";
  let description = [{
    Proves, without changing the IR, that GPU kernels are free of the races that
    merging of buffers in workgroup memory can introduce: two views of one pool
    with bytes in common, one of them written, and a path on which no barrier that
    all threads execute lies between the accesses. Each is an error at the second
    access, with the first access and the two views. What cannot be followed, such
    as an overlapping view that is turned into a descriptor, is an error as well.

    Pools are workgroup attributions, `gpu.dynamic_shared_memory`, allocations and
    globals in workgroup memory, whoever has made them. Accesses through one and
    the same view are not compared with each other: only sharing is checked. Run
    the pass before `cse` and `canonicalize`, which make equal views one.

    ```mlir
    gpu.func @f(%x: f32, %i: index)
        workgroup(%pool: memref<256xi8, #gpu.address_space<workgroup>>) kernel {
      %c0 = arith.constant 0 : index
      %a = memref.view %pool[%c0][] : ... to memref<64xf32, ...>
      %b = memref.view %pool[%c0][] : ... to memref<64xf32, ...>
      memref.store %x, %a[%i] : ...   // note: the other access
      memref.store %x, %b[%i] : ...   // error: race in workgroup memory: no-barrier
      gpu.return
    }
    ```

    The options mean what they mean for `buffer-merge`.
  }];
  let options = !listconcat([callsOption], kernelOptions);
}

#endif // BUFFER_MERGE_TRANSFORMS_PASSES
