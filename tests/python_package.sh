#!/usr/bin/env bash
# scripts/ is a Python package: installs it with pip into a folder of its own (nothing is downloaded) and asks a database.
#
#   tests/python_package.sh PYTHON DATABASE        PYTHON: with h5py and numpy
#
# Exit code 77 (skipped) where that Python has no pip or no setuptools.
set -euo pipefail
python=$1 db=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$python" -c 'import setuptools, pip; assert int(setuptools.__version__.split(".")[0]) >= 61' 2>/dev/null ||
  { echo "skipped: $python has no pip, or no setuptools 61"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "python_package.sh: $1" >&2; exit 1; }

cp -r "$here/../scripts" "$scratch/source"
"$python" -m pip install --quiet --no-index --no-deps --no-build-isolation --target "$scratch/there" "$scratch/source" >"$scratch/log" 2>&1 ||
  { cat "$scratch/log" >&2; fail "pip does not install it"; }
cd "$scratch"
found=$(PYTHONPATH=$scratch/there "$python" - "$db" <<'ASK'
import sys, awele, numpy
db = awele.open(sys.argv[1])
board = [0, 0, 2, 1, 0, 3, 1, 0, 0, 2, 2, 1]
print(awele.__file__.startswith(sys.path[1]), db.value(board), db.values(numpy.array([board, board])).tolist())
ASK
)
[[ $found == "True -2 [-2, -2]" ]] || fail "it says '$found'"
found=$(echo 0 0 2 1 0 3 1 0 0 2 2 1 | PYTHONPATH=$scratch/there "$python" "$scratch/there/bin/awele-ask" "$db")
[[ $found == "-2 - - -4 -2 - -4"* ]] || fail "awele-ask says '$found'"
echo "installed and asked"
