// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=bump | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=scheduler=best-fit | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=none | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge=limit-peak=deallocated | %execute | diff %t.before -

// One of two branches fills what is read after them, and %d is needed in both.

!m = memref<8xi64>

func.func @results(%c: i1, %out: !m) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %d = memref.alloc() : !m
  linalg.fill ins(%two : i64) outs(%d : !m)
  %r = scf.if %c -> !m {
    %a = memref.alloc() : !m
    linalg.fill ins(%one : i64) outs(%a : !m)
    scf.yield %a : !m
  } else {
    %b = memref.alloc() : !m
    linalg.add ins(%d, %d : !m, !m) outs(%b : !m)
    scf.yield %b : !m
  }
  %e = memref.alloc() : !m
  linalg.add ins(%r, %d : !m, !m) outs(%e : !m)
  %f = memref.alloc() : !m
  linalg.add ins(%e, %d : !m, !m) outs(%f : !m)
  memref.copy %f, %out : !m to !m
  return
}

// The blocks of a loop: the buffer of an iteration is not that of the next one.
func.func @blocks(%out: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2 : i64
  cf.br ^loop(%c0 : index)
^loop(%i: index):
  %d = memref.alloc() : !m
  %n = arith.index_cast %i : index to i64
  linalg.fill ins(%n : i64) outs(%d : !m)
  %rem = arith.remui %i, %c2 : index
  %isEven = arith.cmpi eq, %rem, %c0 : index
  cf.cond_br %isEven, ^even, ^odd
^even:
  %a = memref.alloc() : !m
  linalg.fill ins(%two : i64) outs(%a : !m)
  cf.br ^next(%a : !m)
^odd:
  %b = memref.alloc() : !m
  linalg.add ins(%d, %d : !m, !m) outs(%b : !m)
  cf.br ^next(%b : !m)
^next(%r: !m):
  %x = memref.load %r[%i] : !m
  %e = memref.alloc() : !m
  linalg.fill ins(%x : i64) outs(%e : !m)
  %v = memref.load %e[%i] : !m
  %y = memref.load %d[%i] : !m
  %z = arith.addi %v, %y : i64
  memref.store %z, %out[%i] : !m
  %j = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %j, %c8 : index
  cf.cond_br %more, ^loop(%j : index), ^exit
^exit:
  return
}

// %t is held with what leaves the branch.
func.func @held_in_front(%c: i1, %out: !m) {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %r:2 = scf.if %c -> (!m, !m) {
    %t = memref.alloc() : !m
    linalg.fill ins(%two : i64) outs(%t : !m)
    %a = memref.alloc() : !m
    linalg.add ins(%t, %t : !m, !m) outs(%a : !m)
    %s = memref.alloc() : !m
    linalg.add ins(%t, %a : !m, !m) outs(%s : !m)
    scf.yield %a, %s : !m, !m
  } else {
    %b = memref.alloc() : !m
    linalg.fill ins(%one : i64) outs(%b : !m)
    %d = memref.alloc() : !m
    linalg.fill ins(%two : i64) outs(%d : !m)
    scf.yield %d, %b : !m, !m
  }
  %e = memref.alloc() : !m
  linalg.sub ins(%r#0, %r#1 : !m, !m) outs(%e : !m)
  %f = memref.alloc() : !m
  linalg.add ins(%e, %r#0 : !m, !m) outs(%f : !m)
  memref.copy %f, %out : !m to !m
  return
}

// %a holds two values, the second of which leaves the branch; and %d is used
// last where %b, or what the inner branches leave, takes its place.
func.func @values(%c: i1, %k: index, %out: !m) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %d = memref.alloc() : !m
  linalg.fill ins(%two : i64) outs(%d : !m)
  %r = scf.if %c -> !m {
    %a = memref.alloc() : !m
    linalg.fill ins(%one : i64) outs(%a : !m)
    %x = memref.load %a[%c0] : !m
    %y = memref.load %d[%c0] : !m
    %s = memref.alloc() : !m
    %z = arith.addi %x, %y : i64
    linalg.fill ins(%z : i64) outs(%s : !m)
    %u = memref.load %s[%c0] : !m
    linalg.fill ins(%u : i64) outs(%a : !m)
    scf.yield %a : !m
  } else {
    %inner = scf.index_switch %k -> !m
    case 0 {
      %b = memref.alloc() : !m
      linalg.add ins(%d, %d : !m, !m) outs(%b : !m)
      scf.yield %b : !m
    }
    default {
      %b = memref.alloc() : !m
      memref.copy %d, %b : !m to !m
      scf.yield %b : !m
    }
    scf.yield %inner : !m
  }
  %e = memref.alloc() : !m
  linalg.fill ins(%one : i64) outs(%e : !m)
  linalg.add ins(%r, %e : !m, !m) outs(%out : !m)
  return
}

func.func @main() {
  %zero = arith.constant 0 : i64
  %true = arith.constant true
  %false = arith.constant false
  %out = memref.alloc() : !m
  %any = memref.cast %out : !m to memref<*xi64>
  linalg.fill ins(%zero : i64) outs(%out : !m)
  // CHECK: [5,  5,  5,  5,  5,  5,  5,  5]
  call @results(%true, %out) : (i1, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [8,  8,  8,  8,  8,  8,  8,  8]
  call @results(%false, %out) : (i1, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  3,  4,  9,  6,  15,  8,  21]
  call @blocks(%out) : (!m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [3,  3,  3,  3,  3,  3,  3,  3]
  call @held_in_front(%false, %out) : (i1, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [2,  2,  2,  2,  2,  2,  2,  2]
  call @held_in_front(%true, %out) : (i1, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: [4,  4,  4,  4,  4,  4,  4,  4]
  call @values(%true, %c0, %out) : (i1, index, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [5,  5,  5,  5,  5,  5,  5,  5]
  call @values(%false, %c0, %out) : (i1, index, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  // CHECK: [3,  3,  3,  3,  3,  3,  3,  3]
  call @values(%false, %c1, %out) : (i1, index, !m) -> ()
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}

func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
