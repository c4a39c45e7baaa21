# Sourced by the scripts beside it: packages, quiet builds. Debian 12, Ubuntu 24.04 and later have all of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

BUILD_PACKAGES=(g++ cmake ninja-build pkg-config git libcli11-dev libfmt-dev nlohmann-json3-dev
  libhwloc-dev libeigen3-dev libboost-math-dev libopenmpi-dev openmpi-bin)
TEST_PACKAGES=(libgtest-dev python3 python3-jsonschema libsimgrid-dev iproute2)

say() { printf '%s\n' "$*" >&2; }

# install_missing PACKAGE...: nothing is said or done about what is already there.
install_missing() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    say "note: no dpkg here; assuming that these are installed: $*"
    return
  fi
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      say "error: these packages are missing and there is no sudo; as root, run:"
      say "  apt-get install ${missing[*]}"
      exit 5
    fi
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${as_root[@]}" apt-get update &&
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y --no-install-recommends "${missing[@]}"; } \
    >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    say "error: apt-get failed (above); the whole log is in $log"
    exit 5
  fi
  rm -f "$log"
}

# build PRESET [TARGET...]: configures when needed, compiles what changed, shows output only if it fails.
build() {
  local preset=$1 log
  shift
  log=$(mktemp)
  [ -e "build/$preset/build.ninja" ] || say "building (preset $preset); the first time takes a few minutes"
  local launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  if ! { cmake --preset "$preset" "${launcher[@]}" &&
    cmake --build --preset "$preset" ${1:+--target "$@"}; } >"$log" 2>&1; then
    grep -E 'error|Error' -A 5 "$log" | head -n 40 >&2 || tail -n 40 "$log" >&2
    say "error: the build failed; the whole log is in $log"
    exit 70
  fi
  rm -f "$log"
}
