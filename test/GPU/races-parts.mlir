// RUN: buffer-merge-opt %s --check-workgroup-races --split-input-file --verify-diagnostics

// Bytes that are shared in other ways than by two views of one value.

!pool = memref<512xi8, #gpu.address_space<workgroup>>
!wg = memref<64xf32, #gpu.address_space<workgroup>>
!row = memref<64xf32, strided<[1], offset: 32>, #gpu.address_space<workgroup>>
!tile = memref<64x64xf32, #gpu.address_space<workgroup>>
!half = memref<64x32xf32, strided<[64, 1]>, #gpu.address_space<workgroup>>
!right = memref<64x32xf32, strided<[64, 1], offset: 32>, #gpu.address_space<workgroup>>
!middle = memref<64x32xf32, strided<[64, 1], offset: 16>, #gpu.address_space<workgroup>>

gpu.module @kernels {
  // Two subviews of one buffer in which the same index is another element. Each thread
  // may keep to its own elements all the same: legal, but not checked.
  gpu.func @subviews(%x: f32, %i: index)
      workgroup(%p: memref<128xf32, #gpu.address_space<workgroup>>) kernel {
    // expected-note @below {{the bytes of this value}}
    %a = memref.subview %p[0][64][1] : memref<128xf32, #gpu.address_space<workgroup>>
        to memref<64xf32, strided<[1]>, #gpu.address_space<workgroup>>
    // expected-note @below {{and of this one may overlap}}
    %b = memref.subview %p[32][64][1] : memref<128xf32, #gpu.address_space<workgroup>> to !row
    memref.store %x, %a[%i] : memref<64xf32, strided<[1]>, #gpu.address_space<workgroup>>
    // expected-remark @below {{not checked for races in workgroup memory}}
    memref.store %x, %b[%i] : !row
    gpu.return
  }

  // In two dimensions: the halves have no element in common, the middle has some of
  // each.
  gpu.func @boxes(%x: f32, %i: index) workgroup(%p: !tile) kernel {
    // expected-note @below {{the bytes of this value}}
    %a = memref.subview %p[0, 0][64, 32][1, 1] : !tile to !half
    %b = memref.subview %p[0, 32][64, 32][1, 1] : !tile to !right
    // expected-note @below {{and of this one may overlap}}
    %c = memref.subview %p[0, 16][64, 32][1, 1] : !tile to !middle
    memref.store %x, %a[%i, %i] : !half
    memref.store %x, %b[%i, %i] : !right
    gpu.barrier
    memref.store %x, %a[%i, %i] : !half
    // expected-remark @below {{not checked for races in workgroup memory}}
    memref.store %x, %c[%i, %i] : !middle
    gpu.return
  }

  // Equal subviews, a subview and what it is a part of, and places that are not known:
  // what a program does with one of its buffers is its own business.
  gpu.func @one_buffer(%x: f32, %i: index) workgroup(%p: !wg) kernel {
    %a = memref.subview %p[0][32][1] : !wg to memref<32xf32, strided<[1]>, #gpu.address_space<workgroup>>
    %b = memref.subview %p[0][32][1] : !wg to memref<32xf32, strided<[1]>, #gpu.address_space<workgroup>>
    %c = memref.subview %p[%i][4][1] : !wg to memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
    memref.store %x, %a[%i] : memref<32xf32, strided<[1]>, #gpu.address_space<workgroup>>
    memref.store %x, %b[%i] : memref<32xf32, strided<[1]>, #gpu.address_space<workgroup>>
    memref.store %x, %p[%i] : !wg
    memref.store %x, %c[%i] : memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
    gpu.return
  }

  // A view in a view.
  gpu.func @nested(%x: f32, %i: index) workgroup(%p: !pool) kernel {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %inner = memref.view %p[%c256][] : !pool to memref<256xi8, #gpu.address_space<workgroup>>
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %inner[%c0][] : memref<256xi8, #gpu.address_space<workgroup>> to !wg
    %b = memref.view %p[%c0][] : !pool to !wg
    // expected-note @below {{and of this one overlap}}
    %c = memref.view %p[%c256][] : !pool to !wg
    // expected-note @below {{the other access}}
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    // expected-error @below {{no-barrier}}
    memref.store %x, %c[%i] : !wg
    gpu.return
  }
}

// -----

// Stages of a pipeline in dynamic memory: which one is taken is not known, but that all
// of %stages are after %a. A stage of %a may be in the bytes of %whole.
!bytes = memref<?xi8, #gpu.address_space<workgroup>>
!two = memref<2x64xf32, #gpu.address_space<workgroup>>
!four = memref<4x64xf32, #gpu.address_space<workgroup>>
!half = memref<2x64xf32, strided<[64, 1], offset: 128>, #gpu.address_space<workgroup>>
!stage = memref<64xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>
gpu.module @kernels {
  gpu.func @stages(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %p = gpu.dynamic_shared_memory : !bytes
    %a = memref.view %p[%c0][] : !bytes to !two
    // expected-note @below {{the bytes of this value}}
    %whole = memref.view %p[%c0][] : !bytes to !four
    %stages = memref.subview %whole[2, 0][2, 64][1, 1] : !four to !half
    // expected-note @below {{and of this one overlap}}
    %ai = memref.subview %a[%i, 0][1, 64][1, 1] : !two to !stage
    %si = memref.subview %stages[%i, 0][1, 64][1, 1] : !half to !stage
    memref.store %x, %ai[%i] : !stage
    memref.store %x, %si[%i] : !stage
    gpu.barrier
    // expected-note @below {{the other access}}
    memref.store %x, %ai[%i] : !stage
    // expected-error @below {{no-barrier}}
    memref.store %x, %whole[%i, %i] : !four
    gpu.return
  }
}

// -----

// A callee that uses the same global, directly or in what it calls.
!pool = memref<512xi8, #gpu.address_space<workgroup>>
!wg = memref<64xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  memref.global "private" @pool : !pool
  memref.global "private" @own : !wg
  func.func private @write(%x: f32, %i: index) {
    func.call @write_inside(%x, %i) : (f32, index) -> ()
    return
  }
  func.func private @write_inside(%x: f32, %i: index) {
    %c0 = arith.constant 0 : index
    %p = memref.get_global @pool : !pool
    // expected-note @below {{and of this one overlap}}
    %b = memref.view %p[%c0][] : !pool to !wg
    memref.store %x, %b[%i] : !wg
    return
  }
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %p = memref.get_global @pool : !pool
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %p[%c0][] : !pool to !wg
    %other = memref.view %p[%c256][] : !pool to !wg
    memref.store %x, %other[%i] : !wg
    // expected-note @below {{the other access}}
    memref.store %x, %a[%i] : !wg
    // expected-error @below {{no-barrier}}
    func.call @write(%x, %i) : (f32, index) -> ()
    gpu.barrier
    memref.store %x, %other[%i] : !wg
    gpu.return
  }

  // With a barrier.
  gpu.func @barrier(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %p = memref.get_global @pool : !pool
    %a = memref.view %p[%c0][] : !pool to !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier
    func.call @write(%x, %i) : (f32, index) -> ()
    gpu.return
  }

  // One variable that is no pool: its elements are not compared.
  func.func private @write_own(%x: f32, %i: index) {
    // expected-note @below {{and of this one may overlap}}
    %p = memref.get_global @own : !wg
    memref.store %x, %p[%i] : !wg
    return
  }
  gpu.func @one_variable(%x: f32, %i: index) kernel {
    // expected-note @below {{the bytes of this value}}
    %p = memref.get_global @own : !wg
    memref.store %x, %p[%i] : !wg
    // expected-remark @below {{not checked for races in workgroup memory: what 'func.call' means}}
    func.call @write_own(%x, %i) : (f32, index) -> ()
    gpu.return
  }
}

// -----

// A global without a size begins where dynamic memory does, by any name.
!none = memref<0xf32, #gpu.address_space<workgroup>>
!wg = memref<64xf32, #gpu.address_space<workgroup>>
!bytes = memref<?xi8, #gpu.address_space<workgroup>>
gpu.module @kernels {
  memref.global "private" @dynamic : !none
  memref.global "private" @same : !none
  gpu.func @kernel(%x: f32, %i: index) kernel {
    %c256 = arith.constant 256 : index
    %p = memref.get_global @dynamic : !none
    // expected-note @below {{the bytes of this value}}
    %a = memref.reinterpret_cast %p to offset: [0], sizes: [64], strides: [1] : !none to !wg
    %q = memref.get_global @same : !none
    %b = memref.reinterpret_cast %q to offset: [128], sizes: [64], strides: [1]
        : !none to memref<64xf32, strided<[1], offset: 128>, #gpu.address_space<workgroup>>
    %d = gpu.dynamic_shared_memory : !bytes
    %c128 = arith.constant 128 : index
    // expected-note @below {{and of this one overlap}}
    %c = memref.view %d[%c128][] : !bytes to !wg
    // expected-note @below {{the other access}}
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : memref<64xf32, strided<[1], offset: 128>, #gpu.address_space<workgroup>>
    // expected-error @below {{no-barrier}}
    memref.store %x, %c[%i] : !wg
    gpu.return
  }
}
