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

/// An option whose help says what it is by default: `shown`, where that is not
/// how C++ writes it.
class DefaultOption<string name, string flag, string type, string default,
                    string description, string values = "",
                    string shown = default>
    : Option<name, flag, type, default,
             description # " Default: " # shown # ".", values>;

/// An option whose value is one of `values`: the enumerator of `enum`, the name
/// and what it means. `default` is a name.
class EnumOption<string name, string flag, string enum, string default,
                 string description, list<list<string>> values>
    : DefaultOption<name, flag, "::buffer_merge::" # enum,
        "::buffer_merge::" # enum # "::" #
        !foldl("", values, found, value,
               !if(!eq(value[1], default), value[0], found)),
        description,
        "::llvm::cl::values(" #
        !interleave(!foreach(value, values,
                             "clEnumValN(::buffer_merge::" # enum # "::" #
                             value[0] # ", \"" # value[1] # "\", \"" #
                             value[2] # "\")"), ", ") # ")",
        default>;

defvar callsOption =
  EnumOption<"calls", "calls", "CallPolicy", "keep-nothing",
    "What a call may do with a memref that it is given.", [
      ["KeepNothing", "keep-nothing", "access it and return it, but keep it nowhere"],
      ["Escape", "escape", "keep it: such a buffer is not merged"]]>;

// Every pass that looks at kernels takes from it what it needs.
defvar targetOption =
  DefaultOption<"target", "target", "std::string", /*default=*/"\"\"",
         "The memories of the target and what else is known of it "
         "(docs/Targets.md): a JSON file, its text in braces, or one of the "
         "presets ascend-910b, gfx942, sm_80, sm_90 and stm32h743.", "", "none">;

// The options that the two passes share: how lifetimes are computed and scheduled.
defvar schedulingOptions = [
  DefaultOption<"scheduler", "scheduler", "std::string", /*default=*/"\"auto\"",
         "Name of the scheduler that decides the offsets.", "", "auto">,
  DefaultOption<"effort", "effort", "unsigned", /*default=*/"2",
         "How much work the scheduler may do: 0 (one pass) to 9.">,
  ListOption<"alignment", "alignment", "std::string",
             "Least alignment of pools and of the slices of a pool, in bytes: a "
             "power of two; of one memory space as SPACE:BYTES, such as "
             "left:512. Default: 64, or less where the pool is smaller then.">,
  callsOption,
  ListOption<"memorySpaces", "memory-spaces", "std::string",
             "Memory spaces that are merged, by default all that are understood: "
             "'default' or 0, 'workgroup', 'private', a name for a string "
             "attribute, or another attribute such as 1.">,
  ListOption<"capacity", "capacity", "std::string",
             "Most bytes that are held at one time, as SPACE:BYTES for each "
             "memory space that has a limit, such as workgroup:48KiB.">,
  targetOption,
  EnumOption<"reuse", "reuse", "ReusePolicy", "smallest",
    "When buffers share bytes.", [
      ["Smallest", "smallest", "wherever they may: the smallest pool"],
      ["AsNeeded", "as-needed",
       "only where a memory with a limit ('capacity', 'target') is too small for a "
       "write not to wait for a read"]]>,
  EnumOption<"overCapacity", "over-capacity", "OverCapacityPolicy", "error",
    "How a pool that exceeds its capacity is handled.", [
      ["Error", "error", "it is an error, and nothing is changed"],
      ["Warn", "warn", "it is made as small as possible, with a warning"]]>,
  EnumOption<"dynamic", "dynamic", "DynamicPolicy", "runtime",
    "How allocations of dynamic shape are treated.", [
      ["None", "none", "they stay"],
      ["Runtime", "runtime",
       "in one pool of which the size and the offsets are computed when the program "
       "runs"],
      ["Bounded", "bounded",
       "those with an upper bound are merged with the size of the bound, the others as "
       "with 'runtime'"]]>,
  DefaultOption<"inPlace", "in-place", "bool", /*default=*/"true",
         "Let an operation write its result over an operand that is not used "
         "afterwards, where it works in place.">,
  DefaultOption<"eraseCopies", "erase-copies", "bool", /*default=*/"true",
         "Erase copies of a buffer to itself, which in-place makes, and those of "
         "buffers into parts of others that they can be from the beginning; and "
         "replace copies of filled buffers by fills.">,
  DefaultOption<"splitBuffers", "split-buffers", "bool", /*default=*/"true",
         "Merge each value that an allocation holds as a buffer of its own, as "
         "the pass 'split-buffers' divides them.">,
  DefaultOption<"offsets", "offsets", "std::string", /*default=*/"\"\"",
         "File with an offset for every buffer from another solver: a CSV or "
         "JSON file as 'report' writes it. No scheduler is called.", "", "none">,
  ListOption<"report", "report", "std::string",
             "Files to write the memory map to, each in the format of its "
             "extension: .csv, .html, .json, .md or .txt, and .ld for a part of a "
             "linker script; - is text on standard error, and summary one line.">,
  DefaultOption<"emitHeader", "emit-header", "std::string", /*default=*/"\"\"",
         "File to write a header for C and C++ to, with the bytes and the "
         "alignment of arenas and globals; - for standard error.", "", "none">
];

// Where pools are (docs/Pools.md).
defvar storageOptions = [
  EnumOption<"goal", "goal", "Goal", "peak",
    "What comes first, where a plan cannot have all of it.", [
      ["Peak", "peak", "the fewest bytes at the peak of the program"],
      ["Allocations", "allocations", "the fewest allocations"],
      ["Traffic", "traffic", "the fewest bytes copied"]]>,
  DefaultOption<"minGain", "min-gain", "std::string", /*default=*/"\"\"",
         "What a pool must save to be worth having: a number of bytes, or a "
         "percentage of what its buffers take.", "",
         "1%, or 0 with limit-peak=none">,
  DefaultOption<"limitPeak", "limit-peak", "std::string",
         /*default=*/"\"as-given\"",
         "Make no pool that would raise the peak of the program above that of the "
         "program without pools: 'as-given', where what is never freed stays; "
         "'deallocated', where everything is freed after its last use, for "
         "merging before deallocation; 'none' makes one pool for each scope.",
         "", "as-given">,
  DefaultOption<"maxPools", "max-pools", "unsigned", /*default=*/"4",
         "Where one pool would raise the peak of the program, the most pools of a "
         "region in place of it.">,
  EnumOption<"pool", "pool", "PoolStorage", "alloc",
    "The storage of pools.", [
      ["Alloc", "alloc", "memref.alloc"],
      ["Stack", "stack", "memref.alloca, up to the limit of the target"],
      ["Arena", "arena", "an argument of the function"],
      ["Global", "global", "a private memref.global"]]>,
  EnumOption<"left", "left", "LeftPolicy", "keep",
    "What becomes of allocations that are not merged.", [
      ["Keep", "keep", "they stay"],
      ["Error", "error",
       "each is an error with its reason, and so is a pool that cannot have the "
       "storage that 'pool' asks for"]]>,
  DefaultOption<"mergeAttributions", "merge-attributions", "bool",
         /*default=*/"false",
         "Also merge workgroup attributions of gpu.func whose type is in "
         "workgroup memory, if that saves bytes.">
];

// The same for memory that the threads of a workgroup share (docs/GPU.md).
defvar workgroupOptions = [
  EnumOption<"barriers", "barriers", "BarrierPolicy", "existing",
    "Which barriers buffers in workgroup memory may share bytes across.", [
      ["Existing", "existing", "existing barriers"],
      ["InsertOutsideLoops", "insert-outside-loops",
       "new ones as well, outside of loops and if the pool becomes smaller"],
      ["Insert", "insert", "the same, wherever all threads execute them together"]]>,
  EnumOption<"workgroupPool", "workgroup-pool", "PoolStorage", "attribution",
    "The kind of pools in workgroup memory.", [
      ["Attribution", "attribution",
       "a workgroup attribution of their gpu.func, which lowers; elsewhere as alloc"],
      ["Dynamic", "dynamic",
       "dynamic memory of their gpu.func or gpu.launch, for more than the static "
       "limit, with what may not share bytes; sets the size on every launch, which the "
       "module must contain"],
      ["Alloc", "alloc",
       "a memref.alloc at the front of the kernel, for flows with a lowering of their "
       "own"]]>
];

// Everything that decides what becomes of an allocation: what one pass shows, the
// other one does.
defvar planOptions = !listconcat(schedulingOptions, storageOptions,
                                 workgroupOptions);

def BufferLifetimesPass : Pass<"buffer-lifetimes"> {
  let summary = "Show when each allocation is in use and what merging would save";
  let description = [{
    Reports the decisions of `buffer-merge` without changing the IR, as remark
    diagnostics:

    - at every `memref.alloc` its lifetime, a half-open interval of ticks, and its
      size in bytes; or the reason why it cannot be merged;
    - at every alloc scope (the function, or the parallel loop) and memory space the
      sum of its buffers in bytes, the most bytes alive at one tick (the lower
      bound: no pool can be smaller), and the bytes of the pool;
    - at the operation that the pass runs on, for every reason the number and the
      bytes of the allocations that stay.

    A tick is a program point: operations are numbered in the order of execution,
    and an operation with regions has a first and a last tick, before and after
    those of the operations inside.

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
    be merged. With `advise`, remarks and reports also say what would make each pool
    smaller.
  }];
  let options = !listconcat(planOptions, [
    DefaultOption<"advise", "advise", "bool", /*default=*/"false",
           "Try what would make each pool smaller: other options, and the largest "
           "buffers elsewhere, not kept all the time, or half as large. This plans "
           "the program several times.">
  ]);
}

def BufferMergePass : Pass<"buffer-merge"> {
  let summary = "Merge memref.alloc ops into views of one pool";
  let description = [{
    Computes the lifetime of each `memref.alloc`, assigns each a slice of a pool
    such that no two buffers share a byte while both are alive, and replaces it by a
    `memref.view` of the pool. There is one pool for each alloc scope and memory
    space: an `i8` buffer, allocated at the front of the scope.

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

    becomes, because `%a` is no longer in use when `%c` is written,

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
    `memref.alloca_scope`. Allocations in a sequential loop go into the pool of the
    scope around it.

    **Deallocations.** Without them in the input, there are none in the output: the
    pass can run before `ownership-based-buffer-deallocation`, which then owns the
    pool. With them, those of merged buffers are erased, including those that are
    decided at run time (`bufferization.dealloc` and its lowering), and a pool is
    freed once at every exit of its scope. In a function of several blocks without
    deallocations, the pass frees the pool and marks it with
    `bufferization.manual_deallocation`, because
    `ownership-based-buffer-deallocation` does not understand views that live across
    blocks.

    **What stays.** An allocation is left alone if its size is known too late
    (`dynamic`), if its layout is not row-major, if anything may keep its address, or
    if no rule proves that one slot is enough (but see `rotate-carried-buffers`).
    Legal IR never makes the pass fail. The remarks of category `buffer-merge`
    (`--remarks-filter=buffer-merge --remark-format=emitRemark`) and
    `buffer-lifetimes` give the reason for each, and `left=error` makes it an error.
    A pool that would save less than `min-gain` is not made, so a second run of the
    pass changes nothing. There are three
    exceptions, in which the second run may make another pool. Views hide
    information about the allocation: the lists of `dealloc_helper` (stock
    deallocation), and the dimensions of a buffer of dynamic shape
    (but for `dynamic=none`). And buffers that stay because of the peak may share
    another pool.

    **The peak.** A merged program never needs more bytes at its peak than the
    program that was given, in which an allocation without deallocations stays.
    Where one pool at the front of the scope would, the pass makes a smaller one,
    holds it from its first use on, or puts it into the branch that needs it
    (docs/Pools.md). What cannot be in an arena or in a global without that is
    allocated, unless `left=error` forbids it. Whoever merges before deallocations
    are inserted, which then free the pools, says `limit-peak=deallocated`: the
    peak is compared with that of the program in which everything is freed after its
    last use. `limit-peak=none` makes one pool for each scope regardless.

    **In place.** Two buffers that one operation uses share bytes, unless
    `in-place=false` forbids it, if the operation is the last access of one of them,
    which it reads, and the first access of the other, which it writes, and works in
    place: element-wise `linalg` operations on operands with the same indexing map,
    copies, operations that implement `InPlaceOpInterface`, and calls of functions
    whose bodies show that the two may be one memory. If both have one type, they
    become one view, and a copy from one to the other is erased. In the example
    above, with `linalg.exp` instead of the calls, the pool has 256 bytes.
    `affine-loop-fusion`, which takes any two memrefs for different memories, must
    run before this pass.

    **Dynamic shapes.** Buffers of a block whose sizes can be computed in front of
    the first of them are in one pool with those of static size; its size and the
    offsets are computed there, and the peak rises for no sizes.

    With `dynamic=bounded`, an allocation whose sizes have
    constant upper bounds (by `ValueBoundsOpInterface`) is merged with the size of
    the bounds, unless it may be smaller by more than 64 KiB, or what the target says
    (`dynamic`):

    ```mlir
    %n = affine.min affine_map<(i)[m] -> (64, m - i)>(%i)[%m]
    %a = memref.view %pool[%c0][%n] : memref<1024xi8> to memref<?x4xf32>
    ```

    **Capacity.** With `capacity=default:65536`, holding more than 65,536 bytes in
    the default memory space at one time is an error, and nothing is changed: by one
    pool, or by pools and allocations that stay in nested scopes and callees. A
    parallel body counts for each of its iterations, up to the `threads` of the target.
    The error gives the scopes, the needed bytes, the capacity, for one pool the lower
    bound (if it is above the capacity, no scheduler can help) and the buffers alive at
    the peak, and what would help. With `over-capacity=warn` it is a warning, and the
    smallest pool that the scheduler finds is made.

    **Pool storage.** With `pool=stack` a pool of up to 16 KiB, or what the target says
    (`stack`), is a `memref.alloca`, if the stack is released at the end of the scope; `pool=global`
    makes it a private, uninitialized `memref.global`, unless executions of the
    function may overlap; with `pool=arena` the caller passes it. With both, the
    pools of callees are parts of those of their callers, in bytes that are idle
    during the call:

    ```mlir
    func.func @f(%in: memref<64xf32>, %out: memref<64xf32>,
                 %arena: memref<?xi8> {buffer_merge.arena})
        attributes {buffer_merge.arena = {alignment = 64 : i64, bytes = 512 : i64}} {
      // Asserts that the arena has 512 bytes and is aligned to 64.
      %c0 = arith.constant 0 : index
      %a = memref.view %arena[%c0][] : memref<?xi8> to memref<64xf32>
      ...
    }
    func.func @f_arena_size() -> index {
      %c512 = arith.constant 512 : index
      return %c512 : index
    }
    ```

    The arena is the argument with the attribute `buffer_merge.arena`. If there is
    none, one is appended, and all callers in the module pass parts of their own
    arenas. With `arena` and `global` the pass must run on the top-level module. The
    pass never frees these pools, and makes them even if they save no bytes. If the
    storage is not possible for a pool, the pool is a `memref.alloc`, and a remark
    gives the reason; with `left=error` that is an error. docs/Pools.md has the rules.

    **Function boundaries.** A callee may access a memref that is passed to it and
    may return it, but neither keeps nor frees it: the convention of MLIR's
    deallocation passes. `calls=escape` drops this assumption.

    **GPU kernels.** Threads of a workgroup run ahead of each other, so disjoint
    lifetimes are not enough: two buffers in `#gpu.address_space<workgroup>` share
    bytes only if every path between their accesses passes a barrier that all
    threads execute. The scope of the pool is the kernel, whatever loops lie in
    between. The pool is a workgroup attribution of the `gpu.func`, aligned by
    `llvm.align`. MLIR has no lowering of `memref.alloc` in workgroup memory, so
    even one buffer becomes such a pool.

    The pass runs on any operation: on a module for all functions inside, or on
    functions one by one.

    **Bisecting.** Each merge is an action with the tag `buffer-merge`:
    `-mlir-debug-counter=buffer-merge-skip=N,buffer-merge-count=M` skips N merges
    and executes the next M. Skipped buffers keep their allocations and
    deallocations. `scheduler=bump` merges without reuse.

    **Reports.** `report=map.txt` writes a map of every pool: the offset and
    lifetime of each buffer, the buffers at the peak, and the allocations that stay,
    with reasons. The file is replaced as a whole before the IR is changed; if it
    cannot be written, there is an error and the IR is unchanged. A report describes
    a whole module, so with this option the pass must run on the top-level
    operation.

    **Offsets of another solver.** `offsets=q.csv` takes the offsets from a file
    instead of a scheduler: a file that `report=p.csv` has written, with other
    numbers in the column `offset`. It must have exactly one row for every buffer of
    every pool; sizes and lifetimes, if present, must agree with the program. The
    offsets are verified against the program before they are used. Any mismatch is
    one error, and the IR is unchanged. The ids are unique in a module, so the pass
    must run on the top-level operation.
  }];
  let options = planOptions;
  let statistics = [
    Statistic<"numMerged", "num-merged",
              "Number of allocations replaced by views of a pool">,
    Statistic<"numLeft", "num-left", "Number of allocations left alone">,
    Statistic<"numSplit", "num-split",
              "Number of allocations merged as several values">,
    Statistic<"numCopiesErased", "num-copies-erased",
              "Number of copies of a buffer to itself that were erased">,
    Statistic<"numRefilled", "num-refilled",
              "Number of copies of filled buffers replaced by fills">,
    Statistic<"numPools", "num-pools", "Number of pools">,
    Statistic<"numBarriers", "num-barriers",
              "Number of barriers inserted into kernels">,
    Statistic<"bytesMerged", "bytes-merged",
              "Bytes of the allocations that pools replace">,
    Statistic<"bytesPools", "bytes-pools", "Bytes of the pools">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect"
  ];
}

def SplitBuffersPass : Pass<"split-buffers"> {
  let summary = "Give each value that an allocation holds one of its own";
  let description = [{
    Bufferization writes several values into one allocation, one after the other.
    This pass replaces such an allocation by one for each value. `buffer-merge` and
    `buffer-lifetimes` do the same by themselves, and take it back where it saves
    nothing; this pass is for other passes that look at allocations.

    ```mlir
    %a = memref.alloc() : memref<64xf32>
    linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
    linalg.sqrt ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.sqrt ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
    ```

    becomes

    ```mlir
    %a = memref.alloc() : memref<64xf32>
    %a_0 = memref.alloc() : memref<64xf32>
    linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
    linalg.exp ins(%a : memref<64xf32>) outs(%out : memref<64xf32>)
    linalg.sqrt ins(%in : memref<64xf32>) outs(%a_0 : memref<64xf32>)
    linalg.sqrt ins(%a_0 : memref<64xf32>) outs(%out : memref<64xf32>)
    ```

    A value begins where an operation writes all elements without reading any of
    them: `linalg` operations whose payload does not use the output, `memref.copy`,
    `vector.transfer_write` of the whole, stores to a memref of one element, and
    nests of loops with static bounds around a store. Writes and reads that may
    reach each other belong to one value, through branches, loops and blocks.
    Accesses through a value that is not a view of the allocation (block arguments,
    results of branches, selections and calls) belong to one value as well.

    The new allocations follow the old one; views and deallocations are cloned.
    Allocations in device code, in workgroup memory, of dynamic shape, or with a
    use that is not understood stay as they are.
  }];
  let options = [callsOption, targetOption];
  let statistics = [
    Statistic<"numSplit", "num-split", "Number of allocations that were split">,
    Statistic<"numParts", "num-parts",
              "Number of allocations that they became">
  ];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def UnshareEmptyTensorsPass : Pass<"unshare-empty-tensors"> {
  let summary = "Give operations a tensor.empty of their own";
  let description = [{
    After CSE, operations that have nothing to do with each other compute their
    results into one `tensor.empty`, and bufferization makes one allocation of it,
    which holds their results in turn.

    ```mlir
    %e = tensor.empty() : tensor<64xf32>
    %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %1 = linalg.abs ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %2 = linalg.exp ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    ```

    becomes

    ```mlir
    %e = tensor.empty() : tensor<64xf32>
    %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %1 = linalg.abs ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %f = tensor.empty() : tensor<64xf32>
    %2 = linalg.exp ins(%y : tensor<64xf32>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
    ```

    Operations of a block of which one alone reads what the other one computes go on
    sharing theirs: bufferization lets them work in place of each other.
    `buffer-merge` splits what bufferization shares, so that its pools do not need
    this. Passes that look at allocations, such as `emplace-buffers`, may.
  }];
  let statistics = [
    Statistic<"numMade", "num-made",
              "Number of tensor.empty in place of shared ones">
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def PropagateCopiesPass : Pass<"propagate-copies"> {
  let summary = "Let operations read the source of a transposed or converted copy";
  let description = [{
    A buffer that only holds a transposed, broadcast or converted copy of another one
    is not needed if its readers can do that themselves. In decoders, the weights are
    such sources, and these buffers are most of the memory. Operations of `linalg`
    take any indexing map:

    ```mlir
    %t = memref.alloc() : memref<64x32xf32>
    linalg.transpose ins(%w : memref<32x64xf32>) outs(%t : memref<64x32xf32>) permutation = [1, 0]
    linalg.matmul ins(%x, %t : ...) outs(%y : memref<4x32xf32>)
    ```

    becomes

    ```mlir
    linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
                                   affine_map<(m, n, k) -> (n, k)>,
                                   affine_map<(m, n, k) -> (m, n)>]
        ins(%x, %w : ...) outs(%y : memref<4x32xf32>)
    ```

    The copy is made by one operation that writes all of the buffer: `linalg.transpose`,
    `linalg.broadcast`, `linalg.copy`, `memref.copy`, or another one of `linalg` with one
    input whose body only converts the element, by operations of `arith` such as
    `arith.extf`. These are cheap, and are repeated by each reader. Results are the same
    to the last bit: nothing is computed in another order or with another type.

    **Where.** All readers are operations of `linalg` on the buffer itself, after the copy
    and in its block, or in regions of operations there. Until the last one is done, nothing
    writes the source: an allocation, an argument, or a global. What is in between must have
    known effects: a call, or a barrier, leaves the buffer alone unless the source is a constant.
    Two arguments may be the same memory, unless the function is private and its
    calls show that they are not, or one of them has `llvm.noalias`,
    `buffer_merge.output` or `buffer_merge.donated`. Source and copy have the same
    memory space, and nothing is in device code, where copies are made on purpose.

    **Names.** `linalg.matmul`, `linalg.batch_matmul`, `linalg.batch_reduce_matmul`,
    `linalg.contract` and `linalg.elementwise` have indexing maps and keep their name, also
    with an input of another type if they convert it in the same way. So do
    `linalg.transpose`, `linalg.broadcast` and `linalg.copy` if they can move the
    elements of the source. Any other operation becomes a `linalg.contract`, if it is a
    contraction, or a `linalg.generic`, which passes that look for names no longer find: only if otherwise at least `min-gain` more
    bytes would be alive at once in the alloc scope, or with `generalize`. The remark
    `Generalized` says which name was lost. The same gain is needed if a reader is in a loop
    that the copy is not in, because the source is then read, and converted, in each iteration:
    data is packed for that reason.

    A buffer is left alone if more bytes would be alive at once, because the source is one
    that has to be alive for longer. Run this pass after bufferization, before `emplace-buffers`
    and `buffer-merge`, and before deallocations are inserted.
  }];
  let options = [
    callsOption,
    targetOption,
    DefaultOption<"minGain", "min-gain", "std::string", /*default=*/"\"1%\"",
           "Bytes (such as 4KiB) or percent of the bytes alive at once (such as 1%) "
           "that must be saved where an operation loses its name or a loop repeats "
           "what the copy does once.", "", "1%">,
    Option<"generalize", "generalize", "bool", /*default=*/"false",
           "Do so whatever it saves.">
  ];
  let statistics = [
    Statistic<"numBuffers", "num-buffers", "Number of buffers that were removed">,
    Statistic<"bytesNotMoved", "bytes-not-moved",
              "Bytes of one execution of each of these allocations">,
    Statistic<"numGeneralized", "num-generalized",
              "Number of operations that became a linalg.contract or linalg.generic">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def ReorderForPeakPass : Pass<"reorder-for-peak"> {
  let summary = "Order operations such that fewer bytes are alive at once";
  let description = [{
    In which order a block executes its operations decides how many buffers are
    alive at once. In a training step, and wherever a program converts what it has
    computed, the conversions may all come last:

    ```mlir
    linalg.matmul ins(%x, %w : ...) outs(%a : memref<64x64xf32>)
    linalg.matmul ins(%y, %w : ...) outs(%b : memref<64x64xf32>)
    linalg.map { arith.truncf } ins(%a : memref<64x64xf32>) outs(%out0 : memref<64x64xbf16>)
    linalg.map { arith.truncf } ins(%b : memref<64x64xf32>) outs(%out1 : memref<64x64xbf16>)
    ```

    becomes

    ```mlir
    linalg.matmul ins(%x, %w : ...) outs(%a : memref<64x64xf32>)
    linalg.map { arith.truncf } ins(%a : memref<64x64xf32>) outs(%out0 : memref<64x64xbf16>)
    linalg.matmul ins(%y, %w : ...) outs(%b : memref<64x64xf32>)
    linalg.map { arith.truncf } ins(%b : memref<64x64xf32>) outs(%out1 : memref<64x64xbf16>)
    ```

    Each operation computes what it did, from the same operands and in the same way:
    results are the same to the last bit.

    **What moves.** Operations move within their block, with all that is inside of them.
    An operation stays behind what computes its operands and behind every earlier
    operation that accesses the same memory, if one of the two writes or frees it.
    Allocations, views and arithmetic come directly before what needs them, and a
    `memref.dealloc` directly behind the last use. Nothing crosses an operation
    of which not all effects are known, or which may do something else than
    access memrefs: a call, an atomic access, an assertion, what may not end, what waits
    or is waited for, what tells an address; nor what accesses memory of
    unknown size or origin (docs/Rules.md, T1 to T5). Code of GPUs stays as it is.

    **What it is for.** The new order is kept only if the peak of the program falls, as
    `buffer-merge` plans it by default: with deallocations as they are, or where there
    are none, as if everything were freed after its last use (and if it never is, the
    peak is not higher). Otherwise nothing changes.
    Up to 62 operations between two that nothing crosses are ordered
    by an exact search, as far as `steps` go; more by list
    scheduling, and what is around the peak by that search.

    Run this pass after bufferization and after the passes that remove buffers,
    before deallocations are inserted and before `buffer-merge`.
  }];
  let options = [
    callsOption,
    targetOption,
    DefaultOption<"steps", "steps", "int64_t", /*default=*/"200000",
           "How many partial orders the searches may look at, all together.">
  ];
  let statistics = [
    Statistic<"numMoved", "num-moved", "Number of operations that moved">,
    Statistic<"bytesSaved", "bytes-saved",
              "Bytes by which the peak of the program is lower">
  ];
}

def EmplaceBuffersPass : Pass<"emplace-buffers"> {
  let summary = "Compute buffers inside of those that they are copied into";
  let description = [{
    `buffer-merge` does this by itself where the parts have constant offsets and nothing
    else has to change. This pass does more, and does it where buffers are not merged.

    A concatenation, and many an insertion, computes a buffer only to copy it into a
    part of another one. If the part is contiguous, the buffer can be that part from
    the beginning: nothing is copied, and the bytes are not held twice.

    ```mlir
    %a = memref.alloc() : memref<64xf32>
    linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
    %c = memref.alloc() : memref<128xf32>
    %part = memref.subview %c[64] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 64>>
    memref.copy %a, %part : memref<64xf32> to memref<64xf32, strided<[1], offset: 64>>
    ```

    becomes

    ```mlir
    %bytes = memref.alloc() {alignment = 4 : i64} : memref<512xi8>
    %c = memref.view %bytes[%c0][] : memref<512xi8> to memref<128xf32>
    %a = memref.view %bytes[%c256][] : memref<512xi8> to memref<64xf32>
    linalg.exp ins(%in : memref<64xf32>) outs(%a : memref<64xf32>)
    ```

    This needs both allocations to be mergeable, of static shape, and never freed,
    and all of their aliases to be views; neither may be in device code or in workgroup
    memory, and the part has to be as aligned as the buffer. The inner allocation and the copy are in
    one block; the outer allocation may be outside of sequential loops around it.
    From the first access to the inner buffer to the copy, nothing else may access
    the part, except for an operation that fills the outer buffer (`linalg.fill`, or any
    `linalg` without inputs) and can be moved in front of all this, as a padded buffer is
    filled. As long as the inner buffer is
    read after the copy, nothing may write either of them.

    The outer buffer is alive from the first inner one on. A buffer is left alone
    if more bytes would be alive at once in its alloc scope than before. Run this
    pass before `buffer-merge`, after passes that look for allocations of certain
    types, and before deallocations are inserted.

    With `strided`, the part may be a `memref.subview` that is not contiguous, as in a
    concatenation of columns. The buffer then is a subview, too:

    ```mlir
    %a = memref.subview %c[0, 2] [4, 2] [1, 1] : memref<4x4xf32> to memref<4x2xf32, strided<[4, 1], offset: 2>>
    linalg.exp ins(%in : memref<4x2xf32>) outs(%a : memref<4x2xf32, strided<[4, 1], offset: 2>>)
    ```

    Every use of such a buffer and of its subviews must take any layout: operations of
    `linalg`, loads and stores of elements, `memref.copy`, `memref.dim`, transfers of
    vectors. Computing with rows that are not contiguous may take longer than it takes to
    copy them: measure it.
  }];
  let options = [
    callsOption,
    targetOption,
    Option<"limitPeak", "limit-peak", "bool", /*default=*/"true",
           "Leave a buffer alone if more bytes would be alive at once.">,
    Option<"strided", "strided", "bool", /*default=*/"false",
           "Compute buffers inside of parts that are not contiguous, too.">
  ];
  let statistics = [
    Statistic<"numEmplaced", "num-emplaced", "Number of copies that were removed">,
    Statistic<"bytesNotCopied", "bytes-not-copied",
              "Bytes of one execution of each of these copies">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def RotateCarriedBuffersPass : Pass<"rotate-carried-buffers"> {
  let summary = "Replace allocations that loops carry by slots used in turn";
  let description = [{
    `buffer-merge` leaves a buffer alone that a loop allocates in each iteration and
    carries to the next one: two instances are alive at once, and one slot would be
    wrong. This pass proves how many instances are alive at once, allocates as many
    slots before the loop, and uses them in turn; the loop carries the number of the
    current slot. This is multi-buffering (double buffering with two slots) for
    values that the loop carries. No data is copied. The slots are ordinary buffers,
    which `buffer-merge` then merges.

    ```mlir
    func.func @f(%first: memref<64xf32>, %lb: index, %ub: index, %step: index) {
      %last = scf.for %i = %lb to %ub step %step iter_args(%old = %first) -> memref<64xf32> {
        %new = memref.alloc() : memref<64xf32>
        func.call @g(%old, %new) : (memref<64xf32>, memref<64xf32>) -> ()
        scf.yield %new : memref<64xf32>
      }
      call @h(%last) : (memref<64xf32>) -> ()
      return
    }
    ```

    becomes, after folding,

    ```mlir
    func.func @f(%first: memref<64xf32>, %lb: index, %ub: index, %step: index) {
      %slot0 = memref.alloc() : memref<64xf32>
      %slot1 = memref.alloc() : memref<64xf32>
      %last:2 = scf.for %i = %lb to %ub step %step iter_args(%old = %first, %k = %c0) -> (memref<64xf32>, index) {
        %odd = arith.cmpi eq, %k, %c1 : index
        %new = arith.select %odd, %slot1, %slot0 : memref<64xf32>
        func.call @g(%old, %new) : (memref<64xf32>, memref<64xf32>) -> ()
        %next = arith.addi %k, %c1 : index
        %then = arith.select %odd, %c0, %next : index
        scf.yield %new, %then : memref<64xf32>, index
      }
      call @h(%last#0) : (memref<64xf32>) -> ()
      return
    }
    ```

    **How many.** The analysis (`CarriedInstances`) follows an instance through the
    values that forward it: `iter_args`, swaps, branches, views and results of
    loops. If an instance is still accessed after k later iterations have allocated
    theirs, k + 1 slots are needed: two for the loop above.

    **Loops** are `scf.for`, `scf.while` and `affine.for`, and nests of them that
    all carry the buffer. A buffer that a loop carries, but that is no longer
    accessed when the next one is allocated, gets one slot. Slots are allocated in
    front of the loop that carries the buffer. If other loops are around it,
    `buffer-merge` hoists the slots together with the pool; `slots=scope` hoists
    them as well, but then they are alive in all of the outermost loop. Slots that
    nothing frees are not hoisted out of branches, where they would leak if these are
    not taken. A loop that runs no iteration does not use its slots.

    **Workgroup memory.** A slot is used again when all threads are done with it:
    a barrier in the body of the loop must come between. If there is one, but not
    between the two uses, there is one slot more.

    **What stays.** A buffer stays if a loop may keep it for any number of
    iterations (for example by an `arith.select` between the old and the new one),
    or for more iterations than `max-slots` allows; if it is returned, stored, or
    escapes in another way; if it may be accessed asynchronously; if a cycle of
    blocks carries it instead of a structured loop; or if `buffer-merge` would leave
    it alone because of its type, memory space or position. The remarks `NotRotated`
    of category `buffer-merge` give the reason for each.

    **Deallocations.** Without them in the input there are none in the output. With
    them, those of instances are erased, and the slots are freed once, at every exit
    of the region that they are allocated in. If the same deallocation also frees a
    buffer from before the loop, that buffer is allocated and freed with the slots,
    if its other uses allow it; if a deallocation may free anything else, all of its
    buffers stay. The output of `buffer-deallocation-pipeline` is understood unless
    it compares addresses, so it is better to run this pass before.
  }];
  let options = [
    DefaultOption<"maxSlots", "max-slots", "int64_t", /*default=*/"8",
           "Most slots for one allocation, 1 to 64: an allocation that needs more "
           "is left alone.">,
    EnumOption<"slots", "slots", "SlotPlace", "loop",
      "Where slots are allocated.", [
        ["Loop", "loop",
         "in front of the loop that carries the buffer, where they are merged best"],
        ["Scope", "scope", "in front of all loops around it"]]>,
    callsOption
  ];
  let statistics = [
    Statistic<"numRotated", "num-rotated",
              "Number of carried allocations replaced by slots">,
    Statistic<"numLeft", "num-left",
              "Number of carried allocations left alone">,
    Statistic<"numSlots", "num-slots", "Number of slots">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def HoistParallelPoolsPass : Pass<"hoist-parallel-pools"> {
  let summary = "Give each iteration of a parallel loop a slot in front of it";
  let description = [{
    `buffer-merge` makes a pool of the buffers of a parallel body in the body: each
    execution allocates its own. This pass merges them as well, and lets the pools of
    all iterations be slots of one allocation in front of the loop. The slots are then
    an ordinary buffer of what is around the loop, which `buffer-merge` merges: it
    takes bytes that are idle during the loop, and is on the stack, in an arena or in
    a global, where the pool of a parallel body cannot be.

    ```mlir
    scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
      %a = memref.alloc() : memref<64xf32>
      func.call @f(%a) : (memref<64xf32>) -> ()
      %b = memref.alloc() : memref<64xf32>
      func.call @f(%b) : (memref<64xf32>) -> ()
    }
    ```

    becomes

    ```mlir
    %slots = memref.alloc() {alignment = 64 : i64} : memref<1024xi8>
    scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
      %offset = arith.muli %i, %c256 : index
      %slot = memref.view %slots[%offset][] : memref<1024xi8> to memref<256xi8>
      %a = memref.view %slot[%c0][] : memref<256xi8> to memref<64xf32>
      func.call @f(%a) : (memref<64xf32>) -> ()
      %b = memref.view %slot[%c0][] : memref<256xi8> to memref<64xf32>
      func.call @f(%b) : (memref<64xf32>) -> ()
    }
    ```

    **Cost.** There are as many slots as iterations, and not as threads: that is right
    for any number of threads, and takes more memory than a pool in the body where
    there are fewer. The pass is for loops over threads or large tiles; `max-slots` is
    the most iterations of a loop that it changes.

    **Loops** are `scf.parallel`, `scf.forall` and `affine.parallel` with constant
    bounds and steps. Of nested ones the inner loops come first: their slots are
    buffers of the outer bodies.

    **What stays** in the body is what `buffer-merge` leaves alone; the buffers of
    device code, of loops that are mapped to a device, and in memory that is shared by
    the threads of a workgroup or private to each; those of other bodies, such as
    `omp.parallel`, whose executions have no number; and those of a body with a region of
    several blocks in a function that frees nothing. The remarks `NoSlots` of category
    `buffer-merge` give the reason.

    **Deallocations.** Without them in the input there are none in the output. With
    them, those of merged buffers are erased, and the slots are freed behind the loop.
  }];
  let options = [
    DefaultOption<"maxSlots", "max-slots", "int64_t", /*default=*/"64",
           "Most iterations of a loop: the buffers of one with more stay.">,
    DefaultOption<"alignment", "alignment", "int64_t", /*default=*/"64",
           "Least alignment of buffers and slots in bytes, a power of two.">,
    DefaultOption<"scheduler", "scheduler", "std::string", /*default=*/"\"auto\"",
           "Name of the scheduler that decides the offsets in a slot.", "", "auto">,
    callsOption,
    targetOption
  ];
  let statistics = [
    Statistic<"numHoisted", "num-hoisted",
              "Number of allocations that are in slots">,
    Statistic<"numLeft", "num-left",
              "Number of mergeable allocations of parallel bodies left alone">,
    Statistic<"numSlots", "num-slots", "Number of slots">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"
  ];
}

def CheckWorkgroupRacesPass : Pass<"check-workgroup-races"> {
  let summary = "Look for races between views of one pool in workgroup memory";
  let description = [{
    Proves, without changing the IR, that GPU kernels are free of the races that
    merging of buffers in workgroup memory can introduce: accesses to two
    overlapping views of one pool, at least one of them a write, with a path between
    them without a barrier that all threads execute. Each race is an error at the
    second access, with the first access and the two views. Operations that are not
    modeled get a remark "not checked", or an error with `strict`: for example an
    overlapping view that is turned into a descriptor, or a race that an `mbarrier`
    may prevent.

    Pools are workgroup attributions, dynamic memory (`gpu.dynamic_shared_memory`
    and globals without a size), allocations and globals in workgroup memory, made
    by this project or another one, including globals that a callee accesses.
    Accesses through the same view are not compared with each other: only sharing is
    checked. Subviews of one buffer are "not checked" if their positions are known
    and they overlap without being equal. Run the pass before `cse` and
    `canonicalize`, which merge equal views into one.

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
  let options = [
    callsOption, targetOption,
    DefaultOption<"strict", "strict", "bool", /*default=*/"false",
           "Make accesses that cannot be checked an error.">
  ];
}

def WorkgroupBytesPass : Pass<"workgroup-bytes", "::mlir::ModuleOp"> {
  let summary = "Print the workgroup memory of a kernel for sizes of tiles";
  let description = [{
    Prints how many bytes of workgroup memory a kernel takes after `buffer-merge`, static
    and dynamic memory together, for each of many configurations, before anything is
    compiled. The kernel has the sizes of its tiles, the number of stages and the like as
    arguments:

    ```mlir
    gpu.func @gemm(%A: memref<?x?xf16>, ..., %m: index, %n: index, %stages: index) kernel {
      %a = memref.alloc(%stages, %m) : memref<?x?x32xf16, #gpu.address_space<workgroup>>
    ```

    `sizes` names a table with a column for each of these arguments, `argN`, and a row for
    each configuration:

    ```
    arg3,arg4,arg5
    128,64,2
    128,128,3
    ```

    The table is printed to standard output with a column `bytes` more; it is empty, with a
    warning, where the size of an allocation is not known from these arguments. Bytes are exact: each
    configuration is planned as if its values were written in place of the arguments, and
    the function were canonicalized. The IR does not change. The options mean what they
    mean for `buffer-merge`, but a capacity may be exceeded.
  }];
  let options = !listconcat(planOptions, [
    Option<"function", "function", "std::string", /*default=*/"\"\"",
           "The kernel, or the function that launches it: MODULE::FUNCTION for one in a "
           "module.">,
    Option<"sizes", "sizes", "std::string", /*default=*/"\"\"",
           "File with the table of configurations.">
  ]);
}

def PlaceGlobalsPass : Pass<"place-globals", "::mlir::ModuleOp"> {
  let summary = "Put the globals of pools into their sections";
  let description = [{
    No attribute of `memref.global` says which section of the object file it is in.
    Where the target of `buffer-merge` says so (`globals`), the pass with `pool=global`
    leaves it in the attribute `buffer_merge.globals` of the module. This pass, which runs after
    `finalize-memref-to-llvm`, carries it over:

    ```mlir
    module attributes {buffer_merge.globals = {f_pool = {
        alignment = 64 : i64, bytes = 512 : i64, section = ".sram"}}} {
      llvm.mlir.global private @f_pool() {alignment = 64 : i64} : !llvm.array<512 x i8>
    }
    ```

    becomes

    ```mlir
      llvm.mlir.global private @f_pool() {alignment = 64 : i64, section = ".sram"}
          : !llvm.array<512 x i8>
    ```

    It is an error if such a global is not there, or not yet an `llvm.mlir.global`.
  }];
}

#endif // BUFFER_MERGE_TRANSFORMS_PASSES
