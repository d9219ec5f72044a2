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
"""Runs the samples of an API's docstring and checks what it must say."""

import doctest
import inspect
import io

import paddle

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def run_samples(function):
    """Runs every `>>>` line; returns how many, raises with the report."""
    test = doctest.DocTestParser().get_doctest(
        inspect.getdoc(function) or '', {}, function.__name__, None, 0
    )
    report = io.StringIO()
    device = paddle.device.get_device()
    # printed Tensors name their place
    paddle.device.set_device('cpu')
    try:
        result = doctest.DocTestRunner(optionflags=FLAGS).run(
            test, out=report.write
        )
    finally:
        paddle.device.set_device(device)
    if result.failed:
        raise AssertionError(report.getvalue())
    return result.attempted


def section(function, title):
    """The text of one section (Args, Returns, ...), empty if there is none."""
    lines = (inspect.getdoc(function) or '').splitlines()
    if title + ':' not in lines:
        return ''
    start = lines.index(title + ':') + 1
    text = []
    for line in lines[start:]:
        if line and not line.startswith(' '):
            break
        text.append(line)
    return '\n'.join(text)


def undocumented_parameters(function):
    described = section(function, 'Args')
    return [
        name
        for name in inspect.signature(function).parameters
        if f'    {name} (' not in described
    ]
