package dev.offsetd.server.startup;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.fetch.DebugFileSource;
import dev.offsetd.server.fetch.DebugFileSources;
import dev.offsetd.server.outcome.Origin;
import dev.offsetd.server.users.FirstAdmin;
import dev.offsetd.server.users.NewPassword;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Prints the addresses, the sources and an example once the server is ready. */
@Component
class ReadyMessage {

    private final DebugFileSources sources;
    private final FirstAdmin firstAdmin;
    private final String address;
    private final String dataFolder;
    private final boolean offline;
    private final boolean embeddedDatabase;
    private final PrintStream out;

    ReadyMessage(
            DebugFileSources sources,
            FirstAdmin firstAdmin,
            @Value("${server.address}") String address,
            @Value("${offsetd.data-dir}") String dataFolder,
            @Value("${offsetd.offline:false}") boolean offline,
            @Value("${spring.datasource.url:embedded}") String datasource) {
        this.sources = sources;
        this.firstAdmin = firstAdmin;
        this.address = address;
        this.dataFolder = dataFolder;
        this.offline = offline;
        this.embeddedDatabase = datasource.equals("embedded");
        this.out = System.out;
    }

    @EventListener
    void print(ApplicationReadyEvent event) {
        if (event.getApplicationContext() instanceof WebServerApplicationContext context
                && context.getWebServer() != null) {
            Duration sinceStart = event.getTimeTaken();
            Optional<NewPassword> password = firstAdmin.atStart(
                    sinceStart == null ? Duration.ZERO : sinceStart,
                    "start of process " + ProcessHandle.current().pid());
            out.print(text(context.getWebServer().getPort(), password));
            out.flush();
        }
    }

    /** @param password of the first administrator until it is used; printed only here */
    private String text(int port, Optional<NewPassword> password) {
        boolean everywhere = address.equals("0.0.0.0") || address.equals("::") || address.equals("0:0:0:0:0:0:0:0");
        String host = everywhere ? "127.0.0.1" : address.contains(":") ? "[" + address + "]" : address;
        String url = "http://" + host + ":" + port;
        List<String> folders = names(Origin.LOCAL);
        List<String> upstreams = names(Origin.DEBUGINFOD);
        StringBuilder text = new StringBuilder("offsetd is ready at " + url);
        text.append(everywhere ? " and on all addresses of this machine\n" : "\n");
        text.append(
                offline || upstreams.isEmpty()
                        ? "  offline: queries no upstream\n"
                        : "  upstreams: " + String.join(" ", upstreams) + "\n");
        if (!folders.isEmpty()) {
            text.append("  local folders: ").append(String.join(" ", folders)).append("\n");
        }
        text.append("  data in ").append(dataFolder);
        text.append(embeddedDatabase ? " (with its own PostgreSQL)\n" : "\n");
        text.append("  try: curl '")
                .append(url)
                .append("/v1/offsets/")
                .append(LibcOfThisProcess.buildId().map(BuildId::toString).orElse("BUILD-ID"))
                .append("?types=malloc_state'\n");
        text.append("  pages: ").append(url).append("/admin\n");
        password.ifPresent(first -> text.append("  sign in there as ")
                .append(first.state().user().name())
                .append(" with the one-time password ")
                .append(first.text())
                .append(" (it is replaced at each start until you have chosen your own)\n"));
        return text.toString();
    }

    private List<String> names(Origin origin) {
        return sources.inOrder().stream()
                .filter(source -> source.origin() == origin)
                .map(DebugFileSource::name)
                .collect(Collectors.toList());
    }
}
