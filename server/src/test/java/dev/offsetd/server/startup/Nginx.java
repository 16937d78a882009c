package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.FreePort;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** nginx with packaging/nginx.conf. */
final class Nginx implements AutoCloseable {

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Process process;
    private final int port;

    private Nginx(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts nginx in front of one or two servers.
     *
     * @param folder for its files
     * @param servers their ports on the loopback interface
     */
    static Nginx start(Path folder, List<Integer> servers) throws Exception {
        Path program = RequiredTool.require("nginx").path();
        int port = FreePort.any();
        Path files = Files.createDirectories(folder.resolve("nginx"));
        String configuration = Files.readString(Path.of("..", "packaging", "nginx.conf"))
                .replace("listen 8081", "listen 127.0.0.1:" + port)
                .replace("server 10.0.0.11:8080;", "server 127.0.0.1:" + servers.getFirst() + ";")
                .replace(
                        "server 10.0.0.12:8080;",
                        servers.size() == 1 ? "" : "server 127.0.0.1:" + servers.getLast() + ";")
                .replace("/run/nginx.pid", files + "/pid")
                .replace("/var/cache/nginx/offsetd", files + "/cache")
                .replace("http {", """
                        http {
                            client_body_temp_path %1$s/body;
                            proxy_temp_path %1$s/proxy;
                            fastcgi_temp_path %1$s/fastcgi;
                            uwsgi_temp_path %1$s/uwsgi;
                            scgi_temp_path %1$s/scgi;""".formatted(files));
        // nginx drops the rights of root, and must be able to write its cache.
        if (ProcessHandle.current().info().user().filter("root"::equals).isPresent()) {
            configuration = "user root;\n" + configuration;
        }
        Path file = Files.writeString(files.resolve("nginx.conf"), configuration);
        Path log = files.resolve("log");
        Process process = new ProcessBuilder(program.toString(), "-e", "stderr", "-c", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        Nginx nginx = new Nginx(process, port);
        nginx.awaitReady(log);
        return nginx;
    }

    private void awaitReady(Path log) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (true) {
            try {
                if (get("/livez").statusCode() == 200) {
                    return;
                }
            } catch (IOException e) {
                // Not yet.
            }
            assertThat(process.isAlive()).as(Files.readString(log)).isTrue();
            assertThat(System.nanoTime()).as(Files.readString(log)).isLessThan(end);
            Thread.sleep(50);
        }
    }

    /** Returns a request of this path. */
    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        HttpRequest.Builder request = request(path);
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofString());
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
