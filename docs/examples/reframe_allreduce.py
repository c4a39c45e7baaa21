# ReFrame 4: AllReduce of this program as a regression test of a system.
#
# UNTESTED under ReFrame itself, which could not be had where this was written. Tested there: that
# this is Python, and that its methods read a real report, with a stand-in for ReFrame's modules
# (tests/gate/check_examples.py).
#
#   reframe --checkpath reframe_allreduce.py --run --setvar AllReduce.executable=/path/allreduce-bench
#
# Passes if every result was checked and is right, and if the bus bandwidth of the fastest algorithm
# at each size is within the reference. Write your own machine's numbers into `reference`: those
# for '*' only record.
import json
import os

import reframe as rfm
import reframe.utility.sanity as sn

REPORT = 'report.json'


def read_report(folder):
    with open(os.path.join(folder, REPORT), encoding='utf-8') as file:
        return json.load(file)


def wrong_results(report):
    '''What was not measured, or not checked, or not right: skipped cases too.'''
    return [f"{r['algorithm']}, {r['bytes']} B: {r['reason'] or r['verify']['verdict']}"
            for r in report['records'] if r['status'] != 'ok' or r['verify']['verdict'] != 'ok']


def best_busbw(report, size):
    '''GB/s of the fastest algorithm at this size; 0 if there is none.'''
    return max((r['busbw_gbps'] for r in report['records']
                if r['requested_bytes'] == size and r['status'] == 'ok' and r['busbw_gbps'] is not None),
               default=0)


@rfm.simple_test
class AllReduce(rfm.RunOnlyRegressionTest):
    descr = 'AllReduce: every result is right, bus bandwidth per size'
    valid_systems = ['*']
    valid_prog_environs = ['*']
    maintainers = ['you']
    tags = {'mpi', 'performance'}

    executable = 'allreduce-bench'
    sourcesdir = None
    num_tasks = 4
    time_limit = '10m'

    # Bytes, by the names that references use.
    sizes = {'64KiB': 64 << 10, '1MiB': 1 << 20, '16MiB': 16 << 20}

    # (wanted, lower limit, upper limit, unit): limits are shares of what is wanted.
    reference = {
        '*': {
            'busbw_64KiB': (0, None, None, 'GB/s'),
            'busbw_1MiB': (0, None, None, 'GB/s'),
            'busbw_16MiB': (0, None, None, 'GB/s'),
        },
        # 'mycluster:compute': {'busbw_16MiB': (90, -0.10, None, 'GB/s')},
    }

    @run_before('run')
    def set_options(self):
        self.executable_opts = [
            '--backend', 'mpi', '--collective', 'all-reduce', '--ranks', str(self.num_tasks),
            '--sizes', ','.join(str(size) for size in self.sizes.values()),
            '--check', '1', '--output', REPORT, '--no-progress',
        ]

    @sanity_function
    def all_right(self):
        report = read_report(self.stagedir)
        wrong = wrong_results(report)
        return sn.all([
            sn.assert_true(report['complete'], msg=f"not complete: {report['partial_reason']}"),
            sn.assert_true(report['records'], msg='no results'),
            sn.assert_eq(wrong, [], msg='; '.join(wrong)),
        ])

    @run_before('performance')
    def set_performance(self):
        report = read_report(self.stagedir)
        self.perf_variables = {
            f'busbw_{name}': sn.make_performance_function(best_busbw, 'GB/s', report, size)
            for name, size in self.sizes.items()
        }
