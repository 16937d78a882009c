package dev.offsetd.server.startup;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.server.access.users.FirstAdmin;
import dev.offsetd.server.access.users.Users.NewPassword;
import dev.offsetd.server.database.DataFolder;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.DebugFileSources;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Tells the addresses, the sources and an example once the server is ready: in lines for people, or in one event of a structured
 * log. Logs are collected, so the one-time password is in a file, unless a person reads the log on a terminal.
 */
@Component
class ReadyMessage {

    private static final Logger log = LoggerFactory.getLogger(ReadyMessage.class);
    private static final String PASSWORD_FILE = "first-admin.password";

    private final DebugFileSources sources;
    private final FirstAdmin firstAdmin;
    private final String address;
    private final Path dataFolder;
    private final boolean offline;
    private final boolean readAuth;
    private final boolean embeddedDatabase;
    private final boolean structured;
    private final PrintStream out;

    ReadyMessage(
            DebugFileSources sources,
            FirstAdmin firstAdmin,
            @Value("${server.address}") String address,
            @Value("${offsetd.data-dir}") Path dataFolder,
            @Value("${offsetd.offline:false}") boolean offline,
            @Value("${offsetd.read-auth:false}") boolean readAuth,
            @Value("${spring.datasource.url:embedded}") String datasource,
            @Value("${logging.structured.format.console:}") String structured) {
        this.sources = sources;
        this.firstAdmin = firstAdmin;
        this.address = address;
        this.dataFolder = dataFolder;
        this.offline = offline;
        this.readAuth = readAuth;
        this.embeddedDatabase = datasource.equals("embedded");
        this.structured = !structured.isEmpty();
        this.out = System.out;
    }

    /** Last of all that begins when the server is ready: a fault of the others ends the start. */
    @Order(Ordered.LOWEST_PRECEDENCE)
    @EventListener
    void print(AvailabilityChangeEvent<ReadinessState> event) throws IOException {
        if (event.getState() == ReadinessState.ACCEPTING_TRAFFIC
                && event.getSource() instanceof WebServerApplicationContext context
                && context.getWebServer() != null) {
            Optional<NewPassword> password = firstAdmin.atStart(
                    Duration.ofMillis(System.currentTimeMillis() - context.getStartupDate()),
                    "start of process " + ProcessHandle.current().pid());
            Path file = dataFolder.resolve(PASSWORD_FILE);
            Files.deleteIfExists(file);
            boolean hidden = structured && password.isPresent() && !isOnTerminal();
            if (hidden) {
                Files.createFile(file, DataFolder.PRIVATE_FILE);
                Files.writeString(file, password.get().text() + "\n");
            }
            String text = text(
                    context.getWebServer().getPort(),
                    password.map(first -> "  sign in there as "
                                    + first.state().user().name() + " with the one-time password "
                                    + (hidden ? "in " + file : first.text())
                                    + " (it is replaced at each start until you have chosen your own)\n")
                            .orElse(""));
            if (structured) {
                log.info(text.lines().map(String::strip).collect(Collectors.joining("; ")));
            } else {
                out.print(text);
                out.flush();
            }
        }
    }

    // In JDK 25 there is none again without a terminal.
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isOnTerminal() {
        return System.console() != null && System.console().isTerminal();
    }

    /** @param signIn how to sign in as the first administrator, until the password is used; told only here */
    private String text(int port, String signIn) {
        boolean everywhere = address.equals("0.0.0.0") || address.equals("::") || address.equals("0:0:0:0:0:0:0:0");
        String host = everywhere ? "127.0.0.1" : address.contains(":") ? "[" + address + "]" : address;
        String url = "http://" + host + ":" + port;
        List<String> folders = names(false);
        List<String> upstreams = names(true);
        StringBuilder text = new StringBuilder("offsetd is ready at " + url);
        text.append(everywhere ? " and on all addresses of this machine\n" : "\n");
        text.append(
                offline
                        ? "  offline: queries no upstream, sends no webhooks\n"
                        : "  upstreams: " + (upstreams.isEmpty() ? "none" : String.join(" ", upstreams)) + "\n");
        if (!folders.isEmpty()) {
            text.append("  local folders: ").append(String.join(" ", folders)).append("\n");
        }
        text.append("  data in ").append(dataFolder);
        text.append(embeddedDatabase ? " (with its own PostgreSQL)\n" : "\n");
        text.append("  try: curl ")
                .append(readAuth ? "-H \"Authorization: Bearer $OFFSETD_TOKEN\" '" : "'")
                .append(url)
                .append("/v1/offsets/")
                .append(LibcOfThisProcess.buildId().map(BuildId::toString).orElse("BUILD-ID"))
                .append("?types=malloc_state'\n");
        text.append("  pages: ").append(url).append("/admin\n");
        return text.append(signIn).toString();
    }

    private List<String> names(boolean remote) {
        return sources.inOrder().stream()
                .filter(source -> source.origin().isRemote() == remote)
                .map(DebugFileSource::name)
                .collect(Collectors.toList());
    }

    /** C library of this process: a build that exists on every Linux host, for an example that works as printed. */
    private static final class LibcOfThisProcess {

        private static final Pattern LIBC = Pattern.compile("/[^ ]*/libc[.-][^/]*so[^/]*");
        private static final Path MAPPINGS = Path.of("/proc/self/maps");

        private LibcOfThisProcess() {}

        /** Returns its build-id; empty if the system does not show the file, or it has none. */
        static Optional<BuildId> buildId() {
            try (Stream<String> mappings = Files.lines(MAPPINGS, StandardCharsets.ISO_8859_1)) {
                Optional<String> file = mappings.map(line -> line.substring(line.lastIndexOf(' ') + 1))
                        .filter(path -> LIBC.matcher(path).matches())
                        .findFirst();
                return file.isPresent()
                        ? DebugInfo.read(Path.of(file.get()), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::buildId)
                        : Optional.empty();
            } catch (IOException | ExtractionException e) {
                return Optional.empty();
            }
        }
    }
}
