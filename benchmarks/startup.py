#!/usr/bin/env python3
"""How long programs take to start, and with how much memory, side by side.

usage: startup.py PROGRAM... [--runs=N]

Time is that of `PROGRAM --version`, the least of all runs, taken in turns. Memory is the
most that is resident by the time that a program waits for its standard input.
"""

import argparse
import subprocess
import time


def measure_time(program):
    start = time.perf_counter()
    subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def measure_memory(program):
    """Return KiB."""
    with subprocess.Popen(
        [program, "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        # Asleep several times in a row: it waits for what does not come.
        num_asleep = 0
        while num_asleep < 20 and process.poll() is None:
            time.sleep(0.002)
            with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
                state = file.read().rpartition(")")[2].split()[0]
            num_asleep = num_asleep + 1 if state == "S" else 0
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
            peak = next(line for line in file if line.startswith("VmHWM"))
        process.stdin.close()
    return int(peak.split()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--runs", type=int, default=100)
    options = parser.parse_args()
    least = [float("inf")] * len(options.programs)
    for _ in range(options.runs):
        for index, program in enumerate(options.programs):
            least[index] = min(least[index], measure_time(program))
    for program, seconds in zip(options.programs, least):
        memory = measure_memory(program) / 1024
        print(f"{seconds * 1000:8.2f} ms {memory:8.1f} MiB  {program}")


if __name__ == "__main__":
    main()
