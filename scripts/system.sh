#!/usr/bin/env bash
# Installs the system packages that are missing; silent and fast when none is.
# `scripts/system.sh browser` adds the browser that the tests drive, `postgres` the server that
# they keep their state on, `octave` what runs the MATLAB code, `load` what sends many requests,
# `scale` what stands before and beside several machines.
set -euo pipefail

missing=()
need() { # need COMMAND PACKAGE...
  command -v "$1" >/dev/null 2>&1 || missing+=("${@:2}")
}

need make make
need git git
need gcc gcc libc6-dev
need g++ g++
need flock util-linux
need node nodejs
need npm npm
# Rehearsals can do without it: only their Redis nodes then have no server.
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
  need redis-server redis-server
fi
[ "${1:-}" = browser ] && need chromium chromium fonts-liberation
[ "${1:-}" = load ] && need wrk wrk
[ "${1:-}" = octave ] && need octave-cli octave
if [ "${1:-}" = postgres ] && ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
  missing+=(postgresql)
fi

if [ "${1:-}" = scale ]; then
  command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ] || missing+=(nginx)
fi

python_ready() {
  local name
  for name in python3.11 python3.12 python3.13 python3; do
    "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' \
      >/dev/null 2>&1 && return 0
  done
  return 1
}
[ -x .venv/bin/python ] || python_ready || missing+=(python3 python3-venv)

[ "${#missing[@]}" -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null 2>&1 || [ "$(id -u)" -ne 0 ]; then
  echo "missing on this machine: ${missing[*]}; install them, then run this again" >&2
  exit 1
fi
echo "installing system packages: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
