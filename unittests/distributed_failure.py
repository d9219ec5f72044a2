# Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""Rank 1 fails while rank 0 goes on to exchange counts. Run on two ranks by
test_distributed_failure.py."""

import numpy as np
from distributed_utils import floats, mask_of, shard

import paddle
import paddle.distributed as dist
from paddle.distributed import Replicate, Shard

paddle.set_device('cpu')
dist.init_parallel_env()
x = shard(floats(4, 2), Shard(0))
mask = shard(mask_of(4, 2), Shard(0))
value = shard(floats(8), Replicate())
paddle.masked_scatter(x, mask, value)
if dist.get_rank() == 1:
    mask = shard(np.zeros([3, 2], 'bool'), Replicate())
paddle.masked_scatter(x, mask, value)
