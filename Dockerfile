# Image of the server.
#
#   docker build -t offsetd .
#   docker run --read-only --tmpfs /tmp -v offsetd:/var/lib/offsetd -p 127.0.0.1:8080:8080 offsetd
#
# Without SPRING_DATASOURCE_URL it runs its own PostgreSQL in the volume. packaging/rehearse runs these steps with buildah
# on stand-ins for the base images.

FROM eclipse-temurin:25-jdk AS build
# The training of the AOT cache starts PostgreSQL, which refuses to run as root. The ids are fixed for owners of volumes.
RUN groupadd --gid 10001 offsetd \
 && useradd --uid 10001 --gid 10001 --create-home offsetd \
 && install -d -o offsetd -g offsetd /build /opt/offsetd
USER offsetd
WORKDIR /build
COPY --chown=offsetd:offsetd . .
# The AOT cache is valid for this path only.
RUN ./offsetd install /opt/offsetd

FROM debian:13-slim
LABEL org.opencontainers.image.licenses=Apache-2.0
RUN groupadd --gid 10001 offsetd \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/offsetd offsetd \
 && install -d -o offsetd -g offsetd -m 0700 /var/lib/offsetd
COPY packaging/answers /usr/local/bin/answers
COPY --from=build --chown=root:root /opt/offsetd /opt/offsetd
USER offsetd
WORKDIR /var/lib/offsetd
VOLUME /var/lib/offsetd
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["answers", "8080", "/readyz"]
ENTRYPOINT ["/opt/offsetd/offsetd-server", "--listen", "0.0.0.0", "--data", "/var/lib/offsetd"]
