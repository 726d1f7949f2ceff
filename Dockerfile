# syntax=docker/dockerfile:1
#
# The image of one program: an app of apps/apps.js, or the sandbox of tools/.
#
#   docker build --build-arg APP=partner-gateway -t tandem/partner-gateway:0.1.0 .
#   docker build --build-arg GROUP=tools --build-arg APP=sandbox -t tandem/sandbox:0.1.0 .
#   docker compose build                                        # the images of all programs, with those of the console and the docs
#
# `docker run IMAGE` runs the program, `docker run IMAGE migrate` brings the app's schema and topics up to date.

FROM node:24-bookworm-slim AS node
WORKDIR /workspace

# Only the files that determine what is installed. A stage that copies these files is built again only when one of them has
# changed.
FROM node AS manifests
RUN --mount=type=bind,target=/context \
    cd /context && cp --parents package.json package-lock.json .npmrc */*/package.json /workspace/

# The packages that all programs need to compile and to run (tools/image/package.json lists the compiler). The packages with
# PostgreSQL are optional dependencies, and packages for tests are development dependencies: both are left out.
FROM node AS packages
COPY --from=manifests /workspace ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --ignore-scripts --loglevel=error

# Compiles the libraries without a check of types, so that each build takes seconds. CI checks types.
FROM packages AS libs
COPY tsconfig.base.json ./
COPY apps/apps.js apps/apps.d.ts apps/
COPY libs libs
RUN node node_modules/typescript/bin/tsc -b --noCheck $(ls libs/*/tsconfig.lib.json | grep -vE '^libs/(testing|partner-sdk|identity-sdk)/')

FROM libs AS program
ARG GROUP=apps
ARG APP
COPY ${GROUP}/${APP} ${GROUP}/${APP}
RUN node node_modules/typescript/bin/tsc -b --noCheck ${GROUP}/${APP}/tsconfig.app.json

# The packages that this program needs while it runs, without the files that only people and compilers read.
FROM packages AS own-packages
ARG GROUP=apps
ARG APP
RUN mkdir /packages && \
    npm ls --all --omit=dev --omit=optional --parseable --loglevel=error --workspace=${GROUP}/${APP} | \
    sed --quiet 's#^/workspace/\(node_modules/\)#\1#p' | sort | xargs cp --archive --parents --target-directory=/packages && \
    find /packages -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' \) -delete

# The files that are copied into the image, in the same folders as in the image.
FROM program AS image
RUN mkdir -p /image/libs /image/program && \
    for lib in $(ls libs | grep -vE '^(testing|partner-sdk|identity-sdk)$'); do \
      mkdir -p /image/libs/libs/$lib && cp -r libs/$lib/package.json libs/$lib/dist /image/libs/libs/$lib/; done && \
    mkdir -p /image/program/apps /image/program/${GROUP}/${APP} && \
    cp apps/apps.js /image/program/apps/ && \
    cp -r $(ls -d ${GROUP}/${APP}/package.json ${GROUP}/${APP}/dist ${GROUP}/${APP}/seed 2>/dev/null) /image/program/${GROUP}/${APP}/ && \
    find /image -type f \( -name '*.d.ts.map' -o -name '*.d.ts' -o -name '*.tsbuildinfo' \) -delete

FROM node AS root
COPY tools/image/root.sh /
RUN sh /root.sh /image

FROM scratch
ARG GROUP=apps
ARG APP
COPY --from=root /image /
COPY --from=own-packages /packages/node_modules /app/node_modules
COPY tools/image/healthcheck.mjs LICENSE /app/
COPY --from=image /image/libs /app
COPY --from=image /image/program /app
# kafkajs sets timers with negative delays. Without this option, Node 24 would log a warning that is not JSON.
ENV NODE_OPTIONS=--disable-warning=TimeoutNegativeWarning
ENV NODE_ENV=production HOST=0.0.0.0 SANDBOX_HOST=0.0.0.0 SANDBOX_DATA_DIR=/data
WORKDIR /app/${GROUP}/${APP}
USER 1000:1000
HEALTHCHECK --interval=5s --timeout=15s --start-period=120s --retries=12 CMD ["/usr/local/bin/node", "/app/healthcheck.mjs"]
ENTRYPOINT ["/usr/local/bin/node", "--enable-source-maps", "dist/main.js"]
# These arguments come last, so that a new version or revision changes no layer.
ARG VERSION=0.0.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="tandem/${APP}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="Apache-2.0"
