// RUN: %python -c "n = 47; print('func.func @f(' + ''.join('%%n' + str(i) + ': index, ' for i in range(n)) + '%%t: memref<i8>) { %%c0 = arith.constant 0 : index %%k = arith.constant 1 : i8 ' + ''.join('%%a{0} = memref.alloc(%%n{0}) : memref<?xi8> linalg.fill ins(%%k : i8) outs(%%a{0} : memref<?xi8>) '.format(i) + ('%%v{0} = memref.load %%a{1}[%%c0] : memref<?xi8> memref.store %%v{0}, %%t[] : memref<i8> memref.dealloc %%a{1} : memref<?xi8> '.format(i, i - 1) if i else '') for i in range(n)) + 'return }')" > %t.mlir
// RUN: buffer-merge-opt %t.mlir --buffer-merge=report=%t.txt -o %t.out.mlir
// RUN: FileCheck %s < %t.txt

// Where a proof would have too many terms there are others to share a pool with.

// CHECK-NOT: no-partner
//     CHECK: raises-peak: 47 allocations
