#!/usr/bin/env python3
"""Checks the examples for other tools against the program as it is.

usage: check_examples.py github EXAMPLE_YML PROGRAM   or   check_examples.py reframe EXAMPLE_PY PROGRAM
Exit code 77 (skipped) if python3-yaml is not installed.
"""
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import types

SKIPPED = 77


def options_of(program):
    text = subprocess.run([program, "run", "--help"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"--[a-z][a-z-]*", text))


def unknown(words, program):
    return sorted({word for word in words if word.startswith("--")} - options_of(program))


def check_github(path, program):
    try:
        import yaml
    except ImportError:
        print("skipped: python3-yaml is not installed (apt-get install python3-yaml)")
        return SKIPPED
    with open(path, encoding="utf-8") as file:
        workflow = yaml.safe_load(file)
    assert "pull_request" in (workflow.get("on") or workflow[True]), "YAML 1.1 reads 'on' as true"
    steps = workflow["jobs"]["bandwidth"]["steps"]
    assert all(("uses" in step) != ("run" in step) for step in steps), "a step uses or runs"
    judging = [step["run"] for step in steps if "allreduce-bench run" in step.get("run", "")]
    assert len(judging) == 1, "one step judges"
    words = judging[0].replace("\\\n", " ").split()
    options = words[words.index("run"):]
    assert not unknown(options, program), f"options the program lacks: {unknown(options, program)}"
    assert "--ab" in options and "--junit" in options and '"$GITHUB_STEP_SUMMARY"' in options
    for step in steps:
        if "run" in step:
            subprocess.run(["bash", "-n", "-c", step["run"]], check=True)
    with open(os.path.join(os.path.dirname(path), "..", "..", "scripts", "common.sh"), encoding="utf-8") as file:
        needed = re.search(r"BUILD_PACKAGES=\((.*?)\)", file.read(), re.DOTALL).group(1).split()
    installed = next(step["run"] for step in steps if "apt-get install" in step.get("run", "")).split()
    assert set(needed) <= set(installed), f"not installed: {set(needed) - set(installed)}"
    config = words[words.index("--config") + 1].removeprefix("new/")
    root = os.path.join(os.path.dirname(path), "..", "..")
    assert os.path.exists(os.path.join(root, config)), f"there is no {config}"
    uploaded = next(step["with"]["path"] for step in steps if "upload-artifact" in step.get("uses", "")).split()
    for option in ("--output", "--verdicts", "--junit"):
        assert words[words.index(option) + 1] in uploaded, f"the file of {option} is not kept"
    return 0


def stand_in():
    """As much of ReFrame as the example uses: enough to call its methods, not to run it."""
    sanity = types.ModuleType("reframe.utility.sanity")

    def assert_true(value, msg=None):
        if not value:
            raise AssertionError(msg)
        return True

    sanity.all = all
    sanity.assert_true = assert_true
    sanity.assert_eq = lambda a, b, msg=None: assert_true(a == b, msg)
    sanity.make_performance_function = lambda function, unit, *args: (lambda: (function(*args), unit))
    reframe = types.ModuleType("reframe")
    reframe.simple_test = lambda test: test
    reframe.RunOnlyRegressionTest = object
    utility = types.ModuleType("reframe.utility")
    return {"reframe": reframe, "reframe.utility": utility, "reframe.utility.sanity": sanity}


def check_reframe(path, program):
    sys.modules.update(stand_in())
    spec = importlib.util.spec_from_file_location("example", path)
    example = importlib.util.module_from_spec(spec)
    example.run_before = lambda stage: lambda method: method
    example.sanity_function = lambda method: method
    spec.loader.exec_module(example)
    test = example.AllReduce()
    test.num_tasks = 2
    test.set_options()
    options = test.executable_opts
    assert not unknown(options, program), f"options the program lacks: {unknown(options, program)}"
    options[options.index("mpi")] = "host"  # runs everywhere, writes the same report
    with tempfile.TemporaryDirectory() as folder:
        test.stagedir = folder
        subprocess.run([program, *options, "--max-time", "20ms"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        assert test.all_right()
        test.set_performance()
        wanted = set(test.reference["*"])
        assert set(test.perf_variables) == wanted, "each has a reference"
        for name, measure in test.perf_variables.items():
            value, unit = measure()
            assert value > 0 and unit == test.reference["*"][name][3], name
        report_path = os.path.join(folder, example.REPORT)
        with open(report_path, encoding="utf-8") as file:
            report = json.load(file)
        for spoil in (lambda r: r["records"][0]["verify"].update(verdict="not checked"),
                      lambda r: r["records"][0].update(status="skipped", reason="no room"),
                      lambda r: r.update(records=[]), lambda r: r.update(complete=False)):
            spoiled = json.loads(json.dumps(report))
            spoil(spoiled)
            with open(report_path, "w", encoding="utf-8") as file:
                json.dump(spoiled, file)
            try:
                test.all_right()
            except AssertionError:
                continue
            raise SystemExit("a spoiled report passes")
    return 0


if __name__ == "__main__":
    sys.exit({"github": check_github, "reframe": check_reframe}[sys.argv[1]](*sys.argv[2:]))
