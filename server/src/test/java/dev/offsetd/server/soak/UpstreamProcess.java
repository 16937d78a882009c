package dev.offsetd.server.soak;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.sources.FaultServer;
import dev.offsetd.server.testkit.SmallBuild;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Executors;

/** The upstreams of a soak test as a process: a sound one, and one that answers with a fault that the build-id selects. */
final class UpstreamProcess {

    private UpstreamProcess() {}

    /** Serves on two ports of 127.0.0.1, the sound upstream's first, until it is killed. */
    public static void main(String[] ports) throws IOException {
        FaultServer.serving(Integer.parseInt(ports[1]), SmallBuild::debugFile, SmallBuild.debugFile());
        HttpServer sound = HttpServer.create(
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), Integer.parseInt(ports[0])), 64);
        sound.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        for (HostileFile file : HostileFile.values()) {
            // Takes longer than servers wait for an answer.
            file.prepared();
        }
        sound.createContext("/buildid/", UpstreamProcess::answer);
        sound.start();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            BuildId id = BuildId.parse(
                    Path.of(exchange.getRequestURI().getPath()).getName(1).toString());
            Optional<HostileFile> hostile = SoakBuild.hostileFile(id);
            boolean peer = SoakBuild.isPeer(id);
            if (!SoakBuild.isUpstream(id) && !peer && hostile.isEmpty()) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            byte[] file = hostile.map(kind -> kind.debugFile(id))
                    .orElseGet(() -> peer ? SoakBuild.ofGnutls(id) : SmallBuild.debugFile(id));
            exchange.sendResponseHeaders(200, file.length);
            exchange.getResponseBody().write(file);
        }
    }
}
