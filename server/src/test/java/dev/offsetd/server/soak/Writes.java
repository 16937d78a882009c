package dev.offsetd.server.soak;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** Performs writes, records those that were acknowledged, and checks that they are visible. */
final class Writes {

    private static final Duration APPEARS = Duration.ofSeconds(10);
    private static final Duration APPEARS_AFTER_KILL = Duration.ofSeconds(60);

    /** Number of type sets that are overwritten repeatedly. */
    private static final int SETS = 8;

    /** Number of uploads of which a share tells something. */
    private static final int MIN_UPLOADS = 10;

    private static final String LOOK = "read back";

    private final Client client;
    private final Failures failures;
    private final List<Write> acknowledged = Collections.synchronizedList(new ArrayList<>());
    private final List<BuildId> prewarmed = new CopyOnWriteArrayList<>();
    private final AtomicInteger uploads = new AtomicInteger();
    private final AtomicInteger refusedUploads = new AtomicInteger();
    private final AtomicInteger number = new AtomicInteger();
    private final ConcurrentMap<String, TypeSet> sets = new ConcurrentHashMap<>();

    Writes(Client client, Failures failures) {
        this.client = client;
        this.failures = failures;
    }

    private record Expected(String what, String path, String query, Function<HttpResponse<String>, String> wrong)
            implements Write {

        @Override
        public Optional<String> look(Client client, Server server) throws InterruptedException {
            return client.get(query, server, path)
                    .map(response -> response.statusCode() == 200
                            ? wrong.apply(response)
                            : response.statusCode() + " " + response.body());
        }
    }

    /** A type set whose title is a number: the last one acknowledged, or a later one whose request got no response. */
    private static final class TypeSet implements Write {

        private final String name;
        private int sent;
        private int stored;

        TypeSet(String name) {
            this.name = name;
        }

        @Override
        public String what() {
            return "type set " + name;
        }

        @Override
        public synchronized Optional<String> look(Client client, Server server) throws InterruptedException {
            return client.get(LOOK, server, "/v1/type-sets/" + name).map(response -> {
                if (response.statusCode() != 200) {
                    return response.statusCode() + " " + response.body();
                }
                int title = Integer.parseInt(Json.of(response).path("title").asString("-1"));
                return title >= stored && title <= sent
                        ? ""
                        : "title " + title + "; stored " + stored + ", sent " + sent;
            });
        }

        synchronized int stored() {
            return stored;
        }

        synchronized boolean put(Client client, Server server, int number) throws InterruptedException {
            sent = number;
            Optional<HttpResponse<String>> response = client.send(
                    "type set",
                    server,
                    "PUT",
                    "/v1/type-sets/" + name,
                    BodyPublishers.ofString("{\"title\": \"" + number + "\", \"items\": [{\"item\": \"point.x\"}]}"));
            if (response.isEmpty() || response.get().statusCode() >= 300) {
                return false;
            }
            boolean isNew = stored == 0;
            stored = number;
            return isNew;
        }
    }

    /** Records an acknowledged write and checks it at one of the servers. */
    private void acknowledge(Write write, Cluster cluster) throws InterruptedException {
        acknowledged.add(write);
        check(write, cluster.any(), APPEARS);
    }

    int count() {
        return acknowledged.size();
    }

    void pin(Cluster cluster, Server server) throws InterruptedException {
        BuildId build = SoakBuild.atUpstream();
        int offset = 4 * ThreadLocalRandom.current().nextInt(1, 1000);
        Optional<HttpResponse<String>> response = client.send(
                "pin",
                server,
                "POST",
                "/v1/pins",
                BodyPublishers.ofString("{\"buildId\": \"" + build
                        + "\", \"item\": \"pinned.x\", \"reason\": \"soak\", \"value\": {\"offset\": " + offset
                        + ", \"size\": 4}}"));
        if (response.isEmpty()) {
            return;
        }
        if (response.get().statusCode() != 201) {
            failures.add(
                    "pin: " + response.get().statusCode() + " " + response.get().body());
            return;
        }
        String id = Json.of(response.get()).path("id").asString();
        acknowledge(
                new Expected(
                        "pin " + id,
                        "/v1/pins/" + id,
                        LOOK,
                        pin -> expect(
                                Json.of(pin).path("value").path("offset").asInt(-1) == offset
                                        && Json.of(pin)
                                                .path("state")
                                                .asString("")
                                                .equals("active"),
                                pin)),
                cluster);
    }

    void typeSet(Cluster cluster, Server server) throws InterruptedException {
        String name = "soak-" + ThreadLocalRandom.current().nextInt(SETS);
        TypeSet set = sets.computeIfAbsent(name, TypeSet::new);
        if (set.put(client, server, number.incrementAndGet())) {
            acknowledge(set, cluster);
        }
    }

    /** Repeats a write until the server acknowledges it. Beyond the grace of the database, a failure is reported. */
    void untilWritten(Server server) throws InterruptedException {
        TypeSet set = sets.computeIfAbsent("soak-0", TypeSet::new);
        long end = System.nanoTime() + APPEARS_AFTER_KILL.toNanos();
        while (System.nanoTime() < end) {
            int before = set.stored();
            if (set.put(client, server, number.incrementAndGet())) {
                acknowledged.add(set);
            }
            if (set.stored() > before) {
                return;
            }
            Thread.sleep(50);
        }
        failures.add(server.part().name() + " has not written for " + APPEARS_AFTER_KILL);
    }

    void upload(Cluster cluster, Server server) throws InterruptedException {
        BuildId build = SoakBuild.forUpload();
        uploads.incrementAndGet();
        Optional<HttpResponse<String>> response = client.send(
                "upload",
                server,
                "PUT",
                "/v1/builds/" + build + "/debuginfo",
                BodyPublishers.ofByteArray(SmallBuild.debugFile(build)));
        if (response.isEmpty()) {
            refusedUploads.incrementAndGet();
            return;
        }
        if (response.get().statusCode() != 201) {
            failures.add("upload: " + response.get().statusCode() + " "
                    + response.get().body());
            return;
        }
        acknowledge(stored(build, "upload"), cluster);
    }

    /** Reports if most uploads failed: others took the servers' places for uploads. */
    void checkUploads() {
        int all = uploads.get();
        int refused = refusedUploads.get();
        if (all >= MIN_UPLOADS && refused > all / 2) {
            failures.add(refused + " of " + all + " uploads failed");
        }
    }

    /** Records that the server answered for this build. It must do so from then on. */
    void answered(BuildId build) {
        acknowledged.add(stored(build, "extraction"));
    }

    private static Write stored(BuildId build, String how) {
        return new Expected(
                how + " of " + build, "/v1/offsets/" + build + "?types=point.y,line", LOOK, Writes::wrongAnswer);
    }

    /** Returns the error in an answer to {@code point.y,line}, or empty text. */
    static String wrongAnswer(HttpResponse<String> answer) {
        JsonNode member = Json.item(answer, "point.y");
        JsonNode line = Json.item(answer, "line");
        return expect(
                member.path("offset").asInt(-1) == 4
                        && member.path("size").asInt(-1) == 4
                        && line.path("size").asInt(-1) == 8
                        && line.path("fields").path("to").path("offset").asInt(-1) == 4,
                answer);
    }

    private static String expect(boolean right, HttpResponse<String> answer) {
        return right ? "" : "unexpected " + answer.body();
    }

    void prewarm(Cluster cluster, Server server) throws InterruptedException {
        BuildId one = SoakBuild.atUpstream();
        BuildId other = SoakBuild.atUpstream();
        Optional<HttpResponse<String>> response = client.send(
                "prewarm",
                server,
                "POST",
                "/v1/prewarms",
                BodyPublishers.ofString("{\"builds\": [\"" + one + "\", \"" + other + "\"], \"types\": [\"point\"]}"));
        if (response.isEmpty()) {
            return;
        }
        if (response.get().statusCode() != 202) {
            failures.add("prewarm: " + response.get().statusCode() + " "
                    + response.get().body());
            return;
        }
        String id = Json.of(response.get()).path("id").asString();
        prewarmed.add(one);
        prewarmed.add(other);
        acknowledge(
                new Expected(
                        "prewarm " + id,
                        "/v1/prewarms/" + id,
                        LOOK,
                        prewarm -> expect(Json.of(prewarm).path("items").size() == 2, prewarm)),
                cluster);
    }

    void token(Cluster cluster, String label, String text) throws InterruptedException {
        acknowledge(
                new Write() {
                    @Override
                    public String what() {
                        return "token " + label;
                    }

                    @Override
                    public Optional<String> look(Client client, Server server) throws InterruptedException {
                        return client.send(LOOK, server, "GET", "/v1/whoami", BodyPublishers.noBody(), text)
                                .map(response -> expect(
                                        response.statusCode() == 200
                                                && Json.of(response)
                                                        .path("name")
                                                        .asString("")
                                                        .equals(label),
                                        response));
                    }
                },
                cluster);
    }

    /** Checks the newest writes and some of the older ones at every server. */
    void checkSome(Cluster cluster) throws InterruptedException {
        List<Write> all = all();
        int newest = Math.max(0, all.size() - 100);
        List<Write> some = new ArrayList<>(all.subList(newest, all.size()));
        for (int i = 0; i < 100 && newest > 0; i++) {
            some.add(all.get(ThreadLocalRandom.current().nextInt(newest)));
        }
        checkAll(some, cluster);
    }

    /** Checks every write at every server, and the result of every prewarm. */
    void checkEverything(Cluster cluster) throws InterruptedException {
        List<Write> all = all();
        for (BuildId build : prewarmed) {
            all.add(stored(build, "prewarm"));
        }
        checkAll(all, cluster);
    }

    private List<Write> all() {
        synchronized (acknowledged) {
            return new ArrayList<>(acknowledged);
        }
    }

    private void checkAll(List<Write> writes, Cluster cluster) throws InterruptedException {
        for (Server server : cluster.servers()) {
            for (Write write : writes) {
                check(write, server, APPEARS_AFTER_KILL);
            }
        }
    }

    /**
     * Checks a write until it is visible. A change reaches every server within a second; a restarted server takes
     * longer.
     */
    private void check(Write write, Server server, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        Optional<String> seen = write.look(client, server);
        while (!seen.equals(Optional.of("")) && (System.nanoTime() < end)) {
            Thread.sleep(200);
            seen = write.look(client, server);
        }
        if (seen.isPresent() && !seen.get().isEmpty()) {
            failures.add("lost or wrong on " + server.part().name() + ": " + write.what() + ": " + seen.get());
        } else if (seen.isEmpty() && limit.equals(APPEARS_AFTER_KILL)) {
            failures.add(server.part().name() + " has not answered for " + limit + ": " + write.what());
        }
    }
}
