package dev.offsetd.cli.check;

import dev.offsetd.cli.command.AnswerOptions;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.command.Items;
import dev.offsetd.cli.file.FileChecks;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.BpfObject;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.query.check.Check;
import dev.offsetd.query.check.ExpansionCheck;
import dev.offsetd.query.check.ProgramCheck;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** {@code check CONSUMER --builds FILE...}: whether a BPF program, a type set or a name map works with builds. */
public final class CheckCommand extends Command {

    private enum Format {
        TEXT("text/plain"),
        JSON("application/json"),
        JUNIT("application/xml");

        private final String mediaType;

        Format(String mediaType) {
            this.mediaType = mediaType;
        }
    }

    /** Time for a server to answer: it reads up to 200 builds. */
    private static final Duration MAX_WAIT = Duration.ofMinutes(10);

    private final Supplier<String> consumer =
            parameter("CONSUMER", String.class, "compiled BPF program, or a type set: @ruby");
    private final Supplier<List<String>> builds = options(
            "-b,--builds",
            "BUILD",
            String.class,
            "ELF file with debug information, or with --server words of the builds' names (default: all builds);"
                    + " repeatable");
    private final Supplier<@Nullable String> map =
            option("-m,--map", "NAME", String.class, "a name map of the type set, instead of its items");
    private final Supplier<@Nullable String> reference = option(
            "-r,--reference",
            "BUILD",
            String.class,
            "a file, or with --server a build-id, whose values of the set or map the others must have");
    private final BooleanSupplier strict = flag("--strict", "also fail for what the consumer does not require");
    private final Supplier<@Nullable Format> format =
            choice("-f,--format", "FORMAT", words(Format.values()), "text (default), json or junit");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final Supplier<@Nullable String> server =
            option("-s,--server", "URL", String.class, "check the stored builds of a server");
    private final ServerOptions access = new ServerOptions(this);
    private final FileChecks files = new FileChecks(this, console);

    public CheckCommand(Console console) {
        super(console, "Check what BPF programs, sets and name maps need.");
        examples(
                "offsetd check frames.bpf.o --builds libruby-3.4.so",
                "offsetd check @ruby --reference libruby-3.4.so --builds libruby-4.0.so",
                "offsetd check frames.bpf.o --server localhost:8080 --builds libruby");
        exitCodes(
                "0:the consumer works with every build",
                "1:with --server: it has nothing of the --reference (404)",
                "2:invalid arguments, or the server answered 400",
                "3:it does not work with a build, or a file is unreadable; the output names it",
                "4:the server is unreachable or failed",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        Format output = format();
        String url = server.get();
        if (url != null) {
            return checkOnServer(ServerOptions.server(url), output);
        }
        if (builds.get().isEmpty()) {
            throw CommandFailure.usage("no build to check; expected --builds FILE, or --server URL");
        }
        Check check = check();
        List<CheckReport.Row> rows = new ArrayList<>();
        for (String build : builds.get()) {
            rows.add(files.row(Path.of(build), check));
        }
        CheckReport report = new CheckReport(rows, strict.getAsBoolean());
        console.clearProgress();
        switch (output) {
            case TEXT -> {
                for (String line : report.lines()) {
                    console.println(Printable.of(line));
                }
            }
            case JSON ->
                JsonOutput.print(console, json -> {
                    json.writeStartObject();
                    report.write(json);
                    json.writeEndObject();
                });
            case JUNIT -> console.println(report.junit());
        }
        return report.passes() ? ExitCode.OK : ExitCode.NOT_ALL;
    }

    private Format format() throws CommandFailure {
        Format named = format.get();
        if (json.getAsBoolean() && named != null && named != Format.JSON) {
            throw CommandFailure.usage("--json and --format " + named.name().toLowerCase(Locale.ROOT)
                    + " are both given; expected one of them");
        }
        return json.getAsBoolean() ? Format.JSON : Objects.requireNonNullElse(named, Format.TEXT);
    }

    private Check check() throws CommandFailure {
        String text = consumer.get();
        String reference = this.reference.get();
        if (!text.startsWith("@")) {
            if (map.get() != null || reference != null) {
                throw CommandFailure.usage("--map and --reference are for type sets; " + text + " is a file");
            }
            return program(Path.of(text));
        }
        List<Item> items = Items.parse(List.of(text));
        ExpansionCheck check = new ExpansionCheck(
                map.get() == null
                        ? Items.expand(List.of(text))
                        : AnswerOptions.expandMap(items, map.get(), new BuiltInTypeSets()));
        return reference == null ? check : files.against(Path.of(reference), check);
    }

    private int checkOnServer(URI address, Format output) throws CommandFailure, IOException {
        String text = consumer.get();
        boolean isSet = text.startsWith("@");
        String words = builds.get().isEmpty() ? null : String.join(" ", builds.get());
        StringBuilder query = new StringBuilder("v1/checks?limit=200&strict=").append(strict.getAsBoolean());
        append(query, "q", words);
        append(query, "types", isSet ? text : null);
        append(query, "map", map.get());
        append(query, "reference", reference.get());
        byte[] program = isSet ? new byte[0] : bytes(Path.of(text));
        boolean passes = true;
        List<String> pages = new ArrayList<>();
        try (ServerCalls calls = new ServerCalls(address, access.token(), console, MAX_WAIT)) {
            Optional<String> path = Optional.of(query.toString());
            while (path.isPresent()) {
                HttpResponse<byte[]> response = calls.send(HttpRequest.newBuilder(calls.uri(path.get()))
                        .header("Content-Type", "application/octet-stream")
                        .header("Accept", output.mediaType)
                        .POST(BodyPublishers.ofByteArray(program))
                        .build());
                if (response.statusCode() != 200) {
                    throw ServerProblem.of(response);
                }
                path = response.headers().firstValue("X-Offsetd-Next").map(next -> next.substring(1));
                passes &= response.headers().firstValue("X-Offsetd-Passes").equals(Optional.of("true"));
                String body = new String(response.body(), StandardCharsets.UTF_8).stripTrailing();
                if (body.isEmpty()) {
                    console.say(
                            words == null ? "the server has no build" : "no build matches " + HostileText.quote(words));
                } else if (output == Format.TEXT) {
                    console.println(body);
                } else {
                    pages.add(body);
                }
            }
        }
        if (!pages.isEmpty()) {
            console.println(output == Format.JSON ? oneJson(pages) : oneJunit(pages));
        }
        return passes ? ExitCode.OK : ExitCode.NOT_ALL;
    }

    /** Joins documents of JSON. */
    private static String oneJson(List<String> pages) {
        ObjectNode all = (ObjectNode) JsonMapper.shared().readTree(pages.getFirst());
        boolean passes = all.path("passes").asBoolean();
        for (String more : pages.subList(1, pages.size())) {
            JsonNode page = JsonMapper.shared().readTree(more);
            passes &= page.path("passes").asBoolean();
            page.path("builds").forEach(all.withArray("builds")::add);
        }
        return all.put("passes", passes).toString();
    }

    /** Joins documents of JUnit: CI systems read one per file. */
    private static String oneJunit(List<String> pages) {
        String start = "<testsuites>";
        String end = "</testsuites>";
        return pages.stream()
                        .map(page -> page.substring(0, page.lastIndexOf(end)))
                        .reduce((all, page) -> all + page.substring(page.indexOf(start) + start.length()))
                        .orElseThrow()
                + end;
    }

    private static void append(StringBuilder query, String name, @Nullable String value) {
        if (value != null) {
            query.append('&').append(name).append('=').append(ServerCalls.encoded(value));
        }
    }

    private static byte[] bytes(Path file) throws CommandFailure {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, file + ": " + IoReason.of(e));
        }
    }

    private static ProgramCheck program(Path file) throws CommandFailure {
        try {
            return new ProgramCheck(BpfObject.program(bytes(file)));
        } catch (ExtractionException e) {
            throw new CommandFailure(ExitCode.BAD_FILE, file + ": " + e.getMessage());
        }
    }
}
