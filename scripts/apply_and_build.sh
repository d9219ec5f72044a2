#!/usr/bin/env bash
# Build the operators into a Paddle: finds a Python and hands over to one of two
# programs, wheel/target.py for the released Paddle, source/target.py for a checkout.
# See scripts/apply_and_build.sh --help.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Of Python 3.
oldest=9
newest=13

fits() {
  "$1" -c "import sys; sys.exit(not (3, $oldest) <= sys.version_info[:2] <= (3, $newest))" \
    >/dev/null 2>&1
}

# What the program would have said, for a machine on which it cannot run.
without_python() {
  local tool
  {
    echo "Missing:"
    echo "  python3 (3.$oldest to 3.$newest)${1:+: $1 is not one}"
    for tool in g++ cmake git; do
      command -v "$tool" >/dev/null || echo "  $tool"
    done
    echo
    echo "  Debian, Ubuntu: sudo apt-get install python3 python3-venv python3-dev g++ cmake git"
    echo "  Fedora, RHEL:   sudo dnf install python3 python3-devel gcc-c++ cmake git"
    echo "  Another Python: scripts/apply_and_build.sh --python PATH"
  } >&2
  exit 1
}

# What --python and --into name, behind a blank or an =; the program.
python=
into=
target=wheel
previous=
for argument in "$@"; do
  case $previous in
    --python) python=$argument ;;
    --into) into=$argument ;;
  esac
  case $argument in
    --python=*) python=${argument#*=} ;;
    --into=*) into=${argument#*=} ;;
    --source | --source=*) target=source ;;
  esac
  previous=$argument
done

if [[ -n $python ]]; then
  fits "$python" || without_python "$python"
elif [[ -n $into ]] && fits "$into"; then
  python=$into  # what is built has to fit the Python that it is for
else
  for python in python3 python3.{13,12,11,10,9} ""; do
    if fits "$python"; then break; fi
  done
  [[ -n $python ]] || without_python ""
fi

# -B: a dry run must not even leave __pycache__ behind.
exec "$python" -B "$here/$target/target.py" "$@"
