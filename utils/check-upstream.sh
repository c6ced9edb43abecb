#!/usr/bin/env bash
# Show that the patches of upstream/ are ready to be sent: utils/check-upstream.sh SOURCES
# [LLVM]. SOURCES has the folders mlir, cmake and third-party of LLVM's release branch, and
# LLVM (/usr/lib/llvm-23) is an installed copy of the same release. In build/upstream, the
# patches are applied one after the other, the libraries that they touch are built, and
# what they add to tests must fail with the installed mlir-opt and pass with those.
set -euo pipefail
cd "$(dirname "$0")/.."
sources=$(realpath "$1")
llvm=$(realpath "${2:-/usr/lib/llvm-23}")
root=$PWD
work=$root/build/upstream
rm -rf "$work/sources"
mkdir -p "$work/sources"
for folder in mlir cmake third-party; do
  [[ ! -e "$sources/$folder" ]] || cp -r "$sources/$folder" "$work/sources/"
done
cd "$work/sources"
git init -q .
for patch in "$root"/upstream/*.patch; do
  git apply --whitespace=error "$patch"
done
echo "All patches apply."

changed() { sed -n "s#^+++ b/mlir/\($1\)#\1#p" "$root"/upstream/*.patch | sort -u; }
mapfile -t tests < <(changed 'test/.*')
# They touch dialects, whose libraries are the folders lib/Dialect/NAME/IR.
mapfile -t dialects < <(changed '.*Dialect/[A-Za-z]*/IR/.*' |
  sed -n 's#^\(include/mlir\|lib\)/Dialect/\([A-Za-z]*\)/IR/.*#\2#p' | sort -u)

# Of the sources, only these are compiled: the rest is installed.
cmake -G Ninja -S mlir -B "$work/build" -DLLVM_DIR="$llvm/lib/cmake/llvm" \
  -DMLIR_TABLEGEN="$llvm/bin/mlir-tblgen" -DMLIR_INCLUDE_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_C_COMPILER="$llvm/bin/clang" \
  -DCMAKE_CXX_COMPILER="$llvm/bin/clang++" -DLLVM_LINK_LLVM_DYLIB=ON \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > "$work/build.log"
objects=()
for dialect in "${dialects[@]}"; do
  mapfile -t generated < <(ninja -C "$work/build" -t targets all |
    sed -n "s#^\(include/mlir/Dialect/$dialect/IR/[^:]*inc\):.*#\1#p")
  ninja -C "$work/build" "${generated[@]}" >> "$work/build.log"
  library=obj.MLIR${dialect}Dialect
  python3 - "$work/build/compile_commands.json" "$library.dir" <<'EOF'
import json, subprocess, sys
for entry in json.load(open(sys.argv[1])):
    if sys.argv[2] in entry["command"]:
        subprocess.run(entry["command"], shell=True, cwd=entry["directory"], check=True)
EOF
  mapfile -t found < <(find "$work/build/lib" -path "*/$library.dir/*.o")
  objects+=("${found[@]}")
  echo "Built: MLIR${dialect}Dialect"
done

# The mlir-opt of the installed static libraries, with these in the place of some.
cat > "$work/mlir-opt.cpp" <<'EOF'
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "mlir-opt", registry));
}
EOF
mapfile -t archives < <(find "$llvm/lib" -maxdepth 1 -name 'libMLIR*.a' |
  grep -vE 'Test|CAPI|Python|_runtime|_utils|JitRunner|ExecutionEngine\.a' | sort)
mkdir -p "$work/bin"
"$llvm/bin/clang++" -std=c++17 -O0 -fno-rtti -w -fuse-ld=lld -I"$llvm/include" \
  "$work/mlir-opt.cpp" "${objects[@]}" \
  -Wl,--start-group "${archives[@]}" -Wl,--end-group "$llvm/lib/libLLVM.so" \
  -Wl,-rpath,"$llvm/lib" -o "$work/bin/mlir-opt"

# Of each test, what the patches add: the rest may need MLIR's own test dialect.
added() {
  grep -m1 '^// RUN' "$work/sources/mlir/$1"
  sed -n "\#^+++ b/mlir/$1#,/^diff /s/^+//p" "$root"/upstream/*.patch | grep -v '^++ '
}
# run FOLDER TEST: the command of a test, with the mlir-opt of that folder.
run() {
  local command
  command=$(sed -n "s#^// RUN: ##p" "$2" | sed "s#%s#'$2'#g")
  (PATH=$1:$llvm/bin:$PATH bash -o pipefail -ec "$command") > "$work/test.log" 2>&1
}
for test in "${tests[@]}"; do
  added "$test" | awk '!/^\/\/ RUN/ || !seen++' > "$work/test.mlir"
  if run "$llvm/bin" "$work/test.mlir"; then
    echo "$test passes without the patches" >&2
    exit 1
  fi
  run "$work/bin" "$work/test.mlir" || { cat "$work/test.log" >&2; exit 1; }
  echo "Fails without the patches, passes with them: $test"
done
