#!/usr/bin/env bash
# Pins every Python requirement with hashes, from pyproject.toml into requirements/.
# Run by hand after a dependency changed; the result names no index.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet 'pip-tools==7.6.2'

compile() {
  "$tools/bin/pip-compile" --quiet --generate-hashes --allow-unsafe --strip-extras \
    --no-emit-index-url --no-emit-find-links --no-emit-options --no-emit-trusted-host \
    --no-header --no-annotate "$@" pyproject.toml
}
compile --extra postgres --output-file requirements/runtime.txt
compile --extra postgres --extra dev --output-file requirements/dev.txt
compile --only-build-deps --build-deps-for wheel --output-file requirements/build.txt
