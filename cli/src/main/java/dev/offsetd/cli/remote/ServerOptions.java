package dev.offsetd.cli.remote;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.extractor.input.HostileText;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Options of the commands that call a server. */
public final class ServerOptions {

    /** Describes the URL in the help. */
    public static final String URL = "URL of the server, for example http://127.0.0.1:8080";

    private final Supplier<@Nullable Path> tokenFile;

    /** Declares the options of this command. */
    public ServerOptions(Command command) {
        tokenFile =
                command.option("--token-file", "FILE", Path.class, "file with the token (default: $$OFFSETD_TOKEN)");
    }

    /** Declares the parameter for the URL, which {@link #server} parses. */
    public static Supplier<String> url(Command command) {
        return command.parameter("URL", String.class, URL);
    }

    /** Returns the URL of a server; {@code http://} may be omitted. */
    public static URI server(String text) throws CommandFailure {
        CommandFailure unexpected = CommandFailure.usage(
                "URL " + HostileText.quote(text) + "; expected HOST:PORT, http://HOST:PORT or https://HOST");
        try {
            URI url = URI.create(text.contains("://") ? text : "http://" + text);
            if (url.getHost() == null
                    || !Set.of("http", "https").contains(url.getScheme())
                    || url.getQuery() != null
                    || url.getFragment() != null) {
                throw unexpected;
            }
            return url;
        } catch (IllegalArgumentException e) {
            throw unexpected;
        }
    }

    /**
     * Declares an option for the time to wait.
     *
     * @param otherwise the default, such as 10m
     * @param what the time is for
     */
    public static Supplier<Duration> wait(Command command, String otherwise, String what) {
        return command.time("-w,--wait", otherwise, "time to wait " + what);
    }

    /** Returns the token in the file, or else in the environment. */
    public BearerToken token() throws CommandFailure {
        Path file = tokenFile.get();
        return file == null ? BearerToken.of("OFFSETD_TOKEN", System.getenv("OFFSETD_TOKEN")) : BearerToken.in(file);
    }
}
