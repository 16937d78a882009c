# Image of elfutils' debuginfod, which serves the debug files in /debug; that folder may be read-only.
#
#   docker build -f packaging/debuginfod.Dockerfile -t offsetd-debuginfod packaging

FROM debian:13-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends debuginfod \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10002 debuginfo \
 && useradd --uid 10002 --gid 10002 --no-create-home --home-dir /var/lib/debuginfo debuginfo \
 && install -d -o debuginfo -g debuginfo -m 0700 /var/lib/debuginfo \
 && install -d /debug
COPY answers /usr/local/bin/answers
USER debuginfo
VOLUME /var/lib/debuginfo
EXPOSE 8002
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["answers", "8002", "/metrics"]
# Serves plain debug files (-F) and those in Debian's (-U) and Fedora's (-R) packages. It has no upstream, because the
# server queries upstreams itself.
ENTRYPOINT ["debuginfod", "-p", "8002", "-d", "/var/lib/debuginfo/index.sqlite", "-F", "-U", "-R", "/debug"]
