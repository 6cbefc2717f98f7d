# Coinstrata as an image for linux/amd64 and linux/arm64; docs/node.md says how to run it.
# The Node that the tests run on. To pin its digest as well: --build-arg NODE=node:24.21.0-slim@sha256:…
ARG NODE=node:24.21.0-slim

# Runs on the builder's platform for every target, because nothing is compiled.
FROM --platform=$BUILDPLATFORM ${NODE} AS build
ARG TARGETARCH=amd64
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# Keeps only production packages, for the processor of the image.
RUN npm run prepack && chmod 755 dist/cli.js && \
    case "$TARGETARCH" in amd64) cpu=x64 ;; *) cpu=$TARGETARCH ;; esac && \
    npm ci --omit=dev --ignore-scripts --no-audit --no-fund --os=linux --libc=glibc --cpu="$cpu"

FROM ${NODE}
LABEL org.opencontainers.image.title="Coinstrata" \
      org.opencontainers.image.description="Bitcoin on-chain analytics that anyone with a full node can run" \
      org.opencontainers.image.licenses="MIT"
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
# A new volume takes the owner of this folder.
RUN ln -s /app/dist/cli.js /usr/local/bin/coinstrata && install --directory --owner=node --group=node --mode=0750 /data
# As in "npm start": extra threads for reading files, freed memory that returns to the system, and small young generations.
ENV NODE_ENV=production TZ=UTC UV_THREADPOOL_SIZE=16 MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072 NODE_OPTIONS=--max-semi-space-size=16 HOME=/home/node DATA_DIR=/data HOST=0.0.0.0 PORT=3000
VOLUME /data
EXPOSE 3000
USER 1000:1000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
  CMD ["node", "--eval", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["coinstrata"]
CMD ["start"]
