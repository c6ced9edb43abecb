"""Check that a plan that is read back is the plan that was written.

usage: check-read-back.py --opt=PATH --temp=DIR FILE...

Merges each FILE with each set of options below, writes its report as a table and in JSON,
and merges with the offsets of each: the program must be the same. Prints what is not; the
last line counts.
"""

import argparse
import os
import subprocess

OPTIONS = [
    "",
    "capacity=default:100000 over-capacity=warn reuse=as-needed",
    "in-place",
    "limit-peak=deallocated",
    "pool=arena",
    "pool=global",
    "pool=stack",
]


def merge(opt, file, options):
    result = subprocess.run(
        [opt, file, f"--buffer-merge={options}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return (None if result.returncode else result.stdout), result.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("--temp", required=True)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    os.makedirs(arguments.temp, exist_ok=True)
    same = 0
    for file in arguments.files:
        for options in OPTIONS:
            for kind in ("csv", "json"):
                path = os.path.join(arguments.temp, "plan." + kind)
                planned, _ = merge(arguments.opt, file, f"{options} report={path}")
                taken, errors = merge(arguments.opt, file, f"{options} offsets={path}")
                if planned is not None and planned == taken:
                    same += 1
                else:
                    error = (errors.splitlines() or ["another program"])[0]
                    print(f"{file}: {options}: {kind}: {error}")
    print(f"{same} the same")


if __name__ == "__main__":
    main()
