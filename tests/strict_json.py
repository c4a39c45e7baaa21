"""What the checks with other people's parsers share: strict JSON, JSON Schema, spoiled documents."""
import copy
import json
import sys

SKIPPED = 77


def _refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def strict_json(path):
    with open(path, encoding="utf-8", errors="strict") as file:
        return json.load(file, parse_constant=_refuse_constant)


def validator_of(schema_path):
    """Ends the test as skipped if python3-jsonschema is not installed."""
    try:
        import jsonschema
    except ImportError:
        print("skipped: python3-jsonschema is not installed (apt-get install python3-jsonschema)")
        sys.exit(SKIPPED)
    schema = strict_json(schema_path)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def spoiled(document, *changes):
    """(what was done, document) for every (what, change) in `changes`."""
    for what, change in changes:
        copied = copy.deepcopy(document)
        change(copied)
        yield what, copied


def complaints(validator, path, document, mutations=()):
    """What the schema finds, and the mutations that it does not find."""
    found = [f"{path}: {error.json_path}: {error.message}" for error in validator.iter_errors(document)]
    return found + [f"{path}: the schema accepts {what}" for what, each in mutations if validator.is_valid(each)]


def verdict(problems):
    """The exit code, after the problems were printed."""
    for each in problems:
        print(each)
    return 1 if problems else 0
