#!/usr/bin/env python3
"""Print a chain of calls in which hand-down saves something between the last two functions only.

    call-chain.py N    N functions call the next one while they need all that they hold
"""

import sys

count = int(sys.argv[1])
buffer = "memref<64xf32>"


def print_function(number):
    print(f"func.func private @f{number}(%in: {buffer}, %out: {buffer}) {{")
    print(f"  %a = memref.alloc() : {buffer}")
    print(f"  %b = memref.alloc() : {buffer}")
    print(f"  linalg.exp ins(%in : {buffer}) outs(%a : {buffer})")
    print(f"  linalg.exp ins(%a : {buffer}) outs(%b : {buffer})")
    if number < count:
        print(f"  call @f{number + 1}(%in, %out) : ({buffer}, {buffer}) -> ()")
        print(f"  linalg.add ins(%a, %b : {buffer}, {buffer}) outs(%out : {buffer})")
    else:
        print(f"  linalg.add ins(%a, %b : {buffer}, {buffer}) outs(%out : {buffer})")
        print(f"  call @f{number + 1}(%in, %out) : ({buffer}, {buffer}) -> ()")
    print("  return")
    print("}")


for number in range(count + 1):
    print_function(number)
print(f"func.func private @f{count + 1}(%in: {buffer}, %out: {buffer}) {{")
print(f"  %a = memref.alloc() : {buffer}")
print(f"  linalg.exp ins(%in : {buffer}) outs(%a : {buffer})")
print(f"  linalg.exp ins(%a : {buffer}) outs(%out : {buffer})")
print("  return")
print("}")
print(f"func.func @main(%in: {buffer}, %out: {buffer}) {{")
print(f"  call @f0(%in, %out) : ({buffer}, {buffer}) -> ()")
print("  return")
print("}")
