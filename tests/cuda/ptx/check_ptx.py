#!/usr/bin/env python3
"""Reads what nvcc makes of the kernels: the instructions of the memory rules, and no waste of registers.

check_ptx.py [--nvcc PATH] [--include DIR] [--architectures 75,80...] FILE.cu ...
Exit 0: as wanted; 1: not, each finding on a line; 77: no nvcc.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++20", "-O3", "-fmad=false", "-Werror", "all-warnings"]
KERNELS = {  # threads of a block, most registers of a thread
    "schedule_simple_kernel": (512, 128),
    "schedule_ll_kernel": (512, 64),
    "one_shot_kernel": (512, 128),
    "two_shot_kernel": (512, 128),
    "latch_kernel": (1, 64),
    "probe_write_kernel": (1024, 64),
    "probe_check_kernel": (1024, 64),
}
# Two blocks of it share a multiprocessor there.
TWO_BLOCKS = {"schedule_simple_kernel": ["sm_75", "sm_80", "sm_90"]}
# What the text of a kernel must have, and must not have. Payload: weak and 16 bytes wide; counters:
# acquired and released at system scope; lines: both pairs of data and flag in one access.
PAYLOAD = [r"ld\.global\.v4\.u32", r"st\.global\.v4\.u32"]
COUNTERS = [r"ld\.acquire\.sys\.u64", r"st\.release\.sys\.u64"]
EVENTS = [r"ld\.acquire\.gpu\.u64", r"st\.release\.gpu\.u64"]
LINES = [r"ld\.relaxed\.sys\.global\.v2\.u64", r"st\.relaxed\.sys\.global\.v2\.u64"]
LINE = [pattern.replace("v2", "(v2|v4)") for pattern in LINES]
GPU_SCOPE = [r"\.gpu\b"]
OTHER_GPU_SCOPE = [r"\.gpu\.(?!u64\b)", r"(relaxed|fence[.\w]*|membar)\.gpu"]
FENCES = [r"\bfence\.", r"\bmembar\.", r"\bvolatile\b(?=\.)", r"\bnanosleep\b", r"\batom\.", r"\bred\."]
WANTED = {
    "schedule_simple_kernel": (PAYLOAD + COUNTERS + EVENTS, LINE + OTHER_GPU_SCOPE + FENCES),
    "schedule_ll_kernel": (LINES + [r"st\.relaxed\.sys\.u64", r"ld\.acquire\.sys\.u64"] + EVENTS,
                           [r"st\.release\.sys"] + OTHER_GPU_SCOPE + FENCES),
    "one_shot_kernel": (LINES, GPU_SCOPE + FENCES + [r"\.release\.", r"\.acquire\."]),
    "two_shot_kernel": (PAYLOAD + [r"ld\.acquire\.sys\.u32", r"st\.release\.sys\.u32"],
                        GPU_SCOPE + FENCES + LINE),
    "latch_kernel": ([r"ld\.acquire\.sys\.u64"], GPU_SCOPE + FENCES),
    "probe_write_kernel": ([], GPU_SCOPE + FENCES),
    "probe_check_kernel": ([], GPU_SCOPE + FENCES),
}
# Accesses of the payload path that are narrower than they could be would not be wrong, only slow; so
# there must be many of the wide ones: at least one load for every body (34) and each vector in flight.
LEAST = {"schedule_simple_kernel": 34 * 4 * 2, "two_shot_kernel": 34 * 4 * 2}


def find_nvcc(given):
    for path in [given, os.environ.get("CUDACXX"), shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc"]:
        if path and os.access(path, os.X_OK):
            return path
    return None


def plain(mangled):
    """_ZN3arb12latch_kernelENS_9LatchArgsE -> latch_kernel"""
    for name in KERNELS:
        if str(len(name)) + name in mangled:
            return name
    return mangled


def kernels_of(ptx):
    """{name: text} of the .entry functions."""
    parts = re.split(r"^\s*(?:\.visible )?\.entry (\w+)", ptx, flags=re.M)
    return {plain(parts[i]): parts[i + 1] for i in range(1, len(parts), 2)}


def check_instructions(kernels):
    findings = []
    for name, text in kernels.items():
        if name not in WANTED:
            findings.append(f"{name}: a kernel this check knows nothing of")
            continue
        wanted, refused = WANTED[name]
        code = "\n".join(line for line in text.splitlines() if not line.strip().startswith("//"))
        findings += [f"{name}: no {p}" for p in wanted if not re.search(p, code)]
        for p in refused:
            found = re.search(p, code)
            if found:
                line = code[code.rfind("\n", 0, found.start()) + 1:].split("\n", 1)[0].strip()
                findings.append(f"{name}: not wanted: {line}")
        if re.search(r"^\s*\.local\b", code, flags=re.M):
            findings.append(f"{name}: uses local memory")
        wide = len(re.findall(PAYLOAD[0], code))
        if wide < LEAST.get(name, 0):
            findings.append(f"{name}: {wide} loads of 16 bytes, fewer than {LEAST[name]}")
    return findings


def check_resources(report):
    """What ptxas -v says. Returns findings and {(kernel, architecture)} that it speaks of."""
    findings, seen = [], set()
    name = arch = None
    for line in report.splitlines():
        entry = re.search(r"Compiling entry function '(\w+)' for '(\w+)'", line)
        if entry:
            name, arch = plain(entry[1]), entry[2]
        use = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line)
        if use and any(int(n) for n in use.groups()):
            findings.append(f"{name} on {arch}: {line.strip()}")
        use = re.search(r"Used (\d+) registers", line)
        if use and name in KERNELS:
            seen.add((name, arch))
            registers, (threads, most) = int(use[1]), KERNELS[name]
            if arch in TWO_BLOCKS.get(name, []):
                most = 64
            if registers > most:
                findings.append(f"{name} on {arch}: {registers} registers, more than {most}")
            if registers * threads > 65536:
                findings.append(f"{name} on {arch}: {registers} registers x {threads} threads > 65536")
    return findings, seen


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_file(nvcc, include, architectures, file):
    """One run of nvcc gives both: the PTX it keeps, and the report of ptxas."""
    codes = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in architectures]
    with tempfile.TemporaryDirectory() as folder:
        report = run([nvcc, *FLAGS, "-I", include, *codes, "-Xptxas", "-v", "-fatbin", "--keep", "--keep-dir", folder,
                      file, "-o", os.path.join(folder, "kernels.fatbin")])
        texts = {}
        for name in os.listdir(folder):
            if name.endswith(".ptx"):
                with open(os.path.join(folder, name), encoding="utf-8") as text:
                    texts[name] = text.read()
    findings, seen = check_resources(report)
    for name, text in sorted(texts.items()):
        kernels = kernels_of(text)
        findings += [f"{name}: {finding}" for finding in check_instructions(kernels)]
        for kernel in kernels:
            for arch in architectures:
                if (kernel, f"sm_{arch}") not in seen:
                    findings.append(f"{kernel} on sm_{arch}: no report of its registers")
    if len(texts) != len(architectures):
        findings.append(f"{file}: PTX for {len(texts)} architectures, not {len(architectures)}")
    return findings, {kernel for kernel, _ in seen}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nvcc")
    parser.add_argument("--include", default=".")
    parser.add_argument("--architectures", default="75,80,90,100,120")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    nvcc = find_nvcc(args.nvcc)
    if not nvcc:
        print("skipped: there is no nvcc")
        return 77
    findings, seen = [], set()
    for file in args.files:
        found, names = check_file(nvcc, args.include, args.architectures.split(","), file)
        if not names:
            found.append(f"{file}: no kernel that this check knows")
        findings += found
        seen |= names
    print("\n".join(findings) if findings else f"as wanted: {', '.join(sorted(seen))}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
