"""Run a shell command on standard input: run-once.py COMMAND.

COMMAND runs in an empty folder of its own, and what it prints depends on its input alone.
If the environment variable BUFFER_MERGE_RESULTS names a folder, what it prints if it
succeeds is kept there, and printed again instead of running it on the same input: the
programs that two builds of buffer-merge-opt write alike are lowered and executed once.
"""

import hashlib
import os
import subprocess
import sys
import tempfile

command = sys.argv[1]
source = sys.stdin.buffer.read()
results = os.environ.get("BUFFER_MERGE_RESULTS")
if results:
    key = hashlib.sha256(command.encode() + b"\0" + source).hexdigest()
    kept = os.path.join(results, key)
    if os.path.exists(kept):
        with open(kept, "rb") as file:
            sys.stdout.buffer.write(file.read())
        sys.exit()
with tempfile.TemporaryDirectory() as folder:
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        input=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        check=False,
    )
sys.stdout.buffer.write(result.stdout)
sys.stderr.buffer.write(result.stderr)
if results and result.returncode == 0 and not result.stderr:
    # By renaming, so that another test never reads half of it.
    with tempfile.NamedTemporaryFile(dir=results, delete=False) as file:
        file.write(result.stdout)
    os.rename(file.name, kept)
sys.exit(result.returncode)
