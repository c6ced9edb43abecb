#!/usr/bin/env bash
# Show that the patches of upstream/ are ready to be sent: utils/check-upstream.sh SOURCES
# [LLVM]. SOURCES has the folders mlir, cmake and third-party of LLVM's release branch, and
# LLVM (/usr/lib/llvm-23) is an installed copy of the same release. In build/upstream, the
# patches are applied one after the other, the libraries that they touch are built and
# linked into an mlir-opt. What the patches add to tests must fail with the installed one,
# and these tests must pass with the one built; so must unit tests.
set -euo pipefail
cd "$(dirname "$0")/.."
sources=$(realpath "$1")
llvm=$(realpath "${2:-/usr/lib/llvm-23}")
root=$PWD
work=$root/build/upstream
rm -rf "$work/sources"
mkdir -p "$work/sources" "$work/bin"
for folder in mlir cmake third-party; do
  [[ ! -e "$sources/$folder" ]] || cp -r "$sources/$folder" "$work/sources/"
done
cd "$work/sources"
git init -q .
for patch in "$root"/upstream/*.patch; do
  git apply --whitespace=error "$patch"
done
echo "All patches apply."

# changed REGEX PATCH...: the files that patches change.
changed() { sed -n "s#^+++ b/mlir/\($1\)#\1#p" "${@:2}" | sort -u; }
# The folders lib/Dialect/NAME/PART and include/mlir/Dialect/NAME/PART are one library.
mapfile -t parts < <(changed '.*Dialect/.*' "$root"/upstream/*.patch |
  sed -n 's#^\(include/mlir\|lib\)/\(Dialect/[A-Za-z]*/[A-Za-z]*\)/.*#\2#p' | sort -u)

# Of the sources, only these are compiled: the rest is installed.
cmake -G Ninja -S mlir -B "$work/build" -DLLVM_DIR="$llvm/lib/cmake/llvm" \
  -DMLIR_TABLEGEN="$llvm/bin/mlir-tblgen" -DMLIR_INCLUDE_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_CXX_FLAGS_DEBUG=-O0 -DCMAKE_C_COMPILER="$llvm/bin/clang" \
  -DCMAKE_CXX_COMPILER="$llvm/bin/clang++" -DLLVM_LINK_LLVM_DYLIB=ON \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > "$work/build.log"
mapfile -t generated < <(ninja -C "$work/build" -t targets all |
  grep -oE "^include/mlir/($(IFS='|'; echo "${parts[*]}"))/[^:]*inc")
ninja -C "$work/build" "${generated[@]}" >> "$work/build.log"
objects=()
for part in "${parts[@]}"; do
  library=$(sed -n 's/^add_mlir_dialect_library(//p' "mlir/lib/$part/CMakeLists.txt")
  python3 - "$work/build/compile_commands.json" "obj.$library.dir" <<'EOF'
import json, subprocess, sys
for entry in json.load(open(sys.argv[1])):
    if sys.argv[2] in entry["command"]:
        subprocess.run(entry["command"], shell=True, cwd=entry["directory"], check=True)
EOF
  mapfile -t found < <(find "$work/build/lib" -path "*/obj.$library.dir/*.o")
  objects+=("${found[@]}")
  echo "Built: $library"
done

# link NAME ARGUMENT...: a program of the installed static libraries, with these in the
# place of some.
mapfile -t archives < <(find "$llvm/lib" -maxdepth 1 -name 'libMLIR*.a' |
  grep -vE 'CAPI|Python|_runtime|_utils|JitRunner|ExecutionEngine\.a' | sort)
link() {
  "$llvm/bin/clang++" -std=c++17 -O0 -fno-rtti -w -fuse-ld=lld -I"$work/build/include" \
    -Imlir/include -I"$llvm/include" "${@:2}" "${objects[@]}" -Wl,--start-group \
    "${archives[@]}" -Wl,--end-group "$llvm/lib/libLLVM.so" -Wl,-rpath,"$llvm/lib" \
    -o "$work/bin/$1"
}
link mlir-opt -DMLIR_INCLUDE_TESTS mlir/tools/mlir-opt/mlir-opt.cpp

# commands TEST: one a line, also those that are continued after a backslash.
commands() {
  sed -e ':a' -e '/^\/\/ RUN.*\\$/{N;s#\\\n// RUN: *##;ba' -e '}' "$1" |
    sed -n "s#^// RUN: ##p"
}
# added PATCH TEST: the first command of a test and what a patch adds to it.
added() {
  commands "mlir/$2" | sed -n '1s#^#// RUN: #p'
  sed -n "\#^+++ b/mlir/$2#,/^diff /s/^+//p" "$1" | grep -v '^++ \|^// RUN'
}
# run FOLDER TEST: the commands of a test, with the mlir-opt of that folder.
run() {
  (PATH=$1:$llvm/bin:$PATH bash -o pipefail -ec "$(commands "$2" | sed "s#%s#'$2'#g")") \
    > "$work/test.log" 2>&1
}
for patch in "$root"/upstream/*.patch; do
  for test in $(changed 'test/.*' "$patch"); do
    added "$patch" "$test" > "$work/test.mlir"
    if run "$llvm/bin" "$work/test.mlir"; then
      echo "$(basename "$patch"): $test passes without it" >&2
      exit 1
    fi
    run "$work/bin" "mlir/$test" || { cat "$work/test.log" >&2; exit 1; }
    echo "Fails without, passes with $(basename "$patch" | cut -d- -f1): $test"
  done
done
for test in $(changed 'unittests/.*cpp' "$root"/upstream/*.patch); do
  gtest=third-party/unittest
  link unit-tests "mlir/$test" "$gtest/UnitTestMain/TestMain.cpp" \
    "$gtest/googletest/src/gtest-all.cc" "$gtest/googlemock/src/gmock-all.cc" \
    -I"$gtest/googletest" -I"$gtest/googlemock" -I"$gtest/googletest/include" \
    -I"$gtest/googlemock/include" -DGTEST_HAS_RTTI=0
  "$work/bin/unit-tests" > "$work/test.log" || { cat "$work/test.log" >&2; exit 1; }
  echo "Passes with the patches: $test"
done
