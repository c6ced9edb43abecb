#!/usr/bin/env python3
# Part of the buffer-merge project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make a manual page from what a tool prints for --help.

make-man-page.py TOOL PAGE.1.gz; --passes: of the options list those of the passes alone,
which the tool prints for --help=. The same tool makes the same bytes.
"""

import argparse
import gzip
import os
import re
import subprocess

# LLVM's parser writes " - " between an option and what it does, Python's two spaces.
OPTION = re.compile(r" *([-=]\S.*?)(?: +- +|  +)(\S.*)?$")
SECTION = re.compile(r"(\S.*):$")


def ask(*command):
    environment = dict(os.environ, COLUMNS="10000", LC_ALL="C.UTF-8")
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)
    return result.stdout.decode()


def escape(text):
    """Return text as one or several lines of a page."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.M)


def print_prose(text):
    """Return paragraphs. What is in columns keeps its lines."""
    page = []
    for paragraph in re.split(r"\n\s*\n", text.strip("\n")):
        lines = [line.strip() for line in paragraph.splitlines()]
        if any("   " in line for line in lines) or lines[0].startswith("buffer-merge-"):
            page += [".PP", ".nf", *map(escape, lines), ".fi"]
        else:
            page += [".PP", *map(escape, lines)]
    return page


def print_options(lines):
    """Return a list of the options of a tool, or of one pass, with a title in front of
    those of each group."""
    page = []
    title = []
    for line in lines:
        section = SECTION.match(line)
        option = OPTION.match(line)
        if section:
            title = [".PP", f".I {escape(section[1])}"]
        if not option:
            continue
        text = [".TP", f".B {escape(option[1])}", escape(option[2] or "")]
        page += [".RS", *text, ".RE"] if option[1].startswith("=") else [*title, *text]
        title = []
    return page


def split_help(text):
    """Return the summary, the description, the usage, and the lines of options, of what
    LLVM's or Python's parser of command lines prints."""
    if text.startswith("usage: "):
        usage, text = text[len("usage: ") :].split("\n", 1)
        prose, options = re.split(r"^(?=positional arguments:)", text, flags=re.M)
    else:
        prose, text = text[len("OVERVIEW: ") :].split("USAGE: ", 1)
        usage, options = text.split("\n", 1)
        prose = re.sub(r"^Available Dialects:.*\n", "", prose, flags=re.M)
    summary, _, description = prose.strip("\n").partition("\n")
    return summary, description, usage, options.splitlines()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("page")
    parser.add_argument("--passes", action="store_true")
    arguments = parser.parse_args()

    name = os.path.basename(arguments.tool)
    summary, description, usage, options = split_help(ask(arguments.tool, "--help"))
    version = re.search(r"version (\S+)", ask(arguments.tool, "--version"))[1]
    page = [
        f'.TH {name.upper()} 1 "" "buffer\\-merge {version}" "User Commands"',
        ".SH NAME",
        rf"{escape(name)} \- {escape(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS",
        rf"\fB{escape(name)}\fR{escape(usage[len(name) :])}",
    ]
    if description.strip():
        page += [".SH DESCRIPTION", *print_prose(description)]
    if arguments.passes:
        page += [
            ".SH DESCRIPTION",
            "What mlir\\-opt does, with the passes below.",
            rf".B {escape(name)} \-\-help",
            "lists the options and the passes of MLIR as well.",
            ".SH PASSES",
        ]
        for text in re.split(r"\n(?=[\w-]+: .*\n\nbuffer-merge-opt )", ask(arguments.tool, "--help=")):
            title, usage, *options = filter(None, text.splitlines())
            name, _, summary = title.partition(": ")
            page += [f".SS {escape(name)}", escape(summary) + ".", ".PP"]
            page += [f".B {escape(usage)}", *print_options(options)]
    else:
        page += [".SH OPTIONS", *print_options(options)]
        # The description has a line for each command.
        for command in re.findall(rf"^ *{name} ([a-z]+) ", description, re.M):
            summary, _, _, options = split_help(ask(arguments.tool, command, "--help"))
            page += [f".SS {escape(name)} {command}", escape(summary) + "."]
            page += print_options(options)
    page += [
        ".SH SEE ALSO",
        r"The user guide, in share/doc/buffer\-merge/docs.",
    ]
    with open(arguments.page, "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=0) as compressed:
            compressed.write("\n".join(page + [""]).encode())


if __name__ == "__main__":
    main()
