"""Calls that models make, by name, with the sizes that they have there."""

from pathlib import Path
from typing import NamedTuple

import yaml

from bench.run.cases import case


class Workload(NamedTuple):
    """An entry of workloads.yaml."""

    name: str
    source: str
    op: str
    shape: tuple
    params: dict = {}
    modes: tuple = ('fwd', 'step')
    dtypes: tuple = ('float32', 'bfloat16')

    def cases(self):
        """The cases; quick are the forward ones of float32."""
        return [
            case(
                self.op,
                mode,
                dtype,
                tuple(self.shape),
                quick=(mode, dtype) == (self.modes[0], 'float32'),
                workload=self.name,
                **self.params,
            )
            for dtype in self.dtypes
            for mode in self.modes
        ]


_TABLE = Path(__file__).with_suffix('.yaml').read_text('utf-8')
WORKLOADS = [Workload(**entry) for entry in yaml.safe_load(_TABLE)]


def workload_cases():
    """All cases of all workloads."""
    return [one for workload in WORKLOADS for one in workload.cases()]
