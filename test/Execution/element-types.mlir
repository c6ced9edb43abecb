// RUN: buffer-merge-opt %s | %execute > %t.before
// RUN: FileCheck %s < %t.before
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=bump alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=best-fit alignment=1" | %execute | diff %t.before -
// RUN: buffer-merge-opt %s --buffer-merge="scheduler=first-fit alignment=1" -o %t.mlir
// RUN: cat %t.mlir | %execute | diff %t.before -
// RUN: FileCheck %s --check-prefix=IR < %t.mlir

// Guards the sizes: elements lie at a distance of their size rounded up to their
// alignment. In each function three buffers are filled, two of them alive at once
// and next to each other, in both orders of their offsets. The sum of the second
// shows whether filling the first has touched it.

//   IR-LABEL: func.func @i1(
//         IR:   memref.alloc()
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @i1(%x: i1, %zero: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 7 : index
  %true = arith.constant true
  %a = memref.alloc() : memref<7xi1>
  %b = memref.alloc() : memref<7xi1>
  %p = memref.alloc() : memref<100xi1>
  linalg.fill ins(%zero : i1) outs(%p : memref<100xi1>)
  %ok0 = func.call @check_i1(%p, %zero) : (memref<100xi1>, i1) -> i1
  linalg.fill ins(%x : i1) outs(%a : memref<7xi1>)
  linalg.fill ins(%zero : i1) outs(%b : memref<7xi1>)
  %ua = memref.cast %a : memref<7xi1> to memref<?xi1>
  %ok1 = func.call @all_i1(%ua, %x) : (memref<?xi1>, i1) -> i1
  %ub = memref.cast %b : memref<7xi1> to memref<?xi1>
  linalg.fill ins(%x : i1) outs(%b : memref<7xi1>)
  linalg.fill ins(%zero : i1) outs(%a : memref<7xi1>)
  %ok2 = func.call @all_i1(%ub, %x) : (memref<?xi1>, i1) -> i1
  %ok3 = func.call @all_i1(%ua, %zero) : (memref<?xi1>, i1) -> i1
  %y = arith.andi %ok0, %ok1 : i1
  %z = arith.andi %ok2, %ok3 : i1
  %r = arith.andi %y, %z : i1
  return %r : i1
}
func.func private @check_i1(%m: memref<100xi1>, %x: i1) -> i1 {
  %u = memref.cast %m : memref<100xi1> to memref<?xi1>
  %r = func.call @all_i1(%u, %x) : (memref<?xi1>, i1) -> i1
  return %r : i1
}
func.func private @all_i1(%m: memref<?xi1>, %x: i1) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = memref.dim %m, %c0 : memref<?xi1>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ok = %true) -> i1 {
    %y = memref.load %m[%i] : memref<?xi1>
    %same = arith.cmpi eq, %y, %x : i1
    %next = arith.andi %ok, %same : i1
    scf.yield %next : i1
  }
  return %r : i1
}

//   IR-LABEL: func.func @i4(
//         IR:   memref.alloc()
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @i4(%x: i4, %zero: i4) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 7 : index
  %true = arith.constant true
  %a = memref.alloc() : memref<7xi4>
  %b = memref.alloc() : memref<7xi4>
  %p = memref.alloc() : memref<100xi4>
  linalg.fill ins(%zero : i4) outs(%p : memref<100xi4>)
  %ok0 = func.call @check_i4(%p, %zero) : (memref<100xi4>, i4) -> i1
  linalg.fill ins(%x : i4) outs(%a : memref<7xi4>)
  linalg.fill ins(%zero : i4) outs(%b : memref<7xi4>)
  %ua = memref.cast %a : memref<7xi4> to memref<?xi4>
  %ok1 = func.call @all_i4(%ua, %x) : (memref<?xi4>, i4) -> i1
  %ub = memref.cast %b : memref<7xi4> to memref<?xi4>
  linalg.fill ins(%x : i4) outs(%b : memref<7xi4>)
  linalg.fill ins(%zero : i4) outs(%a : memref<7xi4>)
  %ok2 = func.call @all_i4(%ub, %x) : (memref<?xi4>, i4) -> i1
  %ok3 = func.call @all_i4(%ua, %zero) : (memref<?xi4>, i4) -> i1
  %y = arith.andi %ok0, %ok1 : i1
  %z = arith.andi %ok2, %ok3 : i1
  %r = arith.andi %y, %z : i1
  return %r : i1
}
func.func private @check_i4(%m: memref<100xi4>, %x: i4) -> i1 {
  %u = memref.cast %m : memref<100xi4> to memref<?xi4>
  %r = func.call @all_i4(%u, %x) : (memref<?xi4>, i4) -> i1
  return %r : i1
}
func.func private @all_i4(%m: memref<?xi4>, %x: i4) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = memref.dim %m, %c0 : memref<?xi4>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ok = %true) -> i1 {
    %y = memref.load %m[%i] : memref<?xi4>
    %same = arith.cmpi eq, %y, %x : i4
    %next = arith.andi %ok, %same : i1
    scf.yield %next : i1
  }
  return %r : i1
}

//   IR-LABEL: func.func @i12(
//         IR:   memref.alloc()
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @i12(%x: i12, %zero: i12) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 7 : index
  %true = arith.constant true
  %a = memref.alloc() : memref<7xi12>
  %b = memref.alloc() : memref<7xi12>
  %p = memref.alloc() : memref<100xi12>
  linalg.fill ins(%zero : i12) outs(%p : memref<100xi12>)
  %ok0 = func.call @check_i12(%p, %zero) : (memref<100xi12>, i12) -> i1
  linalg.fill ins(%x : i12) outs(%a : memref<7xi12>)
  linalg.fill ins(%zero : i12) outs(%b : memref<7xi12>)
  %ua = memref.cast %a : memref<7xi12> to memref<?xi12>
  %ok1 = func.call @all_i12(%ua, %x) : (memref<?xi12>, i12) -> i1
  %ub = memref.cast %b : memref<7xi12> to memref<?xi12>
  linalg.fill ins(%x : i12) outs(%b : memref<7xi12>)
  linalg.fill ins(%zero : i12) outs(%a : memref<7xi12>)
  %ok2 = func.call @all_i12(%ub, %x) : (memref<?xi12>, i12) -> i1
  %ok3 = func.call @all_i12(%ua, %zero) : (memref<?xi12>, i12) -> i1
  %y = arith.andi %ok0, %ok1 : i1
  %z = arith.andi %ok2, %ok3 : i1
  %r = arith.andi %y, %z : i1
  return %r : i1
}
func.func private @check_i12(%m: memref<100xi12>, %x: i12) -> i1 {
  %u = memref.cast %m : memref<100xi12> to memref<?xi12>
  %r = func.call @all_i12(%u, %x) : (memref<?xi12>, i12) -> i1
  return %r : i1
}
func.func private @all_i12(%m: memref<?xi12>, %x: i12) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = memref.dim %m, %c0 : memref<?xi12>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ok = %true) -> i1 {
    %y = memref.load %m[%i] : memref<?xi12>
    %same = arith.cmpi eq, %y, %x : i12
    %next = arith.andi %ok, %same : i1
    scf.yield %next : i1
  }
  return %r : i1
}

//   IR-LABEL: func.func @i24(
//         IR:   memref.alloc()
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @i24(%x: i24, %zero: i24) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 7 : index
  %true = arith.constant true
  %a = memref.alloc() : memref<7xi24>
  %b = memref.alloc() : memref<7xi24>
  %p = memref.alloc() : memref<100xi24>
  linalg.fill ins(%zero : i24) outs(%p : memref<100xi24>)
  %ok0 = func.call @check_i24(%p, %zero) : (memref<100xi24>, i24) -> i1
  linalg.fill ins(%x : i24) outs(%a : memref<7xi24>)
  linalg.fill ins(%zero : i24) outs(%b : memref<7xi24>)
  %ua = memref.cast %a : memref<7xi24> to memref<?xi24>
  %ok1 = func.call @all_i24(%ua, %x) : (memref<?xi24>, i24) -> i1
  %ub = memref.cast %b : memref<7xi24> to memref<?xi24>
  linalg.fill ins(%x : i24) outs(%b : memref<7xi24>)
  linalg.fill ins(%zero : i24) outs(%a : memref<7xi24>)
  %ok2 = func.call @all_i24(%ub, %x) : (memref<?xi24>, i24) -> i1
  %ok3 = func.call @all_i24(%ua, %zero) : (memref<?xi24>, i24) -> i1
  %y = arith.andi %ok0, %ok1 : i1
  %z = arith.andi %ok2, %ok3 : i1
  %r = arith.andi %y, %z : i1
  return %r : i1
}
func.func private @check_i24(%m: memref<100xi24>, %x: i24) -> i1 {
  %u = memref.cast %m : memref<100xi24> to memref<?xi24>
  %r = func.call @all_i24(%u, %x) : (memref<?xi24>, i24) -> i1
  return %r : i1
}
func.func private @all_i24(%m: memref<?xi24>, %x: i24) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = memref.dim %m, %c0 : memref<?xi24>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ok = %true) -> i1 {
    %y = memref.load %m[%i] : memref<?xi24>
    %same = arith.cmpi eq, %y, %x : i24
    %next = arith.andi %ok, %same : i1
    scf.yield %next : i1
  }
  return %r : i1
}

//   IR-LABEL: func.func @i48(
//         IR:   memref.alloc()
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @i48(%x: i48, %zero: i48) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 7 : index
  %true = arith.constant true
  %a = memref.alloc() : memref<7xi48>
  %b = memref.alloc() : memref<7xi48>
  %p = memref.alloc() : memref<100xi48>
  linalg.fill ins(%zero : i48) outs(%p : memref<100xi48>)
  %ok0 = func.call @check_i48(%p, %zero) : (memref<100xi48>, i48) -> i1
  linalg.fill ins(%x : i48) outs(%a : memref<7xi48>)
  linalg.fill ins(%zero : i48) outs(%b : memref<7xi48>)
  %ua = memref.cast %a : memref<7xi48> to memref<?xi48>
  %ok1 = func.call @all_i48(%ua, %x) : (memref<?xi48>, i48) -> i1
  %ub = memref.cast %b : memref<7xi48> to memref<?xi48>
  linalg.fill ins(%x : i48) outs(%b : memref<7xi48>)
  linalg.fill ins(%zero : i48) outs(%a : memref<7xi48>)
  %ok2 = func.call @all_i48(%ub, %x) : (memref<?xi48>, i48) -> i1
  %ok3 = func.call @all_i48(%ua, %zero) : (memref<?xi48>, i48) -> i1
  %y = arith.andi %ok0, %ok1 : i1
  %z = arith.andi %ok2, %ok3 : i1
  %r = arith.andi %y, %z : i1
  return %r : i1
}
func.func private @check_i48(%m: memref<100xi48>, %x: i48) -> i1 {
  %u = memref.cast %m : memref<100xi48> to memref<?xi48>
  %r = func.call @all_i48(%u, %x) : (memref<?xi48>, i48) -> i1
  return %r : i1
}
func.func private @all_i48(%m: memref<?xi48>, %x: i48) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = memref.dim %m, %c0 : memref<?xi48>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ok = %true) -> i1 {
    %y = memref.load %m[%i] : memref<?xi48>
    %same = arith.cmpi eq, %y, %x : i48
    %next = arith.andi %ok, %same : i1
    scf.yield %next : i1
  }
  return %r : i1
}

//   IR-LABEL: func.func @f80(
//         IR:   memref.alloc()
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @f80(%x: f80, %zero: f80) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 3 : index
  %true = arith.constant true
  %a = memref.alloc() : memref<3xf80>
  %b = memref.alloc() : memref<3xf80>
  %p = memref.alloc() : memref<100xf80>
  linalg.fill ins(%zero : f80) outs(%p : memref<100xf80>)
  %ok0 = func.call @check_f80(%p, %zero) : (memref<100xf80>, f80) -> i1
  linalg.fill ins(%x : f80) outs(%a : memref<3xf80>)
  linalg.fill ins(%zero : f80) outs(%b : memref<3xf80>)
  %ua = memref.cast %a : memref<3xf80> to memref<?xf80>
  %ok1 = func.call @all_f80(%ua, %x) : (memref<?xf80>, f80) -> i1
  %ub = memref.cast %b : memref<3xf80> to memref<?xf80>
  linalg.fill ins(%x : f80) outs(%b : memref<3xf80>)
  linalg.fill ins(%zero : f80) outs(%a : memref<3xf80>)
  %ok2 = func.call @all_f80(%ub, %x) : (memref<?xf80>, f80) -> i1
  %ok3 = func.call @all_f80(%ua, %zero) : (memref<?xf80>, f80) -> i1
  %y = arith.andi %ok0, %ok1 : i1
  %z = arith.andi %ok2, %ok3 : i1
  %r = arith.andi %y, %z : i1
  return %r : i1
}
func.func private @check_f80(%m: memref<100xf80>, %x: f80) -> i1 {
  %u = memref.cast %m : memref<100xf80> to memref<?xf80>
  %r = func.call @all_f80(%u, %x) : (memref<?xf80>, f80) -> i1
  return %r : i1
}
func.func private @all_f80(%m: memref<?xf80>, %x: f80) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = memref.dim %m, %c0 : memref<?xf80>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ok = %true) -> i1 {
    %y = memref.load %m[%i] : memref<?xf80>
    %same = arith.cmpf oeq, %y, %x : f80
    %next = arith.andi %ok, %same : i1
    scf.yield %next : i1
  }
  return %r : i1
}

//   IR-LABEL: func.func @bf16(
//         IR:   memref.alloc()
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @bf16(%x: bf16, %zero: bf16) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 9 : index
  %true = arith.constant true
  %a = memref.alloc() : memref<9xbf16>
  %b = memref.alloc() : memref<9xbf16>
  %p = memref.alloc() : memref<100xbf16>
  linalg.fill ins(%zero : bf16) outs(%p : memref<100xbf16>)
  %ok0 = func.call @check_bf16(%p, %zero) : (memref<100xbf16>, bf16) -> i1
  linalg.fill ins(%x : bf16) outs(%a : memref<9xbf16>)
  linalg.fill ins(%zero : bf16) outs(%b : memref<9xbf16>)
  %ua = memref.cast %a : memref<9xbf16> to memref<?xbf16>
  %ok1 = func.call @all_bf16(%ua, %x) : (memref<?xbf16>, bf16) -> i1
  %ub = memref.cast %b : memref<9xbf16> to memref<?xbf16>
  linalg.fill ins(%x : bf16) outs(%b : memref<9xbf16>)
  linalg.fill ins(%zero : bf16) outs(%a : memref<9xbf16>)
  %ok2 = func.call @all_bf16(%ub, %x) : (memref<?xbf16>, bf16) -> i1
  %ok3 = func.call @all_bf16(%ua, %zero) : (memref<?xbf16>, bf16) -> i1
  %y = arith.andi %ok0, %ok1 : i1
  %z = arith.andi %ok2, %ok3 : i1
  %r = arith.andi %y, %z : i1
  return %r : i1
}
func.func private @check_bf16(%m: memref<100xbf16>, %x: bf16) -> i1 {
  %u = memref.cast %m : memref<100xbf16> to memref<?xbf16>
  %r = func.call @all_bf16(%u, %x) : (memref<?xbf16>, bf16) -> i1
  return %r : i1
}
func.func private @all_bf16(%m: memref<?xbf16>, %x: bf16) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = memref.dim %m, %c0 : memref<?xbf16>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ok = %true) -> i1 {
    %y = memref.load %m[%i] : memref<?xbf16>
    %same = arith.cmpf oeq, %y, %x : bf16
    %next = arith.andi %ok, %same : i1
    scf.yield %next : i1
  }
  return %r : i1
}

//   IR-LABEL: func.func @index(
//         IR:   memref.alloc()
//     IR-NOT:   memref.alloc
//         IR:   return
func.func @index(%x: index, %zero: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 3 : index
  %true = arith.constant true
  %a = memref.alloc() : memref<3xindex>
  %b = memref.alloc() : memref<3xindex>
  %p = memref.alloc() : memref<100xindex>
  linalg.fill ins(%zero : index) outs(%p : memref<100xindex>)
  %ok0 = func.call @check_index(%p, %zero) : (memref<100xindex>, index) -> i1
  linalg.fill ins(%x : index) outs(%a : memref<3xindex>)
  linalg.fill ins(%zero : index) outs(%b : memref<3xindex>)
  %ua = memref.cast %a : memref<3xindex> to memref<?xindex>
  %ok1 = func.call @all_index(%ua, %x) : (memref<?xindex>, index) -> i1
  %ub = memref.cast %b : memref<3xindex> to memref<?xindex>
  linalg.fill ins(%x : index) outs(%b : memref<3xindex>)
  linalg.fill ins(%zero : index) outs(%a : memref<3xindex>)
  %ok2 = func.call @all_index(%ub, %x) : (memref<?xindex>, index) -> i1
  %ok3 = func.call @all_index(%ua, %zero) : (memref<?xindex>, index) -> i1
  %y = arith.andi %ok0, %ok1 : i1
  %z = arith.andi %ok2, %ok3 : i1
  %r = arith.andi %y, %z : i1
  return %r : i1
}
func.func private @check_index(%m: memref<100xindex>, %x: index) -> i1 {
  %u = memref.cast %m : memref<100xindex> to memref<?xindex>
  %r = func.call @all_index(%u, %x) : (memref<?xindex>, index) -> i1
  return %r : i1
}
func.func private @all_index(%m: memref<?xindex>, %x: index) -> i1 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %n = memref.dim %m, %c0 : memref<?xindex>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%ok = %true) -> i1 {
    %y = memref.load %m[%i] : memref<?xindex>
    %same = arith.cmpi eq, %y, %x : index
    %next = arith.andi %ok, %same : i1
    scf.yield %next : i1
  }
  return %r : i1
}

func.func @main() {
  // CHECK-COUNT-8: 1
  %x_i1 = arith.constant true
  %zero_i1 = arith.constant false
  %r_i1 = call @i1(%x_i1, %zero_i1) : (i1, i1) -> i1
  vector.print %r_i1 : i1
  %x_i4 = arith.constant 3 : i4
  %zero_i4 = arith.constant 0 : i4
  %r_i4 = call @i4(%x_i4, %zero_i4) : (i4, i4) -> i1
  vector.print %r_i4 : i1
  %x_i12 = arith.constant 1000 : i12
  %zero_i12 = arith.constant 0 : i12
  %r_i12 = call @i12(%x_i12, %zero_i12) : (i12, i12) -> i1
  vector.print %r_i12 : i1
  %x_i24 = arith.constant 100000 : i24
  %zero_i24 = arith.constant 0 : i24
  %r_i24 = call @i24(%x_i24, %zero_i24) : (i24, i24) -> i1
  vector.print %r_i24 : i1
  %x_i48 = arith.constant 100000 : i48
  %zero_i48 = arith.constant 0 : i48
  %r_i48 = call @i48(%x_i48, %zero_i48) : (i48, i48) -> i1
  vector.print %r_i48 : i1
  %x_f80 = arith.constant 1.5 : f80
  %zero_f80 = arith.constant 0.0 : f80
  %r_f80 = call @f80(%x_f80, %zero_f80) : (f80, f80) -> i1
  vector.print %r_f80 : i1
  %x_bf16 = arith.constant 1.5 : bf16
  %zero_bf16 = arith.constant 0.0 : bf16
  %r_bf16 = call @bf16(%x_bf16, %zero_bf16) : (bf16, bf16) -> i1
  vector.print %r_bf16 : i1
  %x_index = arith.constant 77 : index
  %zero_index = arith.constant 0 : index
  %r_index = call @index(%x_index, %zero_index) : (index, index) -> i1
  vector.print %r_index : i1
  return
}
