#!/usr/bin/env bash
# Run every test: install what is missing, build and test the release build, then the
# Debug build with address and undefined-behaviour sanitizers. The last line counts
# the tests of both.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/install-packages.sh --test
utils/check-format.sh

# Programs that both builds write alike are executed once (test/Execution/Inputs/run-once.sh).
export BUFFER_MERGE_RESULTS=$PWD/build/results
rm -rf "$BUFFER_MERGE_RESULTS"
mkdir -p "$BUFFER_MERGE_RESULTS"

status=0
for preset in release asan; do
  echo "Building the $preset preset ..."
  utils/build.sh "$preset"
  # What ends early must not be counted by what it has left the last time.
  rm -f "build/$preset"/*-results.* "build/$preset"/unittests/*.json
  # Leaks of the tools that are tested are found; those of libMLIR.so's globals and
  # of the system's own tools are none of ours.
  ASAN_OPTIONS=detect_leaks=1 ctest --preset "$preset" --output-junit ctest-results.xml -j 2 ||
    status=1
done
python3 utils/count-tests.py build/release build/asan || status=1
exit $status
