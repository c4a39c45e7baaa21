"""allreduce-bench when something goes wrong in the middle: mpirun is killed, or a host goes silent."""
import contextlib
import json
import os
import signal
import subprocess
import time
import unittest

import lab
import support

SECONDS_TO_START = 60
SWEEP = ["--backend", "mpi", "--path", "messages", "--algorithms", "ring", "--sizes", "8B:1MB", "-n", "1000",
         "--no-progress"]


def read(path):
    with contextlib.suppress(OSError), open(path) as file:
        return json.load(file)  # replaced atomically: valid at any moment


def rank_of(pid):
    """The MPI rank of a process; None if it is none."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
        for variable in file.read().split(b"\0"):
            if variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                return int(variable.partition(b"=")[2])
    return None


class Trouble(unittest.TestCase):
    def start(self, net, *arguments):
        """A long sweep, once its first case is in the report: (mpirun, path of the report)."""
        path = os.path.join(net.folder, "report.json")
        process = net.start([lab.find_program(), *SWEEP, "--ranks", "2", "-J", path, *arguments],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + SECONDS_TO_START
        while not (report := read(path)) or not report["records"]:
            if process.poll() is not None or time.monotonic() > deadline:
                lab.stop(process)
                self.fail("nothing was measured: " + process.communicate()[1])
            time.sleep(0.05)
        return process, path

    def killed_by(self, how):
        with lab.Lab(2, "1ms", "50MB/s") as net:
            process, path = self.start(net, "--timeout", "300s")
            self.assertGreaterEqual(len(net.processes()), 4)  # mpirun, a daemon, two ranks
            process.send_signal(how)
            process.communicate(timeout=30)
            self.assertNotEqual(process.returncode, 0)
            deadline = time.monotonic() + 20
            while net.processes() and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(net.processes(), [], "orphans")
            report = read(path)
            self.assertIsNotNone(report)
            self.assertFalse(report["complete"])
            self.assertTrue(report["records"])
            self.assertEqual({record["status"] for record in report["records"]}, {"ok"})

    def test_mpirun_is_killed(self):
        self.killed_by(signal.SIGKILL)

    def test_mpirun_is_terminated(self):
        self.killed_by(signal.SIGTERM)

    def test_a_host_goes_silent(self):
        limit = 15
        with lab.Lab(2, "1ms", "50MB/s") as net:
            began = time.monotonic()
            process, path = self.start(net, "--timeout", f"{limit}s")
            silent = [pid for pid in net.processes() if rank_of(pid) == 1]
            self.assertEqual(len(silent), 1)
            os.kill(silent[0], signal.SIGSTOP)
            _, words = process.communicate(timeout=limit + 30)
            seconds = time.monotonic() - began
            self.assertEqual(process.returncode, 4, words)
            self.assertRegex(words, r"time limit of 15 ?s reached")
            self.assertRegex(words, r"rank 1: does not answer")
            self.assertGreaterEqual(seconds, limit - 1)
            self.assertLess(seconds, limit + 10)  # a bound, not a measurement: the limit must end it
            report = read(path)
            self.assertFalse(report["complete"])
            self.assertTrue(report["records"])


if __name__ == "__main__":
    support.main(program=lab.find_program())
