// A step of an optimizer with momentum: parameters of many sizes, from one number to a
// quarter of a megabyte, each with the same chain of temporary buffers; the new
// parameters are results, the momentum is updated in place.

func.func private @printF32(f32)
func.func private @printNewline()

func.func @step(
    %p0: memref<1xf32>, %m0: memref<1xf32>, %g0: memref<1xf32>, %p1: memref<64xf32>, %m1: memref<64xf32>, %g1: memref<64xf32>, %p2: memref<256x256xf32>, %m2: memref<256x256xf32>, %g2: memref<256x256xf32>, %p3: memref<64xf32>, %m3: memref<64xf32>, %g3: memref<64xf32>, %p4: memref<3xf32>, %m4: memref<3xf32>, %g4: memref<3xf32>, %p5: memref<64x256xf32>, %m5: memref<64x256xf32>, %g5: memref<64x256xf32>, %p6: memref<256xf32>, %m6: memref<256xf32>, %g6: memref<256xf32>, %p7: memref<1xf32>, %m7: memref<1xf32>, %g7: memref<1xf32>, %p8: memref<10xf32>, %m8: memref<10xf32>, %g8: memref<10xf32>, %p9: memref<128x10xf32>, %m9: memref<128x10xf32>, %g9: memref<128x10xf32>)
    -> (memref<1xf32>, memref<64xf32>, memref<256x256xf32>, memref<64xf32>, memref<3xf32>, memref<64x256xf32>, memref<256xf32>, memref<1xf32>, memref<10xf32>, memref<128x10xf32>) {
  %decay = arith.constant 0.9 : f32
  %rate = arith.constant 0.1 : f32
  %decay0 = memref.alloc() : memref<1xf32>
  linalg.fill ins(%decay : f32) outs(%decay0 : memref<1xf32>)
  %old0 = memref.alloc() : memref<1xf32>
  linalg.mul ins(%m0, %decay0 : memref<1xf32>, memref<1xf32>) outs(%old0 : memref<1xf32>)
  linalg.add ins(%old0, %g0 : memref<1xf32>, memref<1xf32>) outs(%m0 : memref<1xf32>)
  %rate0 = memref.alloc() : memref<1xf32>
  linalg.fill ins(%rate : f32) outs(%rate0 : memref<1xf32>)
  %step0 = memref.alloc() : memref<1xf32>
  linalg.mul ins(%m0, %rate0 : memref<1xf32>, memref<1xf32>) outs(%step0 : memref<1xf32>)
  %weight0 = memref.alloc() : memref<1xf32>
  linalg.mul ins(%p0, %rate0 : memref<1xf32>, memref<1xf32>) outs(%weight0 : memref<1xf32>)
  %change0 = memref.alloc() : memref<1xf32>
  linalg.add ins(%step0, %weight0 : memref<1xf32>, memref<1xf32>) outs(%change0 : memref<1xf32>)
  %new0 = memref.alloc() : memref<1xf32>
  linalg.sub ins(%p0, %change0 : memref<1xf32>, memref<1xf32>) outs(%new0 : memref<1xf32>)
  %decay1 = memref.alloc() : memref<64xf32>
  linalg.fill ins(%decay : f32) outs(%decay1 : memref<64xf32>)
  %old1 = memref.alloc() : memref<64xf32>
  linalg.mul ins(%m1, %decay1 : memref<64xf32>, memref<64xf32>) outs(%old1 : memref<64xf32>)
  linalg.add ins(%old1, %g1 : memref<64xf32>, memref<64xf32>) outs(%m1 : memref<64xf32>)
  %rate1 = memref.alloc() : memref<64xf32>
  linalg.fill ins(%rate : f32) outs(%rate1 : memref<64xf32>)
  %step1 = memref.alloc() : memref<64xf32>
  linalg.mul ins(%m1, %rate1 : memref<64xf32>, memref<64xf32>) outs(%step1 : memref<64xf32>)
  %weight1 = memref.alloc() : memref<64xf32>
  linalg.mul ins(%p1, %rate1 : memref<64xf32>, memref<64xf32>) outs(%weight1 : memref<64xf32>)
  %change1 = memref.alloc() : memref<64xf32>
  linalg.add ins(%step1, %weight1 : memref<64xf32>, memref<64xf32>) outs(%change1 : memref<64xf32>)
  %new1 = memref.alloc() : memref<64xf32>
  linalg.sub ins(%p1, %change1 : memref<64xf32>, memref<64xf32>) outs(%new1 : memref<64xf32>)
  %decay2 = memref.alloc() : memref<256x256xf32>
  linalg.fill ins(%decay : f32) outs(%decay2 : memref<256x256xf32>)
  %old2 = memref.alloc() : memref<256x256xf32>
  linalg.mul ins(%m2, %decay2 : memref<256x256xf32>, memref<256x256xf32>) outs(%old2 : memref<256x256xf32>)
  linalg.add ins(%old2, %g2 : memref<256x256xf32>, memref<256x256xf32>) outs(%m2 : memref<256x256xf32>)
  %rate2 = memref.alloc() : memref<256x256xf32>
  linalg.fill ins(%rate : f32) outs(%rate2 : memref<256x256xf32>)
  %step2 = memref.alloc() : memref<256x256xf32>
  linalg.mul ins(%m2, %rate2 : memref<256x256xf32>, memref<256x256xf32>) outs(%step2 : memref<256x256xf32>)
  %weight2 = memref.alloc() : memref<256x256xf32>
  linalg.mul ins(%p2, %rate2 : memref<256x256xf32>, memref<256x256xf32>) outs(%weight2 : memref<256x256xf32>)
  %change2 = memref.alloc() : memref<256x256xf32>
  linalg.add ins(%step2, %weight2 : memref<256x256xf32>, memref<256x256xf32>) outs(%change2 : memref<256x256xf32>)
  %new2 = memref.alloc() : memref<256x256xf32>
  linalg.sub ins(%p2, %change2 : memref<256x256xf32>, memref<256x256xf32>) outs(%new2 : memref<256x256xf32>)
  %decay3 = memref.alloc() : memref<64xf32>
  linalg.fill ins(%decay : f32) outs(%decay3 : memref<64xf32>)
  %old3 = memref.alloc() : memref<64xf32>
  linalg.mul ins(%m3, %decay3 : memref<64xf32>, memref<64xf32>) outs(%old3 : memref<64xf32>)
  linalg.add ins(%old3, %g3 : memref<64xf32>, memref<64xf32>) outs(%m3 : memref<64xf32>)
  %rate3 = memref.alloc() : memref<64xf32>
  linalg.fill ins(%rate : f32) outs(%rate3 : memref<64xf32>)
  %step3 = memref.alloc() : memref<64xf32>
  linalg.mul ins(%m3, %rate3 : memref<64xf32>, memref<64xf32>) outs(%step3 : memref<64xf32>)
  %weight3 = memref.alloc() : memref<64xf32>
  linalg.mul ins(%p3, %rate3 : memref<64xf32>, memref<64xf32>) outs(%weight3 : memref<64xf32>)
  %change3 = memref.alloc() : memref<64xf32>
  linalg.add ins(%step3, %weight3 : memref<64xf32>, memref<64xf32>) outs(%change3 : memref<64xf32>)
  %new3 = memref.alloc() : memref<64xf32>
  linalg.sub ins(%p3, %change3 : memref<64xf32>, memref<64xf32>) outs(%new3 : memref<64xf32>)
  %decay4 = memref.alloc() : memref<3xf32>
  linalg.fill ins(%decay : f32) outs(%decay4 : memref<3xf32>)
  %old4 = memref.alloc() : memref<3xf32>
  linalg.mul ins(%m4, %decay4 : memref<3xf32>, memref<3xf32>) outs(%old4 : memref<3xf32>)
  linalg.add ins(%old4, %g4 : memref<3xf32>, memref<3xf32>) outs(%m4 : memref<3xf32>)
  %rate4 = memref.alloc() : memref<3xf32>
  linalg.fill ins(%rate : f32) outs(%rate4 : memref<3xf32>)
  %step4 = memref.alloc() : memref<3xf32>
  linalg.mul ins(%m4, %rate4 : memref<3xf32>, memref<3xf32>) outs(%step4 : memref<3xf32>)
  %weight4 = memref.alloc() : memref<3xf32>
  linalg.mul ins(%p4, %rate4 : memref<3xf32>, memref<3xf32>) outs(%weight4 : memref<3xf32>)
  %change4 = memref.alloc() : memref<3xf32>
  linalg.add ins(%step4, %weight4 : memref<3xf32>, memref<3xf32>) outs(%change4 : memref<3xf32>)
  %new4 = memref.alloc() : memref<3xf32>
  linalg.sub ins(%p4, %change4 : memref<3xf32>, memref<3xf32>) outs(%new4 : memref<3xf32>)
  %decay5 = memref.alloc() : memref<64x256xf32>
  linalg.fill ins(%decay : f32) outs(%decay5 : memref<64x256xf32>)
  %old5 = memref.alloc() : memref<64x256xf32>
  linalg.mul ins(%m5, %decay5 : memref<64x256xf32>, memref<64x256xf32>) outs(%old5 : memref<64x256xf32>)
  linalg.add ins(%old5, %g5 : memref<64x256xf32>, memref<64x256xf32>) outs(%m5 : memref<64x256xf32>)
  %rate5 = memref.alloc() : memref<64x256xf32>
  linalg.fill ins(%rate : f32) outs(%rate5 : memref<64x256xf32>)
  %step5 = memref.alloc() : memref<64x256xf32>
  linalg.mul ins(%m5, %rate5 : memref<64x256xf32>, memref<64x256xf32>) outs(%step5 : memref<64x256xf32>)
  %weight5 = memref.alloc() : memref<64x256xf32>
  linalg.mul ins(%p5, %rate5 : memref<64x256xf32>, memref<64x256xf32>) outs(%weight5 : memref<64x256xf32>)
  %change5 = memref.alloc() : memref<64x256xf32>
  linalg.add ins(%step5, %weight5 : memref<64x256xf32>, memref<64x256xf32>) outs(%change5 : memref<64x256xf32>)
  %new5 = memref.alloc() : memref<64x256xf32>
  linalg.sub ins(%p5, %change5 : memref<64x256xf32>, memref<64x256xf32>) outs(%new5 : memref<64x256xf32>)
  %decay6 = memref.alloc() : memref<256xf32>
  linalg.fill ins(%decay : f32) outs(%decay6 : memref<256xf32>)
  %old6 = memref.alloc() : memref<256xf32>
  linalg.mul ins(%m6, %decay6 : memref<256xf32>, memref<256xf32>) outs(%old6 : memref<256xf32>)
  linalg.add ins(%old6, %g6 : memref<256xf32>, memref<256xf32>) outs(%m6 : memref<256xf32>)
  %rate6 = memref.alloc() : memref<256xf32>
  linalg.fill ins(%rate : f32) outs(%rate6 : memref<256xf32>)
  %step6 = memref.alloc() : memref<256xf32>
  linalg.mul ins(%m6, %rate6 : memref<256xf32>, memref<256xf32>) outs(%step6 : memref<256xf32>)
  %weight6 = memref.alloc() : memref<256xf32>
  linalg.mul ins(%p6, %rate6 : memref<256xf32>, memref<256xf32>) outs(%weight6 : memref<256xf32>)
  %change6 = memref.alloc() : memref<256xf32>
  linalg.add ins(%step6, %weight6 : memref<256xf32>, memref<256xf32>) outs(%change6 : memref<256xf32>)
  %new6 = memref.alloc() : memref<256xf32>
  linalg.sub ins(%p6, %change6 : memref<256xf32>, memref<256xf32>) outs(%new6 : memref<256xf32>)
  %decay7 = memref.alloc() : memref<1xf32>
  linalg.fill ins(%decay : f32) outs(%decay7 : memref<1xf32>)
  %old7 = memref.alloc() : memref<1xf32>
  linalg.mul ins(%m7, %decay7 : memref<1xf32>, memref<1xf32>) outs(%old7 : memref<1xf32>)
  linalg.add ins(%old7, %g7 : memref<1xf32>, memref<1xf32>) outs(%m7 : memref<1xf32>)
  %rate7 = memref.alloc() : memref<1xf32>
  linalg.fill ins(%rate : f32) outs(%rate7 : memref<1xf32>)
  %step7 = memref.alloc() : memref<1xf32>
  linalg.mul ins(%m7, %rate7 : memref<1xf32>, memref<1xf32>) outs(%step7 : memref<1xf32>)
  %weight7 = memref.alloc() : memref<1xf32>
  linalg.mul ins(%p7, %rate7 : memref<1xf32>, memref<1xf32>) outs(%weight7 : memref<1xf32>)
  %change7 = memref.alloc() : memref<1xf32>
  linalg.add ins(%step7, %weight7 : memref<1xf32>, memref<1xf32>) outs(%change7 : memref<1xf32>)
  %new7 = memref.alloc() : memref<1xf32>
  linalg.sub ins(%p7, %change7 : memref<1xf32>, memref<1xf32>) outs(%new7 : memref<1xf32>)
  %decay8 = memref.alloc() : memref<10xf32>
  linalg.fill ins(%decay : f32) outs(%decay8 : memref<10xf32>)
  %old8 = memref.alloc() : memref<10xf32>
  linalg.mul ins(%m8, %decay8 : memref<10xf32>, memref<10xf32>) outs(%old8 : memref<10xf32>)
  linalg.add ins(%old8, %g8 : memref<10xf32>, memref<10xf32>) outs(%m8 : memref<10xf32>)
  %rate8 = memref.alloc() : memref<10xf32>
  linalg.fill ins(%rate : f32) outs(%rate8 : memref<10xf32>)
  %step8 = memref.alloc() : memref<10xf32>
  linalg.mul ins(%m8, %rate8 : memref<10xf32>, memref<10xf32>) outs(%step8 : memref<10xf32>)
  %weight8 = memref.alloc() : memref<10xf32>
  linalg.mul ins(%p8, %rate8 : memref<10xf32>, memref<10xf32>) outs(%weight8 : memref<10xf32>)
  %change8 = memref.alloc() : memref<10xf32>
  linalg.add ins(%step8, %weight8 : memref<10xf32>, memref<10xf32>) outs(%change8 : memref<10xf32>)
  %new8 = memref.alloc() : memref<10xf32>
  linalg.sub ins(%p8, %change8 : memref<10xf32>, memref<10xf32>) outs(%new8 : memref<10xf32>)
  %decay9 = memref.alloc() : memref<128x10xf32>
  linalg.fill ins(%decay : f32) outs(%decay9 : memref<128x10xf32>)
  %old9 = memref.alloc() : memref<128x10xf32>
  linalg.mul ins(%m9, %decay9 : memref<128x10xf32>, memref<128x10xf32>) outs(%old9 : memref<128x10xf32>)
  linalg.add ins(%old9, %g9 : memref<128x10xf32>, memref<128x10xf32>) outs(%m9 : memref<128x10xf32>)
  %rate9 = memref.alloc() : memref<128x10xf32>
  linalg.fill ins(%rate : f32) outs(%rate9 : memref<128x10xf32>)
  %step9 = memref.alloc() : memref<128x10xf32>
  linalg.mul ins(%m9, %rate9 : memref<128x10xf32>, memref<128x10xf32>) outs(%step9 : memref<128x10xf32>)
  %weight9 = memref.alloc() : memref<128x10xf32>
  linalg.mul ins(%p9, %rate9 : memref<128x10xf32>, memref<128x10xf32>) outs(%weight9 : memref<128x10xf32>)
  %change9 = memref.alloc() : memref<128x10xf32>
  linalg.add ins(%step9, %weight9 : memref<128x10xf32>, memref<128x10xf32>) outs(%change9 : memref<128x10xf32>)
  %new9 = memref.alloc() : memref<128x10xf32>
  linalg.sub ins(%p9, %change9 : memref<128x10xf32>, memref<128x10xf32>) outs(%new9 : memref<128x10xf32>)
  return %new0, %new1, %new2, %new3, %new4, %new5, %new6, %new7, %new8, %new9
      : memref<1xf32>, memref<64xf32>, memref<256x256xf32>, memref<64xf32>, memref<3xf32>, memref<64x256xf32>, memref<256xf32>, memref<1xf32>, memref<10xf32>, memref<128x10xf32>
}

memref.global "private" @p0 : memref<1xf32> = uninitialized
memref.global "private" @m0 : memref<1xf32> = uninitialized
memref.global "private" @g0 : memref<1xf32> = uninitialized
memref.global "private" @p1 : memref<64xf32> = uninitialized
memref.global "private" @m1 : memref<64xf32> = uninitialized
memref.global "private" @g1 : memref<64xf32> = uninitialized
memref.global "private" @p2 : memref<256x256xf32> = uninitialized
memref.global "private" @m2 : memref<256x256xf32> = uninitialized
memref.global "private" @g2 : memref<256x256xf32> = uninitialized
memref.global "private" @p3 : memref<64xf32> = uninitialized
memref.global "private" @m3 : memref<64xf32> = uninitialized
memref.global "private" @g3 : memref<64xf32> = uninitialized
memref.global "private" @p4 : memref<3xf32> = uninitialized
memref.global "private" @m4 : memref<3xf32> = uninitialized
memref.global "private" @g4 : memref<3xf32> = uninitialized
memref.global "private" @p5 : memref<64x256xf32> = uninitialized
memref.global "private" @m5 : memref<64x256xf32> = uninitialized
memref.global "private" @g5 : memref<64x256xf32> = uninitialized
memref.global "private" @p6 : memref<256xf32> = uninitialized
memref.global "private" @m6 : memref<256xf32> = uninitialized
memref.global "private" @g6 : memref<256xf32> = uninitialized
memref.global "private" @p7 : memref<1xf32> = uninitialized
memref.global "private" @m7 : memref<1xf32> = uninitialized
memref.global "private" @g7 : memref<1xf32> = uninitialized
memref.global "private" @p8 : memref<10xf32> = uninitialized
memref.global "private" @m8 : memref<10xf32> = uninitialized
memref.global "private" @g8 : memref<10xf32> = uninitialized
memref.global "private" @p9 : memref<128x10xf32> = uninitialized
memref.global "private" @m9 : memref<128x10xf32> = uninitialized
memref.global "private" @g9 : memref<128x10xf32> = uninitialized

func.func @main() {
  %c0 = arith.constant 0 : index
  %half = arith.constant 0.5 : f32
  %p0 = memref.get_global @p0 : memref<1xf32>
  linalg.fill ins(%half : f32) outs(%p0 : memref<1xf32>)
  %m0 = memref.get_global @m0 : memref<1xf32>
  linalg.fill ins(%half : f32) outs(%m0 : memref<1xf32>)
  %g0 = memref.get_global @g0 : memref<1xf32>
  linalg.fill ins(%half : f32) outs(%g0 : memref<1xf32>)
  %p1 = memref.get_global @p1 : memref<64xf32>
  linalg.fill ins(%half : f32) outs(%p1 : memref<64xf32>)
  %m1 = memref.get_global @m1 : memref<64xf32>
  linalg.fill ins(%half : f32) outs(%m1 : memref<64xf32>)
  %g1 = memref.get_global @g1 : memref<64xf32>
  linalg.fill ins(%half : f32) outs(%g1 : memref<64xf32>)
  %p2 = memref.get_global @p2 : memref<256x256xf32>
  linalg.fill ins(%half : f32) outs(%p2 : memref<256x256xf32>)
  %m2 = memref.get_global @m2 : memref<256x256xf32>
  linalg.fill ins(%half : f32) outs(%m2 : memref<256x256xf32>)
  %g2 = memref.get_global @g2 : memref<256x256xf32>
  linalg.fill ins(%half : f32) outs(%g2 : memref<256x256xf32>)
  %p3 = memref.get_global @p3 : memref<64xf32>
  linalg.fill ins(%half : f32) outs(%p3 : memref<64xf32>)
  %m3 = memref.get_global @m3 : memref<64xf32>
  linalg.fill ins(%half : f32) outs(%m3 : memref<64xf32>)
  %g3 = memref.get_global @g3 : memref<64xf32>
  linalg.fill ins(%half : f32) outs(%g3 : memref<64xf32>)
  %p4 = memref.get_global @p4 : memref<3xf32>
  linalg.fill ins(%half : f32) outs(%p4 : memref<3xf32>)
  %m4 = memref.get_global @m4 : memref<3xf32>
  linalg.fill ins(%half : f32) outs(%m4 : memref<3xf32>)
  %g4 = memref.get_global @g4 : memref<3xf32>
  linalg.fill ins(%half : f32) outs(%g4 : memref<3xf32>)
  %p5 = memref.get_global @p5 : memref<64x256xf32>
  linalg.fill ins(%half : f32) outs(%p5 : memref<64x256xf32>)
  %m5 = memref.get_global @m5 : memref<64x256xf32>
  linalg.fill ins(%half : f32) outs(%m5 : memref<64x256xf32>)
  %g5 = memref.get_global @g5 : memref<64x256xf32>
  linalg.fill ins(%half : f32) outs(%g5 : memref<64x256xf32>)
  %p6 = memref.get_global @p6 : memref<256xf32>
  linalg.fill ins(%half : f32) outs(%p6 : memref<256xf32>)
  %m6 = memref.get_global @m6 : memref<256xf32>
  linalg.fill ins(%half : f32) outs(%m6 : memref<256xf32>)
  %g6 = memref.get_global @g6 : memref<256xf32>
  linalg.fill ins(%half : f32) outs(%g6 : memref<256xf32>)
  %p7 = memref.get_global @p7 : memref<1xf32>
  linalg.fill ins(%half : f32) outs(%p7 : memref<1xf32>)
  %m7 = memref.get_global @m7 : memref<1xf32>
  linalg.fill ins(%half : f32) outs(%m7 : memref<1xf32>)
  %g7 = memref.get_global @g7 : memref<1xf32>
  linalg.fill ins(%half : f32) outs(%g7 : memref<1xf32>)
  %p8 = memref.get_global @p8 : memref<10xf32>
  linalg.fill ins(%half : f32) outs(%p8 : memref<10xf32>)
  %m8 = memref.get_global @m8 : memref<10xf32>
  linalg.fill ins(%half : f32) outs(%m8 : memref<10xf32>)
  %g8 = memref.get_global @g8 : memref<10xf32>
  linalg.fill ins(%half : f32) outs(%g8 : memref<10xf32>)
  %p9 = memref.get_global @p9 : memref<128x10xf32>
  linalg.fill ins(%half : f32) outs(%p9 : memref<128x10xf32>)
  %m9 = memref.get_global @m9 : memref<128x10xf32>
  linalg.fill ins(%half : f32) outs(%m9 : memref<128x10xf32>)
  %g9 = memref.get_global @g9 : memref<128x10xf32>
  linalg.fill ins(%half : f32) outs(%g9 : memref<128x10xf32>)
  %r:10 = call @step(%p0, %m0, %g0, %p1, %m1, %g1, %p2, %m2, %g2, %p3, %m3, %g3, %p4, %m4, %g4, %p5, %m5, %g5, %p6, %m6, %g6, %p7, %m7, %g7, %p8, %m8, %g8, %p9, %m9, %g9)
      : (memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<256x256xf32>, memref<256x256xf32>, memref<256x256xf32>, memref<64xf32>, memref<64xf32>, memref<64xf32>, memref<3xf32>, memref<3xf32>, memref<3xf32>, memref<64x256xf32>, memref<64x256xf32>, memref<64x256xf32>, memref<256xf32>, memref<256xf32>, memref<256xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<10xf32>, memref<10xf32>, memref<10xf32>, memref<128x10xf32>, memref<128x10xf32>, memref<128x10xf32>)
      -> (memref<1xf32>, memref<64xf32>, memref<256x256xf32>, memref<64xf32>, memref<3xf32>, memref<64x256xf32>, memref<256xf32>, memref<1xf32>, memref<10xf32>, memref<128x10xf32>)
  %v0 = memref.load %r#0[%c0] : memref<1xf32>
  call @printF32(%v0) : (f32) -> ()
  call @printNewline() : () -> ()
  %v1 = memref.load %r#1[%c0] : memref<64xf32>
  call @printF32(%v1) : (f32) -> ()
  call @printNewline() : () -> ()
  %v2 = memref.load %r#2[%c0, %c0] : memref<256x256xf32>
  call @printF32(%v2) : (f32) -> ()
  call @printNewline() : () -> ()
  %v3 = memref.load %r#3[%c0] : memref<64xf32>
  call @printF32(%v3) : (f32) -> ()
  call @printNewline() : () -> ()
  %v4 = memref.load %r#4[%c0] : memref<3xf32>
  call @printF32(%v4) : (f32) -> ()
  call @printNewline() : () -> ()
  %v5 = memref.load %r#5[%c0, %c0] : memref<64x256xf32>
  call @printF32(%v5) : (f32) -> ()
  call @printNewline() : () -> ()
  %v6 = memref.load %r#6[%c0] : memref<256xf32>
  call @printF32(%v6) : (f32) -> ()
  call @printNewline() : () -> ()
  %v7 = memref.load %r#7[%c0] : memref<1xf32>
  call @printF32(%v7) : (f32) -> ()
  call @printNewline() : () -> ()
  %v8 = memref.load %r#8[%c0] : memref<10xf32>
  call @printF32(%v8) : (f32) -> ()
  call @printNewline() : () -> ()
  %v9 = memref.load %r#9[%c0, %c0] : memref<128x10xf32>
  call @printF32(%v9) : (f32) -> ()
  call @printNewline() : () -> ()
  return
}
