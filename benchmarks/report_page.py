#!/usr/bin/env python3
"""Measure how long the page of a memory map takes to open, and to move.

  benchmarks/report_page.py --tool=build/release/bin/buffer-merge-report

For maps of 2,000 and 100,000 buffers: the size of the file, the time from the start of
its loading to the first frame with the map, and the median of 20 frames in which the map
is zoomed. Medians of several runs, in Chromium without a GPU.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "utils"))

from browser import Browser  # noqa: E402

GENERATOR = ROOT / "test" / "Report" / "Inputs" / "many-buffers.py"

# The page marks the first frame with the map.
FIRST_PAINT = "performance.getEntriesByName('drawn')[0].startTime"
# Zoom with the wheel, once in each frame.
MOVE = """new Promise(done => {
  const chart = document.querySelector('.chart'), box = chart.getBoundingClientRect();
  const times = [];
  let count = 0, last = performance.now();
  function step() {
    const now = performance.now();
    if (count > 1) times.push(now - last);
    last = now;
    if (++count > 22) return done(times);
    chart.dispatchEvent(new WheelEvent('wheel', {clientX: box.x + 400,
      clientY: box.y + 300, deltaY: count % 2 ? -40 : 20, deltaX: 0, bubbles: true,
      cancelable: true}));
    requestAnimationFrame(step);
  }
  requestAnimationFrame(step);
})"""


def measure(browser, path, runs):
    paints, frames = [], []
    for _ in range(runs):
        page = browser.open(path)
        paints.append(page.evaluate(FIRST_PAINT))
        frames.append(statistics.median(page.evaluate(MOVE)))
        if errors := page.errors():
            sys.exit(f"{path}: {errors}")
    return statistics.median(paints), statistics.median(frames)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", required=True, help="buffer-merge-report")
    parser.add_argument("--buffers", type=int, nargs="+", default=[2000, 100000])
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    print("| buffers | file | first paint | frame while zooming |")
    print("| ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        for count in options.buffers:
            plan, page = Path(folder, "plan.json"), Path(folder, "map.html")
            with plan.open("w") as file:
                subprocess.run(
                    [sys.executable, GENERATOR, f"--buffers={count}"],
                    stdout=file,
                    check=True,
                )
            subprocess.run([options.tool, plan, "-o", page], check=True)
            paint, frame = measure(browser, page, options.runs)
            size = page.stat().st_size / 1e6
            print(f"| {count:,} | {size:.1f} MB | {paint:.0f} ms | {frame:.0f} ms |")


if __name__ == "__main__":
    main()
