# The server as an image.
#
#   docker build -t offsetd .
#   docker run --read-only --tmpfs /tmp -v offsetd:/var/lib/offsetd -p 127.0.0.1:8080:8080 offsetd
#
# With no SPRING_DATASOURCE_URL it runs its own PostgreSQL in the volume; docker-compose.yml brings another.
# No container engine was at hand where this was written. Its steps are run, and its image is started, by
# packaging/rehearse with buildah and stand-ins for the images below.

FROM eclipse-temurin:25-jdk AS build
# PostgreSQL, which a preparation of faster starts runs, refuses to be root. The numbers are fixed, so that volumes
# can be owned by them.
RUN groupadd --gid 10001 offsetd \
 && useradd --uid 10001 --gid 10001 --create-home offsetd \
 && install -d -o offsetd -g offsetd /build /opt/offsetd
USER offsetd
WORKDIR /build
COPY --chown=offsetd:offsetd . .
# The server, the modules of the JDK that it uses, and a cache that knows that they lie here.
RUN ./offsetd install /opt/offsetd

FROM debian:13-slim
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
# Half of the memory for the heap; debug files are mapped and want the rest.
ENV OFFSETD_JAVA_OPTS="-XX:MaxRAMPercentage=50"
ENTRYPOINT ["/opt/offsetd/offsetd-server", "--listen", "0.0.0.0", "--data", "/var/lib/offsetd"]
