#!/usr/bin/env bash
# Run a shell command on standard input: run-once.sh COMMAND.
#
# COMMAND runs in an empty folder of its own, and what it prints depends on its input alone.
# If the environment variable BUFFER_MERGE_RESULTS names a folder, what it prints if it
# succeeds is kept there, and printed again instead of running it on the same input: the
# programs that two builds of buffer-merge-opt write alike are lowered and executed once.
# (A script of the shell: Python takes longer to start than most of the programs to run.)
set -uo pipefail
command=$1
folder=$(mktemp -d) || exit
trap 'rm -rf "$folder" "$folder".*' EXIT
cat > "$folder.input"
kept=
if [[ -n "${BUFFER_MERGE_RESULTS:-}" ]]; then
  key=$({ printf '%s\0' "$command"; cat "$folder.input"; } | sha256sum) || exit
  kept=$BUFFER_MERGE_RESULTS/${key%% *}
  if [[ -e "$kept" ]]; then
    cat "$kept"
    exit
  fi
fi
(cd "$folder" && exec bash -o pipefail -c "$command") \
  < "$folder.input" > "$folder.output" 2> "$folder.errors"
status=$?
cat "$folder.output"
if [[ -s "$folder.errors" ]]; then
  cat "$folder.errors" >&2
elif [[ -n "$kept" && $status == 0 ]]; then
  # By renaming, so that another test never reads half of it.
  cp "$folder.output" "$kept.$$" && mv "$kept.$$" "$kept"
fi
exit "$status"
