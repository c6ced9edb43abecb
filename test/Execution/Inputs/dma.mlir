  memref.global "private" @source : memref<1xindex> = dense<0>
  memref.global "private" @received : memref<4xi32> = dense<0>
  func.func private @start_dma(%m: memref<4xi32>) {
    %c0 = arith.constant 0 : index
    %source = memref.get_global @source : memref<1xindex>
    %address = memref.extract_aligned_pointer_as_index %m : memref<4xi32> -> index
    memref.store %address, %source[%c0] : memref<1xindex>
    return
  }
  func.func private @wait_dma() {
    %c0 = arith.constant 0 : index
    %source = memref.get_global @source : memref<1xindex>
    %received = memref.get_global @received : memref<4xi32>
    %address = memref.load %source[%c0] : memref<1xindex>
    %integer = arith.index_cast %address : index to i64
    %pointer = llvm.inttoptr %integer : i64 to !llvm.ptr
    %value = llvm.load %pointer : !llvm.ptr -> i32
    linalg.fill ins(%value : i32) outs(%received : memref<4xi32>)
    %cast = memref.cast %received : memref<4xi32> to memref<*xi32>
    call @printMemrefI32(%cast) : (memref<*xi32>) -> ()
    return
  }
