// RUN: buffer-merge-opt %s --buffer-merge --check-workgroup-races=strict | FileCheck %s --check-prefix=ARGUMENT
// RUN: sed 's/, %%n: index) kernel {/) kernel { %%n = arith.constant 1024 : index/' %s > %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-merge --check-workgroup-races=strict | FileCheck %s --check-prefix=CONSTANT
// RUN: buffer-merge-opt %t.mlir --buffer-merge --canonicalize --cse --check-workgroup-races -o /dev/null

// Flash attention: two stages of keys and values, the next of which are copied while the
// scores of the present ones are computed. The tile of the output takes the bytes of the
// stages if nothing is copied to them any more. The last iteration starts no copies, so
// that is known if there is one; with a length that is an argument there may be none, and
// the copies before the loop are in flight behind it.

!query = memref<64x64xf16, #gpu.address_space<workgroup>>
!stages = memref<2x64x64xf16, #gpu.address_space<workgroup>>
!scores = memref<64x64xf16, #gpu.address_space<workgroup>>
!maxima = memref<64xf32, #gpu.address_space<workgroup>>
!output = memref<64x64xf32, #gpu.address_space<workgroup>>
!in = memref<1024x64xf16>

gpu.module @kernels {
  // Of 65,792 bytes.
  // CONSTANT-LABEL: gpu.func @attention(
  //  CONSTANT-SAME:     workgroup(%{{[a-z0-9]+}} : memref<41216xi8,
  //   CONSTANT-NOT:   memref.alloc
  // ARGUMENT-LABEL: gpu.func @attention(
  //  ARGUMENT-SAME:     workgroup(%{{[a-z0-9]+}} : memref<49152xi8,
  //   ARGUMENT-NOT:   memref.alloc
  gpu.func @attention(%queries: !in, %keys: !in, %values: !in, %out: memref<64x64xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %rows = arith.constant 64 : index
    %least = arith.constant -1.0e+30 : f32
    %none = arith.constant 0.0 : f32
    %row = gpu.thread_id x
    %part = gpu.thread_id y
    %column = arith.muli %part, %c8 : index
    %query = memref.alloc() : !query
    %keyStages = memref.alloc() : !stages
    %valueStages = memref.alloc() : !stages
    %scores = memref.alloc() : !scores
    %maxima = memref.alloc() : !maxima
    %output = memref.alloc() : !output

    // The first stage is copied while the queries are read.
    %firstKeys = nvgpu.device_async_copy %keys[%row, %column], %keyStages[%c0, %row, %column], 8 : !in to !stages
    %firstValues = nvgpu.device_async_copy %values[%row, %column], %valueStages[%c0, %row, %column], 8 : !in to !stages
    %first = nvgpu.device_async_create_group %firstKeys, %firstValues
    %q = vector.load %queries[%row, %column] : !in, vector<8xf16>
    vector.store %q, %query[%row, %column] : !query, vector<8xf16>
    gpu.barrier
    %matrix = nvgpu.ldmatrix %query[%row, %c0] {numTiles = 2 : i32, transpose = false} : !query -> vector<2x2xf16>

    %end:3 = scf.for %begin = %c0 to %n step %rows
        iter_args(%stage = %c0, %sum = %none, %max = %least) -> (index, f32, f32) {
      %other = arith.subi %c1, %stage : index
      %next = arith.addi %begin, %rows : index
      %isMore = arith.cmpi ult, %next, %n : index
      scf.if %isMore {
        %from = arith.addi %next, %row : index
        %nextKeys = nvgpu.device_async_copy %keys[%from, %column], %keyStages[%other, %row, %column], 8 : !in to !stages
        %nextValues = nvgpu.device_async_copy %values[%from, %column], %valueStages[%other, %row, %column], 8 : !in to !stages
      }
      %group = nvgpu.device_async_create_group
      nvgpu.device_async_wait %group {numGroups = 1 : i32}
      gpu.barrier
      %key = nvgpu.ldmatrix %keyStages[%stage, %row, %c0] {numTiles = 2 : i32, transpose = false} : !stages -> vector<2x2xf16>
      %product = arith.mulf %matrix, %key : vector<2x2xf16>
      %score = vector.extract %product[0, 0] : f16 from vector<2x2xf16>
      memref.store %score, %scores[%row, %part] : !scores
      %wide = arith.extf %score : f16 to f32
      %newMax = arith.maximumf %max, %wide : f32
      memref.store %newMax, %maxima[%row] : !maxima
      gpu.barrier
      %weights = nvgpu.ldmatrix %scores[%row, %c0] {numTiles = 2 : i32, transpose = false} : !scores -> vector<2x2xf16>
      %value = nvgpu.ldmatrix %valueStages[%stage, %row, %c0] {numTiles = 2 : i32, transpose = true} : !stages -> vector<2x2xf16>
      %all = memref.load %maxima[%c0] : !maxima
      %weighted = arith.mulf %weights, %value : vector<2x2xf16>
      %one = vector.extract %weighted[1, 1] : f16 from vector<2x2xf16>
      %oneWide = arith.extf %one : f16 to f32
      %scaled = arith.mulf %oneWide, %all : f32
      %newSum = arith.addf %sum, %scaled : f32
      gpu.barrier
      scf.yield %other, %newSum, %newMax : index, f32, f32
    }

    // Rows become columns. Without an iteration, slow threads may still be at the queries.
    gpu.barrier
    memref.store %end#1, %output[%row, %part] : !output
    gpu.barrier
    %transposed = memref.load %output[%part, %row] : !output
    memref.store %transposed, %out[%part, %row] : memref<64x64xf32>
    gpu.return
  }
}
