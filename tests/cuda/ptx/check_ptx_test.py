"""The check of the kernels' PTX can fail: each rule, broken once in made-up text."""
import unittest

import check_ptx

GOOD_LATCH = "ld.acquire.sys.u64 %rd1, [%rd2];"
GOOD_SIMPLE = "\n".join(["ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];"] * 272 + [
    "st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};",
    "ld.acquire.sys.u64 %rd1, [%rd2];", "st.release.sys.u64 [%rd1], %rd2;",
    "ld.acquire.gpu.u64 %rd1, [%rd2];", "st.release.gpu.u64 [%rd1], %rd2;"])
GOOD_ONE_SHOT = ("ld.relaxed.sys.global.v2.u64 {%rd1, %rd2}, [%rd3];\n"
                 "st.relaxed.sys.global.v2.u64 [%rd3], {%rd1, %rd2};")
REPORT = """ptxas info    : Compiling entry function '_ZN3arb15one_shot_kernelENS_10NativeArgsE' for 'sm_90'
ptxas info    : Function properties for _ZN3arb15one_shot_kernelENS_10NativeArgsE
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 8 bytes smem
"""


def findings(name, text):
    return check_ptx.check_instructions({name: text})


class Instructions(unittest.TestCase):
    def test_good_text_passes(self):
        self.assertEqual(findings("latch_kernel", GOOD_LATCH), [])
        self.assertEqual(findings("schedule_simple_kernel", GOOD_SIMPLE), [])
        self.assertEqual(findings("one_shot_kernel", GOOD_ONE_SHOT), [])

    def test_each_change_is_found(self):
        for kernel, good, old, new in [
                ("latch_kernel", GOOD_LATCH, "acquire", "relaxed"),
                ("latch_kernel", GOOD_LATCH, ".sys", ".gpu"),
                ("schedule_simple_kernel", GOOD_SIMPLE, "st.release.sys", "st.relaxed.sys"),
                ("schedule_simple_kernel", GOOD_SIMPLE, "st.release.sys", "st.release.gpu"),
                ("schedule_simple_kernel", GOOD_SIMPLE, "ld.acquire.sys", "ld.relaxed.sys"),
                ("schedule_simple_kernel", GOOD_SIMPLE, "st.release.gpu", "st.relaxed.gpu"),
                ("schedule_simple_kernel", GOOD_SIMPLE, "st.global.v4", "st.global.v2"),
                ("schedule_simple_kernel", GOOD_SIMPLE, "[%rd1];\n" * 1 + "ld.global.v4.u32", "[%rd1];\nld.global.u32"),
                ("one_shot_kernel", GOOD_ONE_SHOT, "v2.u64", "v4.u32"),
                ("one_shot_kernel", GOOD_ONE_SHOT, "relaxed.sys", "relaxed.gpu"),
                ("one_shot_kernel", GOOD_ONE_SHOT, "st.relaxed", "fence.acq_rel.sys;\nst.relaxed")]:
            changed = good.replace(old, new)
            self.assertNotEqual(changed, good)
            self.assertNotEqual(findings(kernel, changed), [], f"{kernel}: {old} -> {new}")

    def test_local_memory_and_unknown_kernels_are_found(self):
        self.assertNotEqual(findings("latch_kernel", ".local .align 8 .b8 __local_depot0[8];\n" + GOOD_LATCH), [])
        self.assertNotEqual(findings("another_kernel", GOOD_LATCH), [])

    def test_kernels_are_told_apart(self):
        ptx = (".visible .entry _ZN3arb12latch_kernelENS_9LatchArgsE(\n){\nA\n}\n"
               ".visible .entry _ZN3arb18schedule_ll_kernelENS_12ScheduleArgsE(\n){\nB\n}\n")
        self.assertEqual(list(check_ptx.kernels_of(ptx)), ["latch_kernel", "schedule_ll_kernel"])


class Resources(unittest.TestCase):
    def test_good_report_passes(self):
        self.assertEqual(check_ptx.check_resources(REPORT), ([], {("one_shot_kernel", "sm_90")}))

    def test_spills_stack_and_registers_are_found(self):
        for old, new in [("0 bytes stack", "8 bytes stack"), ("0 bytes spill stores", "4 bytes spill stores"),
                         ("0 bytes spill loads", "4 bytes spill loads"), ("Used 64", "Used 129")]:
            self.assertNotEqual(check_ptx.check_resources(REPORT.replace(old, new))[0], [], new)

    def test_two_blocks_must_fit_where_they_are_meant_to(self):
        report = REPORT.replace("15one_shot_kernel", "22schedule_simple_kernel").replace("Used 64", "Used 65")
        self.assertNotEqual(check_ptx.check_resources(report)[0], [])
        self.assertEqual(check_ptx.check_resources(report.replace("sm_90", "sm_100"))[0], [])


if __name__ == "__main__":
    unittest.main()
