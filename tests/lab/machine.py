"""Whether this machine can be a laboratory, and whether it is quiet enough to be one now."""
import os
import resource
import shutil
import time

TOOLS = {"nsenter": "util-linux", "unshare": "util-linux", "ip": "iproute2"}
MPIRUN = {"mpirun": "openmpi-bin"}


def why_not(mpi=True):
    """Why no lab can run here, in words; None if one can."""
    if os.geteuid() != 0:
        return "network namespaces and real-time priority need root"
    if not os.path.exists("/dev/net/tun"):
        return "there is no /dev/net/tun"
    for tool, package in {**TOOLS, **(MPIRUN if mpi else {})}.items():
        if not shutil.which(tool):
            return f"there is no {tool} (apt-get install {package})"
    try:  # in a child: some containers let root do little
        pid = os.fork()
        if pid == 0:
            os._exit(_forbidden())
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except OSError as error:
        return str(error)
    return {0: None, 1: "network namespaces are not allowed here",
            2: "real-time priority (SCHED_FIFO) is not allowed here"}.get(code, f"the trial exited with {code}")


def _forbidden():
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    except OSError:
        return 2
    return 1 if os.system("unshare --net --uts true 2>/dev/null") else 0


def _ticks():
    """(all, idle, busy with programs) of all processors, in seconds."""
    with open("/proc/stat") as file:
        ticks = [int(word) / os.sysconf("SC_CLK_TCK") for word in file.readline().split()[1:9]]
    user, nice, system, idle, _, _, _, steal = ticks
    return sum(ticks), idle, user + nice + system + steal


def wait_for_quiet(limit, busy=0.05, length=0.5, periods=3):
    """Until the processors were idle but for `busy` over some periods in a row; False after `limit` seconds."""
    end = time.monotonic() + limit
    quiet = 0
    while quiet < periods:
        if time.monotonic() > end:
            return False
        before = _ticks()
        time.sleep(length)
        after = _ticks()
        quiet = quiet + 1 if after[1] - before[1] >= (1 - busy) * (after[0] - before[0]) else 0
    return True


class Others:
    """How busy the processors were with what is not ours: between start() and share()."""

    def __init__(self, pids=()):
        """pids: our processes that are not waited for in between."""
        self._pids = list(pids)
        self._before = self._now()

    def _now(self):
        total, _, busy = _ticks()
        ours = 0.0
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
            usage = resource.getrusage(who)
            ours += usage.ru_utime + usage.ru_stime
        for pid in self._pids:
            try:
                with open(f"/proc/{pid}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
                ours += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            except OSError:
                pass
        return total, busy - ours

    def share(self):
        """Of all processors; what ran for us must have been waited for."""
        total, others = self._now()
        return max(0.0, others - self._before[1]) / max(total - self._before[0], 1e-9)
