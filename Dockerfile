# The server as an image. Not run where it was written: there was no container engine on that machine.
#
#   docker build -t offsetd .
#
# PostgreSQL is not in it: docker-compose.yml brings one, SPRING_DATASOURCE_URL names any other.

FROM eclipse-temurin:25-jdk AS build
WORKDIR /build
COPY . .
RUN ./mvnw -q -B -Dmaven.test.skip=true -pl server -am package \
 && cp server/target/offsetd-server-*-exec.jar server.jar
# Unpacked, the server starts faster than out of one jar.
RUN java -Djarmode=tools -jar server.jar extract --destination app

FROM eclipse-temurin:25-jre
# A normal user with a home for the disk cache. The number is fixed, so that volumes can be owned by it.
RUN groupadd --gid 10001 offsetd && useradd --uid 10001 --gid 10001 --create-home offsetd \
 && install -d -o offsetd -g offsetd -m 0700 /var/lib/offsetd
COPY --from=build /build/app /opt/offsetd
USER offsetd
VOLUME /var/lib/offsetd
EXPOSE 8080
# Half of the memory for the heap; debug files are mapped and want the rest.
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=50", "--enable-native-access=ALL-UNNAMED", \
            "-jar", "/opt/offsetd/server.jar", "--listen", "0.0.0.0", "--data", "/var/lib/offsetd"]
