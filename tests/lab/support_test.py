"""When a measurement of the lab counts, and what a test says after those that do."""
import contextlib
import io
import unittest
from unittest import mock

import lab
import support

IN_TIME = lab.Punctuality(frames=1, drops=0, late_mean_s=0, late_p99_s=0, late_max_s=0)
LATE = lab.Punctuality(frames=1, drops=0, late_mean_s=1, late_p99_s=1, late_max_s=1)
RIGHT = (True, 0.0, IN_TIME)
WRONG = (False, 0.0, IN_TIME)
BUSY = (False, 0.5, IN_TIME)  # wrong, beside other programs
RIGHT_BUT_BUSY = (True, 0.5, IN_TIME)
RIGHT_BUT_LATE = (True, 0.0, LATE)


def outcome_of(*measurements):
    """passed, failed or skipped; and how many measurements were made."""
    left = list(measurements)

    class Once(support.LabTest):
        def runTest(self):
            self.measured(lambda: left.pop(0), lambda right: [] if right else ["off"], 1e-3)

    result = unittest.TestResult()
    with mock.patch("machine.wait_for_quiet"), contextlib.redirect_stderr(io.StringIO()):
        Once().run(result)
    assert not result.errors, result.errors
    outcome = "failed" if result.failures else "skipped" if result.skipped else "passed"
    return outcome, len(measurements) - len(left)


class Measured(unittest.TestCase):
    def test_one_that_is_right_is_enough(self):
        self.assertEqual(outcome_of(RIGHT), ("passed", 1))
        self.assertEqual(outcome_of(RIGHT_BUT_BUSY), ("passed", 1))
        self.assertEqual(outcome_of(WRONG, BUSY, WRONG, RIGHT), ("passed", 4))

    def test_a_fault_that_is_there_again_fails(self):
        self.assertEqual(outcome_of(WRONG, WRONG, WRONG, WRONG), ("failed", 4))
        self.assertEqual(outcome_of(BUSY, WRONG, BUSY, WRONG), ("failed", 4))

    def test_too_few_that_count_tell_nothing(self):
        self.assertEqual(outcome_of(WRONG, BUSY, BUSY, BUSY), ("skipped", 4))
        self.assertEqual(outcome_of(BUSY, BUSY, BUSY, BUSY), ("skipped", 4))

    def test_where_the_switch_was_late_even_what_looks_right_does_not_count(self):
        self.assertEqual(outcome_of(*[RIGHT_BUT_LATE] * 4), ("skipped", 4))


if __name__ == "__main__":
    unittest.main()
