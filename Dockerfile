# syntax=docker/dockerfile:1
# The server alone: PostgreSQL is elsewhere (see docker-compose.yml). Needs
# DATABASE_URL or DATABASE_URL_FILE; writes nothing to its own file system, so it
# runs with --read-only.

FROM rust:1.95-slim-bookworm AS build
WORKDIR /build
# The dependencies first, with empty sources in place of ours: this layer is built
# again only when the lock file or a manifest changes.
COPY Cargo.toml Cargo.lock ./
COPY src/rules/Cargo.toml src/rules/
RUN touch src/lib.rs src/rules/lib.rs \
    && echo 'fn main() {}' > src/main.rs \
    && cargo build --locked --profile dist
COPY src src
COPY migrations migrations
# Newer than the empty ones, or cargo would take those for built.
RUN touch src/lib.rs src/main.rs src/rules/lib.rs \
    && cargo build --locked --profile dist

# No shell, no package manager, certificates of the usual authorities.
FROM gcr.io/distroless/cc-debian12:nonroot
LABEL org.opencontainers.image.title="mancala-post" \
      org.opencontainers.image.licenses="MIT OR Apache-2.0"
COPY --from=build /build/target/dist/mancala-post /usr/local/bin/mancala-post
USER 65532:65532
ENV MANCALA_BIND=0.0.0.0:8080 \
    MANCALA_LOG_FORMAT=json
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=6s --start-period=30s --start-interval=1s \
    CMD ["/usr/local/bin/mancala-post", "health"]
ENTRYPOINT ["/usr/local/bin/mancala-post"]
