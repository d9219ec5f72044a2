"""Distributed Tensors, on two ranks."""

import re
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from distributed_launch import launch, run_modules

PAGE = Path(__file__).resolve().parents[3] / "docs/distributed.md"

OTHER_CALL = 'the ranks do not make the same call'
# What rank 1 does wrong, and what the two ranks say.
FAULTS = {
    'killed': ['', 'fails at'],
    'other mesh': ['', 'mask must be on the mesh of the other Tensors'],
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

    def test_static_graph_of_one_rank(self):
        static = 'distributed_training.TestTraining.test_static_graph'
        self.check(static, ranks=1)

    def test_a_rank_that_fails_ends_all(self):
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
                    self.assertNotIn('went on', log)

    def test_the_page_shows_what_its_example_prints(self):
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
