#!/usr/bin/env bash
# Find the Python to build for, and run wheel/target.py with it to build the
# operators into a Paddle. See scripts/apply_and_build.sh --help.
set -euo pipefail

is_supported() {
  "$1" -c '
import sys
sys.exit(not (3, 9) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1
}

# The values of --python and --into, separated by a blank or by =.
python='' into='' option=''
for word in "$@"; do
  if [[ $word == --*=* ]]; then
    option=${word%%=*} word=${word#*=}
  fi
  case $option in
    --python) python=$word ;;
    --into) into=$word ;;
  esac
  option=$word
done

if [[ -z $python ]]; then
  for python in "$into" python3 python3.{13,12,11,10,9} ''; do
    if is_supported "$python"; then break; fi
  done
fi
if ! is_supported "$python"; then
  echo "Missing: python3 (3.9 to 3.13)${python:+; $python is unsupported}" >&2
  echo "To select one: scripts/apply_and_build.sh --python PATH" >&2
  exit 1
fi

# -B: a dry run must not create __pycache__.
exec "$python" -B "$(dirname "${BASH_SOURCE[0]}")/wheel/target.py" "$@"
