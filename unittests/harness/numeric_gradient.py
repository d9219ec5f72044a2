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
"""Numeric gradients, and how far an analytic one is from them."""

import numpy as np


def numeric_gradient(function, array, delta):
    """Central differences of a function from an array to a float."""
    changed = array.copy()
    flat = changed.reshape(-1)
    gradient = np.zeros(array.shape, np.float64)
    for i, middle in enumerate(array.reshape(-1)):
        flat[i] = middle + delta
        above, high = function(changed), flat[i]
        flat[i] = middle - delta
        below, low = function(changed), flat[i]
        flat[i] = middle
        # the step really taken, after rounding to the array's dtype
        gradient.reshape(-1)[i] = (above - below) / (float(high) - float(low))
    return gradient


def max_relative_error(analytic, expected):
    """The largest difference, relative where the gradient is not near 0."""
    if analytic.size == 0:
        return 0.0
    near_zero = 1e-10 if analytic.dtype == np.float64 else 1e-3
    scale = np.abs(analytic)
    scale = np.where(scale < near_zero, 1, scale)
    return float(np.max(np.abs(analytic - expected) / scale))
