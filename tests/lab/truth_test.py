"""allreduce-bench over a network of known alpha and beta: what it fits is what is there."""
import math
import unittest

import lab
import model
import support

# By hosts. All of them take turns on two cores, so the more there are, the slower their network must be for the
# processors to add the same share: about 3 % to alpha, 1 % to the time of a byte.
NETWORKS = {2: lab.Network(5e-3, 20e6), 4: lab.Network(5e-3, 10e6), 8: lab.Network(10e-3, 10e6)}
SIZES = "8B,1KB,8KB,32KB,128KB,512KB,1MB"
RING_SIZES = "8B,1KB,16KB,128KB,512KB,1MB"


def fit_of(report, algorithm):
    found = [fit for fit in report["fits"] if fit["algorithm"] == algorithm]
    return found[0] if found else None


def fitted_crossover(report, low, high):
    """As reported; where the report has none, from the fitted lines of the largest messages."""
    for crossover in report["crossovers"]:
        if (crossover["from"], crossover["to"], crossover["method"]) == (low, high, "fitted"):
            return crossover["bytes"] or math.nan
    a, b = (fit_of(report, name)["segments"][-1] for name in (low, high))
    starts = [segment["intercept_s"] or math.nan for segment in (a, b)]
    return (starts[1] - starts[0]) / (a["slope_s_per_byte"] - b["slope_s_per_byte"])


class Truth(support.LabTest):
    def run_bench(self, hosts, arguments, ranks_per_host=1):
        with lab.Lab(hosts, *NETWORKS[hosts].words(), ranks_per_host) as net:
            run = net.bench(["--path", "messages", "--ranks", str(hosts * ranks_per_host), "-n", "5", "-w", "1",
                             *arguments], timeout=200)
        self.assertEqual(run.code, 0, run.stdout + run.stderr)
        report = run.report
        self.assertTrue(report["complete"])
        self.assertTrue(report["records"])
        for record in report["records"]:
            self.assertEqual((record["backend"], record["status"], record["verify"]["verdict"], record["nodes"]),
                             ("mpi", "ok", "ok", hosts))
            self.assertGreater(record["verify"]["checks"], 0)
        return report, run.others, net.punctuality

    def judge_ring(self, report, truth):
        ring = fit_of(report, "ring")
        self.assertIsNotNone(ring)
        return (support.off("ring alpha, s", ring["segments"][0]["alpha_s"] or math.nan, truth.alpha, 0.05) +
                support.off("ring beta, bytes/s", ring["segments"][-1]["beta_bytes_per_s"] or math.nan, truth.beta,
                            0.03))

    def check_ring(self, hosts):
        truth = NETWORKS[hosts]
        arguments = ["--algorithms", "ring", "--sizes", RING_SIZES]
        self.measured(lambda: self.run_bench(hosts, arguments), lambda report: self.judge_ring(report, truth),
                      truth.alpha)

    def test_two_hosts(self):
        self.check_ring(2)

    def test_eight_hosts(self):
        self.check_ring(8)

    def test_four_hosts(self):
        truth = NETWORKS[4]

        def judge(report):
            complaints = self.judge_ring(report, truth)
            # beta not of the tree: how far its levels overlap depends on the tiles, so there is no closed form.
            for name in ("tree", "recursive-doubling", "naive-root"):
                alpha = fit_of(report, name)["segments"][0]["alpha_s"] or math.nan
                complaints += support.off(f"{name} alpha, s", alpha, truth.alpha, 0.10)
            for name in ("recursive-doubling", "naive-root"):
                beta = fit_of(report, name)["segments"][-1]["beta_bytes_per_s"] or math.nan
                complaints += support.off(f"{name} beta, bytes/s", beta, truth.beta, 0.10)
            for low in ("naive-root", "recursive-doubling"):
                complaints += support.off(f"{low} -> ring, bytes", fitted_crossover(report, low, "ring"),
                                          model.crossover(low, "ring", 4, truth.alpha, truth.beta), 0.10)
            return complaints

        arguments = ["--algorithms", "ring,tree,recursive-doubling,naive-root", "--sizes", SIZES]
        self.measured(lambda: self.run_bench(4, arguments), judge, truth.alpha)

    def test_two_ranks_per_host_are_right_and_their_placement_is_recorded(self):
        report, _, _ = self.run_bench(2, ["--algorithms", "ring,tree", "--sizes", "8B,64KB,256KB"], ranks_per_host=2)
        self.assertEqual({record["ranks"] for record in report["records"]}, {4})
        self.assertEqual(len(report["records"]), 6)


if __name__ == "__main__":
    support.main(program=lab.find_program())
