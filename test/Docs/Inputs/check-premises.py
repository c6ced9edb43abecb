"""Check that stages that end a premise ask for the proofs that rely on it.

usage: check-premises.py SOURCE-ROOT

lib/Premises.h has the names. For each stage and premise of an `endPremise` in the
sources, and each proof with a `relyOn` of the premise, there must be an `ask`. Every name
must be in use, and the table of docs/Rules.md must have the same proofs and stages.
"""

import glob
import itertools
import os
import re
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def find_calls(text, function):
    """Return the names that calls of a template have as arguments."""
    for match in re.finditer(rf"\b{function}<([^>]*)>", text):
        yield re.findall(r"(Premise|Proof|Stage)::(\w+)", match.group(1))


def find_enumerators(header, enum):
    body = re.search(rf"enum class {enum} {{(.*?)}};", header, re.S).group(1)
    return set(re.findall(r"^  (\w+),$", body, re.M))


def pick(call, kind):
    return [name for k, name in call if k == kind]


def main():
    root = sys.argv[1]
    header = read(os.path.join(root, "lib/Premises.h"))
    premises, proofs, stages = (
        find_enumerators(header, enum) for enum in ["Premise", "Proof", "Stage"]
    )
    relied, ended, asked = set(), set(), set()
    for path in sorted(glob.glob(os.path.join(root, "lib/**/*.cpp"), recursive=True)):
        text = read(path)
        for call in find_calls(text, "relyOn"):
            relied |= set(itertools.product(pick(call, "Premise"), pick(call, "Proof")))
        for call in find_calls(text, "endPremise"):
            ended |= set(itertools.product(pick(call, "Premise"), pick(call, "Stage")))
        for call in find_calls(text, "ask"):
            asked |= set(
                itertools.product(*(pick(call, k) for k in ["Premise", "Stage", "Proof"]))
            )
    errors = []
    needed = {
        (premise, stage, proof)
        for premise, stage in ended
        for other, proof in relied
        if premise == other
    }
    for premise, stage, proof in sorted(needed - asked):
        errors.append(f"{stage} ends {premise} and does not ask for {proof}")
    for premise, stage, proof in sorted(asked - needed):
        errors.append(f"{stage} asks for {proof} and {premise}, for no reason")
    for names, used in [
        (premises, {p for p, _ in relied} & {p for p, _ in ended}),
        (proofs, {proof for _, proof in relied}),
        (stages, {stage for _, stage in ended}),
    ]:
        errors += [f"{name} is not in use" for name in sorted(names ^ used)]

    rules = read(os.path.join(root, "docs/Rules.md"))
    rows = re.findall(r"^\| `(\w+)` \|(.*?)\|(.*?)\|$", rules, re.M)
    for premise, *cells in rows:
        names = [set(re.findall(r"`(\w+)`", cell)) for cell in cells]
        pairs = [relied, ended]
        if names != [{name for p, name in pair if p == premise} for pair in pairs]:
            errors.append(f"docs/Rules.md: the row of {premise} is out of date")
    if {row[0] for row in rows} != premises:
        errors.append("docs/Rules.md: the table does not have all premises")
    for proof in sorted(proofs):
        names = re.search(rf"Premises of `{proof}`: ([^.]*)\.", rules)
        names = set(re.findall(r"`(\w+)`", names.group(1))) if names else set()
        if names != {premise for premise, other in relied if other == proof}:
            errors.append(f"docs/Rules.md: the premises of {proof} are others")
    for error in errors:
        print(error)
    print(f"{len(needed)} questions, {len(errors)} errors")


main()
