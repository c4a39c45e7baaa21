"""The arithmetic of the lab's tests, and its command line as far as it needs no lab."""
import math
import os
import subprocess
import sys
import unittest

import lab
import model
import support

A, B = 5e-3, 20e6


class Model(unittest.TestCase):
    def test_closed_forms_of_four_hosts(self):
        times = {name: form(4, 1e6, A, B) for name, form in model.CLOSED_FORMS.items()}
        self.assertAlmostEqual(times["ring"], 6 * 5e-3 + 1.5 * 0.05)
        self.assertAlmostEqual(times["naive-root"], 2 * 5e-3 + 6 * 0.05)
        self.assertAlmostEqual(times["recursive-doubling"], 2 * (5e-3 + 0.05))

    def test_the_forms_are_equal_at_their_crossover_and_only_there(self):
        for low in ("naive-root", "recursive-doubling"):
            k = model.crossover(low, "ring", 4, A, B)
            slow, fast = model.CLOSED_FORMS[low], model.CLOSED_FORMS["ring"]
            self.assertAlmostEqual(slow(4, k, A, B), fast(4, k, A, B))
            self.assertLess(slow(4, k / 2, A, B), fast(4, k / 2, A, B))
            self.assertGreater(slow(4, k * 2, A, B), fast(4, k * 2, A, B))
        self.assertAlmostEqual(model.crossover("naive-root", "ring", 4, A, B), 800000 / 9, places=3)
        self.assertIsNone(model.crossover("ring", "ring", 4, A, B))
        self.assertIsNone(model.crossover("recursive-doubling", "naive-root", 4, A, B), "one is better everywhere")

    def test_fit_gives_back_alpha_and_beta(self):
        for name, form in model.CLOSED_FORMS.items():
            points = [(k, form(8, k, A, B)) for k in (8, 1000, 100000, 10000000)]
            alpha, beta = model.alpha_beta(name, 8, points)
            self.assertAlmostEqual(alpha / A, 1, places=9)
            self.assertAlmostEqual(beta / B, 1, places=9)

    def test_fit_weighs_relative_errors(self):
        points = [(0, 1.0), (10, 2.0), (1000, 101.0 * 1.1)]  # 10 % at the large end is not 10 s
        start, slope = model.fit(points)
        self.assertLess(abs(start - 1), 0.1)
        self.assertTrue(0.1 < slope < 0.11, slope)
        with self.assertRaises(ValueError):
            model.fit([(8, 1.0), (8, 2.0)])

    def test_a_complaint_says_what_is_off(self):
        self.assertEqual(support.off("alpha", 1.04, 1.0, 0.05), [])
        self.assertIn("alpha", support.off("alpha", 1.06, 1.0, 0.05)[0])
        self.assertTrue(support.off("alpha", 0.94, 1.0, 0.05))
        self.assertTrue(support.off("alpha", math.nan, 1.0, 0.05), "what is missing is not right")


class Punctuality(unittest.TestCase):
    def test_what_a_late_switch_measured_is_not_the_truth(self):
        def said(drops=0, mean=10e-6, p99=50e-6):
            return lab.Punctuality(1000, drops, mean, p99, 1e-3)
        self.assertIsNone(said().why_untrue(5e-3))
        self.assertIn("dropped", said(drops=1).why_untrue(5e-3))
        self.assertIn("on average", said(mean=200e-6).why_untrue(5e-3))
        self.assertIn("1 %", said(p99=2e-3).why_untrue(5e-3))


class CommandLine(unittest.TestCase):
    def refused(self, *arguments):
        done = subprocess.run([sys.executable, os.path.join(lab.HERE, "lab.py"), *arguments], capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_mistakes_are_usage_errors(self):
        self.assertIn("which program", self.refused("--hosts", "4"))
        self.assertIn("which program", self.refused("--hosts", "4", "--"))
        self.assertIn("at least 2 hosts", self.refused("--hosts", "1", "--", "true"))
        self.assertIn("--ranks-per-host", self.refused("--ranks-per-host", "x", "--", "true"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
