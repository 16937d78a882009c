package dev.offsetd.cli.bundle;

import com.google.re2j.Pattern;
import dev.offsetd.cli.command.BuildKey;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.query.bundle.BuildArchive;
import dev.offsetd.query.bundle.BundleException;
import dev.offsetd.query.bundle.BundleManifest;
import dev.offsetd.query.bundle.BundleWriter;
import dev.offsetd.query.typeset.TypeSetParser;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code bundle create}: downloads builds from a server into one file. */
final class BundleCreateCommand extends Command {

    private static final Path STANDARD_OUTPUT = Path.of("-");

    private static final Duration CALL_TIMEOUT = Duration.ofMinutes(10);
    private static final Duration IN_PROGRESS_PAUSE = Duration.ofSeconds(1);

    private static final Pattern BEHIND_ID = Pattern.compile("[\\s,]");
    private static final long MAX_LIST_BYTES = 16 << 20;

    private final Supplier<String> url = ServerOptions.url(this);
    private final Supplier<List<String>> ids = options("--build-id", "KEY", String.class, "a build; repeatable");
    private final Supplier<@Nullable Path> list = option(
            "--builds",
            "FILE",
            Path.class,
            "file with a build-id at the start of each line, for example the CSV of /v1/demand");
    private final BooleanSupplier all = flag("--all", "every stored build of the server");
    private final BooleanSupplier demand =
            flag("--demand", "unmet demand of the server, as far as it has the builds now");
    private final Supplier<List<String>> sets =
            options("-s,--set", "@SET", String.class, "also this type set; repeatable");
    private final Supplier<@Nullable Path> key = option(
            "-k,--key",
            "FILE",
            Path.class,
            "SSH key to sign with, private or public with an agent (default: not signed)");
    private final Supplier<@Nullable Path> out = option("-o,--output", "FILE", Path.class, "file to write");
    private final BooleanSupplier replace = flag("--replace", "overwrite an existing file");
    private final Supplier<Duration> wait = ServerOptions.wait(this, "10m", "for each build");
    private final ServerOptions server = new ServerOptions(this);

    BundleCreateCommand(Console console) {
        super(console, "Make a bundle of builds of a server.");
        examples(
                "offsetd bundle create 127.0.0.1:8080 --builds ids.txt -o site.offsetd",
                "offsetd bundle create 127.0.0.1:8080 --demand -k id_ed25519 -o site.offsetd");
        exitCodes(
                "0:the bundle has every build",
                "2:invalid command line, or the key cannot sign",
                "3:the bundle was made, and some builds are left out",
                "4:the server is unreachable or failed",
                "6:the server has none of the builds; nothing was written",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        Path file = out.get();
        if (file == null) {
            throw CommandFailure.usage("--output is missing; expected a file to write");
        }
        if (file.equals(STANDARD_OUTPUT)) {
            throw CommandFailure.usage("--output is -; expected a file, which appears when the bundle is complete");
        }
        if (Files.exists(file) && !replace.getAsBoolean()) {
            throw new CommandFailure(
                    ExitCode.OUTPUT_FAILED,
                    file + ": the file exists; choose another name, or overwrite it with --replace");
        }
        List<BuildId> named = named();
        if (named.isEmpty() && !all.getAsBoolean() && !demand.getAsBoolean()) {
            throw CommandFailure.usage("no builds given; expected --build-id, --builds, --all or --demand");
        }
        Contents contents = new Contents(ServerOptions.server(url.get()), named, setNames(sets.get()));
        Duration maxWait = wait.get();
        try (ServerCalls calls =
                new ServerCalls(contents.server(), server.token(), console, maxWait, BuildArchive.MAX_BYTES)) {
            return create(file, contents, calls);
        }
    }

    /** The builds that the command line names. */
    private List<BuildId> named() throws CommandFailure {
        List<BuildId> builds = new ArrayList<>();
        for (String text : ids.get()) {
            builds.add(BuildKey.parse(text));
        }
        Path file = list.get();
        if (file != null) {
            for (String line : lines(file)) {
                String first = BEHIND_ID.split(line.strip(), 2)[0];
                // The head of the CSV, empty lines and comments.
                if (!first.isEmpty() && !first.equals("build_id") && !first.startsWith("#")) {
                    builds.add(BuildKey.parse(first));
                }
            }
        }
        return builds;
    }

    private static List<String> lines(Path list) throws CommandFailure {
        try {
            if (Files.size(list) > MAX_LIST_BYTES) {
                throw CommandFailure.usage("--builds " + list + " has more than " + MAX_LIST_BYTES + " bytes");
            }
            return Files.readAllLines(list);
        } catch (IOException e) {
            throw CommandFailure.usage("--builds " + list + " cannot be read: " + IoReason.of(e));
        }
    }

    private static List<String> setNames(List<String> given) throws CommandFailure {
        List<String> names = new ArrayList<>();
        for (String set : given) {
            String name = set.startsWith("@") ? set.substring(1) : set;
            if (!Pattern.matches(TypeSetParser.NAME, name)) {
                throw CommandFailure.usage(
                        "--set is " + HostileText.quote(set) + "; expected the name of a type set, such as @ruby");
            }
            if (!names.contains(name)) {
                names.add(name);
            }
        }
        return names;
    }

    /**
     * Contents of a bundle.
     *
     * @param builds named one by one
     * @param sets names of type sets
     */
    private record Contents(URI server, List<BuildId> builds, List<String> sets) {}

    /** Writes the bundle; it appears when it is complete. */
    private int create(Path file, Contents contents, ServerCalls calls) throws CommandFailure, IOException {
        Path target = file.toAbsolutePath();
        Path unfinished = target.resolveSibling(
                target.getFileName() + ".unfinished-" + ProcessHandle.current().pid());
        try {
            Collection<BuildId> wanted = builds(calls, contents);
            BundleManifest manifest;
            // Never through a link that another account has put into a shared folder.
            Files.deleteIfExists(unfinished);
            try (OutputStream stream = new BufferedOutputStream(
                    Files.newOutputStream(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
                manifest = write(calls, contents, wanted, stream);
            } catch (BundleException e) {
                throw new CommandFailure(ExitCode.BAD_FILE, "the bundle cannot be made: " + e.getMessage());
            }
            if (manifest.builds().isEmpty()) {
                throw new CommandFailure(ExitCode.NOTHING_TO_SEND, "the server has none of these builds");
            }
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
            console.println(file + ": " + manifest.builds().size() + " builds, "
                    + contents.sets().size() + " type sets, " + Files.size(target) + " bytes, "
                    + (key.get() != null ? "signed" : "not signed"));
            return manifest.builds().size() < wanted.size() ? ExitCode.NOT_ALL : ExitCode.OK;
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private BundleManifest write(ServerCalls calls, Contents contents, Collection<BuildId> wanted, OutputStream stream)
            throws CommandFailure, IOException, BundleException {
        BundleWriter bundle = new BundleWriter(stream);
        int number = 0;
        for (BuildId id : wanted) {
            number++;
            console.progress("downloading build " + number + " of " + wanted.size());
            Optional<BuildArchive> build = download(calls, id);
            if (build.isPresent()) {
                bundle.add(build.get());
            }
        }
        for (String set : contents.sets()) {
            bundle.addSet(set, get(calls, "v1/type-sets/" + set).body());
        }
        Path signer = key.get();
        return bundle.<CommandFailure>finish(
                version(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                withoutUser(contents.server()),
                manifest -> signer == null ? new byte[0] : SshSignature.sign(signer, manifest));
    }

    private static String withoutUser(URI server) {
        String user = server.getRawUserInfo();
        return user == null ? server.toString() : server.toString().replace(user + '@', "");
    }

    /** Returns the builds of the request, sorted: equal requests make equal bundles. */
    private Collection<BuildId> builds(ServerCalls calls, Contents contents) throws CommandFailure {
        TreeSet<BuildId> builds = new TreeSet<>(contents.builds());
        if (all.getAsBoolean()) {
            addListed(calls, "v1/builds?state=extracted&limit=200", "builds", builds);
        }
        if (demand.getAsBoolean()) {
            addListed(calls, "v1/demand?limit=200", "demand", builds);
        }
        return builds;
    }

    private static void addListed(ServerCalls calls, String first, String property, Collection<BuildId> builds)
            throws CommandFailure {
        Optional<String> path = Optional.of(first);
        while (path.isPresent()) {
            HttpResponse<byte[]> response = get(calls, path.get());
            try {
                JsonNode page = JsonMapper.shared().readTree(new String(response.body(), StandardCharsets.UTF_8));
                for (JsonNode build : page.path(property)) {
                    builds.add(BuildId.parseKey(build.path("buildId").asString("")));
                }
                String next = page.path("next").asString("");
                path = next.isEmpty() ? Optional.empty() : Optional.of(next.startsWith("/") ? next.substring(1) : next);
            } catch (JacksonException | IllegalArgumentException e) {
                throw new CommandFailure(
                        ExitCode.SERVER_FAILED, "the server answered without a list of builds; expected " + property);
            }
            if (builds.size() > BundleManifest.MAX_BUILDS) {
                throw new CommandFailure(
                        ExitCode.USAGE,
                        "more than " + BundleManifest.MAX_BUILDS + " builds; make several bundles with --builds");
            }
        }
    }

    private Optional<BuildArchive> download(ServerCalls calls, BuildId id) throws CommandFailure, IOException {
        calls.restartTimer();
        while (true) {
            HttpResponse<byte[]> response = calls.send(calls.request("v1/builds/" + id + "/bundle")
                    .timeout(CALL_TIMEOUT)
                    .setHeader("Accept", "application/x-tar")
                    .header("Prefer", calls.waitPreference())
                    .build());
            switch (response.statusCode()) {
                case 200 -> {
                    return Optional.of(archive(id, response.body()));
                }
                case 202 -> {
                    if (calls.timeLeft().isZero()) {
                        console.say("build " + id + " left out: the server is still reading it; try again with a longer"
                                + " --wait");
                        return Optional.empty();
                    }
                    calls.pause(IN_PROGRESS_PAUSE);
                }
                case 401, 403 -> throw ServerProblem.failure(response);
                default -> {
                    console.say("build " + id + " left out: " + ServerProblem.text(response));
                    return Optional.empty();
                }
            }
        }
    }

    private static BuildArchive archive(BuildId id, byte[] body) throws CommandFailure, IOException {
        Path file = Files.createTempFile("offsetd-", ".tar");
        try {
            Files.write(file, body);
            return BuildArchive.read(file, id);
        } catch (BundleException e) {
            throw new CommandFailure(
                    ExitCode.SERVER_FAILED,
                    "the server answered without the archive of build " + id + ": " + e.getMessage());
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static HttpResponse<byte[]> get(ServerCalls calls, String path) throws CommandFailure {
        HttpResponse<byte[]> response = calls.get(path);
        if (response.statusCode() != 200) {
            throw ServerProblem.failure(response);
        }
        return response;
    }
}
