#!/usr/bin/env python3
"""Draw the images of docs/Reports.md anew: photographs of the pages that it describes.

  utils/draw-images.py --tool=build/release/bin/buffer-merge-report
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from browser import Browser

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
GENERATOR = ROOT / "test" / "Report" / "Inputs" / "many-buffers.py"


def change(plan):
    """Return a later version of `plan`: a layer grows, some buffers move, one is new."""
    pool = plan["pools"][0]
    for buffer in pool["buffers"][40:50]:
        buffer["offset"] += 65536
    pool["buffers"][30]["size"] += 8192
    new = dict(pool["buffers"][60], name="%extra", type="memref<7x7xf32>", size=4096)
    pool["buffers"].insert(61, new)
    pool["poolSize"] = max(b["offset"] + b["size"] for b in pool["buffers"])
    return plan


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True, help="buffer-merge-report")
    tool = parser.parse_args().tool
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        before, after, page = (Path(folder, n) for n in ["a.json", "b.json", "map.html"])
        text = subprocess.check_output([sys.executable, GENERATOR, "--buffers=90"])
        before.write_bytes(text)
        after.write_text(json.dumps(change(json.loads(text))))
        size = {"width": 1280, "height": 900}
        subprocess.run([tool, before, "-o", page], check=True)
        shown = "#pool=1&tick=41&buffer=20"
        browser.open(page, fragment=shown, **size).screenshot(IMAGES / "memory-map.png")
        # Status 1: the program takes more bytes.
        subprocess.run([tool, "compare", before, after, "-o", page], check=False)
        browser.open(page, **size).screenshot(IMAGES / "memory-compare.png")


if __name__ == "__main__":
    main()
