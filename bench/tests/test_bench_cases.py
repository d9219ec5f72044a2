"""Tests of the benchmark's cases: names, inputs, bytes and known gaps."""

import dataclasses

import numpy as np
import pytest
from bench.report import floors
from bench.run import bare_loop, cases, inputs


def shrunk(case):
    """The case in a tiny shape."""
    case = case.within(13)
    dims = tuple(min(dim, 10 + place) for place, dim in enumerate(case.shape))
    return dataclasses.replace(case, shape=dims, env=())


def test_case_names_are_unique_and_floors_name_known_operators():
    every = cases.all_cases()
    assert len({case.name for case in every}) == len(every)
    assert {case.op for case in every} == set(cases.OPS)
    assert {case.op for case in floors.floor_cases()} <= set(cases.OPS)


def test_groups_have_cases_of_every_operator_that_they_are_about():
    every = cases.all_cases()
    of = {
        name: list(filter(holds, every)) for name, holds in cases.GROUPS.items()
    }
    ours = set(cases.OPS) - set(cases.YARDSTICKS)
    assert {c.op for c in of['workloads']} == ours
    assert ours <= {c.op for c in of['tiny']}
    assert {c.op for c in of['training']} == set(cases.OPS)
    for op in ours:
        modes = {c.mode for c in of['training'] if c.op == op}
        assert modes == {'step', 'above'}


@pytest.mark.parametrize('op', cases.OPS)
def test_inputs_of_every_case_can_be_made(op):
    for case in {shrunk(c).name: shrunk(c) for c in cases.all_cases()
                 if c.op == op}.values():  # fmt: skip
        made = inputs.build(case)
        assert set(made.grads) <= set(made.data)
        if case.mode == 'grad':
            assert made.data['out_grad'].shape == case.shape


@pytest.mark.parametrize('density', [0, 0.5, 1])
@pytest.mark.parametrize('layout', ['random', 'runs'])
def test_mask_has_its_density(density, layout):
    rng = np.random.default_rng(0)
    flags = inputs.mask(rng, (1000, 100), density, layout)
    assert flags.dtype == bool
    assert abs(flags.mean() - density) < 0.1


@pytest.mark.parametrize(
    ('pattern', 'distinct'), [('one', 1), ('two', 2), ('permutation', 50)]
)
def test_index_patterns_have_so_many_distinct_slots(pattern, distinct):
    rng = np.random.default_rng(0)
    found = inputs.index(rng, 50, pattern, 50)
    assert len(set(found.tolist())) == distinct


@pytest.mark.parametrize(
    ('op', 'read', 'written'),
    # x and mask; x and the slice; x and as many updates, and their index
    [
        ('masked_fill', 5 << 24, 4 << 24),
        ('select_scatter', (4 << 24) + 4 * 4096, 4 << 24),
        ('scatter', (8 << 24) + 8 * 4096, 4 << 24),
    ],
)
def test_the_limit_counts_every_input_once_and_the_output(op, read, written):
    assert bare_loop.traffic(cases.case(op)) == (read, written)
