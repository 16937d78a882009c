package dev.offsetd.server.startup;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Training run for the AOT cache (JEP 483, JEP 515): starts an upstream and the server on free ports, sends requests of each
 * kind, some for builds that the server must fetch, and stops both. For the launcher and the image build only.
 */
@Command(name = TrainCommand.NAME, hidden = true)
public final class TrainCommand implements Callable<Integer> {

    public static final String NAME = "train";

    private static final int FAILED = 1;
    private static final int TIMEOUT_MILLIS = 30_000;

    /** Builds that are fetched and extracted. */
    private static final int BUILDS = 20;

    @Option(names = "--data", paramLabel = "DIR", required = true)
    private @Nullable Path data;

    private final Supplier<SpringApplication> application;

    public TrainCommand(Supplier<SpringApplication> application) {
        this.application = application;
    }

    @Override
    public Integer call() {
        Path folder = ServeCommand.folder(Objects.requireNonNull(data));
        try (TrainingUpstream upstream = TrainingUpstream.start(folder.resolveSibling("upstream"))) {
            AtomicReference<ConfigurableApplicationContext> started = new AtomicReference<>();
            int exitCode = new CommandLine(new ServeCommand(() -> {
                        SpringApplication spring = application.get();
                        spring.setDefaultProperties(Map.of(
                                "offsetd.upstreams.urls",
                                upstream.url(),
                                "offsetd.extraction.answer-unstored-from",
                                "0B"));
                        spring.addInitializers(started::set);
                        return spring;
                    }))
                    .execute("--port", "0", "--data", folder.toString());
            if (exitCode != ServeCommand.RUNNING) {
                return exitCode;
            }
            try (ConfigurableApplicationContext context = started.get()) {
                if (context instanceof WebServerApplicationContext web && web.getWebServer() != null) {
                    send("http://127.0.0.1:" + web.getWebServer().getPort());
                }
                return 0;
            }
        } catch (IOException e) {
            System.err.println("offsetd: the server did not answer: " + e);
            return FAILED;
        }
    }

    /** Sends the requests. The answers do not matter. */
    private static void send(String url) throws IOException {
        for (String path : paths()) {
            URL target = URI.create(url + path).toURL();
            if (target.openConnection(Proxy.NO_PROXY) instanceof HttpURLConnection connection) {
                connection.setConnectTimeout(TIMEOUT_MILLIS);
                connection.setReadTimeout(TIMEOUT_MILLIS);
                connection.getResponseCode();
                connection.disconnect();
            }
        }
    }

    private static List<String> paths() {
        List<String> paths = new ArrayList<>(
                List.of("/readyz", "/version", "/v1/type-sets", "/v1/builds", "/admin/sign-in", "/metrics"));
        for (int build = 0; build < BUILDS; build++) {
            String id = TrainingUpstream.build(build).toString();
            paths.add("/v1/offsets/" + id + "?types=object,value");
            paths.add("/v1/builds/" + id + "/types");
            paths.add("/v1/offsets/" + id + "?types=object.links.next,enumerator%20SLEEPING");
        }
        return paths;
    }
}
