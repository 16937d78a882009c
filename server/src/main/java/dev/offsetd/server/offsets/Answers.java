package dev.offsetd.server.offsets;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.catalogue.StoredCatalogue;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.item.AnswerWriter;
import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemAnswer;
import dev.offsetd.extractor.item.ItemResolver;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.changes.ChangeListener;
import dev.offsetd.server.changes.Freshness;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.stereotype.Component;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

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

    private static final int SCHEMA_VERSION = 1;
    private static final String SOURCE = "p1";

    private final Catalogues catalogues;
    private final JsonFactory json = new JsonFactory();
    private final Cache<Key, Answer> given;
    private final Freshness freshness;

    /** Each is here for as long as an answer hangs under it, or somebody has taken it. */
    private final Cache<BuildId, Shelf> shelves =
            Caffeine.newBuilder().weakValues().build();

    Answers(Catalogues catalogues, Freshness freshness, AnswerProperties properties) {
        this.catalogues = catalogues;
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
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        List<ItemAnswer> answers = question.items().stream()
                .map(item -> ItemResolver.resolve(item, types, question.language()))
                .toList();
        boolean complete = ItemAnswer.complete(answers);
        Answer answer = Answer.of(write(build.id(), file, question, answers, complete), complete);
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

    private byte[] write(BuildId id, StoredFile file, Question question, List<ItemAnswer> answers, boolean complete) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(4096);
        try (JsonGenerator out = json.createGenerator(ObjectWriteContext.empty(), bytes, JsonEncoding.UTF8)) {
            out.writeStartObject();
            out.writeNumberProperty("schemaVersion", SCHEMA_VERSION);
            out.writeStringProperty("buildId", id.toString());
            writeArchitecture(out, file.architecture());
            out.writeBooleanProperty("complete", complete);
            out.writeName("offsets");
            new AnswerWriter(question.view()).writeAnswers(out, answers, SOURCE);
            out.writeObjectPropertyStart("provenance");
            writeProvenance(out, file);
            out.writeEndObject();
            out.writeEndObject();
        }
        return bytes.toByteArray();
    }

    private static void writeArchitecture(JsonGenerator out, Architecture architecture) {
        out.writeObjectPropertyStart("arch");
        out.writeStringProperty("machine", architecture.machine());
        out.writeNumberProperty("bits", architecture.bits());
        out.writeStringProperty("byteOrder", architecture.byteOrderName());
        out.writeEndObject();
    }

    private static void writeProvenance(JsonGenerator out, StoredFile file) {
        out.writeObjectPropertyStart(SOURCE);
        out.writeStringProperty("origin", file.origin().word());
        out.writeStringProperty("upstream", file.upstream());
        Upload upload = file.upload();
        if (upload != null) {
            out.writeObjectPropertyStart("token");
            if (upload.token() != null) {
                out.writeStringProperty("id", upload.token().toString());
            }
            out.writeStringProperty("label", upload.label());
            out.writeEndObject();
        }
        out.writeStringProperty("sha256", file.sha256());
        out.writeStringProperty("verified", file.verified());
        out.writeStringProperty("extractor", Integer.toString(file.extractorVersion()));
        out.writeStringProperty("extractedAt", file.extractedAt().toString());
        out.writeEndObject();
    }

    private static int weight(Key key, Answer answer) {
        long bytes = (long) Key.OVERHEAD_BYTES + answer.json().length;
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
