// The page lists pools of run-time size, and says that no sum counts them.

// CHECK: summary: {{.*}} planned, with 0 for sizes of run time
// CHECK: runtime: Pools of run-time size 1 pool of 3 buffers, above with 0 for sizes of run time f 3 buffers in max(roundup(4 * dim(arg0, 0)) + 256, roundup(4 * dim(arg0, 0)) + 64 * arg1) bytes
// CHECK-SAME: %a ? memref<?xf32> {{.*}} %s 256 memref<64xf32>
// CHECK: errors []
