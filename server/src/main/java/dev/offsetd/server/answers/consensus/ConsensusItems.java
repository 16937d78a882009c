package dev.offsetd.server.answers.consensus;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.answer.ConsensusWriter;
import dev.offsetd.query.consensus.ConsensusAnswer;
import dev.offsetd.query.consensus.ConsensusIdentity;
import dev.offsetd.query.consensus.Peers;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.ItemResolution.ResolvedItems;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.identity.ComparableBuilds.ComparableBuild;
import dev.offsetd.server.web.Representation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * Items of a build that its peers answer.
 *
 * @param items as the first of these builds has them, with the pins of the build that is asked for
 * @param answers what each item rests on, by its text; items that the build's own symbols answer have none
 * @param agreement of the builds in all items
 * @param symbols the file with the symbols of the build itself; null if none are stored
 */
public record ConsensusItems(
        ResolvedItems items,
        Map<String, ConsensusAnswer> answers,
        ConsensusAnswer.Agreement agreement,
        PeerSelection selection,
        @Nullable StoredFile symbols) {

    public ConsensusItems {
        answers = Map.copyOf(answers);
    }

    /** Returns the agreement in all of these answers: as many different ones as of the item that has most. */
    static ConsensusAnswer.Agreement agreement(List<ConsensusAnswer> answers, PeerSelection selection) {
        int distinct = answers.stream()
                .mapToInt(answer -> answer.agreement().distinct())
                .max()
                .orElse(0);
        return answers.stream()
                .map(ConsensusAnswer::agreement)
                .filter(agreement -> agreement.distinct() == distinct)
                .findFirst()
                .orElseGet(() -> ConsensusAnswer.Agreement.of(selection.peers(), distinct));
    }

    /** Writes the property {@code consensus}: what is known of the build, and the agreement of the others. */
    public void write(JsonGenerator out) {
        ConsensusIdentity program = selection.program();
        out.writeObjectPropertyStart("consensus");
        out.writeStringProperty("project", program.project());
        out.writeStringProperty("version", program.version());
        if (selection.claimed()) {
            out.writeBooleanProperty("claimed", true);
        }
        ConsensusWriter.write(out, agreement);
        out.writeEndObject();
    }

    /** Writes the builds, and the file of the build itself if its symbols answer, into the object {@code provenance}, which is open. */
    public void writeSource(JsonGenerator out) {
        out.writeObjectPropertyStart(AnswerParts.SOURCE);
        out.writeStringProperty("origin", "consensus");
        Representation.write(out, "builds", selection.peers().builds(), (each, peer) -> {
            each.writeStringProperty("buildId", peer.build().id().toString());
            each.writeStringProperty("title", peer.build().title());
            each.writeStringProperty("version", peer.identity().version());
            each.writeStringProperty("origin", peer.build().origin().word());
        });
        out.writeEndObject();
        boolean own = items.answers().items().stream()
                .anyMatch(answer -> !answers.containsKey(answer.item().text()));
        if (own && symbols != null) {
            AnswerParts.writeSource(out, AnswerParts.OWN_SYMBOLS, symbols);
        }
    }

    /** Returns the facts for comments. */
    public List<String> heading(BuildId id) {
        ConsensusIdentity program = selection.program();
        List<String> lines = new ArrayList<>();
        lines.add("build-id %s, %s %s%s"
                .formatted(id, program.project(), program.version(), selection.claimed() ? " (claimed)" : ""));
        lines.add("source: consensus, builds: %d, versions %s to %s, origin %s, distinct layouts: %d"
                .formatted(
                        agreement.builds(),
                        agreement.below(),
                        agreement.above(),
                        String.join(", ", agreement.origins()),
                        agreement.distinct()));
        for (Peers.Peer<ComparableBuild> peer : selection.peers().builds()) {
            lines.add("  %s %s".formatted(peer.build().id(), peer.build().title()));
        }
        return lines;
    }
}
