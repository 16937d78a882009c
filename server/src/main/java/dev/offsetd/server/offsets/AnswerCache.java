package dev.offsetd.server.offsets;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.changes.ChangeListener;
import dev.offsetd.server.changes.Freshness;
import dev.offsetd.server.query.PinnedAnswer;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;

/**
 * Answers questions about stored builds. Answers given lately are kept in memory, up to a number of bytes and until their
 * build changes; they go out without the database, and say so if changes cannot be heard of.
 *
 * <p>Answers of a build hang under its shelf, which knows the build's latest generation. Whoever wants to keep an answer
 * has taken the shelf before reading the build from the database. If the build changes afterwards, the shelf hears of it,
 * before or after the answer is put there, and only answers of the latest generation are found; if anything may have
 * changed, all shelves are left behind, and with them what is put there later. So it is with type sets: a question's sets
 * are read after its shelf was taken.
 */
@Component
class AnswerCache implements ChangeListener {

    private final StoredItems items;
    private final Cache<Key, Answer> given;
    private final Freshness freshness;
    private final Counter fromMemory;
    private final Counter fromStored;
    private final Counter fromPins;

    /** Each is here for as long as an answer hangs under it, or somebody has taken it. */
    private final Cache<BuildId, BuildEntry> builds =
            Caffeine.newBuilder().weakValues().build();

    AnswerCache(StoredItems items, Freshness freshness, AnswerProperties properties, MeterRegistry meters) {
        this.items = items;
        this.freshness = freshness;
        this.given = Caffeine.newBuilder()
                .maximumWeight(properties.cache().toBytes())
                .weigher(AnswerCache::weight)
                .build();
        this.fromMemory = counter("memory", meters);
        this.fromStored = counter("stored", meters);
        this.fromPins = counter("pins", meters);
        Gauge.builder("offsetd.answers", given, AnswerCache::bytes)
                .description("Answers in memory, as they count against offsetd.answers.cache")
                .baseUnit("bytes")
                .register(meters);
    }

    private static Counter counter(String from, MeterRegistry meters) {
        return Counter.builder("offsetd.answers.given")
                .description("Answers to questions for items of a build, by where they were taken from")
                .tag("from", from)
                .register(meters);
    }

    private static double bytes(Cache<Key, Answer> given) {
        return given.policy()
                .eviction()
                .map(eviction -> (double) eviction.weightedSize().orElse(0))
                .orElse(0.0);
    }

    /** Counts an answer that was found here and goes out. */
    void countFromMemory() {
        fromMemory.increment();
    }

    /**
     * The answer that was given to this question lately, if it still is at hand: in the coding that is wanted, and marked
     * while changes cannot be heard of. What is made of an answer for that is kept like the answer itself.
     */
    Optional<Answer> find(BuildId id, QueryText query, ContentCoding coding) {
        BuildEntry entry = builds.getIfPresent(id);
        if (entry == null) {
            return Optional.empty();
        }
        long generation = entry.latest.get();
        boolean markStale = freshness.blind();
        Key key = new Key(entry, generation, query, coding, markStale);
        Answer known = given.getIfPresent(key);
        if (known != null || key.isPlain()) {
            return Optional.ofNullable(known);
        }
        Answer plain = given.getIfPresent(new Key(entry, generation, query, ContentCoding.IDENTITY, false));
        if (plain == null) {
            return Optional.empty();
        }
        Answer made = (markStale ? plain.markedStale() : plain).encoded(coding);
        keep(key, made);
        return Optional.of(made);
    }

    /** Where answers of the build are kept; to be taken before the build is read from the database. */
    BuildEntry entry(BuildId id) {
        return builds.get(id, ignored -> new BuildEntry());
    }

    /**
     * Refuses a question that cannot be answered whatever the build.
     *
     * @throws ProblemException if it names a type set that there is not: 400
     */
    void requireSets(OffsetsQuery query) {
        items.requireSets(query);
    }

    /**
     * The answer to this question.
     *
     * @param entry taken before the build was read
     * @param file what is stored of the build
     * @param coding that is wanted
     */
    Answer give(BuildEntry entry, Build build, StoredFile file, OffsetsQuery query, ContentCoding coding) {
        Answer answer = items.answer(build, query, found -> written(build, Optional.of(file), query, found));
        fromStored.increment();
        if (file.extractorVersion() < OffsetExtractor.VERSION) {
            answer = answer.markedStale();
        }
        entry.observe(build.generation());
        keep(new Key(entry, build.generation(), query.text(), ContentCoding.IDENTITY, false), answer);
        if (coding == ContentCoding.IDENTITY) {
            return answer;
        }
        Answer encoded = answer.encoded(coding);
        keep(new Key(entry, build.generation(), query.text(), coding, false), encoded);
        return encoded;
    }

    /** Keeps an answer, unless it is so large that it is in a file. */
    private void keep(Key key, Answer answer) {
        if (answer.body().isInMemory()) {
            given.put(key, answer);
        }
    }

    /**
     * The answer to this question from the build's pins, of which nothing else is stored. It is not kept: each who asks has the
     * sources asked again once it is time, and is counted if something is missing.
     */
    PinnedAnswer<Answer> giveFromPins(Build build, OffsetsQuery query, ContentCoding coding) {
        StoredItems.Found found = items.answerFromPins(build, query);
        fromPins.increment();
        return new PinnedAnswer<>(
                written(build, build.symbolsFile(), query, found).encoded(coding), found.isWhole());
    }

    private static Answer written(Build build, Optional<StoredFile> file, OffsetsQuery query, StoredItems.Found found) {
        return Answer.of(
                AnswerBody.of(build.id(), file, query, found),
                query.representation(),
                found.answers().complete(),
                !found.marks().isEmpty());
    }

    @Override
    public void changed(Map<BuildId, Long> generations) {
        generations.forEach((id, generation) -> {
            BuildEntry entry = builds.getIfPresent(id);
            if (entry != null) {
                entry.observe(generation);
            }
        });
    }

    @Override
    public void anyMayHaveChanged() {
        builds.invalidateAll();
    }

    private static int weight(Key key, Answer answer) {
        QueryText query = key.query();
        long bytes = (long) Key.OVERHEAD_BYTES
                + answer.body().length()
                + (long) Key.ITEM_OVERHEAD_BYTES * query.items().size()
                + (long) Character.BYTES * query.length();
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    /** Where the answers of one build are kept. */
    static final class BuildEntry {

        /** The build's latest generation that this server has heard of; 0 if it has heard of none. */
        private final AtomicLong latest = new AtomicLong();

        private BuildEntry() {}

        private void observe(long generation) {
            latest.accumulateAndGet(generation, Math::max);
        }
    }

    /**
     * What an answer is found by.
     *
     * @param markedStale whether it was marked because changes could not be heard of
     */
    private record Key(BuildEntry entry, long generation, QueryText query, ContentCoding coding, boolean markedStale) {
        /** About what the key, the answer's other parts and the cache's own entry take. */
        static final int OVERHEAD_BYTES = 500;

        /** About what an item takes, without its text. */
        static final int ITEM_OVERHEAD_BYTES = 50;

        /** Whether this is the answer from which all others to the question are made. */
        boolean isPlain() {
            return coding == ContentCoding.IDENTITY && !markedStale;
        }
    }
}
