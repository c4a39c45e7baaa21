"""What the tests of the lab share: when they are skipped, and when a measurement counts."""
import os
import sys
import unittest

import lab
import machine

SKIPPED = 77  # SKIP_RETURN_CODE of CTest
TRIES = 4
BUSY_OTHERS = 0.10  # share of the processors that others may take during a measurement


def quiet_seconds():
    """How long to wait for a quiet machine before a measurement."""
    return float(os.environ.get("ARB_LAB_QUIET", "60"))


class LabTest(unittest.TestCase):
    def measured(self, once, judge, alpha):
        """A measurement counts if the machine was quiet before and during it and the switch was punctual.

        once() -> (value, shares of others, Punctuality); judge(value) -> complaints, none if it is right. Several
        tries: noise only ever adds time, so one right measurement on a shared machine is right. Fails if every
        one that counts is wrong, skips if none counts.
        """
        wrong, void = [], []
        for _ in range(TRIES):
            if not machine.wait_for_quiet(quiet_seconds()):
                void.append("the machine was not quiet")
                break
            value, others, punctuality = once()
            complaints = judge(value)
            reason = punctuality.why_untrue(alpha)
            if not reason and others > BUSY_OTHERS:
                reason = f"other programs took {others:.0%} of the processors"
            print("   void: " + reason if reason else f"   wrong: {complaints}" if complaints else "   right",
                  file=sys.stderr)
            if reason:
                void.append(reason)
            elif complaints:
                wrong.append(complaints)
            else:
                return
        if wrong:
            self.fail("\n".join(str(complaints) for complaints in wrong))
        self.skipTest("; ".join(void))


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
