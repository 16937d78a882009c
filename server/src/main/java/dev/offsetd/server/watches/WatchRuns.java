package dev.offsetd.server.watches;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.IoReason;
import dev.offsetd.packages.PackageUnpacker;
import dev.offsetd.packages.repositories.Listing;
import dev.offsetd.packages.repositories.NewestIndex;
import dev.offsetd.packages.repositories.PackageFile;
import dev.offsetd.packages.repositories.Repository;
import dev.offsetd.packages.repositories.RepositoryDescription;
import dev.offsetd.packages.repositories.RepositoryEntry;
import dev.offsetd.packages.repositories.RepositoryException;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DrainingException;
import dev.offsetd.server.events.EventKind;
import dev.offsetd.server.events.EventWriter;
import dev.offsetd.server.events.NewEvent;
import dev.offsetd.server.operations.health.FatalErrors;
import dev.offsetd.server.operations.work.Backoff;
import dev.offsetd.server.operations.work.SharedWork;
import dev.offsetd.server.sources.DiskException;
import dev.offsetd.server.web.ProblemException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.util.FileSystemUtils;

/** Runs the watches that are due, one after the other on one server at a time. */
@Component
class WatchRuns implements SharedWork {

    private static final Logger log = LoggerFactory.getLogger(WatchRuns.class);

    private static final Duration LONGEST_BACKOFF = Duration.ofDays(1);

    /** Attempts at an entry: one that is refused so often waits for a change of its place. */
    private static final int MAX_ATTEMPTS = 8;

    /** Most entries of a watch that are remembered: twice those that a place may list. */
    private static final int MAX_ENTRIES = 1_000_000;

    /** Code of a run whose server was killed, or lost the database. */
    private static final String SERVER_LOST = "server_lost";

    /** Code of a run that stopped at a limit. */
    private static final String BUDGET = "budget";

    private static final Watch.Cause INTERNAL = new Watch.Cause("internal", "internal error; see the server's log");

    private final WatchTable table;
    private final WatchPlaces places;
    private final WatchWeb web;
    private final FoundBuilds builds;
    private final WatchMeters meters;
    private final EventWriter events;
    private final TransactionTemplate transaction;
    private final WatchProperties properties;
    private final Backoff backoff;
    private final Path folder;
    private volatile boolean stopping;

    WatchRuns(
            WatchTable table,
            WatchPlaces places,
            WatchWeb web,
            FoundBuilds builds,
            WatchMeters meters,
            EventWriter events,
            PlatformTransactionManager transactions,
            WatchProperties properties,
            @Value("${offsetd.data-dir}") Path dataFolder)
            throws IOException {
        this.table = table;
        this.places = places;
        this.web = web;
        this.builds = builds;
        this.meters = meters;
        this.events = events;
        this.transaction = new TransactionTemplate(transactions);
        this.properties = properties;
        this.backoff = new Backoff(properties.backoff(), LONGEST_BACKOFF);
        this.folder = dataFolder.resolve("watches");
        // A killed server has left its files.
        FileSystemUtils.deleteRecursively(folder);
    }

    @Override
    public String name() {
        return "watches";
    }

    @Override
    public String table() {
        return "watch_tasks";
    }

    @Override
    public int maxConcurrent() {
        return 1;
    }

    @Override
    public List<String> permanent() {
        return List.of(ONLY);
    }

    @Override
    public void stop() {
        stopping = true;
        web.stop();
    }

    @Override
    public Optional<Duration> attempt(String piece) {
        try {
            endLostRuns();
            while (!stopping) {
                Optional<Watch> due = table.begin();
                if (due.isEmpty()) {
                    return Optional.of(properties.poll());
                }
                run(due.get());
            }
        } catch (WatchTable.RunLostException e) {
            // Another server has the work, so this one waits for its turn.
            log.info("{}", e.getMessage());
        }
        return Optional.of(Duration.ZERO);
    }

    @Override
    public Optional<Duration> abandoned(String piece) {
        endLostRuns();
        return Optional.of(Duration.ZERO);
    }

    /** Ends runs that their server could not end: it was killed, lost the database, or ran when a restored backup was taken. */
    private void endLostRuns() {
        for (Watch watch : table.running()) {
            end(watch, lost(watch));
        }
    }

    /** A run that was lost is repeated at once. One that is lost again may be what kills servers, so it waits like a failed one. */
    private Ended lost(Watch watch) {
        Watch.Cause before = watch.cause();
        boolean again = before != null && before.code().equals(SERVER_LOST);
        return again
                ? failed(watch, new Watch.Cause(SERVER_LOST, "two servers that ran it could not end the run"))
                : partial(SERVER_LOST, "the server that ran it could not end the run", Duration.ZERO);
    }

    /**
     * How a run ended.
     *
     * @param state of the place, if all of it was read
     * @param pause until the next run
     */
    private record Ended(
            Watch.Outcome outcome,
            Watch.@Nullable Cause cause,
            @Nullable String state,
            Duration pause) {}

    private void run(Watch watch) {
        log.info("watch {}: looking at {}", watch.name(), watch.place().url());
        Ended ended;
        try {
            Path own = Files.createDirectories(folder.resolve(watch.id().toString()));
            try {
                ended = read(watch, own);
            } finally {
                FileSystemUtils.deleteRecursively(own);
            }
        } catch (DrainingException e) {
            ended = partial("stopped", "the server stopped", Duration.ZERO);
        } catch (InterruptedException e) {
            // At shutdown. The interrupt is not restored, because the thread must still end the run.
            ended = partial("stopped", "the server stopped", Duration.ZERO);
        } catch (BusyException e) {
            ended = partial("busy", "the server was busy", backoff.after(1, e.retryAfter()));
        } catch (IOException | ProblemException e) {
            ended = stopping ? partial("stopped", "the server stopped", Duration.ZERO) : failed(watch, cause(e));
        } catch (WatchTable.RunLostException e) {
            throw e;
        } catch (RuntimeException e) {
            FatalErrors.haltIfFatal(e);
            log.error("watch {}: the run failed", watch.name(), e);
            ended = failed(watch, INTERNAL);
        }
        end(watch, ended);
    }

    private void end(Watch watch, Ended ended) {
        countBytes(watch);
        Watch.Cause cause = ended.cause();
        transaction.executeWithoutResult(status -> {
            table.end(watch, ended.outcome(), cause, bounded(watch, ended.state()), ended.pause());
            if (ended.outcome() == Watch.Outcome.FAILED && cause != null) {
                events.append(new NewEvent(
                        EventKind.WATCH_FAILED,
                        null,
                        watch.typeSets(),
                        "watch " + watch.name() + ": " + cause.detail(),
                        Map.of("watch", watch.name(), "code", cause.code(), "failures", watch.failures() + 1)));
            }
        });
        meters.ended(ended.outcome());
        log.info("watch {}: {}{}", watch.name(), ended.outcome().word(), cause == null ? "" : ": " + cause.detail());
    }

    /** A place whose state is too long is listed as a whole each time; what was read is not read again. */
    private static @Nullable String bounded(Watch watch, @Nullable String state) {
        if (state == null || state.length() <= Listing.MAX_STATE_CHARS) {
            return state;
        }
        log.warn("watch {}: the state of the place has {} characters and is not kept", watch.name(), state.length());
        return null;
    }

    private void countBytes(Watch watch) {
        long bytes = web.takeBytes();
        if (bytes > 0) {
            meters.downloaded(bytes);
            table.addBytes(watch, bytes);
        }
    }

    private static Ended partial(String code, String detail, Duration pause) {
        return new Ended(Watch.Outcome.PARTIAL, new Watch.Cause(code, detail), null, pause);
    }

    private Ended failed(Watch watch, Watch.Cause cause) {
        return new Ended(Watch.Outcome.FAILED, cause, null, backoff.after(watch.failures() + 1, Duration.ZERO));
    }

    private static Watch.Cause cause(Exception e) {
        return switch (e) {
            case RepositoryException refused ->
                new Watch.Cause(refused.reason().name().toLowerCase(Locale.ROOT), String.valueOf(e.getMessage()));
            case WatchWeb.ForbiddenPlaceException _ -> new Watch.Cause("address", String.valueOf(e.getMessage()));
            case ProblemException problem ->
                new Watch.Cause(problem.problem().code(), problem.problem().detail());
            case ExtractionException _ -> new Watch.Cause("unusable", String.valueOf(e.getMessage()));
            case DiskException disk -> new Watch.Cause("disk_failed", disk.detail());
            case IOException failure
            when PackageUnpacker.isOfTheDisk(failure) -> new Watch.Cause("disk_failed", IoReason.withPath(failure));
            case IOException _ ->
                new Watch.Cause("unreachable", Objects.requireNonNullElse(e.getMessage(), e.toString()));
            default -> INTERNAL;
        };
    }

    /** Reads the new entries of the place. */
    private Ended read(Watch watch, Path own) throws IOException, InterruptedException {
        if (web.isOffline() && watch.place().kind() != RepositoryDescription.Kind.FOLDER) {
            return partial("offline", "offsetd.offline is true; expected false for a URL", watch.interval());
        }
        Repository place = places.open(watch.place(), web, Files.createDirectories(own.resolve("index")));
        Listing listing = place.list(watch.state(), newestIndex(watch));
        if (listing.unchanged()) {
            return new Ended(Watch.Outcome.UNCHANGED, unread(watch, listing), listing.state(), watch.interval());
        }
        List<String> keys = listing.entries().stream().map(RepositoryEntry::key).toList();
        Map<String, Integer> attempts = table.attempts(watch, keys);
        Watch.Cause refused = null;
        int stored = 0;
        // Entries that failed before come last, so that they keep no other from being read.
        List<RepositoryEntry> entries = listing.entries().stream()
                .sorted(Comparator.comparingInt(entry -> attempts.getOrDefault(entry.key(), -1)))
                .toList();
        for (RepositoryEntry entry : entries) {
            int tried = attempts.getOrDefault(entry.key(), -1);
            if (tried == 0 || tried >= MAX_ATTEMPTS) {
                continue;
            }
            if (stopping) {
                return partial("stopped", "the server stopped", Duration.ZERO);
            }
            if (stored >= properties.buildsPerRun()) {
                return partial(
                        BUDGET,
                        "the run stored " + stored + " builds; the limit is " + properties.buildsPerRun(),
                        watch.interval());
            }
            try {
                stored += read(watch, place, entry, own);
            } catch (BudgetException e) {
                return partial(BUDGET, String.valueOf(e.getMessage()), untilTomorrow());
            } catch (RepositoryException | ExtractionException e) {
                Watch.Cause cause = cause(e);
                // An answer such as 503 says nothing of the entry, so it never counts as the last attempt.
                boolean passing = e instanceof RepositoryException failure && failure.reason() == Reason.STATUS;
                table.failed(watch, entry, passing ? 1 : Math.max(0, tried) + 1, cause);
                log.warn("watch {}: {} {}: {}", watch.name(), entry.name(), entry.version(), cause.detail());
                refused = refused == null ? cause : refused;
            } catch (BusyException | DrainingException | DiskException | WatchTable.RunLostException e) {
                throw e;
            } catch (IOException | RuntimeException e) {
                if (!stopping && !(e instanceof IOException failure && PackageUnpacker.isOfTheDisk(failure))) {
                    table.failed(watch, entry, attempts(tried, e), cause(e));
                }
                throw e;
            }
        }
        if (refused != null) {
            return failed(watch, refused);
        }
        table.prune(watch, listing.complete() ? keys : null, properties.keep(), MAX_ENTRIES);
        return new Ended(Watch.Outcome.COMPLETE, unread(watch, listing), listing.state(), watch.interval());
    }

    /**
     * Returns the attempts at an entry with one that ended the run, so that the next run reads the others first. A lost connection
     * may be one of the place, so it never counts as the last attempt; a download that takes too long does.
     */
    private static int attempts(int tried, Exception failure) {
        int attempts = Math.max(0, tried) + 1;
        return failure instanceof IOException && !(failure instanceof InterruptedIOException)
                ? Math.min(attempts, MAX_ATTEMPTS - 1)
                : attempts;
    }

    private NewestIndex newestIndex(Watch watch) {
        Instant newest = Objects.requireNonNullElse(watch.newestIndexAt(), Instant.EPOCH);
        return new NewestIndex() {
            @Override
            public Instant time() {
                return newest;
            }

            @Override
            public void verified(Instant time) {
                table.verified(watch, time);
            }
        };
    }

    /** Returns what the watch selects and has not: entries that are left alone, and what the place lacks; null for nothing. */
    private Watch.@Nullable Cause unread(Watch watch, Listing listing) {
        Optional<String> leftAlone = table.leftAlone(watch, MAX_ATTEMPTS);
        List<String> details = new ArrayList<>();
        leftAlone.ifPresent(details::add);
        details.addAll(listing.warnings());
        return details.isEmpty()
                ? null
                : new Watch.Cause(leftAlone.isPresent() ? "given_up" : "missing", String.join("; ", details));
    }

    /** The downloads of all watches have reached the limit of a day. */
    private static final class BudgetException extends IOException {

        BudgetException(String message) {
            super(message);
        }
    }

    private static Duration untilTomorrow() {
        Instant tomorrow =
                LocalDate.now(ZoneOffset.UTC).plusDays(1).atStartOfDay().toInstant(ZoneOffset.UTC);
        return Duration.between(Instant.now(), tomorrow).plusSeconds(1);
    }

    /** Stores the builds of an entry, and returns their number. */
    private int read(Watch watch, Repository place, RepositoryEntry entry, Path own)
            throws IOException, ExtractionException, InterruptedException {
        List<BuildId> found = new ArrayList<>();
        Optional<Boolean> applies = takeFromSource(watch, entry);
        if (applies.isPresent()) {
            found.addAll(applies.get() ? entry.buildIds() : List.of());
        } else {
            requireBudget(watch, entry);
            Path unpacked = Files.createTempDirectory(own, "entry-");
            try {
                for (PackageFile file : place.open(entry, unpacked)) {
                    BuildId id = file.buildId();
                    if (!found.contains(id) && builds.take(watch, file)) {
                        found.add(id);
                    }
                }
            } finally {
                FileSystemUtils.deleteRecursively(unpacked);
            }
        }
        table.read(watch, entry, found);
        meters.found(found.size());
        return found.size();
    }

    /** If the index lists several builds, it does not tell which of them the description selects. */
    private Optional<Boolean> takeFromSource(Watch watch, RepositoryEntry entry) throws InterruptedException {
        return entry.buildIds().size() == 1 && bytesLeft(watch) > 0
                ? builds.takeFromSource(watch, entry.buildIds().getFirst())
                : Optional.empty();
    }

    private long bytesLeft(Watch watch) {
        countBytes(watch);
        return properties.bytesPerDay().toBytes() - table.bytesToday();
    }

    /** A file of a folder is not downloaded, but upstreams may be asked for the builds in it. */
    private void requireBudget(Watch watch, RepositoryEntry entry) throws IOException {
        long bytes = watch.place().kind() == RepositoryDescription.Kind.FOLDER ? 0 : entry.size();
        long limit = properties.bytesPerDay().toBytes();
        if (bytes > limit) {
            throw new RepositoryException(
                    Reason.LIMIT,
                    entry.name() + " " + entry.version() + " has " + bytes + " bytes; offsetd.watches.bytes-per-day is "
                            + limit);
        }
        long left = bytesLeft(watch);
        if (bytes > left) {
            throw new BudgetException(entry.name() + " " + entry.version() + " has " + bytes
                    + " bytes, and today's downloads have " + (limit - left) + "; the limit is " + limit + " a day");
        }
    }
}
