#!/usr/bin/env python3
"""How often `accept` names the right culprit: 6 hosts of the lab, of which one is made bad.

    tests/lab/acceptance.py --runs 20

Prints a Markdown table. Exit 1 if fewer than 19 of 20 runs of a scenario name the one that is bad and nobody
else, or if any healthy run names somebody. See docs/gates.md.
"""
import argparse
import contextlib
import dataclasses
import json
import os
import random
import re
import shlex
import subprocess
import sys

import lab
import machine

HOSTS = 6
NETWORK = lab.Network(5e-3, 20e6)
PROFILE = os.path.join(lab.HERE, "accept.json")
RIGHT = 19 / 20
TRIES = 3  # of a run that is void: the switch was late

# The busy core: this much of every period belongs to the hog, which goes before all but the switch. The rank of
# that host is alone with it; those of the other hosts share another core, so that they are well.
HOG_PRIORITY = 1
HOG_PERIOD, HOG_BUSY = 20e-3, 16e-3


@dataclasses.dataclass
class Scenario:
    name: str
    culprit: tuple = ()  # numbers of hosts: one host, or two whose link it is
    switch: tuple = ()  # options of lab-switch
    options: tuple = ()  # of accept
    hog: bool = False
    code: int = 1


def scenarios(rng):
    """One of each kind, with other culprits every time."""
    host = rng.randint(1, HOSTS)
    a, b = sorted(rng.sample(range(1, HOSTS + 1), 2))
    return [
        Scenario("healthy", code=0),
        Scenario("half rate", (host,), ("--host", f"{host}:rate=10MB/s")),
        Scenario("slow link", (a, b), ("--pair", f"{a}-{b}:alpha=15ms")),
        Scenario("busy core", (host,), hog=True),
        Scenario("wrong data", (host,), options=("--inject", f"flip-bit:rank={host - 1}"), code=3),
    ]


def names_of(culprit):
    return " - ".join(f"h{host}" for host in culprit)


@contextlib.contextmanager
def busy_core(core):
    """While it lasts, programs on this core get what the hog leaves."""
    hog = subprocess.Popen([sys.executable, os.path.join(lab.HERE, "hog.py"),
                            *map(str, (core, HOG_PRIORITY, HOG_PERIOD, HOG_BUSY))])
    try:
        yield hog.pid
    finally:
        hog.kill()
        hog.wait()


def pinned(program, host, core, others):
    """The rank on `host` runs on a core of its own, those on the other hosts share another."""
    script = (f'core={others}; [ "$OMPI_COMM_WORLD_RANK" = {host - 1} ] && core={core}; '
              'exec taskset -c "$core" "$@"')
    return ["sh", "-c", script, "sh", *program]


@dataclasses.dataclass
class Outcome:
    code: int
    named: list  # "h3", "h2 - h5"
    findings: list
    seconds: float
    others: float
    punctuality: object
    text: str

    def complaints(self, scenario):
        wanted = [names_of(scenario.culprit)] if scenario.culprit else []
        wrong = []
        if self.named != wanted:
            wrong.append(f"named {self.named or 'nobody'}, wanted {wanted or 'nobody'}")
        if self.code != scenario.code:
            wrong.append(f"exit {self.code}, wanted {scenario.code}")
        return wrong


def named_in(findings):
    """Who is blamed: "FAIL h3: ..." and "FAIL h2 - h5: ...", whole words only."""
    found = [re.match(r"FAIL (h\d+(?: - h\d+)*): ", text) for text in findings]
    return [match[1] for match in found if match]


def run(scenario, more=(), timeout=150):
    """Once; more: options of accept."""
    program = [lab.find_program(), "accept", "--profile", PROFILE, "--no-progress", *scenario.options, *more]
    with contextlib.ExitStack() as stack:
        net = stack.enter_context(lab.Lab(HOSTS, *NETWORK.words(), switch=scenario.switch))
        path = os.path.join(net.folder, "verdicts.json")
        program += ["--verdicts", path]
        hogs = []
        if scenario.hog:
            cores = sorted(os.sched_getaffinity(0))
            program = pinned(program, scenario.culprit[0], cores[-1], cores[0])
            hogs.append(stack.enter_context(busy_core(cores[-1])))
        done = net.run(program, timeout, ours=hogs)
        findings = []
        with contextlib.suppress(OSError), open(path) as file:
            findings = json.load(file)["findings"]
    return Outcome(done.code, named_in(findings), findings, done.seconds, done.others, net.punctuality,
                   done.stdout + done.stderr)


def table(counts):
    lines = ["| scenario | runs | right | wrong | void |", "|---|---|---|---|---|"]
    for name, (right, wrong, void) in counts.items():
        lines.append(f"| {name} | {right + wrong} | {right} | {wrong} | {void} |")
    return "\n".join(lines)


def measure(wanted, runs, seed):
    rng = random.Random(seed)
    counts = {}
    for number in range(runs):
        for scenario in scenarios(rng):
            if wanted and scenario.name not in wanted:
                continue
            right, wrong, void = counts.get(scenario.name, (0, 0, 0))
            for _ in range(TRIES):
                outcome = run(scenario)
                late = outcome.punctuality.why_untrue(NETWORK.alpha)
                if not late:
                    break
                void += 1
                print(f"   void: {late}", file=sys.stderr)
            complaints = outcome.complaints(scenario)
            if not late:
                right, wrong = right + (not complaints), wrong + bool(complaints)
            counts[scenario.name] = (right, wrong, void)
            who = names_of(scenario.culprit) or "nobody"
            print(f"{number + 1}: {scenario.name}, {who}: {'; '.join(complaints) or 'right'}, "
                  f"{outcome.seconds:.0f} s, others {outcome.others:.0%}", file=sys.stderr)
            for finding in outcome.findings:
                print("   " + finding, file=sys.stderr)
            if complaints:
                print(outcome.text, file=sys.stderr)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="of each scenario (default 20)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the culprits (default 1)")
    parser.add_argument("--only", action="append", default=[], metavar="SCENARIO", help="may be repeated")
    arguments = parser.parse_args()
    reason = machine.why_not()
    if not reason and len(os.sched_getaffinity(0)) < 2:
        reason = "a busy core needs a second one for the others"
    if reason:
        raise lab.LabError(reason)
    names = [scenario.name for scenario in scenarios(random.Random(0))]
    for name in arguments.only:
        if name not in names:
            parser.error(f"there is no scenario '{name}': {', '.join(names)}")
    counts = measure(arguments.only, arguments.runs, arguments.seed)
    print(f"`{shlex.join([os.path.relpath(sys.argv[0], lab.ROOT), *sys.argv[1:]])}`\n")
    print(table(counts))
    good = all(right >= RIGHT * (right + wrong) and right > 0 and not (name == "healthy" and wrong)
               for name, (right, wrong, _) in counts.items())
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except lab.LabError as error:
        print(f"acceptance: {error}", file=sys.stderr)
        sys.exit(lab.EXIT_ENVIRONMENT)
