#!/usr/bin/env bash
# Configure and build a preset: utils/build.sh [--llvm=VERSION] [-DNAME=VALUE...] PRESET
# [TARGET...]. Prints nothing but what goes wrong. With --llvm, this is done with Debian's
# packages of another release of LLVM, in build/PRESET-VERSION.
set -euo pipefail
cd "$(dirname "$0")/.."
version=
options=()
while [[ "$1" == -* ]]; do
  case $1 in
    --llvm=*) version=${1#--llvm=} ;;
    *) options+=("$1") ;;
  esac
  shift
done
preset=$1
shift
build=build/$preset${version:+-$version}
if [[ -n "$version" ]]; then
  options+=(-B "$build" "-DMLIR_DIR=/usr/lib/llvm-$version/lib/cmake/mlir")
  # The preset names those of its own release.
  if [[ "$preset" != gcc ]]; then
    options+=("-DCMAKE_C_COMPILER=clang-$version" "-DCMAKE_CXX_COMPILER=clang++-$version"
      "-DLLVM_USE_LINKER=lld-$version")
  fi
fi
mkdir -p build
if ! { cmake --preset "$preset" "${options[@]}" &&
       cmake --build "$build" ${1:+--target "$@"}; } > "$build.log" 2>&1; then
  tail -n 60 "$build.log" >&2
  echo "The build failed; its whole log is in $build.log" >&2
  exit 1
fi
