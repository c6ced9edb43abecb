// RUN: buffer-merge-opt %s --buffer-merge='scheduler=first-fit limit-peak=deallocated' --remarks-filter=buffer-merge --remark-format=emitRemark --verify-diagnostics -o /dev/null
// RUN: buffer-merge-opt %s --buffer-merge='scheduler=first-fit limit-peak=deallocated' --remarks-filter=buffer-merge --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=YAML < %t.yaml
// RUN: llvm-remarkutil count --group-by=function --count-by=arg --args=PoolBytes --args=SavedBytes %t.yaml | FileCheck %s --check-prefix=COUNT

// Every remark is there once, also in YAML, with metrics that tools can sum up;
// what stays comes with a reason and, where there is one, with advice.

//      YAML: --- !Missed
// YAML-NEXT: Pass:            buffer-merge
// YAML-NEXT: Name:            NotMerged
// YAML-NEXT: DebugLoc:        { File: {{.*}}remarks.mlir
//      YAML: Line: [[# @LINE + 18]],
//      YAML: Function:        f
// YAML-NEXT: Args:
//      YAML:   - Reason:          'returned, its function returns it (''func.return'')'
// YAML-NEXT:   - Bytes:           '16'
// YAML-NEXT:   - Suggestion:      'let the caller pass the buffer: --buffer-results-to-out-params'
// YAML-NEXT: ...

// COUNT:      Function,PoolBytes,SavedBytes
// COUNT-NEXT: f,64,32
// COUNT-NEXT: g,0,0

// expected-remark-re @below {{[Analysis] Pool | Category:buffer-merge | Function=f | AllocatedBytes=96, BaselineBytes=64, Buffers=2, LowerBound=64, PoolBytes=64, {{.*}}SavedBytes=32}}
func.func @f(%x: f32) -> memref<4xf32> {
  // expected-remark @below {{[Passed] Merged | Category:buffer-merge | Function=f | Begin=1, Bytes=32, End=4, Offset=0}}
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  // expected-remark-re @below {{[Missed] NotMerged | Category:buffer-merge | Function=f | Bytes=16, Reason="returned, its function returns it ('func.return')", {{.*}}Suggestion="let the caller pass the buffer: --buffer-results-to-out-params"}}
  %r = memref.alloc() : memref<4xf32>
  linalg.fill ins(%x : f32) outs(%r : memref<4xf32>)
  // expected-remark @below {{[Passed] Merged | Category:buffer-merge | Function=f | Begin=9, Bytes=64, End=12, Offset=0}}
  %b = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  return %r : memref<4xf32>
}

func.func @g(%x: f32) {
  // expected-remark @below {{[Missed] NotMerged | Category:buffer-merge | Function=g | Bytes=32, Reason="no-partner, there is no other buffer to share a pool with"}}
  %a = memref.alloc() : memref<8xf32>
  linalg.fill ins(%x : f32) outs(%a : memref<8xf32>)
  return
}
