package dev.offsetd.server.answers.consensus;

import dev.offsetd.query.consensus.ConsensusIdentity;
import dev.offsetd.query.consensus.Peers;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.builds.identity.ComparableBuilds.ComparableBuild;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The peers of a build without debug information: stored builds that count as evidence for its answers.
 *
 * @param set the type set whose runtime the build is
 * @param program what is known of the build
 * @param claimed whether a client stated a part of it
 * @param candidates stored builds with versions near that of the build
 * @param peers the candidates that count
 */
public record PeerSelection(
        TypeSet set,
        ConsensusIdentity program,
        boolean claimed,
        List<Peers.Peer<ComparableBuild>> candidates,
        Peers<ComparableBuild> peers)
        implements PeerSearch.Result {

    /** Most builds that are asked. */
    private static final int MAX_PEERS = 32;

    public PeerSelection {
        candidates = List.copyOf(candidates);
    }

    static PeerSelection of(
            TypeSet set, ConsensusIdentity program, boolean claimed, List<Peers.Peer<ComparableBuild>> candidates) {
        return new PeerSelection(set, program, claimed, candidates, bounded(Peers.select(program, set, candidates)));
    }

    /** Leaves out builds between the lowest and the highest versions if there are too many. */
    private static Peers<ComparableBuild> bounded(Peers<ComparableBuild> peers) {
        List<Peers.Peer<ComparableBuild>> all = peers.builds();
        if (all.size() <= MAX_PEERS) {
            return peers;
        }
        List<Peers.Peer<ComparableBuild>> ends = new ArrayList<>(all.subList(0, MAX_PEERS / 2));
        ends.addAll(all.subList(all.size() - MAX_PEERS / 2, all.size()));
        return new Peers<>(ends, peers.below(), peers.above(), null, List.of());
    }

    /** Returns why the build has no peers; null if it has some. */
    public @Nullable NoConsensus refusal() {
        return peers.builds().isEmpty() ? NoConsensus.of(this) : null;
    }

    /** Returns the selection among the other candidates. */
    PeerSelection without(Collection<ComparableBuild> unusable) {
        Set<ComparableBuild> left = Set.copyOf(unusable);
        return of(
                set,
                program,
                claimed,
                candidates.stream()
                        .filter(candidate -> !left.contains(candidate.build()))
                        .toList());
    }
}
