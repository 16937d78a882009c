package dev.offsetd.server.answers.offsets;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.operations.changes.ChangeListener;
import dev.offsetd.server.operations.changes.Freshness;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.pins.BuildPins;
import dev.offsetd.server.web.ContentCoding;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/**
 * Cache of rendered answers, keyed by build, generation, query and content coding. It is bounded by memory. Answers go
 * out without the database, marked as stale while the change feed is unavailable. Answers from an upload or a damaged
 * file are found until the sources are due for another query, which only {@link OffsetsAnswers} begins.
 *
 * <p>All answers of a build share a {@link BuildEntry}, which knows the latest generation. A caller takes the entry
 * before it reads the build from the database. A change that arrives in between is recorded in the entry, so an answer
 * of the older generation is never found. When any build may have changed, all entries are dropped, and with them the
 * answers that callers put there later. Type sets work the same way, because a query's sets are read after its entry
 * was taken.
 */
@Component
class AnswerCache implements ChangeListener {

    /** Length of bodies that take less than 10 ms to encode. */
    private static final int SHORT_BODY = 128 << 10;

    /** Time after which a query reads the build again while its sources are queried. */
    private static final Duration MIN_RECHECK = Duration.ofSeconds(1);

    private final ComputePool threads;
    private final Cache<Key, Answer> cached;
    private final Freshness freshness;
    private final Counter fromMemory;

    /** Weakly referenced: an entry lives as long as an answer or a caller refers to it. */
    private final Cache<BuildId, BuildEntry> entries =
            Caffeine.newBuilder().weakValues().build();

    AnswerCache(
            Freshness freshness,
            AnswerProperties properties,
            MeterRegistry meters,
            @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.threads = threads;
        this.freshness = freshness;
        this.cached = Caffeine.newBuilder()
                .maximumWeight(properties.cache().toBytes())
                .weigher(AnswerCache::weight)
                .build();
        this.fromMemory = counter("memory", meters);
        Gauge.builder("offsetd.answers", cached, AnswerCache::bytes)
                .description("Size of the answers in memory, limited by offsetd.answers.cache")
                .baseUnit("bytes")
                .register(meters);
    }

    static Counter counter(String from, MeterRegistry meters) {
        return Counter.builder("offsetd.answers.given")
                .description("Answers about items of a build, by source")
                .tag("from", from)
                .register(meters);
    }

    private static double bytes(Cache<Key, Answer> cached) {
        return cached.policy()
                .eviction()
                .map(eviction -> (double) eviction.weightedSize().orElse(0))
                .orElse(0.0);
    }

    void countFromMemory() {
        fromMemory.increment();
    }

    /**
     * Returns the cached answer in a content coding, marked as stale while the change feed is unavailable; empty when the
     * sources of the build may be due for another query. Variants of a cached answer are cached as well.
     */
    Optional<Answer> find(BuildId id, OffsetsQuery query, ContentCoding coding) {
        BuildEntry entry = entries.getIfPresent(id);
        if (entry == null) {
            return Optional.empty();
        }
        long generation = entry.latest.get();
        boolean markStale = freshness.mayBeStale();
        if (!markStale && Instant.now().isAfter(entry.recheckAt)) {
            return Optional.empty();
        }
        Key key = new Key(entry, generation, query, coding, markStale);
        Answer known = cached.getIfPresent(key);
        if (known != null || key.isPlain()) {
            return Optional.ofNullable(known);
        }
        Answer plain = cached.getIfPresent(new Key(entry, generation, query, ContentCoding.IDENTITY, false));
        if (plain == null) {
            return Optional.empty();
        }
        Answer made = encoded(markStale ? AnswerBody.markedStale(plain) : plain, coding);
        put(key, made);
        return Optional.of(made);
    }

    /** Returns the entry of a build. Take it before reading the build from the database. */
    BuildEntry entry(BuildId id) {
        return entries.get(id, ignored -> new BuildEntry());
    }

    /** Returns the build of an entry as of its last answer; empty if it has to be read from the database. */
    Optional<KnownBuild> known(BuildEntry entry) {
        KnownBuild known = entry.known;
        return known == null || known.build().generation() != entry.latest.get() || freshness.mayBeStale()
                ? Optional.empty()
                : Optional.of(known);
    }

    /**
     * Caches an answer, also in a content coding.
     *
     * @param entry taken before the build was read
     * @param plain the answer without a content coding
     * @return the answer in a content coding
     */
    Answer putEncoded(BuildEntry entry, KnownBuild build, OffsetsQuery query, ContentCoding coding, Answer plain) {
        long generation = build.build().generation();
        entry.observe(generation);
        // Queries also look for a source that has a better file.
        boolean mayBeReplaced = build.build().mayBeReplaced();
        entry.known = mayBeReplaced ? null : build;
        entry.recheckAt = mayBeReplaced ? Instant.now().plus(untilRecheck(build.build())) : Instant.MAX;
        put(new Key(entry, generation, query.exact(), ContentCoding.IDENTITY, false), plain);
        if (coding == ContentCoding.IDENTITY) {
            return plain;
        }
        Answer encoded = encoded(plain, coding);
        put(new Key(entry, generation, query.exact(), coding, false), encoded);
        return encoded;
    }

    private static Duration untilRecheck(Build build) {
        // This query may have begun one, which takes a while.
        return build.retryAfter().compareTo(MIN_RECHECK) < 0 ? MIN_RECHECK : build.retryAfter();
    }

    /** Returns an answer in a content coding, which is made on a thread that may compute unless it is short. Caches nothing. */
    Answer encoded(Answer answer, ContentCoding coding) {
        return answer.body().length() <= SHORT_BODY
                ? answer.encoded(coding)
                : threads.answer(() -> answer.encoded(coding));
    }

    /** Caches an answer, unless its body is so large that it is in a file. */
    private void put(Key key, Answer answer) {
        if (answer.body().isInMemory()) {
            cached.put(key, answer);
        }
    }

    @Override
    public void changed(Map<BuildId, Long> generations) {
        generations.forEach((id, generation) -> {
            BuildEntry entry = entries.getIfPresent(id);
            if (entry != null) {
                entry.observe(generation);
            }
        });
    }

    @Override
    public void anyMayHaveChanged() {
        entries.invalidateAll();
    }

    private static int weight(Key key, Answer answer) {
        OffsetsQuery query = key.query();
        long bytes = (long) Key.OVERHEAD_BYTES
                + answer.body().length()
                + (long) Key.ITEM_OVERHEAD_BYTES * query.items().size()
                + (long) Character.BYTES * query.length();
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    /** A build and its pins as read from the database. It answers while its generation is the latest. */
    record KnownBuild(Build build, StoredFile file, BuildPins pins) {}

    /** Identity of a build in the cache, with its generation. */
    static final class BuildEntry {

        /** The latest generation seen by this server; 0 if none was. */
        private final AtomicLong latest = new AtomicLong();

        /** The build as of its last answer; null if it must be read again. */
        private volatile @Nullable KnownBuild known;

        /** When a query has to ask for the build again, so that its sources are queried for a better file. */
        private volatile Instant recheckAt = Instant.MAX;

        private BuildEntry() {}

        private void observe(long generation) {
            latest.accumulateAndGet(generation, Math::max);
        }
    }

    /**
     * Cache key.
     *
     * @param markedStale whether the answer was marked because the change feed was unavailable
     */
    private record Key(BuildEntry entry, long generation, OffsetsQuery query, ContentCoding coding, boolean markedStale)
            implements Comparable<Key> {

        /** Estimate for the key, the remaining parts of the answer and the cache's own entry. */
        static final int OVERHEAD_BYTES = 500;

        /** Estimate for an item, without its text. */
        static final int ITEM_OVERHEAD_BYTES = 50;

        /** Compares what a client chooses; keys that differ in other parts only are few. */
        @Override
        public int compareTo(Key other) {
            int order = Arrays.compare(
                    query.items().toArray(String[]::new), other.query.items().toArray(String[]::new));
            return order != 0
                    ? order
                    : Integer.compare(System.identityHashCode(entry), System.identityHashCode(other.entry));
        }

        /** Returns whether all other variants of the answer are derived from this one. */
        boolean isPlain() {
            return coding == ContentCoding.IDENTITY && !markedStale;
        }
    }
}
