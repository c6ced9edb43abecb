"""Print a module that measures how far apart the elements of a memref are.

For each element type, @main writes one value to the first two elements of a view of bytes,
one after the other, and prints seven times the distance of the first bytes that change.
@sizes allocates seven elements of each type, in the same order.

With `--compare STRIDES SIZES`, compare what @main has printed with what the analysis says
of @sizes.
"""

import sys

ONE = "arith.constant 1 : {}"
REAL = "arith.constant 3.3 : {}"
SMALL = "arith.constant 1.5 : {}"

TYPES = [(f"i{width}", ONE) for width in (1, 4, 7, 8, 12, 16, 24, 32, 48, 64, 72, 128)]
TYPES += [("index", ONE)]
TYPES += [(name, SMALL) for name in ("f8E4M3FN", "f8E5M2")]
TYPES += [(name, REAL) for name in ("bf16", "f16", "f32", "f64", "f80", "f128")]
TYPES += [
    (f"complex<{name}>", f"complex.constant [3.3 : {name}, 3.3 : {name}] : {{}}")
    for name in ("f32", "f64")
]
TYPES += [
    (f"vector<{shape}>", f"arith.constant dense<{value}> : {{}}")
    for shape, value in [
        ("3xf32", "3.3"),
        ("2xf32", "3.3"),
        ("3xi8", "1"),
        ("5xf64", "3.3"),
        ("3x3xf32", "3.3"),
    ]
]


def compare(strides, sizes):
    failed = 0
    for (element, _), stride, size in zip(TYPES, strides, sizes, strict=True):
        if stride != size:
            print(f"{element}: {stride} bytes, {size} reserved")
        failed += stride > size
    print(f"{len(TYPES)} types, {failed} too small")


def main():
    print("memref.global @bytes : memref<512xi8> = uninitialized")
    print("func.func @sizes(%i: index) {")
    for number, (element, _) in enumerate(TYPES):
        print(f"  %m{number} = memref.alloc() : memref<7x{element}>")
        print(f"  %x{number} = memref.load %m{number}[%i] : memref<7x{element}>")
    print("  return\n}")
    print(
        """
func.func private @clear(%bytes: memref<512xi8>) {
  %c0_i8 = arith.constant 0 : i8
  linalg.fill ins(%c0_i8 : i8) outs(%bytes : memref<512xi8>)
  return
}
func.func private @find(%bytes: memref<512xi8>) -> index {
  %c0_i8 = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c512 = arith.constant 512 : index
  %first = scf.for %i = %c0 to %c512 step %c1 iter_args(%found = %c512) -> (index) {
    %byte = memref.load %bytes[%i] : memref<512xi8>
    %isSet = arith.cmpi ne, %byte, %c0_i8 : i8
    %here = arith.select %isSet, %i, %c512 : index
    %least = arith.minui %found, %here : index
    scf.yield %least : index
  }
  return %first : index
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %bytes = memref.get_global @bytes : memref<512xi8>"""
    )
    for number, (element, constant) in enumerate(TYPES):
        print(f"  %v{number} = memref.view %bytes[%c0][] : memref<512xi8> to memref<7x{element}>")
        print(f"  %x{number} = {constant.format(element)}")
        for place in (0, 1):
            print("  func.call @clear(%bytes) : (memref<512xi8>) -> ()")
            print(f"  memref.store %x{number}, %v{number}[%c{place}] : memref<7x{element}>")
            print(f"  %f{number}_{place} = func.call @find(%bytes) : (memref<512xi8>) -> index")
        print(f"  %d{number} = arith.subi %f{number}_1, %f{number}_0 : index")
        print(f"  %s{number} = arith.muli %d{number}, %c7 : index")
        print(f"  vector.print %s{number} : index")
    print("  return\n}")


def read_numbers(path):
    with open(path, encoding="utf-8") as file:
        return [int(line) for line in file]


if sys.argv[1:]:
    compare(*map(read_numbers, sys.argv[2:]))
else:
    main()
