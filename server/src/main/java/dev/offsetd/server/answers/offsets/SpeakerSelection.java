package dev.offsetd.server.answers.offsets;

import dev.offsetd.query.consensus.ConsensusIdentity;
import dev.offsetd.query.consensus.Speakers;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.builds.identity.SimilarBuilds.SimilarBuild;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The stored builds that may speak for a build without debug information.
 *
 * @param set the type set whose runtime the build is
 * @param program what is known of the build
 * @param claimed whether a client stated a part of it
 * @param candidates stored builds with versions near that of the build
 * @param speakers those of them that may speak
 */
public record SpeakerSelection(
        TypeSet set,
        ConsensusIdentity program,
        boolean claimed,
        List<Speakers.Speaker<SimilarBuild>> candidates,
        Speakers<SimilarBuild> speakers)
        implements SpeakerResult {

    /** Most builds that are asked. */
    private static final int MAX_SPEAKERS = 32;

    public SpeakerSelection {
        candidates = List.copyOf(candidates);
    }

    static SpeakerSelection of(
            TypeSet set, ConsensusIdentity program, boolean claimed, List<Speakers.Speaker<SimilarBuild>> candidates) {
        return new SpeakerSelection(
                set, program, claimed, candidates, bounded(Speakers.select(program, set, candidates)));
    }

    /** Leaves out builds between the lowest and the highest versions if there are too many. */
    private static Speakers<SimilarBuild> bounded(Speakers<SimilarBuild> speakers) {
        List<Speakers.Speaker<SimilarBuild>> all = speakers.builds();
        if (all.size() <= MAX_SPEAKERS) {
            return speakers;
        }
        List<Speakers.Speaker<SimilarBuild>> ends = new ArrayList<>(all.subList(0, MAX_SPEAKERS / 2));
        ends.addAll(all.subList(all.size() - MAX_SPEAKERS / 2, all.size()));
        return new Speakers<>(ends, speakers.below(), speakers.above(), null, List.of());
    }

    /** Returns why no build may speak; null if some may. */
    public @Nullable NoConsensus refusal() {
        return speakers.builds().isEmpty() ? NoConsensus.of(this) : null;
    }

    /** Returns the selection among the other candidates. */
    SpeakerSelection without(Collection<SimilarBuild> unusable) {
        Set<SimilarBuild> left = Set.copyOf(unusable);
        return of(
                set,
                program,
                claimed,
                candidates.stream()
                        .filter(candidate -> !left.contains(candidate.build()))
                        .toList());
    }
}
