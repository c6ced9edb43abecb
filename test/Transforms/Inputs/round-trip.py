"""Check that every option of a pass survives the textual pipeline.

usage: round-trip.py OPT PASSES.TD PASS

The options are those that PASSES.TD declares; each gets a value that is not its
default. The pipeline is printed, and what is printed is parsed and printed again.
"""

import re
import subprocess
import sys


def find_options(text, name):
    """Return the name and a value of each option of the pass `name`."""
    start = re.search(rf'def \w+ : Pass<"{name}"', text).start()
    options = re.search(r"let options = (.*?);", text[start:], re.S).group(1)
    # A variable may refer to those before it.
    for variable in reversed(re.findall(r"defvar (\w+) =", text)):
        value = re.search(rf"defvar {variable} =(.*?);\n\n", text, re.S).group(1)
        options = re.sub(rf"\b{variable}\b", lambda _: value, options)
    matches = list(
        re.finditer(r'(List|Enum)?Option<"\w+",\s*"([\w-]+)",\s*"([\w:]+)"', options)
    )
    ends = [match.start() for match in matches[1:]] + [len(options)]
    for match, end in zip(matches, ends):
        prefix, option, kind = match.groups()
        if prefix == "Enum":
            rest = options[match.end() : end]
            default = re.match(r',\s*"([\w-]+)"', rest).group(1)
            values = re.findall(r'\["\w+",\s*"([\w-]+)"', rest)
            yield option, next(value for value in values[::-1] if value != default)
        elif "int" in kind or "unsigned" in kind:
            yield option, "4"
        elif kind == "bool":
            default = re.search(r'"(true|false)"', options[match.end() : end]).group(1)
            yield option, "false" if default == "true" else "true"
        else:
            yield option, "x,1:2" if prefix else "./a-b.csv"


def print_pipeline(opt, pipeline):
    result = subprocess.run(
        [opt, f"--pass-pipeline={pipeline}", "--dump-pass-pipeline", "-"],
        input="module {}",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    match = re.search(r"^builtin\.module\((.*?)^\)", result.stderr, re.S | re.M)
    if not match:
        sys.exit(f"{pipeline}:\n{result.stderr}")
    return f"builtin.module({match.group(1)})"


def main():
    opt, path, name = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        options = list(find_options(file.read(), name))
    assert options, name
    text = " ".join(f"{option}={value}" for option, value in options)
    printed = print_pipeline(opt, f"builtin.module({name}{{{text}}})")
    failed = False
    for option, value in options:
        if not re.search(rf"[{{ ]{option}={{?{re.escape(value)}[ }}]", printed):
            print(f"{name}: {option}={value} is lost in {printed}")
            failed = True
    if print_pipeline(opt, printed) != printed:
        print(f"{name}: what is printed is parsed differently: {printed}")
        failed = True
    print(f"{name}: {len(options)} options: " + " ".join(sorted(dict(options))))
    return failed


if __name__ == "__main__":
    sys.exit(main())
