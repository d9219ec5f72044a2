"""The calls that `python -m bench --gpu` measures agree with PyTorch."""

from dataclasses import replace

import pytest
from bench.run import gpu_side, runner, torch_side, worker
from bench.run.cases import MAIN_SIZE, list_cases

from gpu_tests import ops

CASES = [
    replace(case, shape=(12, 13), index='permutation')
    for case in list_cases()
    if case.shape == MAIN_SIZE and case.op != 'masked_fill'
]


@pytest.mark.parametrize('case', CASES, ids=str)
def test_measured_call_agrees_with_pytorch(case):
    device = 'cpu' if ops.is_emulated() else 'cuda'
    results = []
    for side in (gpu_side, torch_side):
        side.setup(1, device)
        call = worker.Call(side, case)
        outputs = call.compute_outputs()
        ops.context().synchronize()  # before the tensors of the call are freed
        results.append([out.detach().cpu().numpy() for out in outputs])
    runner.assert_agree(*results, case.dtype)
