#!/usr/bin/env python3
"""Reads the verdicts with other people's parsers: JSON Schema and Python's XML reader.

usage: check_gates.py json SCHEMA GATE_JSON [MORE_JSON ...]   or   check_gates.py junit GATE_XML GATE_JSON
Exit code 77 (skipped) if python3-jsonschema is not installed.
"""
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from strict_json import complaints, spoiled, strict_json, validator_of, verdict  # noqa: E402


def mutations(gate):
    """Verdicts that the schema must refuse: (what was done, document)."""

    return spoiled(
        gate,
        ("an unknown field", lambda g: g.update(extra=1)),
        ("an unknown field of a row", lambda g: g["rows"][0].update(extra=1)),
        ("a missing field", lambda g: g["rows"][0].pop("why")),
        ("a result beside its exit code", lambda g: g.update(exit_code=0)),
        ("an unknown result", lambda g: g["rows"][0].update(result="fine")),
        ("a failure that does not fail", lambda g: g["rows"][0].update(fails=False)),
        ("an empty reason", lambda g: g["rows"][0].update(why="")),
        ("a number as text", lambda g: g["rows"][0]["values"]["ratio"].update(value="1")),
        ("no answer", lambda g: g.update(findings=[])),
        ("no rows", lambda g: g.update(rows=[])),
        ("another version", lambda g: g.update(schema_version=2)),
    )


def check_json(schema_path, path, *more_paths):
    validator = validator_of(schema_path)
    gate = strict_json(path)
    problems = complaints(validator, path, gate, mutations(gate))
    for each in more_paths:
        problems += complaints(validator, each, strict_json(each))
    return verdict(problems)


# What junit-10.xsd of Jenkins' xUnit plugin allows: attributes (True: required) and children.
TIME = re.compile(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?")
RULES = {
    "testsuites": ({"name": False, "time": False, "tests": False, "failures": False, "errors": False}, {"testsuite"}),
    "testsuite": (
        {"name": True, "tests": True, "failures": True, "errors": True, "group": False, "time": False,
         "skipped": False, "timestamp": False, "hostname": False, "id": False, "package": False, "file": False,
         "log": False, "url": False},
        {"testsuite", "properties", "testcase", "system-out", "system-err"}),
    "properties": ({}, {"property"}),
    "property": ({"name": True, "value": True}, set()),
    "testcase": (
        {"name": True, "time": False, "classname": False, "group": False},
        {"skipped", "error", "failure", "system-out", "system-err"}),
    "failure": ({"type": False, "message": False}, set()),
    "error": ({"type": False, "message": False}, set()),
    "skipped": ({"type": False, "message": False}, set()),
    "system-out": ({}, set()),
    "system-err": ({}, set()),
}
MIXED = {"failure", "error", "skipped", "system-out", "system-err"}


def problems_of(element):
    attributes, children = RULES[element.tag]
    for name, required in attributes.items():
        if required and name not in element.attrib:
            yield f"<{element.tag}>: {name} is missing"
    for name, value in element.attrib.items():
        if name not in attributes:
            yield f"<{element.tag}>: {name} is not allowed"
        if name == "time" and not (TIME.fullmatch(value) and float(value) >= 0):
            yield f"<{element.tag}>: time {value}"
        if name == "timestamp" and not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", value):
            yield f"<{element.tag}>: timestamp {value}"
    if element.tag not in MIXED and (element.text or "").strip():
        yield f"<{element.tag}>: text is not allowed"
    for child in element:
        if (child.tail or "").strip():
            yield f"<{element.tag}>: text after <{child.tag}>"
        if child.tag not in children:
            yield f"<{element.tag}>: <{child.tag}> is not allowed"
        else:
            yield from problems_of(child)


def sums_of(suite):
    cases = suite.findall("testcase")
    counted = {"tests": len(cases)}
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        counted[name] = sum(case.find(tag) is not None for case in cases)
    return {name: str(count) for name, count in counted.items()}


def check_junit(path, json_path):
    gate = strict_json(json_path)
    root = ElementTree.parse(path).getroot()
    problems = list(problems_of(root))
    suites = root.findall("testsuite")
    for suite in suites:
        for name, count in sums_of(suite).items():
            if suite.get(name) != count:
                problems.append(f"{name}=\"{suite.get(name)}\", but {count} are there")
    for name in ("tests", "failures", "errors"):
        if int(root.get(name)) != sum(int(suite.get(name)) for suite in suites):
            problems.append(f"the suites' {name} do not add up")
    cases = [case for suite in suites for case in suite.findall("testcase")]
    names = {(case.get("classname"), case.get("name")) for case in cases}
    if len(names) != len(cases):
        problems.append("two cases have one name")
    outcomes = {"failure": "fail", "error": "wrong"}
    for case, row in zip(cases, gate["rows"], strict=True):
        found = next((outcomes[tag] for tag in outcomes if case.find(tag) is not None), None)
        if (found is not None) != row["fails"] or (found == "wrong") != (row["result"] == "wrong"):
            problems.append(f"{case.get('name')}: {found} here, {row['result']} in the JSON")
        for child in case:
            if child.tag in ("failure", "error") and not (child.get("message") and child.get("type") and child.text):
                problems.append(f"{case.get('name')}: <{child.tag}> without its words")
    text = ElementTree.tostring(root, encoding="unicode")
    if "]]>" not in "".join(root.itertext()) or "\x1b" in text:
        problems.append("texts did not survive, or what XML cannot hold did")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit({"json": check_json, "junit": check_junit}[sys.argv[1]](*sys.argv[2:]))
