#!/usr/bin/env python3
"""Print a network that recognizes digits in images of 28x28 pixels, on tensors: two
convolutions, each with a maximum over 2x2 pixels, and a matrix. It is not trained:
its weights are pseudo-random numbers, the same everywhere."""

import struct

MAP = "affine_map<(n, h, w, c) -> (n, h, w, c)>"
LOOPS = '["parallel", "parallel", "parallel", "parallel"]'


def weights(shape, seed):
    """Return a constant of `shape` with numbers between -0.5 and 0.5."""
    count = 1
    for size in shape:
        count *= size
    data = b""
    for _ in range(count):
        seed = (seed * 1664525 + 1013904223) % 2**32
        data += struct.pack("<f", (seed >> 8) / 2**24 - 0.5)
    type = f"tensor<{'x'.join(map(str, shape))}xf32>"
    return f'arith.constant dense<"0x{data.hex().upper()}"> : {type}'


def layer(name, size, depth, window, channels, seed):
    """Return a function: convolution, what is positive of it, maximum of 2x2 pixels."""
    inner, outer = size - window + 1, (size - window + 1) // 2
    source = f"tensor<1x{size}x{size}x{depth}xf32>"
    filters = f"tensor<{window}x{window}x{depth}x{channels}xf32>"
    convolved = f"tensor<1x{inner}x{inner}x{channels}xf32>"
    pooled = f"tensor<1x{outer}x{outer}x{channels}xf32>"
    return f"""
func.func private @{name}(%image: {source}) -> {pooled} {{
  %zero = arith.constant 0.0 : f32
  %weights = {weights((window, window, depth, channels), seed)}
  %0 = tensor.empty() : {convolved}
  %1 = linalg.fill ins(%zero : f32) outs(%0 : {convolved}) -> {convolved}
  %2 = linalg.conv_2d_nhwc_hwcf ins(%image, %weights : {source}, {filters})
      outs(%1 : {convolved}) -> {convolved}
  %3 = tensor.empty() : {convolved}
  %4 = linalg.generic {{indexing_maps = [{MAP}, {MAP}], iterator_types = {LOOPS}}}
      ins(%2 : {convolved}) outs(%3 : {convolved}) {{
  ^bb0(%in: f32, %out: f32):
    %positive = arith.maximumf %in, %zero : f32
    linalg.yield %positive : f32
  }} -> {convolved}
  %window = tensor.empty() : tensor<2x2xf32>
  %5 = tensor.empty() : {pooled}
  %6 = linalg.fill ins(%zero : f32) outs(%5 : {pooled}) -> {pooled}
  %7 = linalg.pooling_nhwc_max {{strides = dense<2> : tensor<2xi64>}}
      ins(%4, %window : {convolved}, tensor<2x2xf32>) outs(%6 : {pooled}) -> {pooled}
  return %7 : {pooled}
}}"""


print(layer("first", 28, 1, 5, 8, 1))
print(layer("second", 12, 8, 5, 16, 2))
print(
    f"""
// What the second layer sees, without a decision.
func.func @features(%image: tensor<1x28x28x1xf32>) -> tensor<1x4x4x16xf32> {{
  %0 = call @first(%image) : (tensor<1x28x28x1xf32>) -> tensor<1x12x12x8xf32>
  %1 = call @second(%0) : (tensor<1x12x12x8xf32>) -> tensor<1x4x4x16xf32>
  return %1 : tensor<1x4x4x16xf32>
}}

// A number for each digit: the largest one wins.
func.func @digits(%image: tensor<1x28x28x1xf32>) -> tensor<1x10xf32> {{
  %0 = call @first(%image) : (tensor<1x28x28x1xf32>) -> tensor<1x12x12x8xf32>
  %1 = call @second(%0) : (tensor<1x12x12x8xf32>) -> tensor<1x4x4x16xf32>
  %2 = tensor.collapse_shape %1 [[0], [1, 2, 3]]
      : tensor<1x4x4x16xf32> into tensor<1x256xf32>
  %zero = arith.constant 0.0 : f32
  %weights = {weights((256, 10), 3)}
  %3 = tensor.empty() : tensor<1x10xf32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<1x10xf32>) -> tensor<1x10xf32>
  %5 = linalg.matmul ins(%2, %weights : tensor<1x256xf32>, tensor<256x10xf32>)
      outs(%4 : tensor<1x10xf32>) -> tensor<1x10xf32>
  return %5 : tensor<1x10xf32>
}}"""
)
