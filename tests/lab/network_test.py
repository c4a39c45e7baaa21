"""The network itself, by plain sockets: round-trip time and bandwidth are those that were asked for."""
import json
import os
import subprocess
import sys
import unittest

import lab
import machine
import model
import support

PROBE = [sys.executable, os.path.join(lab.HERE, "probe.py")]
SIZES = ["100000", "400000", "1600000"]


def probe(net, a, b):
    """Between two hosts: (round-trip time, bytes/s)."""
    address = net.hosts[b]["address"]
    server = subprocess.Popen([*net.enter(net.hosts[b]), *PROBE, "serve", address], stdout=subprocess.PIPE, text=True)
    try:
        server.stdout.readline()
        said = subprocess.run([*net.enter(net.hosts[a]), *PROBE, "ask", address, "15", *SIZES], check=True, timeout=60,
                              stdout=subprocess.PIPE, text=True).stdout
    finally:
        server.kill()
        server.communicate()
    answer = json.loads(said)
    return answer["round_trip_s"], 1 / model.fit(answer["streams"])[1]


class Network(support.LabTest):
    def check(self, truth, hosts, alpha, rate, *options):
        """truth: {(a, b): (one-way seconds, bytes/s)} of pairs of hosts."""
        def once():
            with lab.Lab(hosts, alpha, rate, switch=options) as net:
                others = machine.Others([net.switch_pid()])
                found = {pair: probe(net, *pair) for pair in truth}
                share = others.share()
            return found, share, net.punctuality

        def judge(found):
            complaints = []
            for (a, b), (seconds, speed) in truth.items():
                where = f"h{a + 1}-h{b + 1}"
                complaints += support.off(f"{where} round trip, s", found[a, b][0], 2 * seconds, 0.05)
                complaints += support.off(f"{where} bandwidth, bytes/s", found[a, b][1], speed, 0.03)
            return complaints

        self.measured(once, judge, min(seconds for seconds, _ in truth.values()))

    def test_two_hosts(self):
        self.check({(0, 1): (5e-3, 20e6)}, 2, "5ms", "20MB/s")

    def test_exceptions_of_a_host_and_of_a_pair(self):
        truth = {(0, 1): (10e-3, 20e6), (1, 2): (5e-3, 10e6), (3, 0): (5e-3, 20e6)}
        self.check(truth, 4, "5ms", "20MB/s", "--pair", "1-2:alpha=10ms", "--host", "3:rate=10MB/s")


if __name__ == "__main__":
    support.main(mpi=False)
