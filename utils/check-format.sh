#!/usr/bin/env bash
# Check what can be checked without building: utils/check-format.sh [--fix].
set -euo pipefail
cd "$(dirname "$0")/.."

sources=()
while IFS= read -r file; do
  sources+=("$file")
done < <(git ls-files --cached --others --exclude-standard -- '*.h' '*.cpp')
if [[ "${1:-}" == --fix ]]; then
  clang-format-22 -i "${sources[@]}"
  exit 0
fi
clang-format-22 --dry-run -Werror "${sources[@]}"

# Every source names its licence.
missing=$(grep -L 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' "${sources[@]}" || true)
if [[ -n "$missing" ]]; then
  echo "No licence in: $missing" >&2
  exit 1
fi
