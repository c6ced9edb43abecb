#!/usr/bin/env bash
# Build the examples against an installed copy: examples/planner/build.sh PREFIX OUT,
# where PREFIX is what `cmake --install` was given, and OUT a directory for programs.
# Needs pkg-config and a C compiler.
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
pc=$(find "$1" -name buffer-merge-planner.pc)
export PKG_CONFIG_PATH="${pc%/*}"
for name in plan replan; do
  # shellcheck disable=SC2046
  "${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror -O2 "$source/$name.c" \
    $(pkg-config --cflags --libs buffer-merge-planner) \
    -Wl,-rpath,"$(pkg-config --variable=libdir buffer-merge-planner)" -o "$2/$name"
done
