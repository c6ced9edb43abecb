"""Check that passes that only look leave bytecode, and so the order of uses, as it was.

usage: check-looking.py --opt=PATH FILE...

Takes each FILE through each pass and set of options below; all must succeed for some
file. Prints what differs; the last line counts.
"""

import argparse
import subprocess

PASSES = ["buffer-lifetimes"] + [
    f"buffer-lifetimes={options}"
    for options in (
        "advise",
        "capacity=default:4096 over-capacity=warn",
        "dynamic=bounded",
        "in-place",
        "limit-peak=deallocated",
        "limit-peak=none max-pools=2",
        "merge-attributions workgroup-pool=attribution",
        "pool=arena",
        "pool=global",
        "pool=stack",
        "split-buffers=false",
        "target=stm32h743",
    )
]
PASSES += ["check-workgroup-races"]


def process(opt, file, arguments):
    result = subprocess.run(
        [opt, file, "--split-input-file", "--emit-bytecode"] + arguments,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return None if result.returncode else result.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--opt", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    before = {file: process(options.opt, file, []) for file in options.files}
    same = 0
    for name in PASSES:
        taken = 0
        for file in options.files:
            after = process(options.opt, file, ["--" + name])
            taken += after is not None
            same += after is not None and after == before[file]
            if after is not None and after != before[file]:
                print(f"{file}: {name}: differs")
        if not taken:
            print(f"{name}: takes no file")
    print(f"{same} the same")


if __name__ == "__main__":
    main()
