#!/usr/bin/env bash
# Takes the picture of the explorer that README shows, src/web/explorer.png, from the program as it is built. Needs
# Debian's chromium, chromium-driver and python3-selenium (scripts/install-dependencies.sh --tests).
#
#   scripts/explorer-picture.sh
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case "${1:-}" in
  "") ;;
  --help|-h) sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) echo "explorer-picture.sh: '$1' is not an option; there is none" >&2; exit 2 ;;
esac
awele=$root/build/release/src/awele
[[ -x $awele ]] || { echo "explorer-picture.sh: $awele is not there; cmake --preset release && cmake --build --preset release" >&2; exit 2; }
source "$root/scripts/mpi-environment.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$awele" solve --seeds 12 --distances --db "$folder/awari" 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
/usr/bin/python3 "$root/tests/web/browser_test.py" "$awele" "$folder" --pictures "$folder" readme_picture
mv "$folder/explorer.png" "$root/src/web/explorer.png"
ls -l "$root/src/web/explorer.png"
