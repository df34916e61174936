#!/usr/bin/env bash
# Prints the images that ours are built on with their digests, as lines for .env. Needs Docker and
# its registry; what cannot be looked up ends the script, and nothing is half written.
set -euo pipefail

docker buildx version >/dev/null 2>&1 || {
  echo "docker buildx does not answer; install Docker with its buildx plugin" >&2
  exit 1
}

pinned=""
for pair in NODE_BUILD_IMAGE=node:24-bookworm NODE_IMAGE=node:24-bookworm-slim \
  PYTHON_IMAGE=python:3.11-slim-bookworm; do
  name=${pair%%=*} image=${pair#*=}
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || {
    echo "no digest of $image: docker answered '$digest'" >&2
    exit 1
  }
  pinned+="$name=$image@$digest"$'\n'
done
printf '%s' "$pinned"
