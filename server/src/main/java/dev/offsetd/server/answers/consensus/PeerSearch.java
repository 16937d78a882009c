package dev.offsetd.server.answers.consensus;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.consensus.ConsensusIdentity;
import dev.offsetd.query.consensus.Peers;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.builds.PinCounts;
import dev.offsetd.server.builds.identity.ComparableBuilds;
import dev.offsetd.server.builds.identity.ComparableBuilds.ComparableBuild;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.typesets.TypeSets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Finds the peers of builds without debug information. */
@Component
public class PeerSearch {

    /** Most builds of origins of a rank on each side of a version that are compared. */
    private static final int MAX_CANDIDATES = 64;

    private final Identities identities;
    private final ComparableBuilds builds;
    private final PinCounts pins;
    private final TypeSets typeSets;

    PeerSearch(Identities identities, ComparableBuilds builds, PinCounts pins, TypeSets typeSets) {
        this.identities = identities;
        this.builds = builds;
        this.pins = pins;
        this.typeSets = typeSets;
    }

    /** Peers of a build, or the reason why it has none. */
    sealed interface Result permits PeerSelection, NoConsensus {}

    /** Returns the peers of a build; empty if it is not known to be of one runtime. */
    public Optional<PeerSelection> find(BuildId id) {
        return find(id, Set.of(), null) instanceof PeerSelection selection ? Optional.of(selection) : Optional.empty();
    }

    /**
     * Returns the peers of a build.
     *
     * @param named names of the type sets of a query, which decide if the build is of several runtimes
     * @param claim what a client states of the build, after its file; null if it states nothing
     */
    Result find(BuildId id, Set<String> named, @Nullable Fallback claim) {
        List<TypeSet> sets = typeSets.searched().stream()
                .filter(set -> !set.probes().isEmpty())
                .toList();
        Identities.NamedFile file = identities.findFile(id).orElse(new Identities.NamedFile(Identity.UNKNOWN, null));
        Architecture architecture = file.architecture();
        Map<TypeSet, ConsensusIdentity> stated = new HashMap<>();
        if (architecture != null) {
            sets.forEach(set -> ConsensusIdentity.of(file.identity(), architecture, set)
                    .ifPresent(identity -> stated.put(set, identity)));
        }
        TypeSet set = only(List.copyOf(stated.keySet()), named);
        if (set == null && stated.isEmpty() && claim != null) {
            set = claimed(sets, named, claim);
        }
        if (set == null) {
            return stated.isEmpty()
                    ? NoConsensus.unknownProgram(architecture != null)
                    : NoConsensus.severalRuntimes(
                            stated.keySet().stream().map(TypeSet::name).toList());
        }
        return select(id, set, stated.get(set), architecture, claim);
    }

    /** Returns the only one of these sets, or the only one that is named; null if there are several. */
    private static @Nullable TypeSet only(List<TypeSet> sets, Set<String> named) {
        List<TypeSet> chosen = sets.size() == 1 ? sets : named(sets, named);
        return chosen.size() == 1 ? chosen.getFirst() : null;
    }

    private static @Nullable TypeSet claimed(List<TypeSet> sets, Set<String> named, Fallback claim) {
        List<TypeSet> ofProject = claim.project().stream()
                .flatMap(project -> sets.stream().filter(set -> isOf(set, project)))
                .toList();
        return only(ofProject.isEmpty() ? named(sets, named) : ofProject, named);
    }

    private static List<TypeSet> named(List<TypeSet> sets, Set<String> names) {
        return sets.stream().filter(set -> names.contains(set.name())).toList();
    }

    private static boolean isOf(TypeSet set, String project) {
        return set.name().equals(project)
                || set.probes().stream().anyMatch(probe -> probe.project().equals(project));
    }

    /** @param stated identity that the file states; null if it states none */
    private Result select(
            BuildId id,
            TypeSet set,
            @Nullable ConsensusIdentity stated,
            @Nullable Architecture architecture,
            @Nullable Fallback claim) {
        Map<String, String> tokens = new HashMap<>(tokens(set, claim));
        boolean claimed = stated == null || !stated.tokens().keySet().containsAll(tokens.keySet());
        if (stated != null) {
            tokens.putAll(stated.tokens());
        }
        String project = stated != null && stated.project() != null
                ? stated.project()
                : set.probes().getFirst().project();
        String version =
                stated != null && stated.version() != null ? stated.version() : claim == null ? null : claim.version();
        String machine = architecture != null ? architecture.machine() : claim == null ? null : claim.machine();
        if (version == null) {
            return NoConsensus.unknownVersion(project);
        }
        if (machine == null) {
            return NoConsensus.unknownMachine(project);
        }
        List<String> variants = tokens.entrySet().stream()
                .map(token -> VariantToken.prefix(set.name(), token.getKey()) + token.getValue())
                .toList();
        List<Peers.Peer<ComparableBuild>> candidates =
                candidates(id, set, new ComparableBuilds.Likeness(project, machine, version, variants));
        ConsensusIdentity program = new ConsensusIdentity(
                project,
                version,
                architecture != null ? architecture : common(candidates),
                tokens,
                stated == null ? null : stated.distribution());
        return PeerSelection.of(set, program, claimed, candidates);
    }

    /** Returns the states of the variant tokens of a set that a client claims. */
    private static Map<String, String> tokens(TypeSet set, @Nullable Fallback claim) {
        if (claim == null || claim.tokens() == null) {
            return Map.of();
        }
        Map<String, String> tokens = new HashMap<>();
        for (VariantToken token : set.variants()) {
            String prefix = VariantToken.prefix(set.name(), token.name());
            claim.tokens().stream()
                    .filter(text -> text.startsWith(prefix))
                    .forEach(text -> tokens.put(token.name(), text.substring(prefix.length())));
        }
        return tokens;
    }

    /** Returns stored builds of all origins, without builds that have pins, and each file once, for its most trusted origin. */
    private List<Peers.Peer<ComparableBuild>> candidates(BuildId id, TypeSet set, ComparableBuilds.Likeness like) {
        // Each rank has a separate limit, so that no number of uploads displaces a build of an upstream.
        List<ComparableBuild> found = Origin.ranks().stream()
                .flatMap(rank -> builds.find(id, like, rank, MAX_CANDIDATES).stream())
                .toList();
        // A pin exists because the debug information is wrong.
        Set<BuildId> pinned = pins.activePins(
                        found.stream().map(ComparableBuild::id).toList())
                .keySet();
        Set<String> files = new HashSet<>();
        return found.stream()
                .filter(build -> !pinned.contains(build.id()) && files.add(build.sha256()))
                .flatMap(build -> ConsensusIdentity.of(build.identity(), build.architecture(), set)
                        .map(identity -> new Peers.Peer<>(identity, provider(build), build))
                        .stream())
                .toList();
    }

    private static Peers.Provider provider(ComparableBuild build) {
        return new Peers.Provider(build.origin().rank(), build.origin().word(), build.uploader());
    }

    /** Returns the architecture that all candidates of the most trusted origins have; null if they differ. */
    private static @Nullable Architecture common(List<Peers.Peer<ComparableBuild>> candidates) {
        List<Architecture> different = candidates.stream()
                .filter(candidate -> candidate.provider().rank()
                        == candidates.getFirst().provider().rank())
                .map(candidate -> candidate.build().architecture())
                .distinct()
                .toList();
        return different.size() == 1 ? different.getFirst() : null;
    }
}
