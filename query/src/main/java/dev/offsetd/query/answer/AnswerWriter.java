package dev.offsetd.query.answer;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.query.consensus.ConsensusAnswer;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.View;
import dev.offsetd.query.overlay.PinnedTypes;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Writes answers as JSON, or any other representation of the generator. Offsets and sizes are bytes from the start of the
 * item's outermost type, {@code bitOffset} and {@code bitSize} are bits in memory order. Unknown values are omitted;
 * in the flat view they are null. Immutable; safe for any number of threads.
 */
public final class AnswerWriter {

    /** Version of the JSON schema of answers. */
    public static final int SCHEMA_VERSION = 1;

    private final View view;
    private final PinnedTypes pins;
    private final int expandedLevels;

    /** Agreement of other builds on items that were not answered exactly, by their text. */
    private final Map<String, ConsensusAnswer> consensus;

    /** Key of the provenance of what the build itself answers beside others; null if no others answer. */
    private final @Nullable String ownSource;

    public AnswerWriter(View view) {
        this(view, PinnedTypes.NONE);
    }

    /** @param pins the types that the answers are from */
    public AnswerWriter(View view, PinnedTypes pins) {
        this(view, pins, 0, Map.of(), null);
    }

    private AnswerWriter(
            View view,
            PinnedTypes pins,
            int expandedLevels,
            Map<String, ConsensusAnswer> consensus,
            @Nullable String ownSource) {
        this.view = view;
        this.pins = pins;
        this.expandedLevels = expandedLevels;
        this.consensus = Map.copyOf(consensus);
        this.ownSource = ownSource;
    }

    /** Returns a writer that adds the members of nested structs to the members view, to this depth. */
    public AnswerWriter expanding(int levels) {
        return new AnswerWriter(view, pins, levels, consensus, ownSource);
    }

    /**
     * Returns a writer that marks these answers, by the text of their item, as found by consensus.
     *
     * @param own key of the provenance of the others
     */
    public AnswerWriter byConsensus(Map<String, ConsensusAnswer> answers, String own) {
        return new AnswerWriter(view, pins, expandedLevels, answers, own);
    }

    /**
     * Writes an object with each answer under the text of its item. The flat view adds {@code item.field} for the fields of
     * a type, unless an item of that text is among the answers.
     *
     * @param source key of the provenance of what no pin overrides
     */
    public void writeAnswers(JsonGenerator out, List<ItemAnswer> answers, String source) {
        ItemOutcomeWriter outcomes = new ItemOutcomeWriter(out, view, pins, source, expandedLevels);
        ItemOutcomeWriter own =
                ownSource == null ? outcomes : new ItemOutcomeWriter(out, view, pins, ownSource, expandedLevels);
        Set<String> keys = new HashSet<>();
        for (ItemAnswer answer : answers) {
            keys.add(answer.item().text());
        }
        out.writeStartObject();
        for (ItemAnswer answer : answers) {
            Deadline.checkCurrent();
            String key = answer.item().text();
            out.writeName(key);
            writeAnswer(out, answer, consensus.containsKey(key) ? outcomes : own);
            if (view == View.FLAT && answer.outcome() instanceof ItemOutcome.TypeFound type) {
                outcomes.writeFlatFields(key, type, keys);
            }
        }
        out.writeEndObject();
    }

    /** Writes which items are incomplete, if the view has arrays, which cannot say so, and any is. */
    public static void writeIncompleteItems(JsonGenerator out, View view, List<ItemAnswer> answers) {
        if (view == View.FLAT && answers.stream().anyMatch(ItemAnswer::incomplete)) {
            out.writeArrayPropertyStart("incompleteItems");
            answers.stream()
                    .filter(ItemAnswer::incomplete)
                    .forEach(answer -> out.writeString(answer.item().text()));
            out.writeEndArray();
        }
    }

    /**
     * Writes one answer: an object; in the flat view, for a type or member that was found, its array.
     *
     * @param source key of the provenance of what no pin overrides
     */
    public void writeAnswer(JsonGenerator out, ItemAnswer answer, String source) {
        writeAnswer(out, answer, new ItemOutcomeWriter(out, view, pins, source, expandedLevels));
    }

    private void writeAnswer(JsonGenerator out, ItemAnswer answer, ItemOutcomeWriter outcomes) {
        if (view == View.FLAT && outcomes.writeFlat(answer.outcome())) {
            return;
        }
        out.writeStartObject();
        ConsensusAnswer rest = consensus.get(answer.item().text());
        boolean found = answer.status() == ItemStatus.FOUND;
        out.writeStringProperty(
                "status",
                found && rest != null ? ConsensusWriter.STATUS : answer.status().word());
        if (answer.matched() != null) {
            out.writeStringProperty("matched", answer.matched().text());
        }
        Definition definition = answer.definition();
        String wholeName = definition == null || pins.of(definition) != null ? null : answer.wholeName();
        if (wholeName != null) {
            out.writeStringProperty("name", wholeName);
        }
        outcomes.writeOutcome(answer.outcome());
        String code = answer.code();
        if (code != null) {
            out.writeStringProperty("code", code);
        }
        if (answer.incomplete()) {
            out.writeBooleanProperty("incomplete", true);
        }
        if (!answer.suggestions().isEmpty()) {
            out.writeArrayPropertyStart("suggestions");
            answer.suggestions().forEach(out::writeString);
            out.writeEndArray();
        }
        if (rest != null) {
            ConsensusWriter.write(
                    out,
                    rest,
                    candidate -> outcomes.writeFacts(candidate.answer().outcome()));
        }
        out.writeEndObject();
    }
}
