#!/usr/bin/env bash
# Build the operators into a Paddle: finds a Python, looks for what else a build needs
# and hands over to wheel/target.py. See scripts/apply_and_build.sh --help.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

# Of Python 3.
oldest=9
newest=13
missing=()

fits() {
  "$1" -c "import sys; sys.exit(not (3, $oldest) <= sys.version_info[:2] <= (3, $newest))" \
    >/dev/null 2>&1
}

# What --python and --into name, behind a blank or an =; whether it will compile here.
python=
into=
compiles=yes
previous=
for argument in "$@"; do
  case $previous in
    --python) python=$argument ;;
    --into) into=$argument ;;
  esac
  case $argument in
    --python=*) python=${argument#*=} ;;
    --into=*) into=${argument#*=} ;;
    --dry-run | --help | -h | --source | --source=*) compiles= ;;
  esac
  previous=$argument
done

if [[ -z $python && -n $into ]] && fits "$into"; then
  python=$into  # what is built has to fit the Python that it is for
elif [[ -z $python ]]; then
  for python in python3 python3.{13,12,11,10,9} ""; do
    if fits "$python"; then break; fi
  done
fi
if ! fits "$python"; then
  missing+=("python3 (3.$oldest to 3.$newest)${python:+: $python is not one}")
elif [[ -n $compiles ]]; then
  "$python" -c 'import ensurepip' 2>/dev/null || missing+=("the venv module of $python")
  headers=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
  [[ -f $headers/Python.h ]] || missing+=("Python.h: not in $headers")
fi
if [[ -n $compiles ]]; then
  [[ "$OSTYPE $HOSTTYPE" == linux*\ x86_64 ]] \
    || missing+=("Linux on x86_64: this is $OSTYPE on $HOSTTYPE")
  for tool in g++ git; do
    command -v "$tool" >/dev/null || missing+=("$tool")
  done
  version=$(cmake --version 2>/dev/null) || version="no 0.0"
  [[ $version =~ ([0-9]+)\.([0-9]+) ]]
  ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] >= 3020)) \
    || missing+=("cmake 3.20 or later: ${BASH_REMATCH[0]} is here")
fi
if ((${#missing[@]})); then
  {
    echo "Missing:"
    printf '  %s\n' "${missing[@]}"
    echo
    echo "  Debian, Ubuntu: sudo apt-get install python3 python3-venv python3-dev g++ cmake git"
    echo "  Fedora, RHEL:   sudo dnf install python3 python3-devel gcc-c++ cmake git"
    echo "  Another Python: scripts/apply_and_build.sh --python PATH"
  } >&2
  exit 1
fi

# -B: a dry run must not even leave __pycache__ behind.
exec "$python" -B "$here/wheel/target.py" "$@"
