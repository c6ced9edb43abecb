// RUN: buffer-merge-opt %s --buffer-lifetimes=dynamic=none --verify-diagnostics=only-expected -o /dev/null

// Element types: bytes as the lowering to LLVM allocates them, with odd numbers
// of elements. Types that have no size in the data layout are left alone.

func.func @integers(%i: index) {
  // expected-remark @below {{lifetime [1, 2), 7 bytes}}
  %i1 = memref.alloc() : memref<7xi1>
  %0 = memref.load %i1[%i] : memref<7xi1>
  // expected-remark @below {{lifetime [3, 4), 7 bytes}}
  %i4 = memref.alloc() : memref<7xi4>
  %1 = memref.load %i4[%i] : memref<7xi4>
  // expected-remark @below {{lifetime [5, 6), 7 bytes}}
  %i8 = memref.alloc() : memref<7xi8>
  %2 = memref.load %i8[%i] : memref<7xi8>
  // expected-remark @below {{lifetime [7, 8), 14 bytes}}
  %i12 = memref.alloc() : memref<7xi12>
  %3 = memref.load %i12[%i] : memref<7xi12>
  // expected-remark @below {{lifetime [9, 10), 28 bytes}}
  %i24 = memref.alloc() : memref<7xi24>
  %4 = memref.load %i24[%i] : memref<7xi24>
  // expected-remark @below {{lifetime [11, 12), 28 bytes}}
  %i32 = memref.alloc() : memref<7xi32>
  %5 = memref.load %i32[%i] : memref<7xi32>
  // expected-remark @below {{lifetime [13, 14), 56 bytes}}
  %i48 = memref.alloc() : memref<7xi48>
  %6 = memref.load %i48[%i] : memref<7xi48>
  // expected-remark @below {{lifetime [15, 16), 56 bytes}}
  %i64 = memref.alloc() : memref<7xi64>
  %7 = memref.load %i64[%i] : memref<7xi64>
  // 9 bytes, at a distance of 16.
  // expected-remark @below {{lifetime [17, 18), 112 bytes}}
  %i72 = memref.alloc() : memref<7xi72>
  %8 = memref.load %i72[%i] : memref<7xi72>
  // expected-remark @below {{lifetime [19, 20), 112 bytes}}
  %i128 = memref.alloc() : memref<7xi128>
  %9 = memref.load %i128[%i] : memref<7xi128>
  // expected-remark @below {{lifetime [21, 22), 56 bytes}}
  %index = memref.alloc() : memref<7xindex>
  %10 = memref.load %index[%i] : memref<7xindex>
  // expected-remark @below {{lifetime [23, 24), 14 bytes}}
  %ui16 = memref.alloc() : memref<7xui16>
  %11 = memref.load %ui16[%i] : memref<7xui16>
  // expected-remark @below {{not mergeable: element-type,}}
  %i0 = memref.alloc() : memref<7xi0>
  %12 = memref.load %i0[%i] : memref<7xi0>
  return
}

func.func @floats(%i: index) {
  // expected-remark @below {{lifetime [1, 2), 7 bytes}}
  %f4 = memref.alloc() : memref<7xf4E2M1FN>
  %0 = memref.load %f4[%i] : memref<7xf4E2M1FN>
  // expected-remark @below {{lifetime [3, 4), 7 bytes}}
  %f8 = memref.alloc() : memref<7xf8E4M3FN>
  %1 = memref.load %f8[%i] : memref<7xf8E4M3FN>
  // expected-remark @below {{lifetime [5, 6), 14 bytes}}
  %bf16 = memref.alloc() : memref<7xbf16>
  %2 = memref.load %bf16[%i] : memref<7xbf16>
  // expected-remark @below {{lifetime [7, 8), 14 bytes}}
  %f16 = memref.alloc() : memref<7xf16>
  %3 = memref.load %f16[%i] : memref<7xf16>
  // expected-remark @below {{lifetime [9, 10), 28 bytes}}
  %f32 = memref.alloc() : memref<7xf32>
  %4 = memref.load %f32[%i] : memref<7xf32>
  // expected-remark @below {{lifetime [11, 12), 56 bytes}}
  %f64 = memref.alloc() : memref<7xf64>
  %5 = memref.load %f64[%i] : memref<7xf64>
  // 10 bytes, at a distance of 16.
  // expected-remark @below {{lifetime [13, 14), 112 bytes}}
  %f80 = memref.alloc() : memref<7xf80>
  %6 = memref.load %f80[%i] : memref<7xf80>
  // expected-remark @below {{lifetime [15, 16), 112 bytes}}
  %f128 = memref.alloc() : memref<7xf128>
  %7 = memref.load %f128[%i] : memref<7xf128>
  return
}

func.func @aggregates(%i: index, %p: !ptr.ptr<#ptr.generic_space>) {
  // expected-remark @below {{lifetime [1, 2), 56 bytes}}
  %complex = memref.alloc() : memref<7xcomplex<f32>>
  %0 = memref.load %complex[%i] : memref<7xcomplex<f32>>
  // expected-remark @below {{lifetime [3, 4), 112 bytes}}
  %complex64 = memref.alloc() : memref<7xcomplex<f64>>
  %1 = memref.load %complex64[%i] : memref<7xcomplex<f64>>
  // 12 bytes, at a distance of 16.
  // expected-remark @below {{lifetime [5, 6), 112 bytes}}
  %v3 = memref.alloc() : memref<7xvector<3xf32>>
  %2 = memref.load %v3[%i] : memref<7xvector<3xf32>>
  // expected-remark @below {{lifetime [7, 8), 56 bytes}}
  %v2 = memref.alloc() : memref<7xvector<2xf32>>
  %3 = memref.load %v2[%i] : memref<7xvector<2xf32>>
  // expected-remark @below {{not mergeable: element-type,}}
  %scalable = memref.alloc() : memref<7xvector<[4]xf32>>
  %4 = memref.load %scalable[%i] : memref<7xvector<[4]xf32>>
  // expected-remark @below {{not mergeable: element-type,}}
  %memref = memref.alloc() : memref<7xmemref<4xf32>>
  %5 = memref.load %memref[%i] : memref<7xmemref<4xf32>>
  // expected-remark @below {{not mergeable: element-type,}}
  %unranked = memref.alloc() : memref<7xmemref<*xf32>>
  %6 = memref.load %unranked[%i] : memref<7xmemref<*xf32>>
  // expected-remark @below {{lifetime [15, 16), 56 bytes}}
  %pointer = memref.alloc() : memref<7x!ptr.ptr<#ptr.generic_space>>
  memref.store %p, %pointer[%i] : memref<7x!ptr.ptr<#ptr.generic_space>>
  return
}

// A vector of several dimensions is an array of one-dimensional vectors in LLVM,
// each of which is padded by itself. At least:
func.func @vectors(%i: index) {
  // 3 times 10 bytes padded to 16.
  // expected-remark-re @below {{lifetime [1, 2), {{(48|64)}} bytes}}
  %a = memref.alloc() : memref<1xvector<3x1xf80>>
  %0 = memref.load %a[%i] : memref<1xvector<3x1xf80>>
  // 3 times 20 bytes padded to 32.
  // expected-remark-re @below {{lifetime [3, 4), {{(96|128)}} bytes}}
  %b = memref.alloc() : memref<1xvector<3x2xf80>>
  %1 = memref.load %b[%i] : memref<1xvector<3x2xf80>>
  // 9 times 9 bytes padded to 16.
  // expected-remark-re @below {{lifetime [5, 6), {{(144|256)}} bytes}}
  %c = memref.alloc() : memref<1xvector<3x3x3xi24>>
  %2 = memref.load %c[%i] : memref<1xvector<3x3x3xi24>>
  return
}

// A vector without a dimension has one element.
func.func @rank_0_vectors(%i: index) {
  // expected-remark @below {{lifetime [1, 2), 28 bytes}}
  %f32 = memref.alloc() : memref<7xvector<f32>>
  %0 = memref.load %f32[%i] : memref<7xvector<f32>>
  // 10 bytes, at a distance of 16.
  // expected-remark @below {{lifetime [3, 4), 112 bytes}}
  %f80 = memref.alloc() : memref<7xvector<f80>>
  %1 = memref.load %f80[%i] : memref<7xvector<f80>>
  // expected-remark @below {{lifetime [5, 6), 56 bytes}}
  %index = memref.alloc() : memref<7xvector<index>>
  %2 = memref.load %index[%i] : memref<7xvector<index>>
  return
}

// Nothing that has no bytes has a size, and nothing that has more than a pool.
func.func @no_size(%i: index) {
  // expected-remark @below {{not mergeable: element-type,}}
  %complex = memref.alloc() : memref<7xcomplex<i0>>
  %0 = memref.load %complex[%i] : memref<7xcomplex<i0>>
  // expected-remark @below {{not mergeable: element-type,}}
  %vector = memref.alloc() : memref<7xvector<3xi0>>
  %1 = memref.load %vector[%i] : memref<7xvector<3xi0>>
  // expected-remark @below {{not mergeable: element-type,}}
  %rank_0 = memref.alloc() : memref<7xvector<i0>>
  %2 = memref.load %rank_0[%i] : memref<7xvector<i0>>
  // Sizes that fit 64 bits only modulo 2^64.
  // expected-remark @below {{not mergeable: element-type,}}
  %huge = memref.alloc() : memref<1xvector<4611686018427387904xi24>>
  %3 = memref.load %huge[%i] : memref<1xvector<4611686018427387904xi24>>
  // expected-remark @below {{not mergeable: element-type,}}
  %rows = memref.alloc() : memref<1xvector<4294967296x4294967297xi8>>
  %4 = memref.load %rows[%i] : memref<1xvector<4294967296x4294967297xi8>>
  return
}

// Shapes.
func.func @shapes(%n: index, %i: index) {
  // expected-remark @below {{lifetime [1, 2), 4 bytes}}
  %scalar = memref.alloc() : memref<f32>
  %0 = memref.load %scalar[] : memref<f32>
  // expected-remark @below {{lifetime [3, 4), 420 bytes}}
  %ranked = memref.alloc() : memref<3x5x7xf32>
  %1 = memref.load %ranked[%i, %i, %i] : memref<3x5x7xf32>
  // expected-remark @below {{not mergeable: dynamic-shape,}}
  %dynamic = memref.alloc(%n) : memref<3x?xf32>
  %2 = memref.load %dynamic[%i, %i] : memref<3x?xf32>
  // expected-remark @below {{not mergeable: zero-size,}}
  %zero = memref.alloc() : memref<3x0xf32>
  %3 = memref.load %zero[%i, %i] : memref<3x0xf32>
  // A dimension of 0 makes the others irrelevant.
  // expected-remark @below {{not mergeable: zero-size,}}
  %huge_zero = memref.alloc() : memref<9223372036854775807x9223372036854775807x0xf32>
  %4 = memref.load %huge_zero[%i, %i, %i] : memref<9223372036854775807x9223372036854775807x0xf32>
  // expected-remark @below {{not mergeable: size-overflow,}}
  %huge = memref.alloc() : memref<4294967296x4294967296xf32>
  %5 = memref.load %huge[%i, %i] : memref<4294967296x4294967296xf32>
  // expected-remark @below {{not mergeable: size-overflow,}}
  %largest = memref.alloc() : memref<9223372036854775807xi8>
  %6 = memref.load %largest[%i] : memref<9223372036854775807xi8>
  // Each dimension fits, and so does their product, in elements.
  // expected-remark @below {{not mergeable: size-overflow,}}
  %bytes = memref.alloc() : memref<2305843009213693952xf64>
  %7 = memref.load %bytes[%i] : memref<2305843009213693952xf64>
  return
}

// Layouts. One that amounts to the identity counts as it.
func.func @layouts(%i: index) {
  // expected-remark @below {{lifetime [1, 2), 140 bytes}}
  %strided = memref.alloc() : memref<5x7xf32, strided<[7, 1]>>
  %0 = memref.load %strided[%i, %i] : memref<5x7xf32, strided<[7, 1]>>
  // expected-remark @below {{lifetime [3, 4), 140 bytes}}
  %map = memref.alloc() : memref<5x7xf32, affine_map<(d0, d1) -> (d0 * 7 + d1)>>
  %1 = memref.load %map[%i, %i] : memref<5x7xf32, affine_map<(d0, d1) -> (d0 * 7 + d1)>>
  // expected-remark @below {{lifetime [5, 6), 140 bytes}}
  %identity = memref.alloc() : memref<5x7xf32, affine_map<(d0, d1) -> (d0, d1)>>
  %2 = memref.load %identity[%i, %i] : memref<5x7xf32, affine_map<(d0, d1) -> (d0, d1)>>
  // expected-remark @below {{not mergeable: layout,}}
  %padded = memref.alloc() : memref<5x7xf32, strided<[8, 1]>>
  %3 = memref.load %padded[%i, %i] : memref<5x7xf32, strided<[8, 1]>>
  // expected-remark @below {{not mergeable: layout,}}
  %shifted = memref.alloc() : memref<5x7xf32, strided<[7, 1], offset: 1>>
  %4 = memref.load %shifted[%i, %i] : memref<5x7xf32, strided<[7, 1], offset: 1>>
  // expected-remark @below {{not mergeable: layout,}}
  %transposed = memref.alloc() : memref<5x7xf32, affine_map<(d0, d1) -> (d1, d0)>>
  %5 = memref.load %transposed[%i, %i] : memref<5x7xf32, affine_map<(d0, d1) -> (d1, d0)>>
  // expected-remark @below {{not mergeable: layout,}}
  %symbolic = memref.alloc()[%i] : memref<5x7xf32, affine_map<(d0, d1)[s0] -> (d0 * 7 + d1 + s0)>>
  %6 = memref.load %symbolic[%i, %i] : memref<5x7xf32, affine_map<(d0, d1)[s0] -> (d0 * 7 + d1 + s0)>>
  // expected-remark @below {{not mergeable: layout,}}
  %tiled = memref.alloc() : memref<6xf32, affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>>
  %7 = memref.load %tiled[%i] : memref<6xf32, affine_map<(d0) -> (d0 floordiv 2, d0 mod 2)>>
  return
}

// The data layout of the module decides.
module attributes {dlti.dl_spec = #dlti.dl_spec<index = 32 : i32, f80 = dense<32> : vector<2xi64>>} {
  func.func @data_layout(%i: index) {
    // expected-remark @below {{lifetime [1, 2), 28 bytes}}
    %index = memref.alloc() : memref<7xindex>
    %0 = memref.load %index[%i] : memref<7xindex>
    // expected-remark @below {{lifetime [3, 4), 84 bytes}}
    %f80 = memref.alloc() : memref<7xf80>
    %1 = memref.load %f80[%i] : memref<7xf80>
    return
  }
}

// Alignments that are none, and numbers that are padded as their parts are.
module attributes {dlti.dl_spec = #dlti.dl_spec<f32 = dense<0> : vector<1xi64>, f64 = dense<24> : vector<1xi64>,
                                                i32 = dense<128> : vector<1xi64>>} {
  func.func @odd_data_layout(%i: index) {
    // expected-remark @below {{not mergeable: element-type,}}
    %f32 = memref.alloc() : memref<7xcomplex<f32>>
    %0 = memref.load %f32[%i] : memref<7xcomplex<f32>>
    // expected-remark @below {{not mergeable: element-type,}}
    %f64 = memref.alloc() : memref<7xf64>
    %1 = memref.load %f64[%i] : memref<7xf64>
    // expected-remark @below {{lifetime [5, 6), 224 bytes}}
    %i32 = memref.alloc() : memref<7xcomplex<i32>>
    %2 = memref.load %i32[%i] : memref<7xcomplex<i32>>
    return
  }
}
