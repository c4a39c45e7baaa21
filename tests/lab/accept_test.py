"""accept names the bad host or link among 6 hosts, and nobody where all are well: every scenario of acceptance.py once."""
import os
import random
import sys
import unittest

import acceptance
import support

SEED = 5  # chooses the culprits


class Accept(support.LabTest):
    def blames(self, name):
        scenario = next(each for each in acceptance.scenarios(random.Random(SEED)) if each.name == name)

        def once():
            # The whole fleet together blames nobody: pairs are enough, but where it has to be well too.
            stages = () if name == "healthy" else ("--stages", "pairs")
            outcome = acceptance.run(scenario, more=stages)
            print(f"   {name}: {outcome.findings}, {outcome.seconds:.0f} s", file=sys.stderr)
            return outcome, outcome.others, outcome.punctuality

        self.measured(once, lambda outcome: outcome.complaints(scenario), acceptance.NETWORK.alpha)

    def test_a_healthy_fleet_passes(self):
        self.blames("healthy")

    def test_a_host_at_half_rate(self):
        self.blames("half rate")

    def test_a_slow_link_between_two_hosts(self):
        self.blames("slow link")

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "takes two cores")
    def test_a_host_with_a_busy_core(self):
        self.blames("busy core")

    def test_a_host_that_corrupts_data(self):
        self.blames("wrong data")


class Reading(unittest.TestCase):
    def test_only_whole_verdicts_name_somebody(self):
        findings = ["FAIL h3: slow", "FAIL h2 - h5: slow", "PASS: of 52 rows judged, all right.",
                    "FAIL: the whole fleet", "FAIL h1 + h2, 8 B (pairs): slow"]
        self.assertEqual(acceptance.named_in(findings), ["h3", "h2 - h5"])

    def test_whoever_else_is_named_is_a_complaint(self):
        def outcome(named, code):
            return acceptance.Outcome(code, named, [], 0, 0, None, "")

        healthy, half_rate = acceptance.scenarios(random.Random(SEED))[:2]
        right = acceptance.names_of(half_rate.culprit)
        self.assertEqual(outcome([right], 1).complaints(half_rate), [])
        self.assertTrue(outcome([right, "h1 - h2"], 1).complaints(half_rate))
        self.assertTrue(outcome([], 1).complaints(half_rate))
        self.assertTrue(outcome([right], 0).complaints(half_rate))
        self.assertEqual(outcome([], 0).complaints(healthy), [])
        self.assertTrue(outcome([], 1).complaints(healthy))
        self.assertTrue(outcome(["h1"], 1).complaints(healthy))


if __name__ == "__main__":
    support.main()
