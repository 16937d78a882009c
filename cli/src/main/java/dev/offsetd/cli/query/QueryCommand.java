package dev.offsetd.cli.query;

import dev.offsetd.cli.bundle.BundleCommand;
import dev.offsetd.cli.bundle.BundleQuery;
import dev.offsetd.cli.command.AnswerOptions;
import dev.offsetd.cli.command.BuildKey;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.command.Items;
import dev.offsetd.cli.command.OutputFormat;
import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.View;
import dev.offsetd.query.symbol.CodeAddress;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code query URL BUILDID ITEMS}: prints the answer of a server or of a bundle. */
public final class QueryCommand extends Command {

    /** Fewest digits of a build-id that a server is asked for. */
    private static final int MIN_DIGITS = 4;

    /** Hex digits of a SHA-1. */
    private static final int USUAL_DIGITS = 40;

    /** Formats of addresses and of bundles. */
    private static final Set<OutputFormat> STRUCTURED =
            Collections.unmodifiableSet(EnumSet.of(OutputFormat.TABLE, OutputFormat.JSON, OutputFormat.YAML));

    private final Supplier<String> url = ServerOptions.url(this);
    private final Supplier<String> buildId = parameter(
            "BUILDID",
            String.class,
            "build-id in hex, its first digits, a key (" + BuildKey.ALIASES + "), or a file of the build");
    private final Supplier<List<String>> items = parameters("ITEMS", false, String.class, Items.DESCRIPTION);
    private final Supplier<@Nullable Path> bundle =
            option("--bundle", "FILE", Path.class, "answer from a bundle instead of a server; URL is left out");
    private final Supplier<@Nullable Path> signers = BundleCommand.signers(this);
    private final BooleanSupplier json = flag("-j,--json", "print the server's answer unchanged");
    private final AnswerOptions answer = new AnswerOptions(this);
    private final Supplier<@Nullable String> fallback = choice(
            "--fallback",
            "SOURCE",
            Map.of("consensus", "consensus"),
            "accept the layouts of similar builds if the build has no debug information");
    private final BooleanSupplier symbolize =
            flag("--symbolize", "ITEMS are addresses: print their functions and lines");
    private final BooleanSupplier returnAddress = flag(
            "-r,--return-address", "with --symbolize, look up the byte before each address, which is part of the call");
    private final Supplier<Duration> wait = ServerOptions.wait(this, "60s", "for the build");
    private final ServerOptions server = new ServerOptions(this);

    public QueryCommand(Console console) {
        super(console, "Query a server for layouts of a build.");
        examples(
                "offsetd query http://127.0.0.1:8080 BUILDID malloc_state",
                "offsetd query 127.0.0.1:8080 libruby.so @ruby --json",
                "offsetd query 127.0.0.1:8080 libruby.so rb_control_frame_struct --format c",
                "offsetd query 127.0.0.1:8080 libruby.so --symbolize 0x13a0a0",
                "offsetd query --bundle site.offsetd BUILDID @ruby");
        exitCodes(
                "0:found every item",
                "1:an item or the build (404) was not found; --symbolize: an address has no line (no_line) or no function",
                "2:invalid URL, build-id or items (400), or several builds begin with these digits",
                "3:the server cannot use the debug file (422)",
                "4:the server is unreachable, failed, or did not have the build in time",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        answer.check();
        OutputFormat output = answer.output(json.getAsBoolean());
        Path file = bundle.get();
        if ((file != null || symbolize.getAsBoolean()) && !STRUCTURED.contains(output)) {
            throw CommandFailure.usage("--format " + output.name().toLowerCase(Locale.ROOT) + " is given with "
                    + (file != null ? "--bundle" : "--symbolize") + "; expected table or json");
        }
        if (returnAddress.getAsBoolean() && !symbolize.getAsBoolean()) {
            throw CommandFailure.usage("--return-address is given without --symbolize");
        }
        if (file != null) {
            return queryBundle(file, output);
        }
        if (items.get().isEmpty()) {
            throw CommandFailure.usage("Missing required parameter: 'ITEMS'; see offsetd query --help");
        }
        if (signers.get() != null) {
            throw CommandFailure.usage("--signers is given without --bundle");
        }
        List<String> addresses = symbolize.getAsBoolean() ? addresses() : List.of();
        List<Item> parsed = symbolize.getAsBoolean() ? List.of() : Items.parse(items.get());
        URI address = ServerOptions.server(url.get());
        BearerToken token = server.token();
        BuildId key = key(buildId.get(), address, token);
        Request request = new Request(address, token, parsed, addresses, output);
        try {
            return query(key, request);
        } catch (CommandFailure failure) {
            Optional<BuildId> whole = failure.exitCode() == ExitCode.INCOMPLETE && mayBePrefix(key)
                    ? find(key.toString(), address, token)
                    : Optional.empty();
            if (whole.isEmpty()) {
                throw failure;
            }
            return query(whole.get(), request);
        }
    }

    /** A query about a build: items, or the functions at addresses. */
    private record Request(
            URI server, BearerToken token, List<Item> items, List<String> addresses, OutputFormat output) {}

    private int query(BuildId key, Request request) throws CommandFailure, IOException {
        Duration maxWait = wait.get();
        OutputFormat output = request.output();
        boolean asJson = output == OutputFormat.JSON;
        if (symbolize.getAsBoolean()) {
            try (ServerCalls calls = new ServerCalls(request.server(), request.token(), console, maxWait)) {
                return new FramesQuery(console, calls)
                        .run(key, request.addresses(), returnAddress.getAsBoolean(), asJson);
            }
        }
        boolean asTable = output == OutputFormat.TABLE;
        View view = asTable ? View.MEMBERS : answer.view();
        Language.Family language = answer.language();
        OffsetsRequest offsets = new OffsetsRequest(
                request.server(),
                key,
                request.items(),
                view == null ? null : view.word(),
                answer.map(),
                language == null ? null : language.name().toLowerCase(Locale.ROOT),
                fallback.get(),
                output.mediaType());
        ServerQuery query = new ServerQuery(console, request.token());
        return asTable || asJson ? query.run(offsets, maxWait, asJson) : query.runForText(offsets, maxWait);
    }

    private List<String> addresses() throws CommandFailure {
        List<String> addresses = items.get().stream()
                .flatMap(list -> Stream.of(list.split(",", -1)))
                .toList();
        for (String text : addresses) {
            try {
                CodeAddress.parse(text);
            } catch (IllegalArgumentException e) {
                throw CommandFailure.usage("--symbolize: " + HostileText.quote(text) + "; expected " + e.getMessage());
            }
        }
        return addresses;
    }

    /** Returns whether longer build-ids may begin with this one. Linkers write 40 digits unless another style is chosen. */
    private static boolean mayBePrefix(BuildId key) {
        return key.isGnu() && key.toString().length() < USUAL_DIGITS;
    }

    /** Returns the build of a key, of a file, or of the first digits of a build-id. */
    private BuildId key(String text, URI address, BearerToken token) throws CommandFailure {
        Optional<BuildId> known = local(text);
        if (known.isPresent()) {
            return known.get();
        }
        if (text.length() < MIN_DIGITS || !text.chars().allMatch(HexFormat::isHexDigit)) {
            throw noBuild(text, "a build-id in hex, four or more of its first digits, ");
        }
        String digits = text.toLowerCase(Locale.ROOT);
        Optional<BuildId> found = find(digits, address, token);
        if (found.isEmpty()) {
            throw new CommandFailure(ExitCode.INCOMPLETE, "the server knows no build-id that begins with " + digits);
        }
        return found.get();
    }

    private Optional<BuildId> find(String digits, URI address, BearerToken token) throws CommandFailure {
        try (ServerCalls calls = new ServerCalls(address, token, console, wait.get())) {
            return ShortBuildId.find(digits, calls);
        }
    }

    /**
     * Returns the error of an argument that names no build.
     *
     * @param digits the numbers that are accepted
     */
    private static CommandFailure noBuild(String text, String digits) {
        String mistake = Files.isDirectory(Path.of(text)) ? " is a folder" : " is neither a file nor a build-id";
        return CommandFailure.usage(HostileText.quote(text) + mistake + "; expected a file of the build, " + digits
                + "or a key: " + BuildKey.ALIASES);
    }

    /** Returns the build of a key or of a file. */
    private Optional<BuildId> local(String text) throws CommandFailure {
        try {
            return Optional.of(BuildId.parseKey(text));
        } catch (IllegalArgumentException notAKey) {
            Path file = Path.of(text);
            return Files.isRegularFile(file)
                    ? Optional.of(DebugFileFinder.ofSystem(console).keys(file).primary())
                    : Optional.empty();
        }
    }

    /** Without URL, the other parameters move up by one position. */
    private int queryBundle(Path file, OutputFormat output) throws CommandFailure, IOException {
        if (fallback.get() != null) {
            throw CommandFailure.usage("--fallback is given with --bundle; expected a URL: only servers know which"
                    + " builds are similar");
        }
        List<String> words =
                Stream.concat(Stream.of(buildId.get()), items.get().stream()).toList();
        Optional<BuildId> build = local(url.get());
        if (build.isEmpty()) {
            throw noBuild(url.get(), "a build-id in hex, ");
        }
        BundleQuery.Request request =
                new BundleQuery.Request(build.get(), Items.parse(words), answer, output == OutputFormat.JSON);
        return new BundleQuery(console).run(file, signers.get(), request);
    }
}
