"""Read what the tools have written to a folder: read-files.py FOLDER."""

import sys

import buffer_merge
from buffer_merge.readers import read_plan, read_report, read_table

folder = sys.argv[1]
plan = read_plan(f"{folder}/plan.csv")
print(plan)
print(read_plan(f"{folder}/plan.json"))
print(*read_report(f"{folder}/report.json").values())
again = buffer_merge.plan(read_table(f"{folder}/net.csv"))
named = dict(zip(again.problem.names, again.offsets))
print("same:", named == dict(zip(plan.problem.names, plan.offsets)))
