// RUN: buffer-merge-opt %s --buffer-lifetimes --verify-diagnostics=only-expected -o /dev/null

// L5: arms exclude each other, and being accessed in an arm extends nothing.

func.func @if(%c: i1, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [3, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [6, 8), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  scf.if %c {                                      // 2
    memref.store %x, %a[%i] : memref<16xf32>       // 3
    %y = memref.load %a[%i] : memref<16xf32>       // 4
  } else {                                         // 5
    memref.store %x, %b[%i] : memref<16xf32>       // 6
    %z = memref.load %b[%i] : memref<16xf32>       // 7
  }                                                // 8, 9
  return
}

// Used before and behind: alive in both arms, even if no arm accesses it.
func.func @around(%c: i1, %x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [1, 11), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  memref.store %x, %a[%i] : memref<16xf32>         // 1
  scf.if %c {                                      // 2
    // expected-remark @below {{lifetime [4, 5), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 3
    memref.store %x, %b[%i] : memref<16xf32>       // 4
  } else {                                         // 5
    // expected-remark @below {{lifetime [7, 8), 64 bytes}}
    %d = memref.alloc() : memref<16xf32>           // 6
    memref.store %x, %d[%i] : memref<16xf32>       // 7
  }                                                // 8, 9
  %y = memref.load %a[%i] : memref<16xf32>         // 10
  return %y : f32
}

func.func @index_switch(%k: index, %x: f32) {
  // expected-remark @below {{lifetime [6, 7), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [8, 9), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  // expected-remark @below {{lifetime [4, 5), 64 bytes}}
  %d = memref.alloc() : memref<16xf32>             // 2
  scf.index_switch %k                              // 3, the default comes first
  case 2 {
    memref.store %x, %a[%k] : memref<16xf32>       // 6
    scf.yield                                      // 7
  }
  case 5 {
    memref.store %x, %b[%k] : memref<16xf32>       // 8
    scf.yield                                      // 9
  }
  default {
    memref.store %x, %d[%k] : memref<16xf32>       // 4
  }
  return
}

func.func @affine_if(%k: index, %x: f32) {
  // expected-remark @below {{lifetime [3, 4), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [5, 6), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  affine.if affine_set<() : (0 == 0)>() {          // 2
    memref.store %x, %a[%k] : memref<16xf32>       // 3
  } else {                                         // 4
    memref.store %x, %b[%k] : memref<16xf32>       // 5
  }
  return
}

// One arm writes, what comes behind reads: [3, ...) and not all of scf.if.
func.func @written_in_arm(%c: i1, %x: f32, %i: index) -> f32 {
  // expected-remark @below {{lifetime [4, 9), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  %r = scf.if %c -> f32 {                          // 1
    // expected-remark @below {{lifetime [3, 4), 64 bytes}}
    %b = memref.alloc() : memref<16xf32>           // 2
    memref.store %x, %b[%i] : memref<16xf32>       // 3
    memref.store %x, %a[%i] : memref<16xf32>       // 4
    scf.yield %x : f32                             // 5
  } else {
    scf.yield %x : f32                             // 6
  }                                                // 7
  %y = memref.load %a[%i] : memref<16xf32>         // 8
  return %y : f32
}

// Two paths of blocks that exclude each other.
func.func @blocks(%c: i1, %x: f32, %i: index) {
  cf.cond_br %c, ^left, ^right                     // 0
^left:
  // expected-remark @below {{lifetime [2, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 1
  memref.store %x, %a[%i] : memref<16xf32>         // 2
  cf.br ^left2                                     // 3
^left2:
  memref.store %x, %a[%i] : memref<16xf32>         // 4
  cf.br ^exit                                      // 5
^right:
  // expected-remark @below {{lifetime [7, 10), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 6
  memref.store %x, %b[%i] : memref<16xf32>         // 7
  cf.br ^right2                                    // 8
^right2:
  memref.store %x, %b[%i] : memref<16xf32>         // 9
  cf.br ^exit                                      // 10
^exit:
  return
}

func.func @switch(%k: i32, %x: f32, %i: index) {
  // expected-remark @below {{lifetime [4, 5), 64 bytes}}
  %a = memref.alloc() : memref<16xf32>             // 0
  // expected-remark @below {{lifetime [6, 7), 64 bytes}}
  %b = memref.alloc() : memref<16xf32>             // 1
  // expected-remark @below {{lifetime [8, 9), 64 bytes}}
  %d = memref.alloc() : memref<16xf32>             // 2
  cf.switch %k : i32, [default: ^one, 7: ^two, 9: ^three]  // 3
^one:
  memref.store %x, %a[%i] : memref<16xf32>
  cf.br ^exit
^two:
  memref.store %x, %b[%i] : memref<16xf32>
  cf.br ^exit
^three:
  memref.store %x, %d[%i] : memref<16xf32>
  cf.br ^exit
^exit:
  return
}
