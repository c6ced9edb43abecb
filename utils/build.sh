#!/usr/bin/env bash
# Configure and build a preset: utils/build.sh PRESET [TARGET...]. Prints nothing but
# what goes wrong.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
mkdir -p build
log=build/$preset.log
if ! { cmake --preset "$preset" &&
       cmake --build --preset "$preset" ${1:+--target "$@"}; } > "$log" 2>&1; then
  tail -n 60 "$log" >&2
  echo "The build failed; its whole log is in $log" >&2
  exit 1
fi
