#!/usr/bin/env bash
# The Debian packages: what is in them, and, given the root of a bare system, that they install and run there.
#
#   tests/packages_test.sh BUILD-FOLDER [ROOT]
#
#   ROOT   a Debian system in a folder, such as `debootstrap --variant=minbase bookworm ROOT` makes; it is changed.
#          Needs root and Debian's packages.
#
# Exit code 77 (skipped) without cpack or dpkg-deb.
set -euo pipefail
build=$(realpath "$1") root=${2:-}
command -v cpack >/dev/null && command -v dpkg-deb >/dev/null || { echo "skipped: there is no cpack, or no dpkg-deb"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "packages_test.sh: $1" >&2; exit 1; }

(cd "$build" && cpack -G DEB -B "$scratch/packages") >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; fail "cpack failed"; }
program=$(echo "$scratch"/packages/awele_*.deb) library=$(echo "$scratch"/packages/libawele-probe-dev_*.deb)
[[ -f $program && -f $library ]] || fail "cpack made $(ls "$scratch/packages")"
holds() {
  local package=$1 file
  for file in "${@:2}"; do
    grep -qE " \./usr/$file\$" <(dpkg-deb -c "$package" | sed 's/ -> .*//') || fail "$(basename "$package") lacks $file"
  done
}
holds "$program" bin/awele share/awele/slurm/solve.sbatch share/man/man1/awele.1 share/man/man1/awele-solve.1 \
  share/bash-completion/completions/awele share/doc/awele/copyright
holds "$library" include/awele/awele.h include/awele/probe/probe.hpp 'lib.*/libawele_probe.so' 'lib.*/pkgconfig/awele.pc' \
  'lib.*/cmake/awele/awele-config.cmake' share/awele/awele.py share/doc/libawele-probe-dev/copyright
! dpkg-deb -c "$program" | grep -E 'libawele_probe|include/' || fail "the package of the program holds the library"
dpkg-deb -f "$program" Depends | grep -q libhdf5 || fail "the package of the program does not depend on HDF5"
! dpkg-deb -f "$library" Depends | grep -E 'mpi|boost' || fail "the library depends on MPI or Boost"
echo "made: $(dpkg-deb -f "$program" Package Version Depends | paste -sd ' ')"
[[ -n $root ]] || exit 0

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/bin:/usr/sbin:/bin:/sbin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
  OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 bash -euc "$1"; }
mkdir -p "$root/packages"
cp "$program" "$library" "$root/packages"
cp -r "$(dirname "$0")/example_probe" "$root/packages"
mountpoint -q "$root/proc" || { mount -t proc proc "$root/proc"; trap 'umount "$root/proc"; rm -rf "$scratch"' EXIT; }
inside 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /packages/awele_*.deb >/packages/log 2>&1' ||
  { tail -n 20 "$root/packages/log" >&2; fail "awele does not install"; }
inside 'awele --version; cd /packages; rm -rf db; awele solve --seeds 8 --db db --progress none >/dev/null; awele check --db db | tail -n 1;
  awele probe --db db --format json 1 1 1 1 1 1 1 1 0 0 0 0'
inside 'apt-get install -y -qq --no-install-recommends openmpi-bin >/packages/log 2>&1; cd /packages; mpirun -n 2 awele verify --db db | tail -n 1'
inside 'apt-get install -y -qq --no-install-recommends /packages/libawele-probe-dev_*.deb gcc libc6-dev pkg-config >/packages/log 2>&1
  cd /packages; cc example_probe/example.c $(pkg-config --cflags --libs awele) -o example; ./example db'
echo "installed and run in $root"
