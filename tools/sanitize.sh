#!/usr/bin/env bash
# Build the package with a sanitizer preset and run the native tests under it.
# usage: tools/sanitize.sh <python> <preset> <runtime library> [tests, else all]
set -euo pipefail
python=$1 preset=$2 library=$3
shift 3
site=build/$preset/site

"$python" -m pip --quiet --disable-pip-version-check install . \
  --no-build-isolation --no-deps --upgrade --target "$site" \
  --config-settings=build-dir="build/$preset/cmake" \
  --config-settings=cmake.args="--preset=$preset" \
  --config-settings=cmake.build-type=RelWithDebInfo \
  --config-settings=cmake.define.DPDTREE_FUZZ=ON \
  --config-settings=install.strip=false

# CPython is not instrumented, so the run-time library has to be loaded first. It
# keeps small objects in arenas of its own; malloc lets the sanitizer see each one.
# CPython also leaves memory behind on purpose: leaks are not reported.
export PYTHONMALLOC=malloc PYTHONPATH=$site
export ASAN_OPTIONS=detect_leaks=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export TSAN_OPTIONS=halt_on_error=1:suppressions=tools/tsan.supp
runtime=$("${CXX:-g++}" -print-file-name="$library")
# The run-time library looks for the throwing of exceptions when it is loaded.
standard=$("${CXX:-g++}" -print-file-name=libstdc++.so)
# The thread sanitizer needs its shadow memory where address randomisation may not
# leave it free.
fixed=()
if setarch -R true 2>/dev/null; then fixed=(setarch -R); fi
# Reports go to the descriptor of the standard errors, which must not be captured.
exec env LD_PRELOAD="$runtime $standard" "${fixed[@]}" "$python" -m pytest -m native -q \
  -p no:cacheprovider --capture=sys "$@"
