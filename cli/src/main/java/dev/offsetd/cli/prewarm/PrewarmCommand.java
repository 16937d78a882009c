package dev.offsetd.cli.prewarm;

import dev.offsetd.cli.packages.Findings;
import dev.offsetd.cli.prewarm.Batches.Batch;
import dev.offsetd.cli.prewarm.ProgressBars.Named;
import dev.offsetd.cli.remote.BearerToken;
import dev.offsetd.cli.remote.ServerCalls;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.TerminalSize;
import dev.offsetd.cli.terminal.TextTable;
import dev.offsetd.extractor.layout.BuildId;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code prewarm URL PATH...}: has a server get builds, and waits until it has. */
public final class PrewarmCommand {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

    private final Console console;
    private final BearerToken token;

    public PrewarmCommand(Console console, BearerToken token) {
        this.console = console;
        this.token = token;
    }

    /**
     * What is asked of the server.
     *
     * @param server its URL
     * @param wishes builds, each once
     * @param types items and sets that are to be in each of them
     * @param priority the API's word
     * @param bounds how much of a set is enough
     * @param patience how long to wait until all is done
     */
    public record Order(
            URI server,
            List<Wish> wishes,
            List<String> types,
            String priority,
            List<FailUnder> bounds,
            Duration patience) {

        public Order {
            wishes = List.copyOf(wishes);
            types = List.copyOf(types);
            bounds = List.copyOf(bounds);
        }
    }

    /**
     * Sends the builds, and waits.
     *
     * @param findings where the builds are from, for the report
     * @param asJson whether to print one JSON document in place of the table
     */
    public int run(Order order, Findings findings, boolean asJson) throws CommandFailure, IOException {
        try (ServerCalls calls = new ServerCalls(order.server(), token, console, order.patience())) {
            Run run = new Run(order, calls);
            Thread goodbye = new Thread(run::sayGoodbye, "goodbye");
            Runtime.getRuntime().addShutdownHook(goodbye);
            boolean inTime;
            try {
                run.start();
                inTime = run.await();
            } catch (CommandFailure e) {
                throw run.begun().isEmpty()
                        ? e
                        : new CommandFailure(e.exitCode(), e.getMessage() + "; the server goes on with " + run.begun());
            } finally {
                stopWaitingFor(goodbye);
            }
            console.clearProgress();
            boolean satisfied = run.isSatisfied();
            if (asJson) {
                console.println(run.json(findings, satisfied).toString());
            } else {
                run.printTable();
            }
            if (!inTime) {
                console.say("not done after " + order.patience().toSeconds() + " s: " + run.summary()
                        + "; the server goes on with " + run.begun());
                return ExitCode.SERVER_FAILED;
            }
            return satisfied ? ExitCode.OK : ExitCode.NOT_ALL;
        }
    }

    private static void stopWaitingFor(Thread goodbye) {
        try {
            Runtime.getRuntime().removeShutdownHook(goodbye);
        } catch (IllegalStateException shuttingDown) {
            // It is being said.
        }
    }

    /** One run of the command. */
    private final class Run {

        private final Order order;
        private final ServerCalls calls;
        private final Batches batches;

        /** What the server said last of each batch, by its id. */
        private final Map<String, Batch> known = new LinkedHashMap<>();

        /** What the server said last of each build. */
        private final Map<BuildId, Progress> progress = new LinkedHashMap<>();

        private final Map<BuildId, Wish> wishes = new LinkedHashMap<>();

        Run(Order order, ServerCalls calls) {
            this.order = order;
            this.calls = calls;
            this.batches = new Batches(calls);
            order.wishes().forEach(wish -> wishes.put(wish.buildId(), wish));
        }

        void start() throws CommandFailure {
            List<BuildId> builds = List.copyOf(wishes.keySet());
            for (int from = 0; from < builds.size(); from += Batches.MAX_BUILDS) {
                int to = Math.min(builds.size(), from + Batches.MAX_BUILDS);
                console.progress("sending " + builds.size() + " builds to " + order.server());
                Batch batch = batches.start(builds.subList(from, to), order.types(), order.priority());
                remember(batch);
                console.say(to - from + (to - from == 1 ? " build: " : " builds: ") + batches.uri(batch.id()));
            }
        }

        /** @return whether all batches have ended before the time was over */
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
                boolean news = false;
                for (Batch batch : List.copyOf(known.values())) {
                    if (!batch.hasEnded()) {
                        news |= remember(batches.look(batch.id()));
                    }
                }
                // While nothing happens, nobody has to be asked twice a second.
                pause = news ? FIRST_PAUSE : min(pause.multipliedBy(2), LONGEST_PAUSE);
            }
        }

        /** @return whether a build has changed */
        private synchronized boolean remember(Batch batch) {
            known.put(batch.id(), batch);
            boolean news = false;
            for (Progress now : batch.builds()) {
                Progress before = progress.put(now.buildId(), now);
                news |= !now.equals(before);
                if (now.hasEnded() && (before == null || !before.hasEnded())) {
                    sayEnded(now);
                }
            }
            return news;
        }

        private void sayEnded(Progress build) {
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

        private List<Named> named() {
            return progress.values().stream()
                    .map(build -> new Named(name(build), build))
                    .toList();
        }

        private String name(Progress build) {
            return Optional.ofNullable(wishes.get(build.buildId()))
                    .map(Wish::name)
                    .orElse("-");
        }

        String summary() {
            return ProgressBars.summary(named(), 0);
        }

        /** Where the batches are that the server has begun with; empty if it has not. */
        synchronized String begun() {
            return known.keySet().stream().map(id -> batches.uri(id).toString()).collect(Collectors.joining(", "));
        }

        void sayGoodbye() {
            String begun = begun();
            console.sayLast(
                    begun.isEmpty()
                            ? "interrupted; no answer of the server had come yet"
                            : "interrupted; the server goes on with " + begun + " (DELETE there cancels it)");
        }

        boolean isSatisfied() {
            return wishes.keySet().stream()
                    .allMatch(id -> Optional.ofNullable(progress.get(id))
                            .filter(build -> build.satisfies(order.bounds()))
                            .isPresent());
        }

        void printTable() throws IOException {
            TextTable table = new TextTable("BUILD", "FILE", "STATE", "COVERAGE", "CAUSE");
            for (Progress build : progress.values()) {
                table.add(
                        build.buildId().toString(),
                        name(build),
                        build.isDone() && !build.satisfies(order.bounds()) ? "incomplete" : build.state(),
                        build.coverage(),
                        build.cause());
            }
            table.print(console);
        }

        ObjectNode json(Findings findings, boolean satisfied) {
            ObjectNode document = JsonMapper.shared().createObjectNode();
            document.put("complete", satisfied);
            ArrayNode list = document.putArray("batches");
            for (Batch batch : known.values()) {
                list.addObject()
                        .put("id", batch.id())
                        .put("url", batches.uri(batch.id()).toString())
                        .put("state", batch.state());
            }
            ArrayNode builds = document.putArray("builds");
            for (Wish wish : wishes.values()) {
                ObjectNode build = builds.addObject();
                build.put("buildId", wish.buildId().toString());
                wish.found()
                        .ifPresent(
                                found -> build.put("arch", found.architecture().machine()));
                ArrayNode files = build.putArray("files");
                wish.places().forEach(files::add);
                Progress known = progress.get(wish.buildId());
                build.put("satisfied", known != null && known.satisfies(order.bounds()));
                if (known != null) {
                    known.item().properties().forEach(property -> {
                        if (!build.has(property.getKey())) {
                            build.set(property.getKey(), property.getValue());
                        }
                    });
                }
            }
            ArrayNode passedOver = document.putArray("passedOver");
            for (Findings.Unread unread : findings.passedOver()) {
                passedOver.addObject().put("file", unread.place()).put("reason", unread.reason());
            }
            document.put("withoutBuildId", findings.withoutBuildId());
            return document;
        }

        private static Duration min(Duration a, Duration b) {
            return a.compareTo(b) < 0 ? a : b;
        }
    }
}
