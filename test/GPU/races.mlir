// RUN: buffer-merge-opt %s --check-workgroup-races --split-input-file --verify-diagnostics

// The checker on kernels that were merged, rightly or wrongly, by somebody.

!pool = memref<512xi8, #gpu.address_space<workgroup>>
!wg = memref<64xf32, #gpu.address_space<workgroup>>

gpu.module @kernels {
  gpu.func @missing_barrier(%x: f32, %i: index) workgroup(%pool: !pool) kernel {
    %c0 = arith.constant 0 : index
    %c192 = arith.constant 192 : index
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %pool[%c0][] : !pool to !wg
    // expected-note @below {{and of this one overlap}}
    %b = memref.view %pool[%c192][] : !pool to !wg
    // expected-note @below {{the other access}}
    memref.store %x, %a[%i] : !wg
    // expected-error @below {{race in workgroup memory: no-barrier, there is a path without a barrier}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  gpu.func @disjoint(%x: f32, %i: index) workgroup(%pool: !pool) kernel {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %a = memref.view %pool[%c0][] : !pool to !wg
    %b = memref.view %pool[%c256][] : !pool to !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  gpu.func @back_edge(%x: f32, %i: index, %n: index) workgroup(%pool: !pool) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %pool[%c0][] : !pool to !wg
    // expected-note @below {{and of this one overlap}}
    %b = memref.view %pool[%c0][] : !pool to !wg
    scf.for %k = %i to %n step %n {
      // expected-error @below {{race in workgroup memory: back-edge}}
      memref.store %x, %a[%i] : !wg
      gpu.barrier
      // expected-note @below {{the other access}}
      memref.store %x, %b[%i] : !wg
    }
    gpu.return
  }

  // Two pools, and one view: what a program does with one of its buffers is its own
  // business.
  gpu.func @other_pool(%x: f32, %i: index) workgroup(%p: !pool, %q: !pool) kernel {
    %c0 = arith.constant 0 : index
    %a = memref.view %p[%c0][] : !pool to !wg
    %b = memref.view %q[%c0][] : !pool to !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    %v = memref.load %a[%i] : !wg
    memref.store %v, %b[%i] : !wg
    gpu.return
  }

  // All dynamic memory of a kernel is one, and an offset that is not known may be
  // any.
  gpu.func @dynamic(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %p = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %q = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %p[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !wg
    // expected-note @below {{and of this one may overlap}}
    %b = memref.view %q[%i][] : memref<?xi8, #gpu.address_space<workgroup>> to !wg
    memref.store %x, %a[%i] : !wg
    // expected-remark @below {{not checked for races in workgroup memory: what 'memref.store' means for them is not known}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }

  // The pool without a view.
  // expected-note @below {{and of this one overlap}}
  gpu.func @whole(%x: i8, %y: f32, %i: index) workgroup(%pool: !pool) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %pool[%c0][] : !pool to !wg
    // expected-note @below {{the other access}}
    memref.store %y, %a[%i] : !wg
    // expected-error @below {{no-barrier}}
    memref.store %x, %pool[%i] : !pool
    gpu.return
  }
}

// -----

!pool = memref<512xi8, #gpu.address_space<workgroup>>
!wg = memref<64xf32, #gpu.address_space<workgroup>>

// A global without bytes is dynamic memory as well. Views of it whose bytes are known
// do not overlap.
gpu.module @dynamic_globals {
  memref.global @dynamic : memref<0xi8, #gpu.address_space<workgroup>>
  gpu.func @separate(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %g = memref.get_global @dynamic : memref<0xi8, #gpu.address_space<workgroup>>
    %p = memref.reinterpret_cast %g to offset: [0], sizes: [512], strides: [1]
        : memref<0xi8, #gpu.address_space<workgroup>> to !pool
    %a = memref.view %p[%c0][] : !pool to !wg
    %b = memref.view %p[%c256][] : !pool to !wg
    memref.store %x, %a[%i] : !wg
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
  gpu.func @shared(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %g = memref.get_global @dynamic : memref<0xi8, #gpu.address_space<workgroup>>
    %p = memref.reinterpret_cast %g to offset: [0], sizes: [512], strides: [1]
        : memref<0xi8, #gpu.address_space<workgroup>> to !pool
    %q = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %p[%c0][] : !pool to !wg
    // expected-note @below {{and of this one overlap}}
    %b = memref.view %q[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !wg
    // expected-note @below {{the other access}}
    memref.store %x, %a[%i] : !wg
    // expected-error @below {{no-barrier}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}

// -----

!pool = memref<512xi8, #gpu.address_space<workgroup>>
!wg = memref<64xf32, #gpu.address_space<workgroup>>

// Globals are pools, too.
memref.global "private" @shared : !pool
gpu.module @kernels {
  memref.global "private" @shared : memref<512xi8, #gpu.address_space<workgroup>>
  gpu.func @global(%x: f32, %i: index) kernel {
    %c0 = arith.constant 0 : index
    %p = memref.get_global @shared : !pool
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %p[%c0][] : !pool to !wg
    // expected-note @below {{the other access}}
    memref.store %x, %a[%i] : !wg
    %q = memref.get_global @shared : !pool
    // expected-note @below {{and of this one overlap}}
    %b = memref.view %q[%c0][] : !pool to !wg
    // expected-error @below {{no-barrier}}
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}

// -----

!pool = memref<512xi8, #gpu.address_space<workgroup>>
!wg = memref<64xf32, #gpu.address_space<workgroup>>

// What is not understood where bytes are shared.
gpu.module @kernels {
  // expected-remark @below {{not checked for races in workgroup memory}}
  gpu.func @blocks(%x: f32, %i: index) workgroup(%pool: !pool) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %pool[%c0][] : !pool to !wg
    // expected-note @below {{and of this one may overlap}}
    %b = memref.view %pool[%c0][] : !pool to !wg
    memref.store %x, %a[%i] : !wg
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    cf.br ^bb1
  ^bb1:
    gpu.return
  }

  gpu.func @address(%x: f32, %i: index, %out: memref<?xindex>) workgroup(%pool: !pool) kernel {
    %c0 = arith.constant 0 : index
    // expected-note @below {{the bytes of this value}}
    %a = memref.view %pool[%c0][] : !pool to !wg
    // expected-note @below {{and of this one may overlap}}
    %b = memref.view %pool[%c0][] : !pool to !wg
    // expected-remark @below {{not checked for races in workgroup memory}}
    %p = memref.extract_aligned_pointer_as_index %a : !wg -> index
    memref.store %p, %out[%i] : memref<?xindex>
    gpu.barrier
    memref.store %x, %b[%i] : !wg
    gpu.return
  }
}
