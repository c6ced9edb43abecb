// The page in a real browser: it draws, hovering and searching work, nothing in
// the report becomes markup, and nothing is loaded from outside.

//      CHECK: panels 2
// CHECK-NEXT: summary: allocated {{.*}} deallocated {{.*}} planned {{.*}} difference {{.*}}
// CHECK-NEXT: legend: func.call 448 B memref.copy 448 B linalg.fill 128 B
// CHECK-NEXT: hover first: %in.staged operation memref.copy type memref<64xf32> bytes 256 B lifetime [1, 4) offset 0 shares with 2 buffers location {{.*}}page-small.mlir:[[# @LINE + 31]]:16
// CHECK-NEXT: hover second: conv1.out operation func.call type memref<64xf32> bytes 256 B lifetime [3, 7) offset 256 shares with 1 buffer
// CHECK-NEXT: hover none: nothing
// The name, the operation and the shape without what all have in common, and the bytes.
// CHECK-NEXT: labels: {{.*}} '%in.staged', 'copy 64', '256 B', 'conv1.out', 'call 64', '256 B', '%c', 'call 48', '192 B', '<img src=x on…',
// CHECK-SAME: 'lower bound 512 B = pool', 'peak at tick 3']
// CHECK-NEXT: search CONV1: 1 buffer in 1 pool
// CHECK-NEXT: search <img: 1 buffer in 1 pool
// CHECK-NEXT: search memref.copy memref<48: 2 buffers in 1 pool
// CHECK-NEXT: search nowhere: 0 buffers in 0 pools
// CHECK-NEXT: found: 1 of 1 buffer: conv1.out | conv1.out
// CHECK-NEXT: table: %in.staged memref.copy memref<64xf32> 256 0 1 4 2 {{.*}}page-small.mlir:[[#]]:16 memref.copy at {{.*}} func.call at
// CHECK-NEXT: left: dynamic-shape 1 allocation
// CHECK-NEXT: scripts 2
// CHECK-NEXT: images 0
// CHECK-NEXT: bold 0
// CHECK-NEXT: loaded 0
// CHECK-NEXT: errors []

// The page as it is written has each part once: no name ends a script or starts
// a tag.
// SOURCE: Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
// SOURCE: <title>Memory map of &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>
// SOURCE: <script type="application/json" id="report">{
// SOURCE-SAME: \u003cimg src=x onerror=
// SOURCE-SAME: </script>
// SOURCE: <script>
// SOURCE: </script>

module @"</title><script>alert(1)</script>" {
func.func @chain(%in: memref<64xf32>, %out: memref<48xf32>) {
  %in.staged = memref.alloc() : memref<64xf32>
  memref.copy %in, %in.staged : memref<64xf32> to memref<64xf32>
  %b = memref.alloc() : memref<64xf32> loc("conv1.out")
  call @g(%in.staged, %b) : (memref<64xf32>, memref<64xf32>) -> ()
  %x = arith.constant 1.0 : f32
  %c = memref.alloc() : memref<48xf32>
  call @h(%b, %c) : (memref<64xf32>, memref<48xf32>) -> ()
  %d = memref.alloc() : memref<48xf32> loc("<img src=x onerror=\22alert('</script><!--')\22>\0A\FF")
  memref.copy %c, %d : memref<48xf32> to memref<48xf32>
  memref.copy %d, %out : memref<48xf32> to memref<48xf32>
  return
}

func.func @"<b>\22bold\22</b>"(%n: index, %x: f32) -> memref<16xf32> {
  %r = memref.alloc() : memref<16xf32>
  %dynamic = memref.alloc(%n) : memref<?xf32>
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  linalg.fill ins(%x : f32) outs(%dynamic : memref<?xf32>)
  linalg.fill ins(%x : f32) outs(%a : memref<16xf32>)
  linalg.fill ins(%x : f32) outs(%b : memref<16xf32>)
  return %r : memref<16xf32>
}

func.func private @g(memref<64xf32>, memref<64xf32>)
func.func private @h(memref<64xf32>, memref<48xf32>)
}
