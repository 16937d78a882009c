package dev.offsetd.server.prewarms.enrichment;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.packages.repositories.PackageFile;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.Releases;
import dev.offsetd.query.typeset.Releases.Release;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.watches.FoundFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The command {@code ./offsetd replay [SET...]}: stores the releases of Debian's suites in their order, as a watch does, and
 * compares the events with what {@code offsetd diff} finds between neighbours of the same options. It ends with 1 if a move has no
 * event, or an event no move.
 */
final class Replay {

    private static final Set<String> MOVES = Set.of("changed", "added", "removed");

    private final Path folder;
    private final Path programs;
    private final Path launcher;
    private final PrintStream out;
    private final List<String> others = new ArrayList<>();
    private int neighbours;
    private int moving;
    private int wrong;

    private Replay(Path folder, PrintStream out) throws IOException {
        this.folder = folder;
        this.programs = Files.createDirectory(folder.resolve("programs"));
        this.launcher = CommandLine.launcher(folder.resolve("offsetd"));
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException, ExtractionException, InterruptedException {
        List<String> sets = arguments.length == 0 ? Releases.sets() : List.of(arguments);
        if (!Releases.sets().containsAll(sets)) {
            System.err.println("usage: offsetd replay [SET...], of " + String.join(", ", Releases.sets()));
            System.exit(2);
        }
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        // The server's log is not part of the table.
        System.setOut(System.err);
        Path folder = Files.createTempDirectory("offsetd-replay");
        boolean right;
        try {
            right = new Replay(folder, out).run(sets);
        } finally {
            FileSystemUtils.deleteRecursively(folder);
        }
        System.exit(right ? 0 : 1);
    }

    private boolean run(List<String> sets) throws IOException, ExtractionException, InterruptedException {
        Releases releases = new Releases(Path.of(System.getProperty("offsetd.compiled")), folder, System.err);
        try (TestServer server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.events.sets=" + String.join(",", sets),
                "offsetd.local-folders=" + programs)) {
            out.println("| set | from | to | changed | added | removed | the same |");
            out.println("|---|---|---|---|---|---|---|");
            for (String set : sets) {
                replay(server, set, releases.of(set));
            }
        }
        out.println();
        others.forEach(pair -> out.println("other options: " + pair));
        out.printf(
                "%d neighbours, %d of them not compared, %d events of moves, %d wrong%n",
                neighbours, others.size(), moving, wrong);
        return wrong == 0;
    }

    /** A stored release, and the options of the runtime that its program states. */
    private record Stored(Release release, String id, Set<String> options) {

        /** Returns the first two numbers of its version. */
        private String series() {
            String version = release.version();
            int end = version.indexOf('.') + 1;
            while (end < version.length() && Character.isDigit(version.charAt(end))) {
                end++;
            }
            return version.substring(0, end);
        }
    }

    private void replay(TestServer server, String set, List<Release> releases)
            throws IOException, ExtractionException, InterruptedException {
        List<Stored> stored = new ArrayList<>();
        for (Release release : releases) {
            Stored now = new Stored(release, store(server, release), options(set, release));
            List<JsonNode> events = Json.of(server.get("/v1/events?kind=drift,unchanged,item_missing&limit=200"))
                    .path("events")
                    .valueStream()
                    .filter(event -> event.path("buildId").asString().equals(now.id))
                    .toList();
            Stored comparable = comparable(stored, now);
            if (!stored.isEmpty()) {
                Stored neighbour = stored.getLast();
                JsonNode types = differences(set, neighbour.release, release);
                out.printf(
                        "| %s | %s | %s | %d | %d | %d | %d |%n",
                        stored.size() == 1 ? "`" + set + "`" : "",
                        stored.size() == 1 ? neighbour.release.version() : "",
                        release.version(),
                        count(types, "changed"),
                        count(types, "added"),
                        count(types, "removed"),
                        count(types, "same"));
                neighbours++;
                if (!neighbour.equals(comparable)) {
                    others.add("@" + set + ", " + neighbour.release.version() + " -> " + release.version() + ": "
                            + neighbour.options + " -> " + now.options);
                }
            }
            check(set, comparable, now, events);
            stored.add(now);
        }
    }

    /**
     * Returns the newest earlier release with the options of one; if there is none, and the one begins a series, the newest; null
     * for none.
     */
    private static @Nullable Stored comparable(List<Stored> earlier, Stored now) {
        List<Stored> alike = earlier.stream()
                .filter(other -> other.options.equals(now.options))
                .toList();
        boolean beginsSeries =
                earlier.stream().noneMatch(other -> other.series().equals(now.series()));
        List<Stored> candidates = alike.isEmpty() && beginsSeries ? earlier : alike;
        return candidates.isEmpty() ? null : candidates.getLast();
    }

    /** Returns the variant tokens of the type set, as the program states them, without sizes of variables. */
    private static Set<String> options(String set, Release release) throws IOException, ExtractionException {
        ReadOptions reading = new ReadOptions(Limits.DEFAULT, 1)
                .withProbes(
                        TypeSet.probes(List.of(new BuiltInTypeSets().find(set).orElseThrow())));
        return new TreeSet<>(
                DebugInfo.read(release.program(), reading, DebugInfo::identity).all(IdentityField.Kind.VARIANT).stream()
                        // Sizes of variables change with the members that releases move.
                        .filter(variant -> !variant.matches(".*=[0-9]+"))
                        .toList());
    }

    /** Stores a release as a watch does that has read its package, and compares it with the one before it. */
    private String store(TestServer server, Release release)
            throws IOException, ExtractionException, InterruptedException {
        ElfFacts facts = DebugInfo.read(release.debugFile(), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::facts);
        String id = String.valueOf(facts.buildId());
        String file = ".build-id/" + id.substring(0, 2) + "/" + id.substring(2);
        Path program = programs.resolve(file);
        Files.createDirectories(program.getParent());
        Files.copy(release.program(), program);
        server.bean(FoundFiles.class)
                .store(
                        new PackageFile(
                                release.packageName() + "_" + release.version() + "_amd64.deb!./usr/lib/debug/" + file
                                        + ".debug",
                                release.debugFile(),
                                facts,
                                release.supplementary().orElse(null)),
                        "replay");
        server.bean(IdentityWork.class).workOnAll();
        return id;
    }

    /** Returns the types of {@code offsetd diff}. */
    private JsonNode differences(String set, Release from, Release to) throws IOException, InterruptedException {
        CommandLine.Run run = CommandLine.run(
                folder,
                Map.of(),
                launcher.toString(),
                "diff",
                from.debugFile().toString(),
                to.debugFile().toString(),
                "@" + set,
                "--json");
        if (run.exitCode() > 1) {
            throw new IOException("offsetd diff ends with " + run.exitCode() + ": " + run.err());
        }
        return JsonMapper.shared().readTree(run.out()).path("types");
    }

    private static long count(JsonNode types, String status) {
        return types.valueStream()
                .filter(type -> type.path("status").asString().equals(status))
                .count();
    }

    /**
     * Compares the events of a release with what the command finds.
     *
     * @param before the release with which the server compares it; null for none
     */
    private void check(String set, @Nullable Stored before, Stored now, List<JsonNode> events)
            throws IOException, InterruptedException {
        String release = "@" + set + " of " + now.release.version();
        List<String> kinds =
                events.stream().map(event -> event.path("kind").asString()).toList();
        if (before == null) {
            if (!events.isEmpty()) {
                fail(release, "no earlier release of these options, and the events are " + kinds);
            }
            return;
        }
        List<JsonNode> moves = differences(set, before.release, now.release)
                .valueStream()
                .filter(type -> MOVES.contains(type.path("status").asString()))
                .toList();
        moving += moves.isEmpty() ? 0 : 1;
        boolean unchecked = events.stream()
                .map(event -> event.path("detail"))
                .anyMatch(detail -> detail.has("newSeries") && detail.has("uncheckedVersion"));
        if (!kinds.equals(List.of(moves.isEmpty() && !unchecked ? "unchanged" : "drift"))) {
            fail(release, moves.size() + " moves, and the events are " + kinds);
        }
        for (JsonNode event : events) {
            JsonNode detail = event.path("detail");
            if (!detail.path("from").path("buildId").asString().equals(before.id)) {
                fail(release, "compared with " + detail.path("from"));
            }
            if (event.path("kind").asString().equals("drift")
                    && !detail.path("types").valueStream().toList().equals(moves)) {
                fail(
                        release,
                        "the event has other moves: " + event.path("title").asString());
            }
        }
    }

    private void fail(String release, String message) {
        wrong++;
        System.err.println("WRONG: " + release + ": " + message);
    }
}
