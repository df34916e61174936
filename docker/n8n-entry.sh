#!/bin/sh
# Starts n8n with the owner that the environment names; in queue mode `worker` or `webhook`.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

: "${GROUNDED_N8N_DIR:?names the folder with node_modules/n8n}"
: "${N8N_ENCRYPTION_KEY:?is missing: set it in .env}"
: "${N8N_OWNER_EMAIL:?is missing: set it in .env}"
: "${N8N_OWNER_PASSWORD:?is missing: set it in .env}"
node=${GROUNDED_NODE:-node}

hash=$(printf %s "$N8N_OWNER_PASSWORD" \
  | "$node" "$here/../runtime/bcrypt.cjs" "$GROUNDED_N8N_DIR")
unset N8N_OWNER_PASSWORD

set -a
. "$here/../runtime/n8n/n8n.env"
N8N_INSTANCE_OWNER_MANAGED_BY_ENV=true
N8N_INSTANCE_OWNER_EMAIL=$N8N_OWNER_EMAIL
N8N_INSTANCE_OWNER_FIRST_NAME=Grounded
N8N_INSTANCE_OWNER_LAST_NAME=Builder
N8N_INSTANCE_OWNER_PASSWORD_HASH=$hash
N8N_USER_FOLDER=${N8N_USER_FOLDER:-/var/lib/n8n}
# Inside its container n8n listens on every address; the compose file publishes loopback only.
N8N_LISTEN_ADDRESS=${N8N_LISTEN_ADDRESS:-0.0.0.0}
N8N_PORT=${N8N_PORT:-5678}
set +a

exec "$node" "$GROUNDED_N8N_DIR/node_modules/n8n/bin/n8n" "${1:-start}"
