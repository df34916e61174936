#!/bin/sh
# Pushes the catalog of the installed n8n to the sidecar, once.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

: "${GROUNDED_URL:?is missing: the address of the sidecar}"
: "${GROUNDED_N8N_DIR:?names the folder with node_modules/n8n}"
if [ -z "${GROUNDED_TOKEN:-}" ]; then
  : "${GROUNDED_TOKEN_FILE:?is missing: set it, or GROUNDED_TOKEN}"
  GROUNDED_TOKEN=$(cat "$GROUNDED_TOKEN_FILE")
fi
export GROUNDED_TOKEN

exec "${GROUNDED_NODE:-node}" "$here/../node-catalog-sync/bin/node-catalog-sync.js" \
  --n8n "$GROUNDED_N8N_DIR" --user-folder "${N8N_USER_FOLDER:-/var/lib/n8n}" \
  --push "$GROUNDED_URL"
