#!/usr/bin/env bash
# Configure and build a preset: utils/build.sh [--llvm=VERSION] PRESET [TARGET...]. Prints
# nothing but what goes wrong. With --llvm, this is done with Debian's packages of another
# release of LLVM, in build/PRESET-VERSION.
set -euo pipefail
cd "$(dirname "$0")/.."
options=()
suffix=
if [[ "$1" == --llvm=* ]]; then
  version=${1#--llvm=}
  suffix=-$version
  options=(-B "build/$2$suffix" "-DMLIR_DIR=/usr/lib/llvm-$version/lib/cmake/mlir")
  # The preset names these of one release.
  if ! [[ "$2" =~ ^(release|benchmark|mutations|static)$ ]]; then
    options+=("-DCMAKE_C_COMPILER=clang-$version" "-DCMAKE_CXX_COMPILER=clang++-$version"
      "-DLLVM_USE_LINKER=lld-$version")
  fi
  shift
fi
preset=$1
shift
mkdir -p build
log=build/$preset$suffix.log
if ! { cmake --preset "$preset" "${options[@]}" &&
       cmake --build "build/$preset$suffix" ${1:+--target "$@"}; } > "$log" 2>&1; then
  tail -n 60 "$log" >&2
  echo "The build failed; its whole log is in $log" >&2
  exit 1
fi
