#!/usr/bin/env python3
"""Runs an MPI program on hosts that are network namespaces, joined by a network of known alpha and beta.

    tests/lab/lab.py --hosts 4 --alpha 5ms --rate 20MB/s -- build/release/allreduce-bench --backend mpi --ranks 4

Needs root, /dev/net/tun and Open MPI. See docs/lab.md.
"""
import argparse
import contextlib
import dataclasses
import json
import os
import shlex
import signal
import subprocess
import sys
import time

import machine

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NETWORK = "10.77.0.0/16"
EXIT_ENVIRONMENT = 5

# No congestion control of TCP may bend the law: windows larger than any message of a test, from the start.
KNOBS = {
    "net/ipv4/tcp_congestion_control": "reno",
    "net/ipv4/tcp_slow_start_after_idle": "0",
    "net/ipv4/tcp_no_metrics_save": "1",
    "net/ipv4/tcp_wmem": "4096 4194304 16777216",
    "net/ipv4/tcp_rmem": "4096 4194304 16777216",
}
WINDOW = "initcwnd 100 initrwnd 100"

# Why each is needed is said in docs/lab.md.
MCA = {
    "pml": "ob1",
    "btl": "tcp,vader,self",
    "btl_tcp_if_include": NETWORK,
    "oob_tcp_if_include": NETWORK,
    "mpi_yield_when_idle": "1",
    "btl_tcp_eager_limit": str(8 << 20),
    "btl_tcp_rndv_eager_limit": str(8 << 20),
    "btl_tcp_max_send_size": str(8 << 20),
    "btl_vader_single_copy_mechanism": "none",
    "plm_rsh_agent": os.path.join(HERE, "agent.sh"),
}


class LabError(Exception):
    """The lab could not be set up, or broke; the message says what to do."""


@dataclasses.dataclass(frozen=True)
class Network:
    alpha: float  # s
    beta: float  # bytes/s

    def words(self):
        """As Lab takes them."""
        return f"{self.alpha * 1e3:g}ms", f"{self.beta / 1e6:g}MB/s"


@dataclasses.dataclass
class Run:
    code: int
    stdout: str
    stderr: str
    seconds: float
    others: float  # share of the processors that went to other programs meanwhile
    report: dict = None  # of allreduce-bench


@dataclasses.dataclass
class Punctuality:
    """What the switch said about itself at its end."""
    frames: int
    drops: int
    late_mean_s: float
    late_p99_s: float
    late_max_s: float

    def why_untrue(self, alpha_s):
        """Why measurements of this run are not the truth; None if they are."""
        if self.drops:
            return f"{self.drops} frames were dropped"
        if self.late_mean_s > max(0.02 * alpha_s, 100e-6):
            return f"the switch was {self.late_mean_s * 1e6:.0f} us late on average"
        if self.late_p99_s > max(0.2 * alpha_s, 500e-6):
            return f"the switch was {self.late_p99_s * 1e6:.0f} us late in 1 % of the frames"
        return None


def find_switch():
    path = os.environ.get("ARB_LAB_SWITCH") or os.path.join(ROOT, "build/release/tests/lab/switch/lab-switch")
    if not os.access(path, os.X_OK):
        raise LabError(f"there is no {path}; build it: cmake --build --preset release --target lab-switch")
    return path


class Lab:
    """with Lab(4, "5ms", "20MB/s") as lab: lab.run(["program", ...])

    The hosts are called h1, h2, ...; `switch` are further options of lab-switch. urgent: programs on the hosts go
    before all ordinary ones, so that a busy machine hardly matters. Nothing is left at the end, whatever happened:
    the namespaces go, and the processes in them. `punctuality` is known after the end.
    """

    def __init__(self, hosts, alpha="0", rate="unlimited", ranks_per_host=1, switch=(), urgent=True):
        self.count, self.ranks_per_host, self.urgent = hosts, ranks_per_host, urgent
        self._options = [str(hosts), "--alpha", alpha, "--rate", rate, "--until-eof", *switch]
        self._switch = None
        self.folder = None  # of the switch, in memory
        self.hosts = []  # name, netns, address of each
        self.punctuality = None

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def _start(self):
        # In a session of its own: Ctrl-C is not for the switch, which ends when its input does.
        self._switch = subprocess.Popen([find_switch(), *self._options], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        start_new_session=True)
        line = self._switch.stdout.readline()
        if not line:
            raise LabError(self._switch.stderr.read().strip() or "lab-switch ended at once")
        ready = json.loads(line)
        self.hosts, self.folder = ready["hosts"], ready["folder"]
        for host in self.hosts:
            script = "".join(f"echo {shlex.quote(value)} > /proc/sys/{knob} && " for knob, value in KNOBS.items())
            script += f"ip route change {NETWORK} dev eth0 {WINDOW}"
            done = subprocess.run([*self.enter(host), "sh", "-c", script], capture_output=True, text=True)
            if done.returncode:
                raise LabError(f"TCP of {host['name']} could not be set: {done.stderr.strip()}")

    def enter(self, host):
        """The start of a command that runs on a host."""
        # Nice values count within an autogroup (a session), where the kernel has them; that has one of its own.
        script = "echo -20 > /proc/self/autogroup 2>/dev/null; " if self.urgent else ""
        nice = ["nice", "-n", "-20"] if self.urgent else []
        return [*nice, "nsenter", "--net=" + host["netns"], "sh", "-c", script + 'exec "$@"', "sh"]

    def mpirun(self, program, mca=None):
        """The command that runs a program with ranks_per_host ranks on every host."""
        ranks = self.count * self.ranks_per_host
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
        private = dict.fromkeys(["orte_tmpdir_base", "btl_vader_backing_directory", "osc_sm_backing_directory",
                                 "shmem_mmap_backing_file_base_dir"], self.folder)
        for name, value in {**MCA, **private, **(mca or {})}.items():
            command += ["--mca", name, value]
        where = ",".join(f"{host['name']}:{self.ranks_per_host}" for host in self.hosts)
        command += ["--host", where, "-np", str(ranks), *program]
        name = self.hosts[0]["name"]
        script = f'hostname {self.hosts[0]["name"]} && exec "$@"'
        return [*self.enter(self.hosts[0]), "unshare", "--uts", "sh", "-c", script, "sh", *command]

    def environment(self, mca=None):
        """For what enters hosts itself: $ARB_LAB_NETNS followed by h1, h2, ...; and Open MPI's parameters."""
        parameters = {"OMPI_MCA_" + name: value for name, value in {**MCA, **(mca or {})}.items()}
        return {**os.environ, **parameters, "ARB_LAB_NETNS": self.hosts[0]["netns"].removesuffix(self.hosts[0]["name"])}

    def start(self, program, mca=None, **options):
        """subprocess.Popen of mpirun itself, on the first host."""
        # In a session of its own: two Ctrl-C in a row, from the terminal and from here, would make it drop everything.
        return subprocess.Popen(self.mpirun(program, mca), env=self.environment(),
                                stdin=subprocess.DEVNULL, start_new_session=True, **options)

    def run(self, program, timeout=120, mca=None, ours=()):
        """Runs a program to its end; LabError after `timeout` seconds. ours: further processes that are no others."""
        others = machine.Others([self._switch.pid, *ours])
        began = time.monotonic()
        process = self.start(program, mca, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            stop(process)
            raise LabError(f"no end within {timeout} s: {shlex.join(program)}") from None
        except BaseException:
            stop(process)
            raise
        return Run(process.returncode, stdout, stderr, time.monotonic() - began, others.share())

    def bench(self, arguments, timeout=120, mca=None, program=None):
        """Runs allreduce-bench over the network with its report read."""
        path = os.path.join(self.folder, "report.json")
        run = self.run([program or find_program(), "--backend", "mpi", "--no-progress", "-J", path, *arguments],
                       timeout, mca)
        with contextlib.suppress(OSError), open(path) as file:
            run.report = json.load(file)
        return run

    def switch_pid(self):
        return self._switch.pid

    def processes(self):
        """Process ids of all processes on the hosts."""
        spaces = {os.stat(host["netns"]).st_ino for host in self.hosts}
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.stat(f"/proc/{name}/ns/net").st_ino in spaces:
                    found.append(int(name))
        return found

    def close(self):
        if self._switch:
            with contextlib.suppress(OSError):
                self._switch.stdin.close()
            self._switch.stdin = None  # communicate() would flush it
            try:
                said, _ = self._switch.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                self._switch.kill()
                said, _ = self._switch.communicate()
                subprocess.run([find_switch(), "--cleanup"], check=False, stdout=subprocess.DEVNULL)
            self._switch = None
            if said.strip():
                done = json.loads(said.splitlines()[-1])
                self.punctuality = Punctuality(*(done[field.name] for field in dataclasses.fields(Punctuality)))


def find_program():
    return os.environ.get("ARB_PROGRAM") or os.path.join(ROOT, "build/release/allreduce-bench")


def stop(process, seconds=5):
    """Ends mpirun, kindly at first; what it leaves behind goes with the lab."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            process.send_signal(how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=seconds)
            return


def read_arguments():
    parser = argparse.ArgumentParser(usage="lab.py [options] -- PROGRAM [ARGUMENT...]", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--hosts", type=int, default=4, metavar="N")
    parser.add_argument("--ranks-per-host", type=int, default=1, metavar="N")
    parser.add_argument("--alpha", default="5ms", metavar="TIME", help="one-way delay (default 5ms)")
    parser.add_argument("--rate", default="20MB/s", metavar="RATE", help="of every port, each way (default 20MB/s)")
    parser.add_argument("--host", action="append", default=[], metavar="H:LIST", help="like 3:rate=10MB/s")
    parser.add_argument("--pair", action="append", default=[], metavar="A-B:LIST", help="like 1-2:alpha=10ms")
    parser.add_argument("--mca", action="append", default=[], nargs=2, metavar=("NAME", "VALUE"),
                        help="of Open MPI; wins over those of the lab")
    parser.add_argument("--ordinary-priority", action="store_true",
                        help="ranks do not go before other programs; times are true on a quiet machine only")
    parser.add_argument("--plain", action="store_true",
                        help="run PROGRAM once, on this machine: it enters the hosts itself, by $ARB_LAB_NETNS")
    parser.add_argument("--quiet", type=float, default=0, metavar="SECONDS",
                        help="wait so long for a quiet machine, else exit 5 (default: do not wait)")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    if arguments.program[:1] == ["--"]:
        del arguments.program[0]
    if not arguments.program:
        parser.error("which program? write it after --")
    if arguments.hosts < 2 or arguments.ranks_per_host < 1:
        parser.error("at least 2 hosts with 1 rank each")
    return arguments


def main():
    arguments = read_arguments()
    reason = machine.why_not(mpi=not arguments.plain)
    if reason:
        raise LabError(reason)
    if arguments.quiet and not machine.wait_for_quiet(arguments.quiet):
        raise LabError(f"the machine was not quiet within {arguments.quiet:g} s")
    options = [word for host in arguments.host for word in ("--host", host)]
    options += [word for pair in arguments.pair for word in ("--pair", pair)]
    with Lab(arguments.hosts, arguments.alpha, arguments.rate, arguments.ranks_per_host, options,
             not arguments.ordinary_priority) as lab:
        if arguments.plain:
            process = subprocess.Popen(arguments.program, env=lab.environment(dict(arguments.mca)))
        else:
            process = lab.start(arguments.program, dict(arguments.mca))
        try:
            code = process.wait()
        except KeyboardInterrupt:
            code = 128 + signal.SIGINT
        finally:
            stop(process, 10)
    late = lab.punctuality
    if late:
        print(f"lab: {late.frames} frames, {late.drops} dropped; the switch was late by "
              f"{late.late_mean_s * 1e6:.0f} us on average, {late.late_p99_s * 1e6:.0f} us in 1 %, "
              f"{late.late_max_s * 1e6:.0f} us at most", file=sys.stderr)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        sys.exit(main())
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        sys.exit(EXIT_ENVIRONMENT)
