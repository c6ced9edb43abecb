#!/usr/bin/env bash
# examples/c-api/build.sh LLVM OUT: compile merge.c with the LLVM and MLIR in LLVM.
set -euo pipefail
llvm=$1
mkdir -p "$2"
"${CC:-cc}" -std=gnu99 -Wall -pedantic -Werror -I"$llvm/include" -c "$(dirname "$0")/merge.c" \
  -o "$2/merge.o"
# The plugin and the program share libMLIR.so; the C API is a layer above it, in archives.
"${CXX:-c++}" "$2/merge.o" "$llvm/lib/libMLIRCAPIRegisterEverything.a" \
  "$llvm/lib/libMLIRCAPIIR.a" -L"$llvm/lib" -lMLIR -lLLVM -ldl -Wl,-rpath,"$llvm/lib" \
  -o "$2/merge"
