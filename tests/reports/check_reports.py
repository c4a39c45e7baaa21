#!/usr/bin/env python3
"""Reads the golden reports with other people's parsers: JSON Schema and Python's csv module; and
the sweeps that are shipped.

usage: check_reports.py json SCHEMA REPORT...   or   check_reports.py csv REPORT_JSON REPORT_CSV
   or  check_reports.py sweeps SCHEMA SWEEP...
Exit code 77 (skipped) if python3-jsonschema is not installed.
"""
import csv
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from strict_json import complaints, spoiled, strict_json, validator_of, verdict  # noqa: E402


def mutations(report):
    """Reports that the schema must refuse: (what was done, report)."""

    return spoiled(
        report,
        ("an unknown field", lambda r: r.update(extra=1)),
        ("an unknown field of a record", lambda r: r["records"][0].update(extra=1)),
        ("a missing field", lambda r: r["records"][0].pop("busbw_gbps")),
        ("a number as text", lambda r: r["records"][0].update(bytes="8")),
        ("a negative size", lambda r: r["records"][0].update(bytes=-8)),
        ("a boolean as text", lambda r: r.update(complete="false")),
        ("an unknown status", lambda r: r["records"][0].update(status="fine")),
        ("wrong elements called ok", lambda r: r["records"][0]["verify"].update(wrong=3)),
        ("half an interval", lambda r: r["records"][0]["time_s"].update(ci95=[1.0])),
        ("another version", lambda r: r.update(schema_version=2)),
        ("an option that is no text", lambda r: r["config"].update(ranks=2)),
        ("one handoff of two", lambda r: r["records"][0].update(handoff_s=[6e-8])),
        ("a bus bandwidth of one rank", lambda r: r["records"][0].update(ranks=1)),
    )


def before_mpi(report):
    """The same report without what older versions of the program did not write."""
    for record in report["records"]:
        if record["traffic"]:
            record["traffic"].pop("path_bytes")
        for name in ("transport", "launch", "gpus", "channels", "gpu_state", "handoff_s"):
            record.pop(name)
    report.pop("config")
    return report


def check_json(schema_path, *report_paths):
    validator = validator_of(schema_path)
    problems = complaints(validator, "a report of an older version", before_mpi(strict_json(report_paths[0])))
    for path in report_paths:
        report = strict_json(path)
        problems += complaints(validator, path, report, mutations(report))
    return verdict(problems)


def check_sweeps(schema_path, *sweep_paths):
    validator = validator_of(schema_path)
    problems = [] if sweep_paths else ["no sweeps"]
    for path in sweep_paths:
        problems += complaints(validator, path, strict_json(path))
    refused = [{"size": "8B"}, {"--sizes": "8B"}, {"output": "r.json"}, {"inject": "nan"}, {"ranks": []}, {"ranks": None},
               {"no-check": "true"}, {"place": "in"}, {"iterations": 0}, {"sizes": -8}, {"dtype": 4}]
    accepted = [{}, {"sizes": [8, "1K"]}, {"ranks": 4}, {"ranks": "2,4"}, {"precision": 0.02}, {"precision": "2%"},
                {"iters": 5, "no-check": True, "max-time": "500ms"}]
    for sweep in refused + accepted:
        if validator.is_valid(sweep) != (sweep in accepted):
            problems.append(f"the schema {'refuses' if sweep in accepted else 'accepts'} {sweep}")
    return verdict(problems)


def flattened(value, name=""):
    """The document's record as the CSV has it: dotted names, texts, samples left out."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from flattened(item, f"{name}.{key}" if name else key)
    elif name == "time_s.samples":
        return
    elif name in ("flags", "gpu_state.throttle_reasons"):
        yield name, ";".join(value)
    elif name == "handoff_s" and value is not None:
        yield from zip((name + ".before", name + ".after"), value)
    elif name == "time_s.ci95" and value is not None:
        yield from zip((name + ".low", name + ".high"), value)
    else:
        yield name, value


def agrees(cell, value):
    if value is None:
        return cell == ""
    if isinstance(value, bool):
        return cell == str(value).lower()
    if isinstance(value, (int, float)):
        return float(cell) == value
    return cell == value


def check_csv(json_path, csv_path):
    records = strict_json(json_path)["records"]
    with open(csv_path, encoding="utf-8", errors="strict", newline="") as file:
        header, *rows = csv.reader(file, strict=True)
    assert len(set(header)) == len(header), "a name occurs twice"
    assert len(rows) == len(records), f"{len(rows)} rows for {len(records)} records"
    for row, record in zip(rows, records):
        assert len(row) == len(header), f"{len(row)} cells for {len(header)} names"
        cells = dict(zip(header, row))
        seen = set()
        for name, value in flattened(record):
            missing = value is None and name not in cells  # a missing object: all of its cells are empty
            names = [n for n in header if n.startswith(name + ".")] if missing else [name]
            assert names, f"no column for {name}"
            seen.update(names)
            for each in names:
                assert agrees(cells[each], value), f"{each}: {cells[each]!r} is not {value!r}"
                assert cells[each] == cells[each].strip(), f"stray blanks in {each}"
        assert seen == set(header), f"columns that the JSON lacks: {set(header) - seen}"
    return 0


if __name__ == "__main__":
    sys.exit({"json": check_json, "csv": check_csv, "sweeps": check_sweeps}[sys.argv[1]](*sys.argv[2:]))
