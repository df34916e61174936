#!/usr/bin/env bash
# Makes .venv from the hash-pinned requirements; costs nothing when they have not changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

key=$(cat requirements/dev.txt pyproject.toml scripts/python-env.sh | sha256sum | cut -c1-16)
stamp=.venv/.stamp
current() { [ "$(cat "$stamp" 2>/dev/null)" = "$key $PWD" ] && .venv/bin/python -c '' 2>/dev/null; }
current && exit 0

exec 9>.venv.lock
flock 9
current && exit 0

find_python() {
  local name
  for name in python3.11 python3.12 python3.13 python3; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
    then
      echo "$name"
      return
    fi
  done
  echo "no Python >= 3.11 with venv found; run scripts/system.sh as root" >&2
  exit 1
}

echo "making .venv"
# A venv of another path or a lost interpreter is made anew; a stale one is only updated.
if [ "$(cut -d' ' -f2- "$stamp" 2>/dev/null)" != "$PWD" ] || ! .venv/bin/python -c '' 2>/dev/null
then
  "$(find_python)" -m venv --clear .venv
fi
pip=(.venv/bin/python -m pip --disable-pip-version-check -qq)
"${pip[@]}" install --require-hashes -r requirements/dev.txt
"${pip[@]}" install --no-deps --no-build-isolation --editable .
echo "$key $PWD" >"$stamp"
