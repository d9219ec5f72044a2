#!/usr/bin/env bash
# Find the Python to build for, and run wheel/target.py with it to build the
# operators into a Paddle. See scripts/apply_and_build.sh --help.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Minor versions of Python 3.
oldest=9
newest=13

condition="(3, $oldest) <= sys.version_info[:2] <= (3, $newest)"
is_supported() {
  "$1" -c "import sys; sys.exit(not $condition)" >/dev/null 2>&1
}

# The values of --python and --into, separated by a blank or by =.
python=
into=
previous=
for argument in "$@"; do
  case $previous in
    --python) python=$argument ;;
    --into) into=$argument ;;
  esac
  case $argument in
    --python=*) python=${argument#*=} ;;
    --into=*) into=${argument#*=} ;;
  esac
  previous=$argument
done

if [[ -z $python && -n $into ]] && is_supported "$into"; then
  python=$into
elif [[ -z $python ]]; then
  for python in python3 python3.{13,12,11,10,9} ""; do
    if is_supported "$python"; then break; fi
  done
fi
if ! is_supported "$python"; then
  unsupported=${python:+; $python is unsupported}
  echo "Missing: python3 (3.$oldest to 3.$newest)$unsupported" >&2
  echo "To select one: scripts/apply_and_build.sh --python PATH" >&2
  exit 1
fi

# -B: a dry run must not create __pycache__.
exec "$python" -B "$here/wheel/target.py" "$@"
