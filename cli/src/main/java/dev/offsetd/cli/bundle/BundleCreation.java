package dev.offsetd.cli.bundle;

import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.bundle.BuildArchive;
import dev.offsetd.query.bundle.BundleException;
import dev.offsetd.query.bundle.BundleManifest;
import dev.offsetd.query.bundle.BundleWriter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code bundle create}: downloads builds from a server into one file. */
public final class BundleCreation {

    private static final Duration CALL_TIMEOUT = Duration.ofMinutes(10);
    private static final int WAIT_SECONDS = 30;
    private static final Duration IN_PROGRESS_PAUSE = Duration.ofSeconds(1);

    private final Console console;
    private final BearerToken token;

    public BundleCreation(Console console, BearerToken token) {
        this.console = console;
        this.token = token;
    }

    /**
     * Contents of a bundle.
     *
     * @param builds named one by one
     * @param all every stored build of the server
     * @param demand the builds that its clients asked for and no source had
     * @param sets names of type sets
     * @param key private key of the signer; empty for an unsigned bundle
     */
    public record Request(
            URI server,
            List<BuildId> builds,
            boolean all,
            boolean demand,
            List<String> sets,
            Optional<Path> key,
            Duration patience) {

        public Request {
            builds = List.copyOf(builds);
            sets = List.copyOf(sets);
        }
    }

    /** Writes the bundle; it appears when it is complete. */
    public int run(Request request, Path file, String product) throws CommandFailure, IOException {
        Path target = file.toAbsolutePath();
        Path unfinished = target.resolveSibling(
                target.getFileName() + ".unfinished-" + ProcessHandle.current().pid());
        try (ServerCalls calls =
                new ServerCalls(request.server(), token, console, request.patience(), BuildArchive.MAX_BYTES)) {
            Collection<BuildId> wanted = builds(calls, request);
            BundleManifest manifest;
            // Never through a link that another account has put into a shared folder.
            Files.deleteIfExists(unfinished);
            try (OutputStream out = new BufferedOutputStream(
                    Files.newOutputStream(unfinished, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))) {
                manifest = write(calls, request, wanted, out, product);
            } catch (BundleException e) {
                throw new CommandFailure(ExitCode.BAD_FILE, "the bundle cannot be made: " + e.getMessage());
            }
            if (manifest.builds().isEmpty()) {
                throw new CommandFailure(ExitCode.NOTHING_TO_SEND, "the server has none of these builds");
            }
            Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
            console.println(file + ": " + manifest.builds().size() + " builds, "
                    + request.sets().size() + " type sets, " + Files.size(target) + " bytes, "
                    + (request.key().isPresent() ? "signed" : "not signed"));
            return manifest.builds().size() < wanted.size() ? ExitCode.NOT_ALL : ExitCode.OK;
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private BundleManifest write(
            ServerCalls calls, Request request, Collection<BuildId> wanted, OutputStream out, String product)
            throws CommandFailure, IOException, BundleException {
        BundleWriter bundle = new BundleWriter(out);
        int number = 0;
        for (BuildId id : wanted) {
            number++;
            console.progress("downloading build " + number + " of " + wanted.size());
            Optional<BuildArchive> build = download(calls, id);
            if (build.isPresent()) {
                bundle.add(build.get());
            }
        }
        for (String set : request.sets()) {
            bundle.addSet(set, get(calls, "v1/type-sets/" + set).body());
        }
        return bundle.<CommandFailure>finish(
                product,
                Instant.now().truncatedTo(ChronoUnit.SECONDS),
                withoutUser(request.server()),
                manifest -> request.key().isPresent()
                        ? SshSignature.sign(request.key().get(), manifest)
                        : new byte[0]);
    }

    private static String withoutUser(URI server) {
        String user = server.getRawUserInfo();
        return user == null ? server.toString() : server.toString().replace(user + '@', "");
    }

    /** Returns the builds of the request, sorted: equal requests make equal bundles. */
    private Collection<BuildId> builds(ServerCalls calls, Request request) throws CommandFailure {
        TreeSet<BuildId> builds = new TreeSet<>(request.builds());
        if (request.all()) {
            addListed(calls, "v1/builds?state=extracted&limit=200", "builds", builds);
        }
        if (request.demand()) {
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
            HttpResponse<byte[]> response = calls.send(request(
                            calls, "v1/builds/" + id + "/bundle", "application/x-tar")
                    .header(
                            "Prefer",
                            "wait=" + Math.min(WAIT_SECONDS, calls.timeLeft().toSeconds()))
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
                case 401, 403 -> throw new CommandFailure(ExitCode.SERVER_FAILED, ServerProblem.text(response));
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
        HttpResponse<byte[]> response =
                calls.send(request(calls, path, "application/json").build());
        if (response.statusCode() != 200) {
            throw new CommandFailure(ExitCode.SERVER_FAILED, ServerProblem.text(response));
        }
        return response;
    }

    private static HttpRequest.Builder request(ServerCalls calls, String path, String accept) {
        return HttpRequest.newBuilder(calls.uri(path)).timeout(CALL_TIMEOUT).header("Accept", accept);
    }
}
