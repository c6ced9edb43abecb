// REQUIRES: chromium

// The page in a real browser: it draws, hovering and searching work, nothing in
// the report becomes markup, and nothing is loaded from outside.

// RUN: buffer-merge-opt %s --buffer-merge='report=%t.html scheduler=first-fit' -o /dev/null
// RUN: cat %t.html %S/Inputs/drive-page.html > %t.driven.html
// RUN: rm -rf %t.profile
// RUN: %browser --user-data-dir=%t.profile --dump-dom file://%t.driven.html > %t.dom
// RUN: FileCheck %s < %t.dom

//      CHECK: <pre id="log">panels 2
// CHECK-NEXT: rects 4
// CHECK-NEXT: labels %in.staged,256 B,conv1.out,256 B,%c,192 B,&lt;img src=x one…,192 B
// CHECK-NEXT: lines pool 512 B, lower bound 512 B = pool, peak at tick 3
// CHECK-NEXT: alive Alive at tick 3: 2 buffers, 512 B %in.staged 256 B conv1.out 256 B
// CHECK-NEXT: hover %in.staged type memref&lt;64xf32&gt; bytes 256 B lifetime [1, 4), 3 ticks offset 0 to 256 aligned to 64 shares with 2 buffers location {{.*}}page.mlir:[[# @LINE + 31]]:16 first access memref.copy at {{.*}}page.mlir:{{.*}} last access func.call at
// CHECK-NEXT: hover conv1.out
// CHECK-NEXT: hover %c
// CHECK-NEXT: hover &lt;img
// CHECK-NEXT: hover nothing
// CHECK-NEXT: search CONV1: 1 buffer in 1 pool; 1 marked, 3 dimmed, 1 in the index
// CHECK-NEXT: search &lt;img: 1 buffer in 1 pool; 1 marked, 3 dimmed, 1 in the index
// CHECK-NEXT: search nowhere: 0 buffers in 0 pools; 0 marked, 4 dimmed, 0 in the index
// CHECK-NEXT: search : ; 0 marked, 0 dimmed, 2 in the index
// CHECK-NEXT: zoomed 2
// CHECK-NEXT: reset 4
// CHECK-NEXT: table %in.staged 0 256 [1, 4) 2 memref&lt;64xf32&gt;
// CHECK-NEXT: left dynamic-shape 1 allocation
// CHECK-NEXT: scripts 3, images 0
// CHECK-NEXT: loaded 0
// CHECK-NEXT: done
//  CHECK-NOT: {{^(ERROR|BLOCKED)}}

// The page as it is written has each part once: no name ends a script or starts
// a tag.
// RUN: FileCheck %s --check-prefix=SOURCE --implicit-check-not='<script' --implicit-check-not='</script' --implicit-check-not='<img' < %t.html
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
