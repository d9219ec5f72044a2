#!/usr/bin/env bash
# Build the module with other compilers or flags into a new folder:
#   scripts/dev/build_variant.sh BUILD FOLDER CXX_FLAGS [CMAKE_ARGUMENT...]
# PYTHONPATH=FOLDER imports it; Paddle's other files are those of BUILD.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$(realpath "$1") folder=$(realpath -m "$2")

rm -rf "$folder"
mkdir -p "$folder"
ln -s "$build"/{venv,glue} "$folder"
# Sanitizers need the symbols, which strip would remove, to report locations.
cmake -S . -B "$folder" -G Ninja "-DCMAKE_MAKE_PROGRAM=$build/venv/bin/ninja" \
  -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=$3" -DCMAKE_STRIP=/bin/true \
  "${@:4}"
cmake --build "$folder"
cp -rs "$build/site-packages/paddle" "$folder"
ln -f "$folder/_native_lib.so" "$folder/paddle"
