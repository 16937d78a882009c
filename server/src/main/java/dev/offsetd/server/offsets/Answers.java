package dev.offsetd.server.offsets;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemAnswer;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.changes.ChangeListener;
import dev.offsetd.server.changes.Freshness;
import java.util.List;
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
 * changed, all shelves are left behind, and with them what is put there later.
 */
@Component
class Answers implements ChangeListener {

    private final StoredItems items;
    private final Cache<Key, Answer> given;
    private final Freshness freshness;

    /** Each is here for as long as an answer hangs under it, or somebody has taken it. */
    private final Cache<BuildId, Shelf> shelves =
            Caffeine.newBuilder().weakValues().build();

    Answers(StoredItems items, Freshness freshness, AnswerProperties properties) {
        this.items = items;
        this.freshness = freshness;
        this.given = Caffeine.newBuilder()
                .maximumWeight(properties.cache().toBytes())
                .weigher(Answers::weight)
                .build();
    }

    /** The answer that was given to this question lately, if it still is at hand. */
    Optional<Answer> find(BuildId id, Question question) {
        Shelf shelf = shelves.getIfPresent(id);
        if (shelf == null) {
            return Optional.empty();
        }
        return Optional.ofNullable(given.getIfPresent(new Key(shelf, shelf.latest.get(), question)))
                .map(answer -> freshness.blind() ? answer.markedStale() : answer);
    }

    /** Where answers of the build are kept; to be taken before the build is read from the database. */
    Shelf shelf(BuildId id) {
        return shelves.get(id, ignored -> new Shelf());
    }

    /**
     * The answer to this question.
     *
     * @param shelf taken before the build was read
     * @param file what is stored of the build
     */
    Answer give(Shelf shelf, Build build, StoredFile file, Question question) {
        List<ItemAnswer> found = items.answer(build, question);
        boolean complete = ItemAnswer.complete(found);
        Answer answer =
                Answer.of(AnswerBody.write(build.id(), file, question, found, complete), question.form(), complete);
        if (file.extractorVersion() < OffsetExtractor.VERSION) {
            answer = answer.markedStale();
        }
        shelf.heardOf(build.generation());
        given.put(new Key(shelf, build.generation(), question), answer);
        return answer;
    }

    @Override
    public void changed(Map<BuildId, Long> generations) {
        generations.forEach((id, generation) -> {
            Shelf shelf = shelves.getIfPresent(id);
            if (shelf != null) {
                shelf.heardOf(generation);
            }
        });
    }

    @Override
    public void anyMayHaveChanged() {
        shelves.invalidateAll();
    }

    private static int weight(Key key, Answer answer) {
        long bytes = (long) Key.OVERHEAD_BYTES + answer.body().length;
        for (Item item : key.question().items()) {
            bytes += Key.ITEM_OVERHEAD_BYTES
                    + (long) Key.TEXT_COPIES * item.text().length();
        }
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    /** Where the answers of one build are kept. */
    static final class Shelf {

        /** The build's latest generation that this server has heard of; 0 if it has heard of none. */
        private final AtomicLong latest = new AtomicLong();

        private Shelf() {}

        private void heardOf(long generation) {
            latest.accumulateAndGet(generation, Math::max);
        }
    }

    private record Key(Shelf shelf, long generation, Question question) {
        /** About what the key, the answer's other parts and the cache's own entry take. */
        static final int OVERHEAD_BYTES = 500;

        /** About what the objects of one item take, without its text. */
        static final int ITEM_OVERHEAD_BYTES = 300;

        /** The text is kept whole, and again in parts. */
        static final int TEXT_COPIES = 4;
    }
}
