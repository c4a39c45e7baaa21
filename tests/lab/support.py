"""What the tests of the lab share: when they are skipped, and when a measurement counts."""
import os
import sys
import unittest

import lab
import machine

SKIPPED = 77  # SKIP_RETURN_CODE of CTest
TRIES = 4
QUIET_SECONDS = float(os.environ.get("ARB_LAB_QUIET", "10"))  # to wait for a quiet machine before a measurement
BUSY = 0.10  # share of the processors that others may take during a measurement that fails
WRONG = 2  # measurements that must be wrong for a test to fail: a fault is there every time, a burst of noise is not


class LabTest(unittest.TestCase):
    def measured(self, once, judge, alpha):
        """Measures until it is right, a few times at most: noise of a shared machine only ever adds time.

        once() -> (value, share of others, Punctuality); judge(value) -> complaints, none if it is right. A
        measurement is void if the switch was late, or if it is wrong and the machine was busy with other programs.
        Fails if WRONG that count are wrong and none is right; skips if too few count.
        """
        wrong, void = [], []
        for _ in range(TRIES):
            machine.wait_for_quiet(QUIET_SECONDS)  # if not, what counts is decided afterwards
            value, others, punctuality = once()
            complaints = judge(value)
            reason = punctuality.why_untrue(alpha)
            if not reason and complaints and others > BUSY:
                reason = f"other programs took {others:.0%} of the processors, and {'; '.join(complaints)}"
            if reason:
                void.append(reason)
            elif complaints:
                wrong.append("; ".join(complaints))
            else:
                return
            print("   void: " + reason if reason else "   wrong", file=sys.stderr)
        if len(wrong) >= WRONG:
            self.fail("\n".join(wrong))
        self.skipTest("; ".join(wrong + void))


def off(what, measured, true, tolerance):
    """A complaint if measured is not within tolerance (a share) of the truth; says it on stderr in any case."""
    error = measured / true - 1
    text = f"{what}: measured {measured:.6g}, true {true:.6g} ({error:+.1%}, allowed {tolerance:.0%})"
    print("   " + text, file=sys.stderr)
    return [text] if not abs(error) <= tolerance else []


def main(mpi=True, program=None):
    """unittest.main() that exits with SKIPPED, and says why, where nothing can be tested."""
    reason = machine.why_not(mpi)
    if not reason and program and not os.access(program, os.X_OK):
        reason = f"there is no {program}"
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    result = unittest.main(exit=False, verbosity=2).result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun and len(result.skipped) == result.testsRun:
        for _, reason in result.skipped:
            print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    sys.exit(0 if result.testsRun else 1)


def pingpong():
    return os.environ.get("ARB_LAB_PINGPONG") or os.path.join(lab.ROOT, "build/release/tests/lab/lab-pingpong")
