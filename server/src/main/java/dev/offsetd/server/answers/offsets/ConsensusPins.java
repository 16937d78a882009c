package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.consensus.ConsensusAnswer;
import dev.offsetd.query.consensus.Speakers;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.identities.SimilarBuilds.SimilarBuild;
import dev.offsetd.server.pins.PinDraft;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** Turns the layouts on which other builds agree into pins of a build without debug information. */
@Component
public class ConsensusPins {

    /** Most builds that the reason of a pin names. */
    private static final int MAX_NAMED = 5;

    private final ConsensusAnswers consensus;
    private final SpeakerSearch search;
    private final Pins pins;

    ConsensusPins(ConsensusAnswers consensus, SpeakerSearch search, Pins pins) {
        this.consensus = consensus;
        this.search = search;
        this.pins = pins;
    }

    /**
     * Pins what all builds that may speak for this one agree on, of the type set of its runtime. Items that are pinned already,
     * or that a pin cannot express, are left out. Each pin states its origin as its reason.
     *
     * @return the number of new pins
     */
    public long pin(Build build, Caller who, String requestId) {
        return search.find(build.id()).stream()
                .flatMap(selection -> drafts(build, selection).stream())
                .filter(draft -> isPinned(draft, who, requestId))
                .count();
    }

    private List<PinDraft> drafts(Build build, SpeakerSelection selection) {
        OffsetsQuery query = OffsetsQuery.ofItems(
                List.of("@" + selection.set().name()),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                _ -> Representation.JSON);
        return consensus.answer(build, query, selection, found -> drafts(build.id(), found))
                        instanceof ConsensusResult.Given<List<PinDraft>>(List<PinDraft> drafts)
                ? drafts
                : List.of();
    }

    private boolean isPinned(PinDraft draft, Caller who, String requestId) {
        try {
            pins.create(draft, who, requestId);
            return true;
        } catch (ProblemException e) {
            return false;
        }
    }

    private static List<PinDraft> drafts(BuildId id, ConsensusItems found) {
        return found.items().answers().items().stream()
                .filter(answer -> found.answers().containsKey(answer.item().text()))
                .flatMap(answer ->
                        value(answer)
                                .map(value -> new PinDraft(id, item(answer), value, reason(answer, found), null))
                                .stream())
                .toList();
    }

    private static String item(ItemAnswer answer) {
        Alternative matched = answer.matched();
        return matched == null ? answer.item().text() : matched.text();
    }

    private static Optional<PinnedValue> value(ItemAnswer answer) {
        return switch (answer.outcome()) {
            case ItemOutcome.PathFound(var _, var _, Placement.Fixed place)
            when place.size() >= 0 ->
                Optional.of(new PinnedValue.OfMember(
                        place.offset(),
                        place.size(),
                        place.isBitField() ? new PinnedValue.Bits(place.bitOffset(), place.bitSize()) : null,
                        place.type().spelling()));
            case ItemOutcome.TypeFound(var definition, var _, var _)
            when definition.shape().byteSize() != TypeShape.UNKNOWN_SIZE ->
                Optional.of(new PinnedValue.OfType(definition.shape().byteSize(), Map.of()));
            default -> Optional.empty();
        };
    }

    private static String reason(ItemAnswer answer, ConsensusItems found) {
        ConsensusAnswer.Agreement agreement = Objects.requireNonNull(
                        found.answers().get(answer.item().text()))
                .agreement();
        List<Speakers.Speaker<SimilarBuild>> speakers =
                found.selection().speakers().builds();
        String named = speakers.stream()
                .limit(MAX_NAMED)
                .map(speaker -> speaker.build().id().toString())
                .collect(Collectors.joining(", "));
        return "Consensus for %s, versions %s to %s, origin %s, builds: %d: %s%s"
                .formatted(
                        found.selection().program().project(),
                        agreement.below(),
                        agreement.above(),
                        String.join(", ", agreement.origins()),
                        agreement.builds(),
                        named,
                        speakers.size() > MAX_NAMED ? ", …" : "");
    }
}
