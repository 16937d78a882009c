package dev.offsetd.cli.watch;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code watch add URL NAME KIND PLACE}: a new watch. */
final class WatchAddCommand extends Command {

    private final Supplier<String> url = ServerOptions.url(this);
    private final Supplier<String> name = parameter("NAME", String.class, "name of the watch");
    private final Supplier<String> kind =
            parameter("KIND", List.of("apt", "oci", "rpm", "folder"), "kind of place: apt, oci, rpm or folder");
    private final Supplier<String> place = parameter(
            "PLACE",
            String.class,
            "URL of the archive, image, repository or folder, for example https://registry-1.docker.io/library/ruby");
    private final Supplier<List<String>> sets =
            options("--set", "SET", String.class, "type set whose builds to store; repeatable");
    private final Supplier<@Nullable String> suite =
            option("--suite", "SUITE", String.class, "suite of an apt archive");
    private final Supplier<List<String>> components =
            options("--component", "NAME", String.class, "component of an apt archive (default: main); repeatable");
    private final Supplier<List<String>> architectures =
            options("--architecture", "NAME", String.class, "architecture (default: amd64 and arm64); repeatable");
    private final Supplier<List<String>> names =
            options("--name", "PATTERN", String.class, "packages, tags or files, such as '3.*-slim'; repeatable");
    private final Supplier<List<String>> files =
            options("--file", "PATTERN", String.class, "paths inside of packages and images; repeatable");
    private final Supplier<@Nullable Path> keyring = option(
            "--keyring", "FILE", Path.class, "OpenPGP certificates that sign the indexes (default: those of Debian)");
    private final Supplier<Duration> interval = time("--interval", "6h", "time between runs");
    private final ServerOptions access = new ServerOptions(this);

    WatchAddCommand(Console console) {
        super(console, "Let a server look at a place for new builds.");
        examples(
                "offsetd watch add 127.0.0.1:8080 ruby oci https://registry-1.docker.io/library/ruby"
                        + " --name '3.*-slim' --set ruby",
                "offsetd watch add 127.0.0.1:8080 ours folder file:///srv/builds --set python");
        exitCodes(
                "0:the watch exists now",
                "2:invalid arguments",
                "3:the keyring is unreadable",
                "4:the server is unreachable or failed",
                "7:the server requires a token with scope admin, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        if (sets.get().isEmpty()) {
            throw CommandFailure.usage("no type set; expected --set SET, for example --set ruby");
        }
        ObjectNode draft = JsonMapper.shared().createObjectNode();
        draft.put("name", name.get()).put("kind", kind.get()).put("url", place.get());
        addAll(
                draft.putArray("typeSets"),
                sets.get().stream().map(WatchAddCommand::bare).toList());
        if (suite.get() != null) {
            draft.put("suite", suite.get());
        }
        addAll(draft.putArray("components"), components.get());
        addAll(draft.putArray("architectures"), architectures.get());
        addAll(draft.putArray("names"), names.get());
        addAll(draft.putArray("files"), files.get());
        draft.put("intervalSeconds", interval.get().toSeconds());
        String certificates = WatchCommand.certificates(keyring.get());
        if (certificates != null) {
            draft.put("keyring", certificates);
        }
        try (WatchClient client = new WatchClient(ServerOptions.server(url.get()), access.token(), console)) {
            console.println(client.add(draft).path("id").asString(""));
            return ExitCode.OK;
        }
    }

    private static String bare(String set) {
        return set.startsWith("@") ? set.substring(1) : set;
    }

    private static void addAll(ArrayNode array, List<String> words) {
        words.forEach(array::add);
    }
}
