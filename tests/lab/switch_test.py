"""lab-switch and lab.py as programs: namespaces come, go and do not collide, and nothing is left behind."""
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import unittest

import lab
import support

def start(*arguments):
    switch = subprocess.Popen([lab.find_switch(), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    ready = json.loads(switch.stdout.readline())
    return switch, ready["hosts"], ready["folder"]


def alive(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"
    return False


class Namespaces(unittest.TestCase):
    def assert_gone(self, hosts, folder):
        for path in [folder, *(host["netns"] for host in hosts)]:
            self.assertFalse(os.path.exists(path), path)

    def test_two_instances_do_not_collide_and_leave_nothing(self):
        (one, ours, mine), (two, theirs, other) = start("2"), start("3")
        self.assertNotEqual(mine, other)
        self.assertEqual([host["name"] for host in theirs], ["h1", "h2", "h3"])
        self.assertFalse({h["netns"] for h in ours} & {h["netns"] for h in theirs})
        one.send_signal(signal.SIGTERM)
        said, _ = one.communicate(timeout=10)
        self.assertEqual((one.returncode, json.loads(said)["event"]), (0, "done"))
        self.assert_gone(ours, mine)
        for host in theirs:
            self.assertTrue(os.path.exists(host["netns"]), "the other instance's")
        two.send_signal(signal.SIGINT)
        two.communicate(timeout=10)
        self.assert_gone(theirs, other)

    def test_ends_with_its_input_and_takes_the_processes_along(self):
        switch, hosts, folder = start("2", "--until-eof")
        with open(os.path.join(folder, "something"), "w") as file:
            file.write("more than nothing")
        inside = subprocess.Popen(["nsenter", "--net=" + hosts[1]["netns"], "sleep", "1000"])
        deadline = time.monotonic() + 5
        space = os.stat(hosts[1]["netns"]).st_ino
        while os.stat(f"/proc/{inside.pid}/ns/net").st_ino != space and time.monotonic() < deadline:
            time.sleep(0.01)
        switch.communicate(timeout=10)  # closes its input
        self.assertEqual(switch.returncode, 0)
        self.assertEqual(inside.wait(timeout=10), -signal.SIGKILL)
        self.assert_gone(hosts, folder)

    def test_what_a_crash_left_is_cleaned_up_and_nothing_else(self):
        (crashed, left, folder), (running, used, kept) = start("2"), start("2", "--until-eof")
        inside = subprocess.Popen(["nsenter", "--net=" + left[0]["netns"], "sleep", "1000"])
        time.sleep(0.2)
        crashed.kill()
        crashed.communicate()
        self.assertTrue(os.path.exists(left[0]["netns"]))
        said = subprocess.run([lab.find_switch(), "--cleanup"], capture_output=True, text=True, check=True).stdout
        for host in left:
            self.assertIn(os.path.basename(host["netns"]), said)
        self.assert_gone(left, folder)
        self.assertEqual(inside.wait(timeout=10), -signal.SIGKILL)
        self.assertNotIn(os.path.basename(used[0]["netns"]), said)
        self.assertTrue(os.path.exists(used[0]["netns"]) and os.path.exists(kept))
        running.communicate(timeout=10)

    def test_bad_options_are_refused_before_anything_is_made(self):
        before = os.listdir("/run/netns") if os.path.isdir("/run/netns") else []
        done = subprocess.run([lab.find_switch(), "2", "--alpha", "5"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--alpha '5'", done.stderr)
        self.assertEqual(os.listdir("/run/netns") if os.path.isdir("/run/netns") else [], before)

    def test_hosts_have_a_network_of_their_own(self):
        own = os.stat("/proc/self/ns/net").st_ino
        with lab.Lab(2) as net:
            self.assertEqual(len({own} | {os.stat(h["netns"]).st_ino for h in net.hosts}), 3)
            devices = subprocess.run([*net.enter(net.hosts[0]), "cat", "/proc/net/dev"], capture_output=True, text=True)
            self.assertIn("eth0:", devices.stdout)
        with open("/proc/net/dev") as file:
            self.assertNotIn("10.77.", file.read())
        self.assertEqual(os.stat("/proc/self/ns/net").st_ino, own)


class Driver(unittest.TestCase):
    def test_killed_driver_takes_everything_along(self):
        script = ("import sys, time; sys.path.insert(0, sys.argv[1]); import lab\n"
                  "with lab.Lab(2) as net:\n"
                  "    p = net.start(['sleep', '1000'])\n"
                  "    print(net.hosts[0]['netns'], net.folder, p.pid, flush=True); time.sleep(1000)")
        driver = subprocess.Popen([sys.executable, "-c", script, lab.HERE], stdout=subprocess.PIPE, text=True)
        netns, folder, mpirun = driver.stdout.readline().split()
        time.sleep(0.5)
        self.assertTrue(alive(int(mpirun)))
        driver.kill()
        driver.wait()
        driver.stdout.close()
        deadline = time.monotonic() + 15
        while (os.path.exists(netns) or os.path.exists(folder)) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(os.path.exists(netns) or os.path.exists(folder))
        self.assertFalse(alive(int(mpirun)))

    def test_terminated_command_line_leaves_nothing(self):
        command = [sys.executable, os.path.join(lab.HERE, "lab.py"), "--hosts", "2", "--", "sleep", "1000"]
        driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        mine = []
        deadline = time.monotonic() + 20
        while not mine and time.monotonic() < deadline:
            time.sleep(0.05)
            mine = [int(p) for p in filter(str.isdigit, os.listdir("/proc")) if parent(p) == driver.pid and named(p, "mpirun")]
        driver.send_signal(signal.SIGTERM)
        _, words = driver.communicate(timeout=30)
        self.assertEqual(driver.returncode, 128 + signal.SIGTERM, words)
        self.assertEqual([p for p in mine if alive(p)], [])


def parent(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def named(pid, name):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/comm") as file:
        return file.read().strip() == name
    return False


if __name__ == "__main__":
    support.main()
