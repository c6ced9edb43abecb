// UNSUPPORTED: sanitizer
// RUN: ulimit -v 4000000
// RUN: buffer-merge-opt %s --buffer-lifetimes=dynamic=bounded --verify-diagnostics=only-expected -o /dev/null

// What it may cost to find the bound of a size: without a limit, eliminating all
// other values here takes more memory than there is.

func.func @costly(%m: index, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %0 = affine.min affine_map<(d0, d1) -> ((d0 + d1 * 3) ceildiv 5, d0 - d1 * 2, (d1 * 5 - d0) floordiv 2)>(%m, %m)
  %1 = affine.min affine_map<(d0, d1) -> ((d0 * 8 + d1 * 7) floordiv 13, d0 - d1 * 2, (d1 * 5 - d0) floordiv 2)>(%0, %0)
  %2 = affine.max affine_map<(d0, d1) -> ((d0 * 8) floordiv 7 + d1, d0 - d1 * 2, (d1 * 5 - d0) floordiv 4)>(%0, %1)
  %3 = affine.min affine_map<(d0, d1) -> ((d0 + d1 * 3) ceildiv 13, d0 - d1 * 2, (d1 * 5 - d0) floordiv 7)>(%1, %0)
  %4 = affine.max affine_map<(d0, d1) -> ((d0 * 9 + d1 * 3) floordiv 14, d0 - d1 * 2, (d1 * 5 - d0) floordiv 9)>(%3, %2)
  %5 = affine.apply affine_map<(d0, d1) -> ((d0 + d1 * 3) ceildiv 13)>(%3, %4)
  %6 = affine.max affine_map<(d0, d1) -> ((d0 * 7 + d1 * 2) floordiv 12, d0 - d1 * 2, (d1 * 5 - d0) floordiv 2)>(%5, %4)
  %7 = affine.max affine_map<(d0, d1) -> ((d0 * 5 + d1 * 2) floordiv 6, d0 - d1 * 2, (d1 * 5 - d0) floordiv 8)>(%6, %4)
  %8 = affine.min affine_map<(d0, d1) -> (d0 + (d1 * 6) floordiv 7, d0 - d1 * 2, (d1 * 5 - d0) floordiv 3)>(%7, %5)
  %9 = affine.min affine_map<(d0, d1) -> ((d0 + d1 * 3) ceildiv 12, d0 - d1 * 2, (d1 * 5 - d0) floordiv 3)>(%8, %6)
  %s = affine.min affine_map<(d0) -> (64, d0)>(%9)
  // expected-remark @below {{lifetime [13, 14), 256 bytes}}
  %a = memref.alloc(%s) : memref<?xf32>
  memref.store %x, %a[%c0] : memref<?xf32>
  return
}
