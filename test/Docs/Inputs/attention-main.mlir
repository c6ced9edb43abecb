func.func private @printMemrefF32(%m: tensor<*xf32>) attributes {llvm.emit_c_interface}

func.func @main() {
  %q = tensor.generate {
  ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %c7 = arith.constant 7 : index
    %r = arith.remui %s, %c7 : index
    %n = arith.index_cast %r : index to i32
    %f = arith.sitofp %n : i32 to f32
    tensor.yield %f : f32
  } : tensor<64x32xf32>
  %k = arith.constant dense<0.125> : tensor<64x32xf32>
  %v = arith.constant dense<2.0> : tensor<64x32xf32>
  %y = call @attention(%q, %k, %v) : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %corner = tensor.extract_slice %y[5, 7] [1, 2] [1, 1] : tensor<64x32xf32> to tensor<1x2xf32>
  %any = tensor.cast %corner : tensor<1x2xf32> to tensor<*xf32>
  call @printMemrefF32(%any) : (tensor<*xf32>) -> ()
  return
}
