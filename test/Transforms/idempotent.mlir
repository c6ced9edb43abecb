// RUN: buffer-merge-opt %S/pool.mlir --buffer-merge -o %t.1
// RUN: buffer-merge-opt %t.1 --buffer-merge | diff %t.1 -
// RUN: buffer-merge-opt %S/deallocs.mlir --buffer-merge -o %t.2
// RUN: buffer-merge-opt %t.2 --buffer-merge | diff %t.2 -
// RUN: buffer-merge-opt %S/alignment.mlir --buffer-merge=scheduler=best-fit -o %t.3
// RUN: buffer-merge-opt %t.3 --buffer-merge=scheduler=best-fit | diff %t.3 -
// RUN: buffer-merge-opt %S/deallocs.mlir --buffer-merge=scheduler=bump -o %t.4
// RUN: buffer-merge-opt %t.4 --buffer-merge=scheduler=bump | diff %t.4 -
// RUN: buffer-merge-opt %S/nothing.mlir --buffer-merge --buffer-merge -o %t.5
// RUN: buffer-merge-opt %S/nothing.mlir | diff %t.5 -
// RUN: buffer-merge-opt %S/../Analysis/async.mlir --buffer-merge -o %t.6 2> %t.err
// RUN: buffer-merge-opt %t.6 --buffer-merge | diff %t.6 -
// RUN: buffer-merge-opt %S/../Analysis/cfg-cycles.mlir --buffer-merge -o %t.7 2> %t.err
// RUN: buffer-merge-opt %t.7 --buffer-merge | diff %t.7 -

// R4: running the pass twice is the same as running it once.
