// Whatever is wrong with offsets from a file is one error, and the IR is not
// printed.

// RUN: buffer-merge-opt %s --buffer-lifetimes='report=%t.csv scheduler=first-fit' -o /dev/null
// RUN: FileCheck %s --check-prefix=GOOD --match-full-lines < %t.csv
// GOOD:      id,lower,upper,size,alignment,offset
// GOOD-NEXT: f/1/%a,1,9,256,64,0
// GOOD-NEXT: f/1/%b,5,16,128,64,256
// GOOD-NEXT: f/1/%c,10,17,256,64,0

// The file.
// RUN: rm -rf %t.dir && mkdir %t.dir
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.none 2>&1 | FileCheck %s --check-prefix=NONE --implicit-check-not='{{error:|module}}'
// NONE: offsets-errors.mlir:{{.*}} error: '{{.*}}.none': No such file or directory
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.dir 2>&1 | FileCheck %s --check-prefix=DIR --implicit-check-not='{{error:|module}}'
// DIR: error: '{{.*}}.dir': {{[Ii]}}s a directory
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=/dev/zero 2>&1 | FileCheck %s --check-prefix=ENDLESS --implicit-check-not='{{error:|module}}'
// RUN: ln -sf /dev/zero %t.dir/zero.json
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.dir/zero.json 2>&1 | FileCheck %s --check-prefix=ENDLESS --implicit-check-not='{{error:|module}}'
// ENDLESS: error: '{{.*}}zero{{.*}}': File too large
// RUN: sed 's/,256,64,0/,256,64,low/' %t.csv > %t.word.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.word.csv 2>&1 | FileCheck %s --check-prefix=WORD --implicit-check-not='{{error:|module}}'
// WORD: error: {{.*}}.word.csv:2:19: offset: 'low' is not an integer
// RUN: cut -d, -f1-5 %t.csv > %t.open.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.open.csv 2>&1 | FileCheck %s --check-prefix=OPEN --implicit-check-not='{{error:|module}}'
// OPEN: error: {{.*}}.open.csv:1:1: column 'offset' is missing
// RUN: sed '3s/256$//' %t.csv > %t.field.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.field.csv 2>&1 | FileCheck %s --check-prefix=FIELD --implicit-check-not='{{error:|module}}'
// FIELD: offsets-errors.mlir:[[#B:]]:8: error: {{.*}}.field.csv:3: 'f/1/%b' has no offset

// The ids.
// RUN: sed 3d %t.csv > %t.less.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.less.csv 2>&1 | FileCheck %s --check-prefix=LESS --implicit-check-not='{{error:|module}}'
// LESS: offsets-errors.mlir:[[#]]:8: error: {{.*}}.less.csv: there is no row for 'f/1/%b'
// RUN: sed '$a f/1/%%d,0,9,64,64,0' %t.csv > %t.more.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.more.csv 2>&1 | FileCheck %s --check-prefix=MORE --implicit-check-not='{{error:|module}}'
// MORE: error: {{.*}}.more.csv:5: no pool of the program has a buffer 'f/1/%d'

// Another program: of other sizes, other lifetimes.
// RUN: sed '3s/,128,/,64,/' %t.csv > %t.size.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.size.csv 2>&1 | FileCheck %s --check-prefix=SIZE --implicit-check-not='{{error:|module}}'
// SIZE: offsets-errors.mlir:[[#]]:8: error: {{.*}}.size.csv:3: 'f/1/%b' has 64 bytes, but 128 in the program
// RUN: sed '3s/,16,/,15,/' %t.csv > %t.life.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.life.csv 2>&1 | FileCheck %s --check-prefix=LIFE --implicit-check-not='{{error:|module}}'
// LIFE: error: {{.*}}.life.csv:3: 'f/1/%b' has the lifetime [5, 15), but [5, 16) in the program
// RUN: sed '2s/,1,9,/,3,11,/' %t.csv > %t.shift.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.shift.csv 2>&1 | FileCheck %s --check-prefix=SHIFT --implicit-check-not='{{error:|module}}'
// SHIFT: error: {{.*}}.shift.csv:3: 'f/1/%b' has the lifetime [5, 16), but [7, 18) in the program

// Offsets that are not a schedule.
// RUN: sed '3s/,256$/,192/' %t.csv > %t.overlap.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.overlap.csv 2>&1 | FileCheck %s --check-prefix=OVERLAP --implicit-check-not='{{error:|module}}'
// RUN: not buffer-merge-opt %s --buffer-lifetimes=offsets=%t.overlap.csv 2>&1 | FileCheck %s --check-prefix=OVERLAP --implicit-check-not='{{error:|module}}'
// OVERLAP: offsets-errors.mlir:[[#]]:8: error: {{.*}}.overlap.csv: invalid schedule: overlap: buffers f/1/%a and f/1/%b share bytes at one tick
// The sizes and ticks of the program count, not those that the file leaves out.
// RUN: cut -d, -f1,6 %t.overlap.csv > %t.trust.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.trust.csv 2>&1 | FileCheck %s --check-prefix=TRUST --implicit-check-not='{{error:|module}}'
// TRUST: error: {{.*}}.trust.csv: invalid schedule: overlap: buffers f/1/%a and f/1/%b share bytes at one tick
// RUN: sed '3s/,256$/,260/' %t.csv > %t.align.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.align.csv 2>&1 | FileCheck %s --check-prefix=ALIGN --implicit-check-not='{{error:|module}}'
// ALIGN: error: {{.*}}.align.csv: invalid schedule: alignment: buffer f/1/%b is not at a multiple of its alignment
// RUN: cut -d, -f1,6 %t.csv | sed '4s/,0$/,2305843009213693952/' > %t.huge.csv
// RUN: not buffer-merge-opt %s --buffer-merge=offsets=%t.huge.csv 2>&1 | FileCheck %s --check-prefix=HUGE --implicit-check-not='{{error:|module}}'
// HUGE: error: {{.*}}.huge.csv:4: the offset of 'f/1/%c' is too large: 2305843009213693952

// A valid schedule that is larger than the capacity.
// RUN: sed '3s/,256$/,320/' %t.csv > %t.large.csv
// RUN: not buffer-merge-opt %s --buffer-merge='offsets=%t.large.csv capacity=default:400' 2>&1 | FileCheck %s --check-prefix=LARGE --implicit-check-not='{{error:|module}}'
// LARGE: error: pool of 'func.func': found 448 bytes, its capacity is 400 (the lower bound is 384: a better schedule may exist)

// The ids are those of all of a module.
// RUN: not buffer-merge-opt %s --pass-pipeline='builtin.module(func.func(buffer-merge{offsets=%t.csv}))' 2>&1 | FileCheck %s --check-prefix=NESTED --implicit-check-not='{{error:|module \{}}'
// NESTED: error: cannot take offsets for a part of a module: with the option 'offsets' the pass must run on the top-level operation

func.func @f(%x: f32, %y: memref<f32>, %out: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.broadcast ins(%y : memref<f32>) outs(%a : memref<64xf32>) dimensions = [0]
  %b = memref.alloc() : memref<32xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<32xf32>)
  memref.copy %a, %out : memref<64xf32> to memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  linalg.broadcast ins(%y : memref<f32>) outs(%c : memref<64xf32>) dimensions = [0]
  linalg.copy ins(%b : memref<32xf32>) outs(%b : memref<32xf32>)
  memref.copy %c, %out : memref<64xf32> to memref<64xf32>
  return
}
func.func @g(%x: f32) {
  return
}
func.func @h(%x: f32) {
  return
}
