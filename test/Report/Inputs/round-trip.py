"""round-trip.py OPT PRINT TEMP FOLDER...: write a report on each program in the folders, and
compare it with what becomes of it when it is read."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

opt, print_tool = sys.argv[1:3]
temp = pathlib.Path(sys.argv[3])


def check(path):
    """Return nothing if there is no report, or whether it stays the same."""
    report = temp / f"{path.parent.name}-{path.stem}.json"
    # With sizes and orders of all kinds; programs with errors are no matter.
    options = f"report={report} barriers=insert over-capacity=warn"
    command = [opt, path, f"--buffer-lifetimes={options}"]
    command += ["--allow-unregistered-dialect", "-o", os.devnull]
    subprocess.run(command, stderr=subprocess.DEVNULL, check=False)
    if not report.exists():
        return None
    read = subprocess.run(
        [print_tool, "--json", report], stdout=subprocess.PIPE
    )
    if read.stdout == report.read_bytes():
        return True
    print(f"{path} differs")
    return False


programs = [path for folder in sys.argv[4:] for path in pathlib.Path(folder).glob("*.mlir")]
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(check, programs))
print(f"{results.count(True) + results.count(False)} reports, {results.count(False)} differ")
