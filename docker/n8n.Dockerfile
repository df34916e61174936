# n8n from the same manifest and lock file as `make run`; the target `sync` adds the catalog sync.
# By name, or by name and digest: docker/README.md says how they are pinned.
ARG NODE_BUILD_IMAGE=node:24-bookworm
ARG NODE_IMAGE=node:24-bookworm-slim
FROM ${NODE_BUILD_IMAGE} AS build
WORKDIR /opt/n8n
COPY runtime/n8n/package.json runtime/n8n/package-lock.json ./
# As runtime/install.py does it: no install scripts, then only sqlite3 is compiled, against the
# headers that lie in the image.
RUN npm install --ignore-scripts --no-audit --no-fund \
 && npm_config_nodedir=/usr/local npm rebuild sqlite3

FROM ${NODE_IMAGE} AS n8n
ENV GROUNDED_N8N_DIR=/opt/n8n \
    N8N_USER_FOLDER=/var/lib/n8n
COPY --from=build /opt/n8n /opt/n8n
COPY runtime/bcrypt.cjs /opt/grounded/runtime/
COPY runtime/n8n/n8n.env /opt/grounded/runtime/n8n/
COPY docker/n8n-entry.sh docker/health.mjs /opt/grounded/docker/
RUN install -d -o node -g node -m 0700 /var/lib/n8n
USER node
VOLUME /var/lib/n8n
EXPOSE 5678
ENTRYPOINT ["/opt/grounded/docker/n8n-entry.sh"]

FROM n8n AS sync
COPY node-catalog-sync /opt/grounded/node-catalog-sync
COPY docker/sync-entry.sh /opt/grounded/docker/
ENTRYPOINT ["/opt/grounded/docker/sync-entry.sh"]
