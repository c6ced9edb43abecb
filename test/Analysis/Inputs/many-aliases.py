#!/usr/bin/env python3
"""Print a function in which many buffers may be one value.

    many-aliases.py chain N     N selections, each of a new buffer or the previous one
    many-aliases.py branches N  the same with scf.if
    many-aliases.py free N      a deallocation of one of N buffers
    many-aliases.py compare N   a comparison of one of N buffers with one of them
    many-aliases.py carried N   a deallocation, N selections away, of one of two buffers
                                that loops carry and the argument
    many-aliases.py callee N    a callee that clones one of its N arguments and selects all
"""

import sys

kind, count = sys.argv[1], int(sys.argv[2])
buffer = "memref<4xf32>"


def print_chain():
    print(f"  %s0 = memref.alloc() : {buffer}")
    for i in range(1, count):
        print(f"  %a{i} = memref.alloc() : {buffer}")
        print(f"  %s{i} = arith.select %c, %a{i}, %s{i - 1} : {buffer}")
        print(f"  memref.store %x, %s{i}[%i] : {buffer}")


def print_branches():
    print(f"  %s0 = memref.alloc() : {buffer}")
    for i in range(1, count):
        print(f"  %s{i} = scf.if %c -> {buffer} {{")
        print(f"    %a{i} = memref.alloc() : {buffer}")
        print(f"    memref.store %x, %a{i}[%i] : {buffer}")
        print(f"    scf.yield %a{i} : {buffer}")
        print("  } else {")
        print(f"    scf.yield %s{i - 1} : {buffer}")
        print("  }")
        print(f"  memref.store %x, %s{i}[%i] : {buffer}")


def print_tree():
    """Print a tree of selections, so that each buffer has few aliases; return its root."""
    names = [f"%a{i}" for i in range(count)]
    for name in names:
        print(f"  {name} = memref.alloc() : {buffer}")
        print(f"  memref.store %x, {name}[%i] : {buffer}")
    while len(names) > 1:
        a, b = names[:2]
        names = names[2:] + [f"{a}_{len(names)}"]
        print(f"  {names[-1]} = arith.select %c, {a}, {b} : {buffer}")
    return names[0]


def print_carried():
    for loop in range(2):
        print(f"  %r{loop} = scf.for %k{loop} = %i to %i step %i iter_args(%old{loop} = %in)"
              f" -> {buffer} {{")
        print(f"    %a{loop} = memref.alloc() : {buffer}")
        print(f"    memref.copy %old{loop}, %a{loop} : {buffer} to {buffer}")
        print(f"    scf.yield %a{loop} : {buffer}")
        print("  }")
    print(f"  %s0 = arith.select %c, %r0, %r1 : {buffer}")
    for i in range(1, count):
        print(f"  %s{i} = arith.select %c, %r{i % 2}, %s{i - 1} : {buffer}")
    print(f"  memref.dealloc %s{count - 1} : {buffer}")


def print_callee():
    args = [f"%a{i}" for i in range(count)]
    print("func.func private @callee(%c: i1, %x: f32, %i: index, "
          + ", ".join(f"{name}: {buffer}" for name in args) + ") {")
    print(f"  %clone = bufferization.clone %a0 : {buffer} to {buffer}")
    print(f"  memref.dealloc %clone : {buffer}")
    print(f"  %s0 = arith.select %c, %a0, %a1 : {buffer}")
    for i in range(1, count):
        print(f"  %s{i} = arith.select %c, %a{i}, %s{i - 1} : {buffer}")
        print(f"  memref.store %x, %s{i}[%i] : {buffer}")
    print("  return")
    print("}")
    print("func.func @f(%c: i1, %x: f32, %i: index) {")
    for name in args:
        print(f"  {name} = memref.alloc() : {buffer}")
    print(f"  call @callee(%c, %x, %i, {', '.join(args)}) : (i1, f32, index, "
          + ", ".join([buffer] * count) + ") -> ()")
    print("  return")
    print("}")


if kind == "callee":
    print_callee()
    sys.exit()
print(f"func.func @f(%c: i1, %x: f32, %i: index, %out: memref<i1>, %in: {buffer}) {{")
if kind == "chain":
    print_chain()
elif kind == "branches":
    print_branches()
elif kind == "free":
    print(f"  memref.dealloc {print_tree()} : {buffer}")
elif kind == "compare":
    root = print_tree()
    print(f"  %p = memref.extract_aligned_pointer_as_index {root} : {buffer} -> index")
    print(f"  %q = memref.extract_aligned_pointer_as_index %a0 : {buffer} -> index")
    print("  %same = arith.cmpi eq, %p, %q : index")
    print("  memref.store %same, %out[] : memref<i1>")
elif kind == "carried":
    print_carried()
print("  return")
print("}")
