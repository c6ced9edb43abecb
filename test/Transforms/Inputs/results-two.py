"""Print a long chain of buffers that divides into two, of which each ends in a result.

usage: results-two.py LENGTH
"""

import sys

M = "memref<64xf32>"
COUNT = int(sys.argv[1])


def print_chain(name, value):
    for i in range(COUNT):
        print(f"%{name}{i} = memref.alloc() : {M}\nlinalg.exp ins({value} : {M}) outs(%{name}{i} : {M})")
        value = f"%{name}{i}"
    return value


print("#id = affine_map<(i) -> (i)>")
print(f"func.func @f(%x: {M}) -> ({M}, {M}) {{")
last = print_chain("a", "%x")
print(f"%l = memref.alloc() : {M}\n%r = memref.alloc() : {M}")
print(f'linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}} ins({last} : {M}) outs(%l, %r : {M}, {M}) {{')
print("^bb0(%v: f32, %o: f32, %p: f32):\n%s = arith.addf %v, %v : f32\nlinalg.yield %v, %s : f32, f32\n}")
left, right = print_chain("b", "%l"), print_chain("c", "%r")
print(f"return {left}, {right} : {M}, {M}\n}}")
