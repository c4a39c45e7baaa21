#!/usr/bin/env python3
"""hog.py CORE PRIORITY PERIOD BUSY: takes a core for BUSY of every PERIOD seconds, before all ordinary programs.

Real-time priority: what else runs on that core gets the rest, however nice it is. Ends when its parent does.
"""
import os
import sys
import time


def main():
    core, priority = int(sys.argv[1]), int(sys.argv[2])
    period, busy = float(sys.argv[3]), float(sys.argv[4])
    parent = os.getppid()
    os.sched_setaffinity(0, {core})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    while os.getppid() == parent:
        begin = time.monotonic()
        while time.monotonic() < begin + busy:
            pass
        time.sleep(max(0, begin + period - time.monotonic()))


if __name__ == "__main__":
    main()
