#!/usr/bin/env bash
# Print the lines of the operators that the tests in unittests/ don't execute: of
# Python functions by coverage.py, of kernels/, in an unoptimized module, by gcovr. A
# line of a template is executed if any instance executes it.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$PWD/build/coverage
scripts/dev/build_variant.sh build "$folder" '--coverage -O0'
build/venv/bin/pip install -q --target "$folder" coverage==7.17.5 gcovr==8.8

# All else in the file of our functions is Paddle's.
names=$(sed -nE 's/^def (\w+).*/\1/p' python_api/*.py | paste -sd '|')
cat >"$folder/coveragerc" <<END
[run]
include = */paddle/tensor/manipulation.py
data_file = $folder/.coverage
parallel = true
[report]
exclude_also = ^(?!def ($names)\()\w
precision = 1
show_missing = true
END
export COVERAGE_RCFILE=$folder/coveragerc PYTHONPATH=$folder:unittests/harness
printf '%s\n' unittests/test_*.py |
  xargs -n 1 -P 2 build/venv/bin/python -m coverage run
build/venv/bin/python -m coverage combine -q
build/venv/bin/python -m coverage report
# Sources are named as in Paddle's tree; the wheel's headers are not there.
build/venv/bin/python -m gcovr --filter kernels/ --merge-lines \
  --exclude-lines-by-pattern PD_REGISTER_KERNEL \
  --gcov-object-directory native/include --gcov-ignore-errors source_not_found \
  "$folder"
