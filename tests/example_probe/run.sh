#!/usr/bin/env bash
# Installs the build and uses it as another project would: run.sh BUILD-DIR SCRATCH-DIR DATABASE
# There: no MPI in what the package needs, nor in what the programs load; the headers name neither HDF5 nor fmt. Then the
# same from a tree that was moved, with pkg-config.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 scratch=$2 db=$3
rm -rf "$scratch"
mkdir -p "$scratch"
fail() { echo "run.sh: $1" >&2; exit 1; }

cmake --install "$build" --prefix "$scratch/installed" --component probe >"$scratch/install.log"
if grep -rE '#include.*(hdf5|H5|mpi|fmt|libdeflate)' "$scratch/installed/include"; then fail "a public header needs more than the package"; fi
if grep -rliE '(^|[^a-z])mpi|hdf5|find_dependency' "$scratch/installed/lib"*/cmake 2>/dev/null; then fail "the package asks for MPI"; fi

env -u CMAKE_PREFIX_PATH cmake -S "$here" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/installed" -DCMAKE_BUILD_TYPE=Release \
  >"$scratch/configure.log" 2>&1 || { cat "$scratch/configure.log" >&2; fail "the example does not configure"; }
if grep -qi '^MPI_' "$scratch/build/CMakeCache.txt"; then fail "configuring the example looked for MPI"; fi
cmake --build "$scratch/build" >"$scratch/build.log" 2>&1 || { cat "$scratch/build.log" >&2; fail "the example does not build"; }

for program in example_c example_cpp; do
  if ldd "$scratch/build/$program" | grep -iE 'libmpi|not found'; then fail "$program loads MPI, or lacks a library"; fi
  found=$("$scratch/build/$program" "$db")
  wanted='awari, 18 seeds: value 0, best move 2'
  [[ $found == "$wanted" ]] || fail "$program says '$found', not '$wanted'"
  if "$scratch/build/$program" "$scratch" 2>"$scratch/message"; then fail "$program found a value in an empty directory"; fi
  grep -q 'no slice files' "$scratch/message" || fail "$program does not say that there are no slices"
done

# The installed tree may be moved, and pkg-config finds it there.
mv "$scratch/installed" "$scratch/moved"
if command -v pkg-config >/dev/null; then
  pc=$(dirname "$(find "$scratch/moved" -name awele.pc)")
  read -ra flags <<<"$(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs awele)"
  [[ ${flags[*]} != *"$scratch/installed"* ]] || fail "awele.pc names the place that it was installed to"
  cc "$here/example.c" "${flags[@]}" -o "$scratch/example_pc" || fail "the example does not build with awele.pc"
  found=$(LD_LIBRARY_PATH=$(dirname "$pc") "$scratch/example_pc" "$db")
  [[ $found == "$wanted" ]] || fail "built with awele.pc it says '$found', not '$wanted'"
fi
env -u CMAKE_PREFIX_PATH cmake -S "$here" -B "$scratch/build_moved" -DCMAKE_PREFIX_PATH="$scratch/moved" >"$scratch/moved.log" 2>&1 ||
  { cat "$scratch/moved.log" >&2; fail "the example does not configure with a tree that was moved"; }
mv "$scratch/moved" "$scratch/installed"

# Only what the headers offer is visible.
hidden=$(nm -DC --defined-only "$scratch"/installed/lib*/libawele_probe.so "$scratch"/installed/lib*/*/libawele_probe.so 2>/dev/null |
  grep -E ' [TW] awele::(SliceReader|Database|ChunkCache|position_rank)' || true)
[[ -z $hidden ]] || fail "the library shows its inside: $hidden"
# The library can be built where there is no MPI.
missing=()
for package in MPI Boost CLI11 nlohmann_json GTest; do missing+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
cmake -S "$here/../.." -B "$scratch/alone" -DAWELE_PROBE_ONLY=ON "${missing[@]}" >"$scratch/alone.log" 2>&1 ||
  { cat "$scratch/alone.log" >&2; fail "the library alone does not configure without MPI"; }
echo "installed, configured, built and run: no MPI"
