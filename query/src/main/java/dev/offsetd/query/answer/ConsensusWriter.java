package dev.offsetd.query.answer;

import dev.offsetd.query.consensus.ConsensusAnswer;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;

/** Writes what answers by consensus rest on. */
public final class ConsensusWriter {

    /** Status of an item that was found by consensus. */
    static final String STATUS = "consensus";

    private ConsensusWriter() {}

    /** Writes the property {@code agreement}. */
    public static void write(JsonGenerator out, ConsensusAnswer.Agreement agreement) {
        out.writeObjectPropertyStart("agreement");
        out.writeNumberProperty("builds", agreement.builds());
        out.writeNumberProperty("distinct", agreement.distinct());
        if (agreement.below() != null) {
            out.writeStringProperty("below", agreement.below());
        }
        if (agreement.above() != null) {
            out.writeStringProperty("above", agreement.above());
        }
        writeTexts(out, "distributions", agreement.distributions());
        writeTexts(out, "origins", agreement.origins());
        if (agreement.tokens() > 0) {
            out.writeNumberProperty("tokens", agreement.tokens());
        }
        out.writeEndObject();
    }

    /**
     * Writes the agreement and, if the builds differ, the property {@code candidates}.
     *
     * @param outcome writes the properties of an answer into the object that is open
     */
    static void write(JsonGenerator out, ConsensusAnswer answer, Consumer<ConsensusAnswer.Candidate> outcome) {
        write(out, answer.agreement());
        if (answer.candidates().isEmpty()) {
            return;
        }
        out.writeArrayPropertyStart("candidates");
        for (ConsensusAnswer.Candidate candidate : answer.candidates()) {
            out.writeStartObject();
            out.writeNumberProperty("builds", candidate.builds());
            writeTexts(out, "versions", candidate.versions());
            out.writeStringProperty("status", candidate.answer().status().word());
            outcome.accept(candidate);
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    private static void writeTexts(JsonGenerator out, String property, List<String> texts) {
        out.writeArrayPropertyStart(property);
        texts.forEach(out::writeString);
        out.writeEndArray();
    }
}
