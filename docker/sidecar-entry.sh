#!/bin/sh
# Starts the sidecar; makes itself an API key in n8n when the environment brings none.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)

: "${GROUNDED_N8N_URL:?is missing: the address of n8n}"
: "${GROUNDED_STATE:?is missing: the folder for state}"

if [ -z "${GROUNDED_N8N_API_KEY:-}" ]; then
  : "${N8N_OWNER_EMAIL:?is missing: set it, or GROUNDED_N8N_API_KEY}"
  : "${N8N_OWNER_PASSWORD:?is missing: set it, or GROUNDED_N8N_API_KEY}"
  GROUNDED_N8N_API_KEY=$(PYTHONPATH="$here/.." python -m runtime.api_key \
    "$GROUNDED_N8N_URL" "$N8N_OWNER_EMAIL" "$GROUNDED_STATE/n8n-api-key")
  export GROUNDED_N8N_API_KEY
fi
unset N8N_OWNER_PASSWORD

# The token alone for whoever pushes catalogs, beside none of the rest of the state.
if [ -n "${GROUNDED_TOKEN_COPY:-}" ]; then
  (
    umask 077
    until [ -s "$GROUNDED_STATE/token" ]; do sleep 0.2; done
    cp "$GROUNDED_STATE/token" "$GROUNDED_TOKEN_COPY.part"
    mv "$GROUNDED_TOKEN_COPY.part" "$GROUNDED_TOKEN_COPY"
  ) &
fi

exec grounded serve --host "${GROUNDED_HOST:-0.0.0.0}" --port "${GROUNDED_PORT:-8377}"
