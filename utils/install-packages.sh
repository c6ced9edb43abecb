#!/usr/bin/env bash
# Install the Debian packages that building (default), testing (--test), packaging
# (--package) or making the site (--site) needs, if any of them is missing. Behind one of
# these, --llvm=23 chooses that release of LLVM.
set -euo pipefail
llvm=22
[[ "${2:-}" != --llvm=* ]] || llvm=${2#--llvm=}

packages=(cmake ninja-build "clang-$llvm" "lld-$llvm" g++ python3 "llvm-$llvm-dev"
  "libmlir-$llvm-dev" "mlir-$llvm-tools" libgtest-dev libgmock-dev)
if [[ "${1:-}" == --test ]]; then
  packages+=("libclang-rt-$llvm-dev" "clang-format-$llvm" git
    chromium python3-jsonschema qemu-system-arm valgrind
    pkg-config python3-flatbuffers python3-numpy python3-onnx)
fi
[[ "${1:-}" != --package ]] || packages+=(dpkg-dev file git)
[[ "${1:-}" != --site ]] || packages+=(mkdocs)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ "$status" == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

echo "Installing: ${missing[*]}"
sudo=()
[[ $(id -u) -eq 0 ]] || sudo=(sudo)
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
  --no-install-recommends "${missing[@]}"
