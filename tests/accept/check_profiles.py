#!/usr/bin/env python3
"""Reads the profiles with another parser: JSON Schema.

usage: check_profiles.py SCHEMA PROFILE...
Exit code 77 (skipped) if python3-jsonschema is not installed.
"""
import copy
import json
import sys

SKIPPED = 77


def strict_json(path):
    def refuse_constant(name):
        raise ValueError(f"{name} is not JSON")

    with open(path, encoding="utf-8", errors="strict") as file:
        return json.load(file, parse_constant=refuse_constant)


def mutations(profile):
    """Profiles that the schema must refuse: (what was done, profile)."""

    def changed(what, change):
        copied = copy.deepcopy(profile)
        change(copied)
        return what, copied

    limit = lambda p: p["limits"][0]
    stage = lambda p: next(iter(p["stages"].values()))
    return [
        changed("an unknown field", lambda p: p.update(min_spread=1)),
        changed("an unknown field of a limit", lambda p: limit(p).update(min_busbw=1)),
        changed("an unknown option", lambda p: stage(p).update(output="x.json")),
        changed("an unknown stage", lambda p: p["stages"].update(triples={})),
        changed("rounds of all", lambda p: p["stages"].setdefault("all", {}).update(rounds=2)),
        changed("a soak without minutes", lambda p: p["stages"]["soak"].pop("minutes")),
        changed("no source", lambda p: p.pop("source")),
        changed("another version", lambda p: p.update(profile_version=2)),
        changed("a share above 1", lambda p: limit(p).update(min_busbw_of_fleet=1.2)),
        changed("a negative floor", lambda p: limit(p).update(min_busbw_gbps=-1)),
        changed("a size that is none", lambda p: limit(p).update(min_bytes="64Q")),
        changed("a limit of nothing", lambda p: p["limits"].append({"stage": "pairs"})),
        changed("one rank", lambda p: limit(p).update(ranks=1)),
    ]


def main(schema_path, *paths):
    try:
        import jsonschema
    except ImportError:
        print("skipped: python3-jsonschema is not installed (apt-get install python3-jsonschema)")
        return SKIPPED
    schema = strict_json(schema_path)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = 0
    for path in paths:
        profile = strict_json(path)
        for error in validator.iter_errors(profile):
            print(f"{path}: {error.json_path}: {error.message}")
            failures += 1
        for what, mutated in mutations(profile):
            if validator.is_valid(mutated):
                print(f"{path}: the schema accepts {what}")
                failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
