#!/usr/bin/env bash
# Installs what the build needs and is not there yet: Debian and Ubuntu, as root. Anywhere else it says what is
# needed, unless a trial configuration shows that it is all there already.
#
#   scripts/install-dependencies.sh [--tests]
#
#   --tests   also what the tests need
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

packages=(g++ cmake ninja-build pkg-config openmpi-bin libopenmpi-dev libhdf5-dev libboost-serialization-dev
          libcli11-dev libfmt-dev nlohmann-json3-dev libdeflate-dev zlib1g-dev)
test_packages=(libgtest-dev hdf5-tools python3-h5py python3-numpy libmpich-dev mpich iproute2 slurm-wlm munge curl
               chromium chromium-driver python3-selenium)

tests=OFF
case "${1:-}" in
  "") ;;
  --tests) tests=ON; packages+=("${test_packages[@]}") ;;
  --help|-h) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) echo "install-dependencies.sh: '$1' is not an option; the only one is --tests" >&2; exit 2 ;;
esac

missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] || echo "$package"
  done
}

# MPICH is installed next to Open MPI: mpicxx, mpirun and mpi.h stay with Open MPI, unless someone chose by hand.
keep_open_mpi() {
  local group state target
  for group in $(update-alternatives --get-selections | awk '$1 == "mpi" || $1 == "mpirun" || $1 ~ /^mpi-/ {print $1}'); do
    state=$(update-alternatives --query "$group")
    if grep -qx "Status: auto" <<<"$state" && ! grep -q "^Value: .*openmpi" <<<"$state"; then
      target=$(sed -n 's/^Alternative: \(.*openmpi.*\)/\1/p' <<<"$state" | head -n 1)
      [[ -z $target ]] || update-alternatives --set "$group" "$target"
    fi
  done
}

install_packages() {
  local log
  log=$(mktemp)
  echo "Installing: $*"
  export DEBIAN_FRONTEND=noninteractive
  if ! { apt-get update -qq &&
         apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"; } >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    echo "install-dependencies.sh: apt-get could not install the packages above (full log: $log)" >&2
    exit 1
  fi
  rm -f "$log"
}

# Is everything found without packages of this system (modules, *_ROOT, a prefix of one's own)? If not, says what
# was missed first.
configures() {
  local program folder result=0
  for program in cmake c++; do
    if ! command -v "$program" >/dev/null; then
      echo "There is no $program here." >&2
      return 1
    fi
  done
  if command -v ninja >/dev/null; then export CMAKE_GENERATOR="${CMAKE_GENERATOR:-Ninja}"; fi
  folder=$(mktemp -d)
  cmake -S "$root" -B "$folder" -DAWELE_TESTS="$tests" >"$folder/log" 2>&1 || result=1
  [[ $result == 0 ]] || grep -A 5 -m 1 "^CMake Error" "$folder/log" >&2 || true
  rm -rf "$folder"
  return "$result"
}

explain() {
  cat >&2 <<TEXT

$1 Needed are:
  a C++20 compiler (GCC 12 or later is known to work) and CMake 3.21 or later
  an MPI library of version 3.1 or later with its C++ compiler wrapper (Open MPI, MPICH, or your site's)
  HDF5 1.10 or later, C library, serial or parallel
  Boost 1.71 or later: Boost.Serialization
  zlib, libdeflate, fmt, CLI11, nlohmann-json
  for the tests: GoogleTest; python3 with h5py and numpy, h5diff and h5dump of the HDF5 tools, MPICH,
    Slurm with munge (the test of the batch scripts; as root only), curl, Chromium with its driver and
    python3-selenium (the test of the page)
With modules, load them and try again. A library in a folder of its own is found when the environment says where:
  HDF5_ROOT, Boost_ROOT, CLI11_ROOT, fmt_ROOT, nlohmann_json_ROOT, ZLIB_ROOT, LIBDEFLATE_ROOT, GTest_ROOT, MPI_HOME
TEXT
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
  mapfile -t missing < <(missing_packages "${packages[@]}")
  if [[ ${#missing[@]} == 0 ]]; then
    exit 0
  elif [[ $(id -u) == 0 ]]; then
    install_packages "${missing[@]}"
    keep_open_mpi
    exit 0
  elif configures; then
    exit 0
  fi
  explain "Installing packages needs root, and not everything is there."
  echo "or let an administrator run: apt-get install ${missing[*]}" >&2
  exit 1
fi
configures && exit 0
explain "This is neither Debian nor Ubuntu, so nothing is installed, and not everything is there."
exit 1
