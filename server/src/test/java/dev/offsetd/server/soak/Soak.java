package dev.offsetd.server.soak;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * The soak test as a command: {@code soak MINUTES [--promote-replica PROGRAMS] [--object-store]}. It loads and attacks three
 * servers, kills one process after the other with SIGKILL, and ends with 1 if an acknowledged write is lost, an answer is
 * wrong, a failure or a slow answer has no cause among the kills, a process does not come back or dies by itself, or a server
 * leaks. With the first option, the database is a primary and a synchronous standby of an installed PostgreSQL, and each kill
 * of the primary promotes the standby.
 */
final class Soak {

    private static final Duration BETWEEN_KILLS = Duration.ofSeconds(20);
    private static final Duration DOWN = Duration.ofSeconds(3);
    private static final Duration SAMPLE = Duration.ofSeconds(5);
    private static final Duration REPORT = Duration.ofMinutes(1);
    private static final Duration FINISH = Duration.ofMinutes(2);

    private final Path folder;
    private final PrintStream out;
    private final boolean replicated;
    private final Failures failures;
    private final Tally tally = new Tally();
    private final Cluster cluster;
    private final Client client;
    private final Writes writes;
    private final Load load;
    private final long began = System.nanoTime();

    private Soak(Path folder, @Nullable Path programs, boolean withObjects, PrintStream out)
            throws IOException, InterruptedException {
        this.folder = folder;
        this.out = out;
        failures = new Failures(out);
        replicated = programs != null;
        cluster = new Cluster(folder, programs, withObjects);
        client = new Client(cluster, tally, failures);
        writes = new Writes(client, failures);
        load = new Load(cluster, client, writes, failures);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        List<String> options = new ArrayList<>(List.of(arguments));
        boolean withObjects = options.remove("--object-store");
        boolean replicated = options.size() == 3 && options.get(1).equals("--promote-replica");
        if ((options.size() != 1 && !replicated) || !options.getFirst().matches("[1-9][0-9]{0,3}")) {
            System.err.println("usage: offsetd soak MINUTES [--promote-replica PROGRAMS] [--object-store]");
            System.exit(2);
        }
        Path programs = replicated ? Path.of(options.get(2)) : null;
        if (programs != null && !Files.isExecutable(programs.resolve("pg_basebackup"))) {
            System.err.println(
                    programs + ": has no pg_basebackup; expected a folder such as /usr/lib/postgresql/17/bin");
            System.exit(2);
        }
        Duration time = Duration.ofMinutes(Long.parseLong(options.getFirst()));
        Path folder = Files.createTempDirectory("offsetd-soak");
        int failed;
        Soak soak = new Soak(folder, programs, withObjects, out);
        try {
            failed = soak.run(time);
        } catch (IOException e) {
            out.println("FAILURE: " + e);
            failed = 1;
        } finally {
            soak.close();
        }
        if (failed == 0) {
            FileSystemUtils.deleteRecursively(folder);
        } else {
            out.println(failed + " failures; logs and data: " + folder);
        }
        System.exit(failed == 0 ? 0 : 1);
    }

    private int run(Duration time) throws IOException, InterruptedException {
        cluster.start();
        String first = cluster.token("soak", "read,publish,admin");
        client.useToken(first);
        writes.token(cluster, "soak", first);
        load.start();
        Attack attack = new Attack(cluster, client, failures, cluster.token("attack", "read,publish"));
        attack.start();
        Thread watch = Thread.ofPlatform().daemon().name("watch").start(this::watch);
        long end = System.nanoTime() + time.toNanos();
        kill(end, time);
        attack.stop();
        watch.interrupt();
        watch.join();
        load.finish(FINISH.toNanos());
        out.println("looking for " + writes.count() + " acknowledged writes on all servers");
        writes.checkEverything(cluster);
        writes.checkUploads();
        attack.checkLogs(folder);
        for (Server server : cluster.servers()) {
            server.part().leaks().forEach(failures::add);
        }
        out.println();
        report("the end");
        out.println();
        out.print(tally.table(Duration.ofNanos(System.nanoTime() - began)));
        out.println();
        out.printf(
                Locale.ROOT,
                "slowest request of a stored build, without a kill as the reason: %.2f s%n",
                client.slowestStored().toMillis() / 1e3);
        out.println(writes.count() + " acknowledged writes, " + failures.count() + " failures");
        return failures.count();
    }

    /**
     * Kills one part after the other: of servers the second one in the first quarter, and then only the first one, so that the
     * others can show leaks.
     */
    private void kill(long end, Duration time) throws IOException, InterruptedException {
        int round = 0;
        long quarter = end - time.toNanos() / 4 * 3;
        while (true) {
            long pause = Math.min(BETWEEN_KILLS.toNanos(), end - System.nanoTime());
            if (pause <= 0) {
                return;
            }
            Thread.sleep(Duration.ofNanos(pause));
            if (System.nanoTime() >= end) {
                return;
            }
            // A kill of a replicated primary is what the run is for.
            int turn = replicated && round % 2 == 1
                    ? 1
                    : round % (cluster.objects().isPresent() ? 5 : 4);
            Part part = switch (turn) {
                case 0 ->
                    cluster.servers().get(System.nanoTime() < quarter ? 1 : 0).part();
                case 1 -> cluster.database();
                case 2 -> cluster.upstream();
                case 3 -> cluster.servers().getFirst().part();
                default -> cluster.objects().orElseThrow();
            };
            round++;
            part.kill();
            Thread.sleep(DOWN);
            part.start();
            if (part == cluster.database()) {
                reportReturn();
                cluster.protect();
            }
            writes.checkSome(cluster);
            if (round % 4 == 0) {
                String label = "soak-" + round;
                writes.token(cluster, label, cluster.token(label, "read"));
            }
        }
    }

    /** Waits until every server writes again, and reports when each did. */
    private void reportReturn() throws InterruptedException {
        long returned = System.nanoTime();
        StringBuilder line = new StringBuilder("the database is back; servers write again after");
        for (Server server : cluster.servers()) {
            writes.untilWritten(server);
            line.append(String.format(Locale.ROOT, " %.1f s", (System.nanoTime() - returned) / 1e9));
        }
        out.println(line);
    }

    private void watch() {
        long nextReport = began + REPORT.toNanos();
        int minute = 0;
        try {
            while (true) {
                Thread.sleep(SAMPLE);
                for (Part part : cluster.parts()) {
                    part.sample();
                    if (part.hasDied()) {
                        failures.add(part.name() + " has ended by itself");
                    }
                }
                if (System.nanoTime() >= nextReport) {
                    nextReport += REPORT.toNanos();
                    report("minute " + ++minute);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void report(String when) {
        double seconds = (System.nanoTime() - began) / 1e9;
        out.printf(
                Locale.ROOT,
                "%s: %,d requests, %.0f a second; %d acknowledged writes; %d failures; %s%n",
                when,
                tally.requests(),
                tally.requests() / seconds,
                writes.count(),
                failures.count(),
                tally.results());
        for (Part part : cluster.parts()) {
            out.println("  " + part.name() + ": "
                    + part.sample().map(Usage::toString).orElse("down") + ", killed " + part.kills() + " times");
        }
    }

    private void close() throws InterruptedException {
        load.stop();
        cluster.close();
    }
}
