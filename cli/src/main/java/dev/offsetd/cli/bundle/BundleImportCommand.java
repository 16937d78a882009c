package dev.offsetd.cli.bundle;

import dev.offsetd.cli.bundle.SshSignature.ValidSignature;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.remote.ServerOptions;
import dev.offsetd.cli.remote.ServerProblem;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.query.bundle.BuildArchive;
import dev.offsetd.query.bundle.BundleManifest;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetSyntaxException;
import dev.offsetd.query.typeset.TypeSetWriter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.TreeBuildingGenerator;

/** {@code bundle import}: sends the type sets and builds of a bundle to a server. */
final class BundleImportCommand extends Command {

    private static final Duration CALL_TIMEOUT = Duration.ofMinutes(10);

    /** Statuses of answers about one build: it is taken, or the same call fails again. */
    private static final Set<Integer> ANSWERED = Set.of(200, 201, 409, 413, 422);

    /** Result of a build that the server did not take. */
    private static final String KEPT = "kept";

    private final Supplier<Path> file = parameter("FILE", Path.class, "the bundle");
    private final Supplier<String> url = ServerOptions.url(this);
    private final Supplier<@Nullable Path> signers = BundleCommand.signers(this);
    private final BooleanSupplier anySigner = flag("--any-signer", "import the bundle without checking the signer");
    private final Supplier<Duration> wait = ServerOptions.wait(this, "10m", "for the server, for each build");
    private final ServerOptions server = new ServerOptions(this);

    BundleImportCommand(Console console) {
        super(
                console,
                "Send the builds, pins and type sets of a bundle to a server.",
                "Needs a token with the scope admin. Imports again what was interrupted; what is there stays.");
        examples("offsetd bundle import site.offsetd 10.0.0.5:8080 --signers signers");
        exitCodes(
                "0:the server has everything of the bundle",
                "2:invalid command line",
                "3:the bundle is not valid (nothing was sent), or the server keeps other builds, pins or sets",
                "4:the server is unreachable or failed",
                "7:the server requires a token, or refuses this one (401, 403)");
    }

    /** Imports a bundle after all of it has been checked. */
    @Override
    public Integer call() throws CommandFailure, IOException {
        if (signers.get() == null && !anySigner.getAsBoolean()) {
            throw CommandFailure.usage("--signers is missing; expected the file of allowed signers, or --any-signer");
        }
        URI address = ServerOptions.server(url.get());
        Duration maxWait = wait.get();
        try (VerifiedBundle bundle = VerifiedBundle.open(file.get(), signers.get());
                ServerCalls calls = new ServerCalls(address, server.token(), console, maxWait)) {
            console.progress("verifying " + file.get());
            bundle.read(each -> {
                each.verify();
                return true;
            });
            boolean whole = importSets(bundle, calls);
            ValidSignature signature = bundle.signature();
            String query = signature == null ? "" : "?signer=" + ServerCalls.encoded(signature.name());
            Map<String, Integer> results = new TreeMap<>();
            int number = 0;
            int pins = 0;
            for (BundleManifest.BuildEntry entry : bundle.bundle().manifest().builds()) {
                number++;
                console.progress("importing build " + number + " of "
                        + bundle.bundle().manifest().builds().size());
                calls.restartTimer();
                JsonNode answer = importBuild(bundle.read(each -> each.build(entry.id())), calls, query);
                results.merge(result(answer), 1, Integer::sum);
                pins += answer.path("pinsAdded").asInt(0);
                whole &= report(entry, answer);
            }
            console.println(
                    results.getOrDefault("taken", 0) + " builds imported, " + results.getOrDefault("replaced", 0)
                            + " replaced, " + results.getOrDefault("same_file", 0) + " already there, "
                            + results.getOrDefault(KEPT, 0) + " left out; " + pins + " pins added");
            return whole ? ExitCode.OK : ExitCode.NOT_ALL;
        }
    }

    /** Returns what the server did with a build; a problem says only why it did nothing. */
    private static String result(JsonNode answer) {
        return answer.path("result").asString(KEPT);
    }

    /** Returns whether everything of the build is on the server now, or was before. */
    private boolean report(BundleManifest.BuildEntry build, JsonNode answer) {
        boolean kept = result(answer).equals(KEPT);
        if (kept) {
            console.say("build " + build.id() + " left out: "
                    + answer.path("detail").asString(""));
        }
        for (JsonNode pin : answer.path("pinsLeftOut")) {
            console.say("build " + build.id() + ": pin of " + pin.path("item").asString("") + " left out: "
                    + pin.path("detail").asString(""));
        }
        return !kept && answer.path("pinsLeftOut").isEmpty();
    }

    private static JsonNode importBuild(BuildArchive build, ServerCalls calls, String query)
            throws CommandFailure, IOException {
        HttpResponse<byte[]> response =
                calls.send(calls.request("v1/builds/" + build.build().id() + "/bundle" + query)
                        .timeout(CALL_TIMEOUT)
                        .header("Content-Type", "application/x-tar")
                        .PUT(BodyPublishers.ofByteArray(build.toBytes()))
                        .build());
        if (!ANSWERED.contains(response.statusCode())) {
            throw ServerProblem.failure("build " + build.build().id() + ": ", response);
        }
        JsonNode result = ServerCalls.json(response);
        if (result.isMissingNode()) {
            throw new CommandFailure(
                    ExitCode.SERVER_FAILED, "the server answered " + response.statusCode() + " without a result");
        }
        return result;
    }

    /** Sends the type sets that the server does not have. Returns whether it has none of them in another version. */
    private boolean importSets(VerifiedBundle bundle, ServerCalls calls) throws CommandFailure {
        boolean whole = true;
        for (String name : bundle.bundle().setNames()) {
            TypeSet set = bundle.read(each -> each.set(name));
            HttpResponse<byte[]> known = calls.get("v1/type-sets/" + name);
            if (known.statusCode() == 404) {
                create(set, calls);
            } else if (known.statusCode() != 200) {
                throw ServerProblem.failure(known);
            } else if (!isSame(set, known.body())) {
                console.say("type set @" + name + " left out: the server has another version of it");
                whole = false;
            }
        }
        return whole;
    }

    private static void create(TypeSet set, ServerCalls calls) throws CommandFailure {
        HttpResponse<byte[]> response = calls.send(calls.request("v1/type-sets/" + set.name())
                .header("Content-Type", "application/json")
                .header("If-None-Match", "*")
                .PUT(BodyPublishers.ofString(withoutVersion(set).toString(), StandardCharsets.UTF_8))
                .build());
        if (response.statusCode() != 201 && response.statusCode() != 200) {
            throw ServerProblem.failure("type set @" + set.name() + ": ", response);
        }
    }

    private static boolean isSame(TypeSet set, byte[] known) throws CommandFailure {
        try {
            return withoutVersion(TypeSetParser.parse(known)).equals(withoutVersion(set));
        } catch (TypeSetSyntaxException e) {
            throw new CommandFailure(ExitCode.SERVER_FAILED, "type set @" + set.name() + ": " + e.getMessage());
        }
    }

    /** Returns the set as an author sends it: each server counts the versions itself. */
    private static ObjectNode withoutVersion(TypeSet set) {
        try (TreeBuildingGenerator tree = TreeBuildingGenerator.forSerialization(null, JsonNodeFactory.instance)) {
            TypeSetWriter.write(tree, set);
            ObjectNode json = (ObjectNode) tree.treeBuilt();
            json.remove("version");
            return json;
        }
    }
}
