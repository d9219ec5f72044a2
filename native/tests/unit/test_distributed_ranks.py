"""Distributed Tensors, on two ranks."""

import re
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from distributed_launch import launch, run_modules

PAGE = Path(__file__).resolve().parents[3] / "docs/distributed.md"

OTHER_CALL = 'value should be the same on all ranks'
# {fault of rank 1: messages in the logs of both ranks}
FAULTS = {
    'killed': ['', 'fails at'],
    'other mesh': ['', 'mesh of mask should be the mesh of the other Tensors'],
    'other shape': ['', 'mask should be broadcastable with the shape of x'],
    'too few values': [OTHER_CALL, OTHER_CALL],
}


class TestDistributedRanks(unittest.TestCase):
    def check(self, *names, ranks=2):
        run = run_modules(*names, ranks=ranks)
        self.assertEqual(run.code, 0, run)
        for log in run.logs:
            self.assertIn('OK', log)

    def test_two_ranks(self):
        self.check(
            'distributed_values',
            'distributed_autograd',
            'distributed_training',
        )

    def test_static_graph_on_one_rank(self):
        static = 'distributed_training.TestTraining.test_static_graph'
        self.check(static, ranks=1)

    def test_failing_rank_ends_all_ranks(self):
        with ThreadPoolExecutor() as pool:
            runs = list(
                pool.map(partial(launch, 'distributed_failure.py'), FAULTS)
            )
        for run, (fault, messages) in zip(runs, FAULTS.items()):
            with self.subTest(fault):
                self.assertNotEqual(run.code, 0, run)
                failed_at = float(re.search('fails at (.*)', run.logs[1])[1])
                self.assertLess(run.end - failed_at, 20, run)
                for log, message in zip(run.logs, messages):
                    self.assertIn(message, log)
                    self.assertNotIn('call succeeded', log)

    def test_example_in_docs_prints_documented_output(self):
        blocks = re.findall(
            r'^```(?:python)?\n(.*?)^```$', PAGE.read_text('utf-8'), re.M | re.S
        )
        example, *outputs = blocks
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / 'example.py'
            script.write_text(example, encoding='utf-8')
            run = launch(script)
        self.assertEqual(run.code, 0, run)
        self.assertEqual(len(outputs), len(run.logs))
        for output, log in zip(outputs, run.logs):
            self.assertIn(output, log)


if __name__ == '__main__':
    unittest.main()
