"""Check an excerpt in a document: check-excerpt.py DOCUMENT FIRST OUTPUT.

The block of DOCUMENT whose first line begins with FIRST has lines of OUTPUT, in their
order; "..." stands for any others. What follows the last "..." may be printed by something
else, and is not checked.
"""

import sys

document, first, output = sys.argv[1:]
blocks = open(document, encoding="utf-8").read().split("```\n")
block = next(text for text in blocks if text.startswith(first)).splitlines()
lines = iter(open(output, encoding="utf-8").read().splitlines())
last = len(block) - 1 - block[::-1].index("...")
for line in block[:last]:
    if line != "..." and line not in lines:
        sys.exit(f"{document}: not in the output, or not in this order: {line}")
print(f"{last} lines are as printed")
