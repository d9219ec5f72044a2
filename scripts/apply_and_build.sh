#!/usr/bin/env bash
# Build the operators into the released Paddle or, with --source, into a
# checkout. Each step is a command that also works when typed in the project
# folder; its output is written to <build>/logs/. The file $marker identifies a
# build folder and is its lock; no other folder is changed.
set -euo pipefail

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}

print_help() {
  cat <<END
usage: scripts/apply_and_build.sh [OPTION]...

Build the operators into a Paddle. A rerun rebuilds only what has changed, and
resumes an interrupted build.

options:
  --jobs N, -j N  parallel compile jobs (default: by cores and free memory)
  --build-dir D   folder of the build (default: build)
  --python P      Python 3.9 to 3.13 to build for (default: the one of --into,
                  or the first on PATH)
  --dry-run       print the steps and their commands without running them
  --source DIR    apply the patches to a Paddle checkout, build it, install it
                  into a separate environment, test it

without --source:
  --clean         empty the build folder and start over
  --wheel         pack a wheel in build/dist that replaces the released
                  paddlepaddle
  --into PYTHON   install the wheel into the environment of this interpreter,
                  which has the release

with --source:
  --only apply    apply the patches without a build
  --gpu           build with CUDA for the GPU here
END
}

# ---- Options ----------------------------------------------------------------
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
{ read -r _ tag && read -r _ commit && read -r _ base; } <"$root/patches/BASE"
marker=.scatter_ops_build
declare -A option=()
while (($#)); do
  case $1 in
    --help | -h) print_help; exit ;;
    --clean | --dry-run | --gpu | --wheel) option[$1]=yes; shift ;;
    --build-dir | --into | --jobs | --only | --python | --source)
      [[ ${2-} ]] || fail "$1: the value is missing."
      option[$1]=$2; shift 2 ;;
    -j) set -- --jobs "${@:2}" ;;
    --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
    *) fail "Unrecognized argument: $1. See --help." ;;
  esac
done

if [[ ${option[--source]-} ]]; then
  wrong=(--clean --wheel --into) verb=cannot
else
  wrong=(--only --gpu) verb='can only'
fi
for name in "${wrong[@]}"; do
  [[ ! ${option[$name]-} ]] || fail "$name $verb be used with --source."
done
[[ ${option[--only]-apply} == apply ]] || fail '--only: should be apply.'
[[ ${option[--jobs]-1} =~ ^[1-9][0-9]*$ ]] ||
  fail "--jobs: should be a positive number, but received ${option[--jobs]}."

# Paths in the project folder are relative to it. Links to a Python are not
# resolved: a virtual environment is recognized by its path.
source=${option[--source]:+$(realpath -ms "${option[--source]}")}
build=$(realpath -m --relative-base="$root" \
  "${option[--build-dir]-${source:-$root}/build}")
into=${option[--into]-}
if [[ $into ]]; then
  into=$(realpath -ms --relative-base="$root" "$(type -P "$into" || echo "$into")")
fi

# Find the Python to build for.
candidates=(${option[--into]+"${option[--into]}"} python3 python3.{13,12,11,10,9})
[[ ! ${option[--python]-} ]] || candidates=("${option[--python]}")
supported='^3\.(9|1[0-3]) '
for candidate in "${candidates[@]}"; do
  found=$("$candidate" -c 'import sys
print("{}.{}".format(*sys.version_info), sys.executable)' 2>/dev/null) || true
  [[ ! $found =~ $supported ]] || break
done
[[ $found =~ $supported ]] || fail \
  "Missing: python3 (3.9 to 3.13)${option[--python]+; $candidate is unsupported}" \
  'To select one: scripts/apply_and_build.sh --python PATH'
read -r version python <<<"$found"
cd "$root"

# Set the number of jobs that cores and memory allow, at least 1.
set_jobs() {  # GB per job
  local free
  free=$(awk '/^MemAvailable:/ {print int($2 / 2 ^ 20)}' /proc/meminfo)
  jobs=$(($(nproc) < free / $1 ? $(nproc) : free / $1))
  jobs=${option[--jobs]-$((jobs > 1 ? jobs : 1))}
}

# ---- Steps ------------------------------------------------------------------
names=() commands=()

# Append an idempotent command.
add_step() {  # NAME COMMAND...
  local command
  printf -v command ' %q' "${@:2}"
  names+=("$1") commands+=("${command# }")
}

run_steps() {
  local i log start status
  mkdir -p "$build/logs"
  for i in "${!names[@]}"; do
    printf -v log '%s/logs/%02d-%s.log' "$build" $((i + 1)) "${names[i]}"
    printf '[%d/%d] %s (%s) ... ' $((i + 1)) ${#names[@]} "${names[i]}" "$log"
    echo "$ ${commands[i]}" >"$log"
    start=$SECONDS status=0
    bash -c "${commands[i]}" </dev/null >>"$log" 2>&1 || status=$?
    if ((status)); then
      echo "FAILED after $((SECONDS - start)) s"
      fail '' "Exit code $status. The log ends with:" \
        "$(tail -n 25 "$log" | sed 's/^/    /')" '' \
        'A rerun resumes. If a compiler was killed, memory ran out: use fewer --jobs.' \
        'If the build folder was moved or is damaged, use --clean or another --build-dir.'
    fi
    echo "$((SECONDS - start)) s"
  done
}

print_steps() {
  local i
  for i in "${!names[@]}"; do
    printf '[%d/%d] %s\n    %s\n' $((i + 1)) ${#names[@]} "${names[i]}" "${commands[i]}"
  done
}

# Lock the build folder until this process and its children end.
lock_build() {
  local files=("$build"/*)
  [[ $source || ! -e ${files[0]} || -f $build/$marker ]] || fail "--build-dir: \
not created by a build: ${files[0]}. Specify a new or an empty folder."
  mkdir -p "$build"
  exec {lock}>>"$build/$marker"
  flock --nonblock "$lock" || fail "Another build is using $build. Wait for it \
to finish, or specify another --build-dir."
}

# ---- The checkout -----------------------------------------------------------
add_apply_step() {
  local patches=("$root"/patches/*.patch) error head git=(git -C "$source")
  [[ -e $source/.git ]] ||
    fail "$source: not the top-level folder of a checkout."
  if cat "${patches[@]}" | "${git[@]}" apply --check --reverse 2>/dev/null; then
    echo "The ${#patches[@]} patches are already applied."
    return
  fi
  error=$(cat "${patches[@]}" | "${git[@]}" apply --check --index 2>&1) ||
    fail 'The series does not apply to this commit or its uncommitted changes:' \
      "$error" "It is based on $tag: git checkout $tag (after git fetch origin \
tag $tag)" 'To build the checkout as it is, run ninja.'
  head=$("${git[@]}" rev-parse HEAD)
  [[ $head == "$commit" ]] ||
    echo "The series applies here, but is based on $tag: git checkout $tag"
  # The settings of the user have no effect. --keep-non-patch keeps
  # [Operator Mechanism].
  add_step apply env "EMAIL=${EMAIL-noreply@localhost}" "${git[@]}" \
    -c core.hooksPath=/dev/null -c apply.whitespace=nowarn am --quiet \
    --no-3way --no-gpg-sign --no-keep-cr --keep-non-patch "${patches[@]}"
  echo "To undo: git -C ${source@Q} reset --keep $head"
}

# Add the steps in the build folder, which take hours.
add_source_steps() {
  local venv=$build/scatter_operators/venv
  local pip=("$venv/bin/python" -m pip install --no-input)
  local name=paddlepaddle gpu=(-DWITH_GPU=OFF)
  set_jobs 2
  if [[ ${option[--gpu]-} ]]; then
    name=paddlepaddle-gpu gpu=(-DWITH_GPU=ON -DCUDA_ARCH_NAME=Auto)
    set_jobs 4
  fi
  add_step environment "$python" -m venv "$venv"
  add_step packages "${pip[@]}" -r "$source/python/requirements.txt" \
    setuptools wheel PyYAML Jinja2 scipy hypothesis
  add_step configure cmake -S "$source" -B "$build" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DWITH_TESTING=ON "-DPY_VERSION=$version" \
    "-DPYTHON_EXECUTABLE=$(realpath -ms "$venv/bin/python")" "${gpu[@]}"
  # Linking opens many files.
  ulimit -n 8192 2>/dev/null || ulimit -n "$(ulimit -Hn)"
  add_step build ninja -C "$build" -j "$jobs"
  # The wheel's version does not change: --force-reinstall is required.
  add_step install "${pip[@]}" --no-deps --force-reinstall \
    --no-index --pre --find-links "$build/python/dist" "$name"
  add_step test ctest --test-dir "$build" -R 'scatter|masked_fill|index_reduce' \
    --output-on-failure
}

# ---- The wheel --------------------------------------------------------------
check_requirements() {
  local missing=() tool found expected="Python $version with paddlepaddle $base"
  [[ $(uname -sm) == 'Linux x86_64' ]] ||
    missing+=("Linux on x86_64: this is $(uname -sm)")
  "$python" -c 'import ensurepip' 2>/dev/null ||
    missing+=("the venv module of $python")
  "$python" -c 'import sysconfig
open(sysconfig.get_paths()["include"] + "/Python.h")' 2>/dev/null ||
    missing+=("Python.h, the headers of $python")
  # cmake itself rejects versions before 3.20.
  for tool in g++ git cmake; do
    type -P $tool >/dev/null || missing+=("$tool")
  done
  ((!${#missing[@]})) || fail Missing: "${missing[@]/#/  }" \
    '  Debian, Ubuntu: apt-get install python3 python3-venv python3-dev g++ cmake git' \
    '  Fedora, RHEL:   dnf install python3 python3-devel gcc-c++ cmake git' \
    '  Another Python: scripts/apply_and_build.sh --python PATH'
  if [[ $into ]]; then
    [[ -x $into ]] || fail "--into: $into is not a program."
    # After an error, the last line of its traceback.
    found=$("$into" -c '
import sys
from importlib.metadata import version
print("Python {}.{} with".format(*sys.version_info),
      "paddlepaddle", version("paddlepaddle"))' 2>&1 |
      tail -n 1) || true
    [[ ${found%%+*} == "$expected" ]] || fail \
      "--into: expected $expected, but received $found" \
      "Install the release: ${into@Q} -m pip install paddlepaddle==$base. To \
build for another Python: --python ${into@Q} and another --build-dir."
  fi
  if [[ ! ${option[--clean]-} && -f $build/venv/pyvenv.cfg ]] &&
    ! grep -q "^version = $version\." "$build/venv/pyvenv.cfg"; then
    fail "$build/venv: the Python is not $version. Use the same Python as before \
(--python), build in another folder (--build-dir), or start over with --clean."
  fi
}

add_wheel_steps() {
  local packs=${option[--wheel]-$into} venv_python=$build/venv/bin/python
  local pip=("$venv_python" -m pip --no-input --disable-pip-version-check)
  local install=("$venv_python" scripts/wheel/install.py --build-dir "$build")
  local packages=(-r requirements.txt "paddlepaddle==$base")
  [[ $packs ]] || packages+=(-r requirements-test.txt)
  set_jobs 1
  if [[ ${option[--clean]-} ]]; then
    add_step clean find "$build" -mindepth 1 -maxdepth 1 \
      ! -name $marker ! -name logs -exec rm -rf {} +
  fi
  if [[ ${option[--clean]-} ]] || ! "${pip[@]}" --version &>/dev/null; then
    add_step environment "$python" -m venv --clear "$build/venv"
  fi
  # Python compiles modules when they are imported; pip would compile all.
  add_step packages "${pip[@]}" install --no-compile "${packages[@]}"
  add_step generate "$venv_python" \
    native/glue/generate_native.py --out "$build/glue"
  add_step configure cmake -S . -B "$build" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_MAKE_PROGRAM=$(realpath -m "$build/venv/bin/ninja")"
  add_step compile cmake --build "$build" -j "$jobs"
  add_step install "${install[@]}"
  [[ ! $packs ]] || add_step wheel "${install[@]}" --pack
  if [[ $into ]]; then  # with the build's pip: the environment may have none
    add_step into "${pip[@]}" --python "$into" install --no-deps \
      --force-reinstall --no-index --find-links "$build/dist" paddlepaddle
  fi
}

main() {
  local start=$SECONDS result=${into:-$build/venv/bin/python}
  if [[ $source ]]; then
    add_apply_step
    [[ ${option[--only]-} ]] || add_source_steps
  else
    [[ ${option[--dry-run]-} ]] || check_requirements
    add_wheel_steps
  fi
  if [[ ${option[--dry-run]-} ]]; then
    print_steps
    return
  fi
  lock_build
  run_steps
  echo "Done in $((SECONDS - start)) s."
  [[ ! ${option[--wheel]-} ]] || ls "$build"/dist/*.whl
  if [[ ! $source ]]; then
    echo "The Python with the operators: ${result@Q}"
    "$result" -m paddle_scatter_info
    [[ ${option[--wheel]-$into} ]] ||
      echo "To run the tests: ctest --test-dir ${build@Q} --output-on-failure"
  fi
}

main
exit  # bash reads no further, even if the file has changed
