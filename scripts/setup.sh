#!/usr/bin/env bash
# Makes this checkout ready to run and test: system packages, .venv, Node, n8n, the catalog sync.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/system.sh
scripts/python-env.sh
.venv/bin/python -m runtime.install
