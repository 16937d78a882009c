package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.answer.ConsensusWriter;
import dev.offsetd.query.consensus.ConsensusAnswer;
import dev.offsetd.query.consensus.ConsensusIdentity;
import dev.offsetd.query.consensus.Speakers;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.builds.identity.SimilarBuilds.SimilarBuild;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** States in answers which builds they rest on. */
final class ConsensusText {

    private ConsensusText() {}

    /** Writes the property {@code consensus}: what is known of the build, and the agreement of the others. */
    static void write(JsonGenerator out, ConsensusItems items) {
        ConsensusIdentity program = items.selection().program();
        out.writeObjectPropertyStart("consensus");
        out.writeStringProperty("project", program.project());
        out.writeStringProperty("version", program.version());
        if (items.selection().claimed()) {
            out.writeBooleanProperty("claimed", true);
        }
        ConsensusWriter.write(out, items.agreement());
        out.writeEndObject();
    }

    /** Writes the builds into the object {@code provenance}, which is open. */
    static void writeSource(JsonGenerator out, ConsensusItems items) {
        out.writeObjectPropertyStart(AnswerParts.SOURCE);
        out.writeStringProperty("origin", "consensus");
        out.writeArrayPropertyStart("builds");
        for (Speakers.Speaker<SimilarBuild> speaker :
                items.selection().speakers().builds()) {
            out.writeStartObject();
            out.writeStringProperty("buildId", speaker.build().id().toString());
            out.writeStringProperty("title", speaker.build().title());
            out.writeStringProperty("version", speaker.identity().version());
            out.writeStringProperty("origin", speaker.build().origin().word());
            out.writeEndObject();
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    /** Returns the facts for comments. */
    static List<String> heading(BuildId id, ConsensusItems items) {
        ConsensusIdentity program = items.selection().program();
        ConsensusAnswer.Agreement agreement = items.agreement();
        List<String> lines = new ArrayList<>();
        lines.add("build-id %s, %s %s%s"
                .formatted(
                        id,
                        program.project(),
                        program.version(),
                        items.selection().claimed() ? " (claimed)" : ""));
        lines.add("source: consensus, builds: %d, versions %s to %s, origin %s, distinct layouts: %d"
                .formatted(
                        agreement.builds(),
                        agreement.below(),
                        agreement.above(),
                        String.join(", ", agreement.origins()),
                        agreement.distinct()));
        items.selection()
                .speakers()
                .builds()
                .forEach(speaker -> lines.add("  %s %s"
                        .formatted(speaker.build().id(), speaker.build().title())));
        return lines;
    }
}
