#!/usr/bin/env bash
# Build the operators into a Paddle: finds the Python to build for, which runs
# wheel/target.py. See scripts/apply_and_build.sh --help.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Of Python 3.
oldest=9
newest=13

fits() {
  "$1" -c "import sys; sys.exit(not (3, $oldest) <= sys.version_info[:2] <= (3, $newest))" \
    >/dev/null 2>&1
}

# The values of --python and --into, after a blank or a =.
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

if [[ -z $python && -n $into ]] && fits "$into"; then
  python=$into
elif [[ -z $python ]]; then
  for python in python3 python3.{13,12,11,10,9} ""; do
    if fits "$python"; then break; fi
  done
fi
if ! fits "$python"; then
  echo "Missing: python3 (3.$oldest to 3.$newest)${python:+: $python is not one}" >&2
  echo "--python names another one: scripts/apply_and_build.sh --python PATH" >&2
  exit 1
fi

# -B: a dry run must not even leave __pycache__ behind.
exec "$python" -B "$here/wheel/target.py" "$@"
