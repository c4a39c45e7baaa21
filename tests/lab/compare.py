#!/usr/bin/env python3
"""Our algorithms beside Open MPI's own, on hosts of the lab: how much faster, with 95 % intervals.

    tests/lab/compare.py --hosts 4 --alpha 5ms --rate 20MB/s

Prints a Markdown table: our ring beside Open MPI's ring, and our best beside what Open MPI chooses. All run in one
program and take turns; the whole is repeated in fresh processes (--turns). A ratio above 1 means that ours is faster.
"""
import argparse
import random
import statistics
import sys

import lab
import machine

OURS = ["ring", "tree", "recursive-doubling", "rabenseifner", "naive-root"]
THEIRS = ["openmpi:ring", "openmpi:default"]
RESAMPLES = 1000


def ratio(turns, ours, theirs):
    """[{name: samples}], names -> (their median / our median, low, high), by resampling turns and their samples."""
    generator = random.Random(1)

    def draw(samples):
        return statistics.median(generator.choices(samples, k=len(samples)))

    found = []
    for _ in range(RESAMPLES):
        drawn = generator.choices(turns, k=len(turns))
        found.append(statistics.median(draw(turn[theirs]) / draw(turn[ours]) for turn in drawn))
    found.sort()
    middle = statistics.median(statistics.median(turn[theirs]) / statistics.median(turn[ours]) for turn in turns)
    return middle, found[int(0.025 * RESAMPLES)], found[int(0.975 * RESAMPLES)]


def split(turns):
    """Every second sample to choose the best by, the others to judge it by: the luckiest is not the best."""
    return ([{name: samples[start::2] for name, samples in turn.items()} for turn in turns] for start in (0, 1))


def best_of(turns, names):
    there = [name for name in names if all(name in turn for turn in turns)]
    return min(there, key=lambda name: statistics.median(statistics.median(turn[name]) for turn in turns))


def text(result):
    middle, low, high = result
    return f"{middle:.2f} [{low:.2f}, {high:.2f}]"


def milliseconds(turns, name):
    return f"{statistics.median(statistics.median(turn[name]) for turn in turns) * 1e3:.2f} ms"


def measure(arguments):
    """{bytes: {name: samples}} of one run."""
    options = ["--path", "messages", "--ranks", str(arguments.hosts * arguments.ranks_per_host), "--algorithms",
               ",".join(OURS + THEIRS), "--sizes", arguments.sizes, "-n", str(arguments.samples), "-w", "2", "--raw"]
    with lab.Lab(arguments.hosts, arguments.alpha, arguments.rate, arguments.ranks_per_host) as net:
        run = net.bench(options, timeout=3600)
    if run.code:
        raise lab.LabError(f"allreduce-bench failed with {run.code}:\n{run.stdout}{run.stderr}")
    print(f"others took {run.others:.0%} of the processors; the switch was {net.punctuality.late_mean_s * 1e6:.0f} us "
          "late on average", file=sys.stderr)
    found = {}
    for record in run.report["records"]:
        if record["status"] == "ok":
            found.setdefault(record["bytes"], {})[record["algorithm"]] = record["time_s"]["samples"]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--ranks-per-host", type=int, default=1)
    parser.add_argument("--alpha", default="5ms")
    parser.add_argument("--rate", default="20MB/s")
    parser.add_argument("--sizes", default="8B,256B,8KB,64KB,256KB,1MB,4MB")
    parser.add_argument("--samples", type=int, default=20, help="of a size and an algorithm in a turn")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    reason = machine.why_not()
    if reason:
        raise lab.LabError(reason)
    runs = [measure(arguments) for _ in range(arguments.turns)]
    print("| size | ring | openmpi:ring | ratio | our best | openmpi:default | ratio |")
    print("|---|---|---|---|---|---|---|")
    for size in sorted(set.intersection(*(set(run) for run in runs))):
        turns = [run[size] for run in runs]
        choosing, judging = split(turns)
        row = [f"{size} B"]
        for ours, theirs in (("ring", "openmpi:ring"), (best_of(choosing, OURS), "openmpi:default")):
            if all(ours in turn and theirs in turn for turn in turns):
                row += [f"{ours}, {milliseconds(judging, ours)}", milliseconds(judging, theirs),
                        text(ratio(judging, ours, theirs))]
            else:
                row += ["-"] * 3
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    try:
        main()
    except lab.LabError as error:
        print(f"compare: {error}", file=sys.stderr)
        sys.exit(lab.EXIT_ENVIRONMENT)
