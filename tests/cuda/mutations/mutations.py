#!/usr/bin/env python3
"""Breaks the device code in one place at a time and asks whether a test notices.

usage: mutations.py BUILD.json [NAME ...]       (BUILD.json is written by CMake)

Each fault is a text and what replaces it, in one file. The changed file shadows the original through the include path; the
kernels that use it are compiled again and linked with the objects of the runner's tests. A fault counts as caught when the
named tests fail or do not end. Prints a line per fault; exit 1 if one was not caught, or if the tests fail without any.
"""
import json
import os
import subprocess
import sys
import tempfile

DEVICE = "collectives/runners/cuda/device/"
HOST = "collectives/runners/cuda/"
KERNELS = [HOST + name for name in ("schedule_simple.cu", "schedule_ll.cu", "one_shot.cu", "two_shot.cu")]
SIMPLE, LL, ONE_SHOT, TWO_SHOT = KERNELS
LIMIT_S = 240

# name, file, text, replacement, what is compiled again, tests that must notice
FAULTS = [
    ("publish with a relaxed store", DEVICE + "port.hpp",
     "publish_tail() const { store_release<Scope::kSystem>", "publish_tail() const { store_relaxed<Scope::kSystem>",
     [SIMPLE], "*StoreBuffer*"),
    ("publish at the scope of the GPU", DEVICE + "port.hpp",
     "publish_tail() const { store_release<Scope::kSystem>", "publish_tail() const { store_release<Scope::kGpu>",
     [SIMPLE], "*StoreBuffer*"),
    ("wait for data with a relaxed load", DEVICE + "wait.hpp",
     "load_acquire<kScope>(counter)", "load_relaxed<kScope>(counter)", [SIMPLE], "*StoreBuffer*"),
    ("a credit forgotten, simple", DEVICE + "port.hpp",
     "if (count_ < seen_ + slot_count_) return true;\n    seen_ =", "return true;\n    seen_ =", [SIMPLE], "Sweep*:*StoreBuffer*"),
    ("a credit forgotten, ll", DEVICE + "port.hpp",
     "if (count_ < seen_ + slot_count_) return true;\n    seen_ =", "return true;\n    seen_ =", [LL], "Sweep*:*StoreBuffer*"),
    ("an event marked with a relaxed store", DEVICE + "interpret.hpp",
     "store_release<Scope::kGpu>(block_.events", "store_relaxed<Scope::kGpu>(block_.events", [LL, SIMPLE], "*StoreBuffer*"),
    ("an event not waited for", DEVICE + "interpret.hpp",
     "if (step.after != kNone) {", "if (false) {", [LL, SIMPLE], "Sweep*:*StoreBuffer*"),
    ("no barrier before a message is published", DEVICE + "interpret.hpp",
     "set_mark(shared_.marks.spinning);\n        thread_.sync();", "set_mark(shared_.marks.spinning);", [LL, SIMPLE], "Sweep*:*StoreBuffer*"),
    ("no barrier after a step is opened", DEVICE + "interpret.hpp",
     "set_mark(shared_.marks.waiting);\n        thread_.sync();", "set_mark(shared_.marks.waiting);", [LL, SIMPLE], "Sweep*:*StoreBuffer*"),
    ("one flag for all messages", DEVICE + "lines.hpp",
     "return static_cast<uint32_t>(message % 0xffffffffU) + 1;", "return 1;", [LL], "Sweep*:*StoreBuffer*"),
    ("only one of the two flags of a line", DEVICE + "lines.hpp",
     "line.flag0 == flag && line.flag1 == flag", "line.flag0 == flag", [LL, ONE_SHOT], "Sweep*:*StoreBuffer*"),
    ("an epoch used twice, one-shot", DEVICE + "one_shot.hpp",
     "store(own.epoch + block, epoch);", "if (epoch % 3 != 0) store(own.epoch + block, epoch);", [ONE_SHOT], "Stream*:Wrap*:Batch*"),
    ("one half of the inbox", DEVICE + "one_shot.hpp",
     "const uint64_t half = epoch % 2;", "const uint64_t half = 0;", [ONE_SHOT], "Stream*:Wrap*:Batch*"),
    ("an epoch used twice, two-shot", DEVICE + "two_shot.hpp",
     "store(own.epoch + block, epoch + 2);", "store(own.epoch + block, epoch + 1);", [TWO_SHOT], "Stream*"),
    ("epochs compared with <", DEVICE + "wait.hpp",
     "static_cast<int32_t>(load_acquire<Scope::kSystem>(word) - wanted) < 0", "load_acquire<Scope::kSystem>(word) < wanted",
     [TWO_SHOT], "Stream*"),
    ("arrival at the scope of the GPU", DEVICE + "two_shot.hpp",
     "store_release<Scope::kSystem>(own.arrivals", "store_release<Scope::kGpu>(own.arrivals", [TWO_SHOT], "Stream*"),
    ("arrival with a relaxed store", DEVICE + "two_shot.hpp",
     "store_release<Scope::kSystem>(own.arrivals", "store_relaxed<Scope::kSystem>(own.arrivals", [TWO_SHOT], "Stream*"),
    ("no barrier before arrival", DEVICE + "two_shot.hpp",
     "thread.sync();  // everything the block has stored", "// everything the block has stored", [TWO_SHOT], "Stream*:*StoreBuffer*"),
    ("blocks of a rank need not run together", HOST + "kernel_operation.hpp",
     "tuning.threads), true}", "tuning.threads), false}",
     [HOST + "scheduled_operation.cpp", HOST + "one_shot.cpp", HOST + "two_shot.cpp"], "Mean*"),
]


def mutated(root, fault, overlay):
    """Writes the changed file; None if the text is not there."""
    _, path, text, replacement, _, _ = fault
    with open(os.path.join(root, path)) as file:
        source = file.read()
    if text not in source:
        return None
    target = os.path.join(overlay, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w") as file:
        file.write(source.replace(text, replacement))
    return target


def compile_and_link(build, sources, overlay, program):
    objects = []
    for i, source in enumerate(sources):
        path = os.path.join(overlay, source)
        if not os.path.exists(path):
            path = os.path.join(build["root"], source)
        objects.append(os.path.join(overlay, f"{i}.o"))
        subprocess.run([build["compiler"], "-x", "c++", "-std=c++20", "-O1", "-ffp-contract=off", "-w", "-DARB_CUDA_EMULATED",
                        "-I" + overlay, "-I" + build["include"], "-I" + build["root"], "-c", path, "-o", objects[-1]], check=True)
    subprocess.run([build["compiler"], "-rdynamic", "-o", program, *objects, *build["objects"], *build["libraries"], "-lpthread", "-ldl"], check=True)


def notices(program, tests):
    """What the tests said: None if they are content."""
    try:
        done = subprocess.run([program, "--gtest_filter=" + tests, "--gtest_fail_fast"], capture_output=True, text=True,
                              timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return "does not end"
    if "0 tests" in done.stdout and "PASSED" not in done.stdout:
        raise SystemExit(f"no test is called {tests}")
    if done.returncode == 0:
        return None
    failed = [line.split("] ")[1] for line in done.stdout.splitlines() if line.startswith("[  FAILED  ]") and "." in line]
    return failed[0].split(",")[0].split(" (")[0] if failed else f"exit {done.returncode}"


def main():
    with open(sys.argv[1]) as file:
        build = json.load(file)
    wanted = sys.argv[2:]
    missed = 0
    for fault in FAULTS:
        name, path, _, _, sources, tests = fault
        if wanted and name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as overlay:
            if mutated(build["root"], fault, overlay) is None:
                print(f"GONE    {name}: its text is no longer in {path}")
                missed += 1
                continue
            program = os.path.join(overlay, "mutated")
            compile_and_link(build, sources, overlay, program)
            said = notices(program, tests)
        print(f"{'caught' if said else 'MISSED':<8}{name}: {said or 'no test noticed'}", flush=True)
        missed += said is None
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
