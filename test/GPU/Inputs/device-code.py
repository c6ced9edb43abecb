"""Print the code of the gpu.binary in a module, as an assembler wants it.

usage: mlir-opt ... gpu-module-to-binary{format=FORMAT} | device-code.py > FILE
"""

import re
import sys


def main():
    match = re.search(
        r' (offload|assembly) = "((?:[^"\\]|\\.)*)"|"(BC(?:[^"\\]|\\.)*)"', sys.stdin.read()
    )
    if not match:
        sys.exit("there is no gpu.binary")
    code = re.sub(
        r"\\(\\|[0-9A-F]{2})",
        lambda escape: "\\" if escape[1] == "\\" else chr(int(escape[1], 16)),
        match[2] or match[3],
    )
    # Text ends with a null byte.
    if match[1] == "assembly":
        code = code.rstrip("\0")
    sys.stdout.buffer.write(code.encode("latin-1"))


if __name__ == "__main__":
    main()
