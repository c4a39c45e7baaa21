"""Platforms whose latency and bandwidth are exact, and programs run on them by SimGrid's smpirun."""
import pathlib
import re
import subprocess
from dataclasses import dataclass

# Each default here bends the law that the platform file states; docs/simulation.md says how.
EXACT = [
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=network/TCP-gamma:0",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/weight-S:0",
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/host-speed:100Gf",
    "--cfg=smpi/wtime:0",
    "--cfg=smpi/test:0",
    "--cfg=smpi/iprobe:0",
    "--cfg=smpi/async-small-thresh:65536",
    "--cfg=smpi/coll-selector:mpich",  # around what is measured; SMPI's own send a message for each pair of ranks
]
QUIET = ["--log=xbt_cfg.threshold:warning", "--log=smpi_mpi.threshold:error", "--log=smpi_pmpi.threshold:error"]

# smpirun exits 0 after these.
TROUBLE = re.compile(r"Deadlock detected|MPI_Abort was called|Uncaught exception|Killing simulation")

HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<zone id="world" routing="Full">
"""
FOOT = "</zone>\n</platform>\n"


class SimulationError(Exception):
    pass


@dataclass
class Platform:
    xml: str
    hosts: list[str]


def cluster(name: str, hosts: int, alpha: float, beta: float) -> str:
    """Two links lie between any two hosts, one of each: each has half of the latency."""
    return (
        f'<cluster id="{name}" prefix="{name}n" suffix="" radical="0-{hosts - 1}" router_id="{name}r" speed="100Gf" '
        f'bw="{beta:.17g}Bps" lat="{alpha / 2:.17g}s" loopback_bw="{beta:.17g}Bps" loopback_lat="{alpha:.17g}s" '
        f'sharing_policy="SPLITDUPLEX"/>\n'
    )


def flat(hosts: int, alpha: float, beta: float) -> Platform:
    """Every host reaches every other one after `alpha` seconds, with `beta` bytes per second each way."""
    return Platform(HEAD + cluster("c", hosts, alpha, beta) + FOOT, [f"cn{i}" for i in range(hosts)])


def cabinets(count: int, hosts: int, alpha: float, beta: float, up_alpha: float, up_beta: float) -> Platform:
    """`count` clusters. Between two of them lie one uplink each, with half of `up_alpha`, besides the hosts' links."""
    xml, names = HEAD, []
    for c in range(count):
        xml += cluster(f"c{c}", hosts, alpha, beta)
        names += [f"c{c}n{i}" for i in range(hosts)]
    for c in range(count):
        xml += f'<link id="up{c}" bandwidth="{up_beta:.17g}Bps" latency="{up_alpha / 2:.17g}s" sharing_policy="SPLITDUPLEX"/>\n'
    for a in range(count):
        for b in range(count):
            if a == b:
                continue
            xml += (
                f'<zoneRoute src="c{a}" dst="c{b}" gw_src="c{a}r" gw_dst="c{b}r" symmetrical="NO">'
                f'<link_ctn id="up{a}" direction="UP"/><link_ctn id="up{b}" direction="DOWN"/></zoneRoute>\n'
            )
    return Platform(xml + FOOT, names)


def run(
    module: str,
    arguments: list[str],
    platform: Platform,
    folder: pathlib.Path,
    options: list[str] | None = None,
    code: int = 0,
    timeout: float = 1700,
) -> str:
    """What the ranks, one for each host, print to standard output; they must end with the exit code `code`."""
    for word in arguments:
        if not word or re.search(r"\s", word) or word.startswith(("--cfg", "--log", "--help", "--version")):
            raise ValueError(f"smpirun does not pass {word!r} on as it is")
    xml, hosts = folder / "platform.xml", folder / "hosts"
    xml.write_text(platform.xml)
    hosts.write_text("".join(host + "\n" for host in platform.hosts))
    command = ["smpirun", *EXACT, *QUIET, *(options or []), "-quiet", "-np", str(len(platform.hosts))]
    command += ["-platform", str(xml), "-hostfile", str(hosts), module, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=folder)
    except subprocess.TimeoutExpired as expired:
        raise SimulationError(f"not done after {timeout} s of real time: {' '.join(command)}") from expired
    if done.returncode != code or TROUBLE.search(done.stderr):
        raise SimulationError(
            f"exit code {done.returncode}: {' '.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-6000:]}"
        )
    return done.stdout
