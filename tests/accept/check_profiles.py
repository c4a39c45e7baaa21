#!/usr/bin/env python3
"""Reads the profiles with another parser: JSON Schema.

usage: check_profiles.py SCHEMA PROFILE...
Exit code 77 (skipped) if python3-jsonschema is not installed.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from strict_json import complaints, spoiled, strict_json, validator_of, verdict  # noqa: E402


def mutations(profile):
    """Profiles that the schema must refuse: (what was done, profile)."""

    limit = lambda p: p["limits"][0]
    stage = lambda p: next(iter(p["stages"].values()))
    return spoiled(
        profile,
        ("an unknown field", lambda p: p.update(min_spread=1)),
        ("an unknown field of a limit", lambda p: limit(p).update(min_busbw=1)),
        ("an unknown option", lambda p: stage(p).update(output="x.json")),
        ("an unknown stage", lambda p: p["stages"].update(triples={})),
        ("rounds of all", lambda p: p["stages"].setdefault("all", {}).update(rounds=2)),
        ("a soak without minutes", lambda p: p["stages"]["soak"].pop("minutes")),
        ("no source", lambda p: p.pop("source")),
        ("another version", lambda p: p.update(profile_version=2)),
        ("a share above 1", lambda p: limit(p).update(min_busbw_of_fleet=1.2)),
        ("a negative floor", lambda p: limit(p).update(min_busbw_gbps=-1)),
        ("a size that is none", lambda p: limit(p).update(min_bytes="64Q")),
        ("a limit of nothing", lambda p: p["limits"].append({"stage": "pairs"})),
        ("one rank", lambda p: limit(p).update(ranks=1)),
    )


def main(schema_path, *paths):
    validator = validator_of(schema_path)
    problems = []
    for path in paths:
        profile = strict_json(path)
        problems += complaints(validator, path, profile, mutations(profile))
    return verdict(problems)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
