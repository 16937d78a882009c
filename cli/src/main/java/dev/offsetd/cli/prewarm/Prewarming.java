package dev.offsetd.cli.prewarm;

import dev.offsetd.cli.prewarm.PrewarmClient.Batch;
import dev.offsetd.cli.prewarm.ProgressBars.NamedBuild;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.terminal.ByteProgress;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.TerminalSize;
import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.packages.SearchResult;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Makes builds ready on a server, and waits for it. */
final class Prewarming {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Console console;
    private final BearerToken token;

    Prewarming(Console console, BearerToken token) {
        this.console = console;
        this.token = token;
    }

    /**
     * Items of a prewarm request, and how long to wait for it.
     *
     * @param requested distinct builds
     * @param types items and sets that each build must have
     * @param bounds required shares of sets
     * @param maxWait how long to wait
     */
    record Options(
            URI server,
            List<RequestedBuild> requested,
            List<String> types,
            Priority priority,
            List<FailUnder> bounds,
            Duration maxWait) {

        Options {
            requested = List.copyOf(requested);
            types = List.copyOf(types);
            bounds = List.copyOf(bounds);
        }
    }

    /**
     * Sends the builds and waits.
     *
     * @param search the origin of the builds, for the report
     * @param asJson whether to print one JSON document instead of the table
     */
    int run(Options options, SearchResult search, boolean asJson) throws CommandFailure, IOException {
        try (ServerCalls calls = new ServerCalls(options.server(), token, console, options.maxWait())) {
            Run run = new Run(options, calls);
            Thread interruption = new Thread(run::reportInterruption, "interruption");
            Runtime.getRuntime().addShutdownHook(interruption);
            boolean inTime;
            try {
                run.start();
                inTime = run.await();
            } catch (CommandFailure e) {
                throw run.begun().isEmpty()
                        ? e
                        : new CommandFailure(
                                e.exitCode(), e.getMessage() + "; the server continues with " + run.begun());
            } finally {
                removeHook(interruption);
            }
            console.clearProgress();
            boolean satisfied = run.isSatisfied();
            if (asJson) {
                console.println(run.json(search, satisfied).toString());
            } else {
                run.printTable();
            }
            if (!inTime) {
                console.say("not done after " + options.maxWait().toSeconds() + " s: " + run.summary()
                        + "; the server continues with " + run.begun());
                return ExitCode.SERVER_FAILED;
            }
            return satisfied ? ExitCode.OK : ExitCode.NOT_ALL;
        }
    }

    private static void removeHook(Thread interruption) {
        try {
            Runtime.getRuntime().removeShutdownHook(interruption);
        } catch (IllegalStateException shuttingDown) {
            // The hook is already running.
        }
    }

    /** When a transfer was first seen, and its bytes then. */
    private record Transfer(long nanoTime, long bytes) {}

    private final class Run {

        private final Options options;
        private final ServerCalls calls;
        private final PrewarmClient client;

        /** The last response for each batch, by its id. */
        private final Map<String, Batch> known = new LinkedHashMap<>();

        /** The last progress of each build. */
        private final Map<BuildId, BuildProgress> progress = new LinkedHashMap<>();

        private final Map<BuildId, Transfer> transfers = new HashMap<>();

        private final Map<BuildId, RequestedBuild> requested = new LinkedHashMap<>();

        Run(Options options, ServerCalls calls) {
            this.options = options;
            this.calls = calls;
            this.client = new PrewarmClient(calls);
        }

        void start() throws CommandFailure {
            for (RequestedBuild build : options.requested()) {
                BuildId id = build.buildId().isGnu() ? build.buildId() : client.stored(build.buildId());
                requested.put(id, new RequestedBuild(id, build.found()));
            }
            List<RequestedBuild> builds = List.copyOf(requested.values());
            for (int from = 0; from < builds.size(); from += PrewarmClient.MAX_BUILDS) {
                int to = Math.min(builds.size(), from + PrewarmClient.MAX_BUILDS);
                console.progress("sending " + builds.size() + " builds to " + options.server());
                Batch batch = client.start(builds.subList(from, to), options.types(), options.priority());
                remember(batch);
                console.say(to - from + (to - from == 1 ? " build: " : " builds: ") + client.uri(batch.id()));
            }
        }

        /** @return whether all batches ended in time */
        boolean await() throws CommandFailure {
            Duration pause = FIRST_PAUSE;
            while (true) {
                show();
                if (known.values().stream().allMatch(Batch::hasEnded)) {
                    return true;
                }
                if (calls.timeLeft().isZero()) {
                    return false;
                }
                calls.pause(pause);
                boolean changed = false;
                for (Batch batch : List.copyOf(known.values())) {
                    if (!batch.hasEnded()) {
                        changed |= remember(client.get(batch.id()));
                    }
                }
                // Back off while nothing changes.
                pause = changed ? FIRST_PAUSE : min(pause.multipliedBy(2), LONGEST_PAUSE);
            }
        }

        /** Returns how a query with {@code fallback=consensus} is answered. */
        private String answer(BuildProgress build) {
            return build.isDone() ? "exact" : build.item().path("answer").asString("none");
        }

        /** @return whether a build has changed */
        private synchronized boolean remember(Batch batch) {
            known.put(batch.id(), batch);
            boolean changed = false;
            for (BuildProgress now : batch.builds()) {
                BuildProgress before = progress.put(now.buildId(), now);
                changed |= !now.equals(before);
                if (now.hasEnded() && (before == null || !before.hasEnded())) {
                    sayEnded(now);
                }
            }
            return changed;
        }

        private void sayEnded(BuildProgress build) {
            if (console.terminal().isEmpty()) {
                console.say(name(build) + " " + build.buildId() + ": " + build.outcome());
            }
        }

        private void show() {
            Optional<TerminalSize> terminal = console.terminal();
            if (terminal.isPresent()) {
                console.progress(ProgressBars.lines(named(), terminal.get()));
            }
        }

        private List<NamedBuild> named() {
            return progress.values().stream()
                    .map(build -> new NamedBuild(name(build), build, timeLeft(build)))
                    .toList();
        }

        /** Returns the estimate for a transfer at its speed since it was first seen; empty if its size is not known. */
        private String timeLeft(BuildProgress build) {
            if (build.bytes() == null || build.totalBytes() == null) {
                transfers.remove(build.buildId());
                return "";
            }
            long bytes = build.bytes();
            Transfer seen = transfers.computeIfAbsent(build.buildId(), _ -> new Transfer(System.nanoTime(), bytes));
            return ByteProgress.estimate(
                    bytes - seen.bytes(), build.totalBytes() - seen.bytes(), System.nanoTime() - seen.nanoTime());
        }

        private String name(BuildProgress build) {
            return Optional.ofNullable(requested.get(build.buildId()))
                    .map(RequestedBuild::name)
                    .orElse("-");
        }

        String summary() {
            return ProgressBars.summary(named(), 0);
        }

        /** The URLs of started batches; empty if there are none. */
        synchronized String begun() {
            return known.keySet().stream().map(id -> client.uri(id).toString()).collect(Collectors.joining(", "));
        }

        void reportInterruption() {
            String begun = begun();
            console.sayLast(
                    begun.isEmpty()
                            ? "interrupted before the server answered"
                            : "interrupted; the server continues with " + begun + " (DELETE cancels it)");
        }

        boolean isSatisfied() {
            return requested.keySet().stream()
                    .allMatch(id -> Optional.ofNullable(progress.get(id))
                            .filter(build -> build.satisfies(options.bounds()))
                            .isPresent());
        }

        void printTable() throws IOException {
            TextTable table = new TextTable("FILE", "BUILD", "STATE", "COVERAGE", "CAUSE");
            for (BuildProgress build : progress.values()) {
                table.add(name(build), build.buildId().toString(), state(build), build.coverage(), build.cause());
            }
            table.print(console);
        }

        private String state(BuildProgress build) {
            if (answer(build).equals("consensus")) {
                return "consensus";
            }
            return build.isDone() && !build.satisfies(options.bounds()) ? "incomplete" : build.state();
        }

        ObjectNode json(SearchResult search, boolean satisfied) {
            ObjectNode document = JsonMapper.shared().createObjectNode();
            document.put("complete", satisfied && search.unreadable().isEmpty());
            ArrayNode list = document.putArray("batches");
            for (Batch batch : known.values()) {
                list.addObject()
                        .put("id", batch.id())
                        .put("url", client.uri(batch.id()).toString())
                        .put("state", batch.state());
            }
            ArrayNode builds = document.putArray("builds");
            for (RequestedBuild requestedBuild : requested.values()) {
                ObjectNode build = builds.addObject();
                build.put("buildId", requestedBuild.buildId().toString());
                if (requestedBuild.found() != null) {
                    build.put("arch", requestedBuild.found().architecture().machine());
                }
                ArrayNode files = build.putArray("files");
                requestedBuild.places().forEach(files::add);
                BuildProgress known = progress.get(requestedBuild.buildId());
                build.put("satisfied", known != null && known.satisfies(options.bounds()));
                if (known != null) {
                    build.put("answer", answer(known));
                    known.item().properties().forEach(property -> {
                        if (!build.has(property.getKey())) {
                            build.set(property.getKey(), property.getValue());
                        }
                    });
                }
            }
            ArrayNode passedOver = document.putArray("passedOver");
            List<SearchResult.UnreadableFile> unreadable = new ArrayList<>(search.unreadable());
            unreadable.addAll(search.skipped());
            for (SearchResult.UnreadableFile unread : unreadable) {
                passedOver.addObject().put("file", unread.place()).put("reason", unread.reason());
            }
            document.put("withoutBuildId", search.withoutBuildId());
            return document;
        }

        private static Duration min(Duration a, Duration b) {
            return a.compareTo(b) < 0 ? a : b;
        }
    }
}
