// RUN: buffer-merge-opt %S/runtime-pools.mlir --buffer-merge="dynamic=runtime report=%t.json" -o /dev/null
// RUN: buffer-merge-report bytes %t.json arg1=10 "dim(arg0, 0)=100" | FileCheck %s --match-full-lines
// RUN: buffer-merge-report bytes %t.json f:arg1=10 "f:dim(arg0,0)=100" --format=json | FileCheck %s --check-prefix=JSON
// RUN: buffer-merge-report bytes %t.json "dim(arg0, 0)=4" --fits=1KiB arg1 | FileCheck %s --check-prefix=FITS --match-full-lines
// RUN: buffer-merge-report bytes %t.json "dim(arg0, 0)=4" arg1=15 | FileCheck %s --check-prefix=MOST
// RUN: buffer-merge-report bytes %t.json "dim(arg0, 0)=4" arg1=16 | FileCheck %s --check-prefix=MORE
// RUN: not buffer-merge-report bytes 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not buffer-merge-report bytes %t.json arg1=1 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not buffer-merge-report bytes %t.json arg1=-1 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not buffer-merge-report bytes %t.json seq=1 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not buffer-merge-report bytes %t.json arg1 2>&1 | FileCheck %s --check-prefix=UNASKED
// RUN: not buffer-merge-report bytes %t.json "dim(arg0, 0)=4" arg1 --fits=1kB 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: not buffer-merge-report bytes %t.json "dim(arg0, 0)=512" arg1 --fits=1KiB 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not buffer-merge-report bytes %t.json "dim(arg0, 0)=4" arg1=1 arg2 --fits=1KiB 2>&1 | FileCheck %s --check-prefix=ANY

// max(roundup(4 * dim(arg0, 0)) + 256, roundup(4 * dim(arg0, 0)) + 64 * arg1): 448 + 640.

// CHECK: pool of run-time size in @f: 1088 bytes, 1088 alive
// CHECK: all pools, and what stays: 1088 bytes
// JSON: "pools": [
// JSON:   "function": "f",
// JSON:   "bytes": 1088,
// JSON:   "aliveBytes": 1088
// JSON: "bytes": 1088,
// JSON: "unknown": 0
// FITS: arg1=15 is the largest that fits
// FITS: pool of run-time size in @f: 1024 bytes, 1024 alive
// MOST: stays: 1024 bytes
// MORE: stays: 1088 bytes
// NONE: error: bytes expects a plan
// VALUE: error: there is no value of 'dim(arg0, 0)' of @f
// NUMBER: error: the value of 'arg1' is not a number, 0 or more
// NAME: error: 'seq' is no argument, such as arg1, and no dimension of one, such as dim(arg0, 1)
// UNASKED: error: bytes expects NAME=VALUE, and with --fits one NAME without a value
// UNIT: error: --fits=1kB is not a number of bytes, such as 16GiB
// LARGE: error: no value of 'arg1' fits: the rest takes more bytes
// ANY: error: any value of 'arg2' fits
