#!/usr/bin/env bash
# Build and test with a release of LLVM that this system has no packages of:
# utils/test-llvm.sh VERSION FOLDER [FILTER]. Debian sid is installed in FOLDER, once, and
# build/dev-VERSION is built there, and tested: lit tests whose names match FILTER, or all
# tests. Needs debootstrap and root.
set -euo pipefail
version=$1
folder=$(realpath -m "$2")
filter=${3:-}
root=$(realpath "$(dirname "$0")/..")
packages=(ca-certificates cmake ninja-build g++ ccache git python3 llvm-"$version"-dev
  libmlir-"$version"-dev mlir-"$version"-tools clang-"$version" lld-"$version"
  libclang-rt-"$version"-dev libomp-"$version"-dev libgtest-dev libgmock-dev
  libzstd-dev zlib1g-dev pkg-config file dpkg-dev valgrind python3-jsonschema
  python3-flatbuffers python3-numpy python3-onnx)

if [[ ! -e "$folder/usr/lib/llvm-$version" ]]; then
  debootstrap --variant=minbase --include=ca-certificates sid "$folder"
  chroot "$folder" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@"' - "${packages[@]}"
fi
# Nobody else sees what is mounted, and it ends with the command.
mkdir -p "$folder/mnt/source"
export LC_ALL=C.UTF-8 version filter
unshare --mount bash -euo pipefail -c '
  mount -t proc proc "$1/proc"
  mount --bind /dev "$1/dev"
  mount --bind "$2" "$1/mnt/source"
  exec chroot "$1" bash -euo pipefail -c "
    cd /mnt/source
    utils/build.sh --llvm=$version -DCMAKE_UNITY_BUILD=ON \
      -DCMAKE_UNITY_BUILD_BATCH_SIZE=32 -DCMAKE_CXX_FLAGS_DEBUG=-O0 dev
    if [[ -n \"$filter\" ]]; then
      /usr/lib/llvm-$version/bin/lit -sv build/dev-$version/test --filter \"$filter\"
    else
      ctest --test-dir build/dev-$version --output-on-failure
    fi"
' - "$folder" "$root"
