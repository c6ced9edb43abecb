#!/usr/bin/env bash
# Show that the fuzzer catches a broken analysis: for every mutation named on the
# command line, the first seed at which it does.
#   utils/fuzz-mutations.sh <build folder> <mutation>...
set -euo pipefail
build=${1:?usage: $0 <build folder> <mutation>...}
shift

survivors=0
for mutation in "${@:-all-at-zero}"; do
  if found=$("$build/bin/buffer-merge-fuzz" --seeds="${SEEDS:-0..20000}" \
    --mutation="$mutation" --expect-failure | grep '^seed'); then
    printf '%-24s %s\n' "$mutation" "$found"
  else
    printf '%-24s survives\n' "$mutation"
    survivors=$((survivors + 1))
  fi
done
echo "$survivors survive"
((survivors == 0))
