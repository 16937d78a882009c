package dev.offsetd.server.soak;

import dev.offsetd.server.testkit.ServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A server of the cluster. Each start replaces it: the new one has an empty data folder and another address. */
final class Server {

    private final Part part;
    private volatile String url = "http://127.0.0.1:1";
    private volatile Path data;

    /** @param folder for its data and its logs, one of each for each start */
    Server(String name, Path folder, Map<String, String> environment) {
        data = folder.resolve(name);
        part = new Part(name, Duration.ofSeconds(5), this::data, () -> {
            String start = name + "-" + System.currentTimeMillis();
            data = folder.resolve(start);
            ServerProcess started = ServerProcess.start(data, folder.resolve(start + ".log"), environment);
            url = started.url();
            return started.process();
        });
    }

    Part part() {
        return part;
    }

    private Path data() {
        return data;
    }

    String url() {
        return url;
    }
}
