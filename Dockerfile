# The service as an image: `docker build -t clinical-protocols .`. No package is compiled, so the build needs no compiler.
# A container has the service, the operator's tool as the command `clinical-protocols`, and the verifier of evidence.
FROM node:24.20.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY console/package.json ./console/
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/builds.mjs scripts/bundle.mjs scripts/compressed.mjs scripts/console-files.mjs ./scripts/
COPY src ./src
COPY console ./console
COPY verifier ./verifier
RUN npm run build && npm prune --omit=dev

FROM node:24.20.0-bookworm-slim
# Others reach this address, so callers must sign in (AUTH).
ENV NODE_ENV=production DATA_DIR=/data HOST=0.0.0.0
WORKDIR /app
# Everything but /data belongs to root: the service cannot change its own program.
RUN install --directory --owner=node --group=node --mode=0700 /data
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY scripts/ensure-built.mjs scripts/builds.mjs ./scripts/
COPY examples ./examples
COPY verifier ./verifier
RUN ln -s /app/dist/bundle/cli.js /usr/local/bin/clinical-protocols
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
# For processes that serve HTTP; docker-compose.yml says what is asked of a worker.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "dist/bundle/main.js"]
