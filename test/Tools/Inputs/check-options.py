"""Check the options of passes that CHANGELOG.md says are replaced.

usage: check-options.py BUFFER-MERGE-OPT CHANGELOG.md [OPT-WITH-PLUGIN...]

Each row of the table with an old spelling and a new one: the old one is one error that
says the new one, on every pass and in the pipeline, and is in no help; the new one is
accepted. buffer-merge has 25 options at most.
"""

import re
import subprocess
import sys

KERNEL_PASSES = ["buffer-lifetimes", "check-workgroup-races", "emplace-buffers",
                 "hoist-parallel-pools", "propagate-copies",
                 "reorder-for-peak", "split-buffers"]


def run(tool, pipeline):
    """Return the status and the errors of a pipeline on an empty module."""
    done = subprocess.run([*tool, f"--pass-pipeline=builtin.module({pipeline})"],
                          input="module {}", capture_output=True, text=True, check=False)
    return done.returncode, re.findall(r"error: (.+)", done.stderr)


def check(condition, *texts):
    if not condition:
        sys.exit(" ".join(map(str, texts)))


def main():
    tool, changelog, *plugin = sys.argv[1:]
    with open(changelog, encoding="utf-8") as file:
        rows = re.findall(r"^\| `([a-z-]+)[^`]*` \| `((?:target|report)=.*)` \|$", file.read(),
                          re.M)
    check(len(rows) == 20, "rows of", changelog, len(rows))
    help_text = subprocess.run([tool, "--help"], capture_output=True, text=True,
                               check=True).stdout
    own = subprocess.run([tool, "--help=buffer-merge"], capture_output=True, text=True,
                         check=True).stdout
    count = len(re.findall(r"^--", own, re.M))
    check(count <= 25, "buffer-merge has", count, "options")
    for number, (old, new) in enumerate(rows):
        error = f"{old} is now {new}"
        tools = [[tool]] + ([plugin] if plugin else [])
        name = KERNEL_PASSES[number % len(KERNEL_PASSES)]
        pipelines = [f"buffer-merge{{{old}=1}}", f"{name}{{{old}}}",
                     f"buffer-merge-pipeline{{merge={{{old}=1}}}}",
                     f"buffer-merge-pipeline{{{old}=1}}"]
        for command, pipeline in ((tools[number % len(tools)], each) for each in pipelines):
            result = run(command, pipeline)
            check(result == (1, [error]), command, pipeline, result, "instead of", error)
        check(f"--{old}" not in help_text, old, "is in the help")
        # What the row leaves to the reader.
        new = new.replace("FILE.ld", "-").replace('"any"}', '"any", "preset": "stm32h743"}')
        new = re.sub(r'("address"|"memory"):', r'"section": ".x", \1:', new)
        result = run([tool], f"buffer-merge{{pool=global {new}}}")
        check(result == (0, []), new, result)
    print(f"{len(rows)} options, {count} left")


if __name__ == "__main__":
    main()
