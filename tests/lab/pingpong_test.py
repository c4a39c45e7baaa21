"""The lab with Open MPI on it, and nothing of allreduce-bench: ping-pong, incast and a textbook ring."""
import json
import unittest

import lab
import model
import support

TRUTH = lab.Network(5e-3, 20e6)
SIZES = ["8", "65536", "262144", "1048576"]


class PingPong(support.LabTest):
    def check(self, hosts, ranks_per_host=1):
        def once():
            with lab.Lab(hosts, *TRUTH.words(), ranks_per_host) as net:
                run = net.run([support.pingpong(), "5", *SIZES])
            self.assertEqual(run.code, 0, run.stderr)
            return json.loads(run.stdout), run.others, net.punctuality

        def judge(found):
            points = {name: [(row["bytes"], row["min_s"]) for row in found[name]]
                      for name in ("pingpong", "incast", "ring")}
            direct, incast = model.fit(points["pingpong"]), model.fit(points["incast"])
            alpha, beta = model.alpha_beta("ring", hosts, points["ring"])
            return (support.off("ping-pong alpha, s", direct[0], TRUTH.alpha, 0.05) +
                    support.off("ping-pong beta, bytes/s", 1 / direct[1], TRUTH.beta, 0.03) +
                    support.off("incast alpha, s", incast[0], TRUTH.alpha, 0.10) +
                    support.off("incast beta, bytes/s", (hosts - 1) / incast[1], TRUTH.beta, 0.03) +
                    support.off("ring alpha, s", alpha, TRUTH.alpha, 0.06) +
                    support.off("ring beta, bytes/s", beta, TRUTH.beta, 0.05))

        self.measured(once, judge, TRUTH.alpha)

    def test_two_hosts(self):
        self.check(2)

    def test_four_hosts(self):
        self.check(4)


class Placement(unittest.TestCase):
    def test_ranks_fill_one_host_after_the_other(self):
        with lab.Lab(2, ranks_per_host=2) as net:
            run = net.run([support.pingpong(), "1", "8"])
        self.assertEqual(run.code, 0, run.stderr)
        self.assertEqual(json.loads(run.stdout)["hosts"], ["h1", "h1", "h2", "h2"])


if __name__ == "__main__":
    support.main(program=support.pingpong())
