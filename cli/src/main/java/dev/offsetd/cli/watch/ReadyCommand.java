package dev.offsetd.cli.watch;

import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.TextTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** {@code ready URL @SET}: whether a server has everything that a type set requires of what its watches have read. */
public final class ReadyCommand extends Command {

    private final Supplier<String> url = ServerOptions.url(this);
    private final Supplier<String> set = parameter("SET", String.class, "type set, for example @ruby");
    private final Supplier<String> since = option(
            "--since",
            "TIME",
            String.class,
            "30d",
            "how long ago, or since when: 12h, 2026-11-01T00:00:00Z (default: 30d)");
    private final BooleanSupplier json = flag("-j,--json", "print the releases as JSON, one a line");
    private final ServerOptions access = new ServerOptions(this);

    public ReadyCommand(Console console) {
        super(console, "Tell whether a server is ready for new releases.");
        examples("offsetd ready 127.0.0.1:8080 @ruby --since 30d");
        exitCodes(
                "0:every release has everything that the set requires, and the watches have read all of them",
                "1:watches of the set have read nothing in that time",
                "2:invalid arguments",
                "3:a release lacks something, or a watch has not read everything; the output names it",
                "4:the server is unreachable or failed",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        String name = set.get();
        if (!name.startsWith("@")) {
            throw CommandFailure.usage("SET is " + name + "; expected a type set such as @ruby");
        }
        TextTable table = new TextTable("RELEASE", "VERSION", "ARCHITECTURE", "READ", "BUILD", "RESULT");
        int releases = 0;
        boolean ready = true;
        JsonNode watches = MissingNode.getInstance();
        try (WatchClient client = new WatchClient(ServerOptions.server(url.get()), access.token(), console)) {
            String path = "v1/releases?limit=200&set=" + ServerCalls.encoded(name.substring(1)) + "&since="
                    + ServerCalls.encoded(since.get());
            while (!path.isEmpty()) {
                JsonNode page = client.get(path);
                watches = page.path("watches");
                for (JsonNode release : page.path("releases")) {
                    releases++;
                    ready &= release.path("ready").asBoolean(false);
                    if (json.getAsBoolean()) {
                        console.println(release.toString());
                    } else {
                        add(table, release);
                    }
                }
                String next = page.path("next").asString("");
                path = next.startsWith("/") ? next.substring(1) : next;
            }
        }
        if (releases > 0 && !json.getAsBoolean()) {
            table.print(console);
        }
        // The releases that these have not read are in no list.
        for (JsonNode watch : watches) {
            ready &= watch.path("readAll").asBoolean(false);
            console.say("watch " + watch.path("watch").asString("") + ": " + described(watch));
        }
        if (releases == 0) {
            console.say("no watch of " + name + " has read anything "
                    + (since.get().indexOf('-') < 0 ? "in the last " : "since ") + since.get());
        }
        return !ready ? ExitCode.NOT_ALL : releases == 0 ? ExitCode.INCOMPLETE : ExitCode.OK;
    }

    private static String described(JsonNode watch) {
        String outcome = watch.path("outcome").asString("its first run has not ended");
        String detail = watch.path("cause").path("detail").asString("");
        return outcome + (detail.isEmpty() ? "" : ": " + detail);
    }

    private static void add(TextTable table, JsonNode release) {
        List<JsonNode> builds = new ArrayList<>();
        release.path("builds").forEach(builds::add);
        for (JsonNode build : builds) {
            add(table, release, build.path("buildId").asString(""), result(build));
        }
        if (builds.isEmpty()) {
            String cause = release.path("cause").path("detail").asString("");
            add(table, release, "", cause.isEmpty() ? "no build of the set" : "cannot be read: " + cause);
        }
    }

    private static void add(TextTable table, JsonNode release, String build, String result) {
        table.add(
                release.path("name").asString(""),
                release.path("version").asString(""),
                release.path("architecture").asString(""),
                release.path("seenAt").asString(""),
                build,
                result);
    }

    private static String result(JsonNode build) {
        if (!build.path("stored").asBoolean(false)) {
            return "no debug file";
        }
        List<@Nullable String> missing = new ArrayList<>();
        build.path("missing").forEach(item -> missing.add(item.asString("")));
        return missing.isEmpty() ? "ready" : "lacks " + String.join(", ", missing);
    }
}
