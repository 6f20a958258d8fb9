# syntax=docker/dockerfile:1
# One image for every program of Hearth: the API (default), the indexer, migrations, deployment, backup and restore.
FROM node:24.21.0-bookworm-slim AS base
WORKDIR /app

# The packages of the programs, without those of tests, the console and the SDK.
FROM base AS packages
COPY package.json package-lock.json .npmrc ./
COPY wire/package.json wire/
COPY sdk/package.json sdk/
COPY sdk/examples/chat/package.json sdk/examples/chat/
COPY web/package.json web/
COPY test/react-18/package.json test/react-18/
COPY test/copilotkit/package.json test/copilotkit/
RUN npm ci --omit=dev --workspaces=false --include-workspace-root --no-audit --no-fund

# The API's program and the console's pages, built once.
FROM base AS built
COPY . .
RUN npm ci --no-audit --no-fund && node scripts/build-api.ts && node scripts/build-console.ts

FROM base
# pg_dump and pg_restore of npm run backup and npm run restore; the major version of your server or newer.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates curl postgresql-common \
  && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
  && apt-get install -y --no-install-recommends postgresql-client-18 \
  && apt-get purge -y curl && apt-get autoremove -y && rm -rf /var/lib/apt/lists/*
COPY --from=packages /app/node_modules node_modules
# The lock file is one of the sources that the API's program was built from.
COPY package.json ./
COPY package-lock.json ./
COPY api api
COPY connect connect
# npm run deploy compares the committed code with the sources.
COPY contracts contracts
COPY deployments deployments
COPY indexer indexer
COPY scripts scripts
COPY sdk/src sdk/src
COPY wire wire
COPY hardhat.config.ts ./
COPY openapi.json ./
COPY --from=built /app/generated/programs generated/programs
COPY --from=built /app/web/dist web/dist
# The folders that programs write to; the rest of the file system can be read-only.
RUN mkdir -p /data /deployment /secrets && chown node:node /data /deployment /secrets
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  DATA_DIR=/data \
  NODE_OPTIONS=--import=file:///app/scripts/quick-resolve.mjs \
  UV_THREADPOOL_SIZE=16 \
  MALLOC_ARENA_MAX=2 \
  MALLOC_TRIM_THRESHOLD_=131072
USER node
EXPOSE 3000 42069
HEALTHCHECK --interval=10s --timeout=5s --start-period=90s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=15", "scripts/api.ts"]
