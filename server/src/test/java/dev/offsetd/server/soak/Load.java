package dev.offsetd.server.soak;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.testkit.Json;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.stream.IntStream;
import tools.jackson.databind.JsonNode;

/** Mixed load on all servers at a bounded rate. Every answer is compared with the expected one. */
final class Load {

    private static final int THREADS = 6;

    /** Pause between two requests of a thread, which leaves a small machine room for the servers. */
    private static final int PAUSE_MILLIS = 40;

    private static final int MAX_KNOWN = 200;

    private final Cluster cluster;
    private final Client client;
    private final Writes writes;
    private final Failures failures;

    /** Builds that are stored. Some of them are requested repeatedly. */
    private final List<BuildId> known = new CopyOnWriteArrayList<>();

    /** Builds that were requested and not answered yet. */
    private final ConcurrentLinkedQueue<BuildId> wanted = new ConcurrentLinkedQueue<>();

    private final List<Thread> threads;
    private volatile boolean stopped;

    Load(Cluster cluster, Client client, Writes writes, Failures failures) {
        this.cluster = cluster;
        this.client = client;
        this.writes = writes;
        this.failures = failures;
        threads = IntStream.range(0, THREADS)
                .mapToObj(i -> Thread.ofPlatform().daemon().name("load-" + i).unstarted(this::run))
                .toList();
    }

    void start() {
        threads.forEach(Thread::start);
    }

    private void run() {
        try {
            while (!stopped) {
                one(ThreadLocalRandom.current());
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            failures.add("the load ended: " + e);
        }
    }

    private void one(ThreadLocalRandom random) throws InterruptedException {
        Server server = cluster.any();
        BuildId build = known.isEmpty() ? null : known.get(random.nextInt(known.size()));
        int dice = random.nextInt(1000);
        if (build == null || dice < 30) {
            uncached(server, SoakBuild.atUpstream());
        } else if (dice < 50) {
            BuildId again = wanted.poll();
            if (again != null) {
                uncached(server, again);
            }
        } else if (dice < 70) {
            miss(server);
        } else if (dice < 80) {
            writes.upload(cluster, server);
        } else if (dice < 90) {
            writes.pin(cluster, server);
        } else if (dice < 100) {
            writes.typeSet(cluster, server);
        } else if (dice < 104) {
            writes.prewarm(cluster, server);
        } else if (dice < 150) {
            batch(server, build, known.get(random.nextInt(known.size())));
        } else if (dice < 180) {
            expect("symbols", server, "/v1/symbols/" + build + "?names=no_such_symbol", "no_such_symbol");
        } else if (dice < 220) {
            expect("resolve", server, "/v1/resolve/" + build + "?expr=line%2B4", "line.to");
        } else if (dice < 260) {
            BuildId other = known.get(random.nextInt(known.size()));
            expect("diff", server, "/v1/diff?from=" + build + "&to=" + other + "&types=point", "point");
        } else if (dice < 280) {
            expect("builds", server, "/v1/builds?limit=20", "builds");
        } else if (dice < 300) {
            expect("types", server, "/v1/builds/" + build + "/types?q=po", "point");
        } else if (dice < 310) {
            expect("pins", server, "/v1/pins?limit=20", "pins");
        } else {
            client.get("cached", server, path(build))
                    .ifPresent(response -> require("cached", response, Writes::wrongAnswer));
        }
    }

    private static String path(BuildId build) {
        return "/v1/offsets/" + build + "?types=point.y,line";
    }

    private void uncached(Server server, BuildId build) throws InterruptedException {
        long began = System.nanoTime();
        Optional<HttpResponse<String>> response = client.get("uncached", server, path(build));
        int status = response.map(HttpResponse::statusCode).orElse(0);
        if (status == 200) {
            require("uncached", response.get(), Writes::wrongAnswer);
            writes.answered(build);
            if (known.size() < MAX_KNOWN) {
                known.add(build);
            }
            return;
        }
        wanted.add(build);
        // While the upstream that has the build is down, the server reports the miss or fault of the other one, with
        // short retention.
        if (status != 0
                && status != 202
                && !(isWordOfSources(status) && cluster.upstream().excuses(began))) {
            failures.add("uncached: " + build + " is " + status + ": "
                    + response.get().body());
        }
    }

    /**
     * Returns whether the status reports a missing build or an unusable file. One of the faults is a file that is too
     * large.
     */
    private static boolean isWordOfSources(int status) {
        return status == 404 || status == 422;
    }

    private void miss(Server server) throws InterruptedException {
        client.get(Client.MISS, server, path(SoakBuild.nowhere())).ifPresent(response -> {
            if (!isWordOfSources(response.statusCode()) && response.statusCode() != 202) {
                failures.add("miss: " + response.statusCode() + " " + response.body());
            }
        });
    }

    private void batch(Server server, BuildId one, BuildId other) throws InterruptedException {
        String body = "[{\"buildId\": \"" + one + "\", \"types\": \"point.y\"}, {\"buildId\": \"" + other
                + "\", \"types\": \"line.to\"}]";
        long began = System.nanoTime();
        client.send("batch", server, "POST", "/v1/offsets", BodyPublishers.ofString(body))
                .ifPresent(response -> require(
                        "batch",
                        response,
                        answer -> Json.of(answer)
                                        .path("answers")
                                        .valueStream()
                                        .allMatch(entry -> isRight(entry, server, began))
                                ? ""
                                : "unexpected"));
    }

    /** Each query of a batch has its own status. */
    private boolean isRight(JsonNode entry, Server server, long began) {
        int status = entry.path("status").asInt();
        return status == 200
                ? entry.path("answer").path("offsets").toString().contains("\"offset\":4")
                : status >= 500
                        && client.isExpected(
                                status, entry.path("problem").path("code").asString(""), server, began);
    }

    private void expect(String operation, Server server, String path, String text) throws InterruptedException {
        client.get(operation, server, path)
                .ifPresent(response ->
                        require(operation, response, answer -> answer.body().contains(text) ? "" : "without " + text));
    }

    private void require(
            String operation, HttpResponse<String> response, Function<HttpResponse<String>, String> wrong) {
        String fault = response.statusCode() == 200 ? wrong.apply(response) : "status " + response.statusCode();
        if (!fault.isEmpty()) {
            failures.add(operation + ": wrong answer: " + fault + ": " + response.uri() + ": " + response.body());
        }
    }

    /** Ends the load, and requests every unanswered build until it is answered. */
    void finish(long withinNanos) throws InterruptedException {
        stop();
        long end = System.nanoTime() + withinNanos;
        while (!wanted.isEmpty() && System.nanoTime() < end) {
            uncached(cluster.any(), wanted.remove());
            Thread.sleep(PAUSE_MILLIS);
        }
        if (!wanted.isEmpty()) {
            failures.add(wanted.size() + " builds that an upstream has never answered, such as " + wanted.peek());
        }
    }

    void stop() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
