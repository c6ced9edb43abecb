"""check-schema.py SCHEMA FILE...: check files of JSON against a JSON schema."""

import json
import sys

import jsonschema


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


schema = read(sys.argv[1])
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for path in sys.argv[2:]:
    # The error of the part that fits best tells most.
    error = jsonschema.exceptions.best_match(validator.iter_errors(read(path)))
    if error:
        bad += 1
        print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
print(f"{len(sys.argv) - 2 - bad} files are valid, {bad} are not")
sys.exit(bad != 0)
