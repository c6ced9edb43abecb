#!/usr/bin/env bash
# Make Debian packages: utils/package.sh builds the release preset and packs it into
# build/packages; utils/package.sh BUILD OUT [OPTION...] packs what is built in BUILD, with
# these options of cpack. Needs dpkg-dev and file. DEBFULLNAME and DEBEMAIL say who packages,
# when the build is configured.
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
build=$(realpath -m "${1:-$root/build/release}")
out=$(realpath -m "${2:-$root/build/packages}")
cd "$root"

if [[ $# -eq 0 ]]; then
  utils/install-packages.sh --package
  utils/build.sh release
fi
# The same commit makes the same bytes.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
export SOURCE_DATE_EPOCH
umask 022
# In which order dpkg-shlibdeps looks into folders depends on it.
export PERL_HASH_SEED=0
mkdir -p "$out"
rm -rf "$out/_CPack_Packages" "$out"/*.deb
cpack --config "$build/CPackConfig.cmake" -B "$out" "${@:3}" > "$out.log" 2>&1 ||
  { tail -n 30 "$out.log" >&2; exit 1; }
rm -r "$out/_CPack_Packages"
ls "$out"
