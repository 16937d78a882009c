package dev.offsetd.query.consensus;

import dev.offsetd.extractor.identity.VariantToken;
import dev.offsetd.query.typeset.TypeSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The builds that count as evidence for a program: builds of its project, architecture and variant that have its version. If they
 * are fewer than required, the nearest release below and the nearest release above in its series count too; without
 * any build of the version, both sides are needed. All of them are of one origin, the most trusted one whose builds suffice:
 * nothing that a less trusted one provides can change or disturb what a more trusted one answers.
 *
 * @param builds sorted by version; empty if none counts
 * @param below the nearest version at or below that of the program; null if there is none in its series
 * @param above the nearest version at or above it; null if there is none in its series
 * @param refusal why none counts; null if there are builds
 * @param unknown the variant tokens of the set that are not known of the program
 */
public record Peers<T>(
        List<Peer<T>> builds,
        @Nullable String below,
        @Nullable String above,
        @Nullable Refusal refusal,
        List<String> unknown) {

    /** Fewest builds of the version that suffice by default; answers say how many there were. */
    public static final int MIN_BUILDS = 1;

    /**
     * Origin of a debug file.
     *
     * @param rank of its trust, 0 for the highest
     * @param word its name in answers
     * @param uploader identifies the token or user that uploaded the file; null if a source has it
     */
    public record Provider(int rank, String word, @Nullable String uploader) {}

    /** A build with debug information. */
    public record Peer<T>(ConsensusIdentity identity, Provider provider, T build) {}

    /** Why a program has no peers. */
    public enum Refusal {
        /** The project, version or architecture of the program is not known. */
        UNKNOWN_IDENTITY,
        /** The state of a variant token of the program is not known. */
        UNKNOWN_VARIANT,
        /** Too few builds have its project, architecture and variant, and its version or one near it. */
        NO_BUILD,
        /** Only older releases of its series are stored. */
        ONLY_BELOW,
        /** Only newer releases of its series are stored. */
        ONLY_ABOVE
    }

    public Peers {
        builds = List.copyOf(builds);
        unknown = List.copyOf(unknown);
    }

    /**
     * Selects the peers of a program, at least {@link #MIN_BUILDS}.
     *
     * @param set the type set by which identities were read
     * @param candidates builds with debug information; others than those of the project are passed over
     */
    public static <T> Peers<T> select(ConsensusIdentity program, TypeSet set, Collection<Peer<T>> candidates) {
        return select(program, set, candidates, MIN_BUILDS);
    }

    /**
     * Selects the peers of a program.
     *
     * @param minBuilds fewest builds of the version that suffice
     */
    public static <T> Peers<T> select(
            ConsensusIdentity program, TypeSet set, Collection<Peer<T>> candidates, int minBuilds) {
        Optional<ReleaseVersion> version = version(program);
        if (program.project() == null || program.architecture() == null || version.isEmpty()) {
            return none(Refusal.UNKNOWN_IDENTITY, List.of());
        }
        List<String> unknown = set.variants().stream()
                .map(VariantToken::name)
                .filter(name -> !program.tokens().containsKey(name))
                .toList();
        if (!unknown.isEmpty()) {
            return none(Refusal.UNKNOWN_VARIANT, unknown);
        }
        List<Versioned<T>> like = new ArrayList<>();
        for (Peer<T> candidate : candidates) {
            version(candidate.identity())
                    .filter(_ -> isLike(program, candidate.identity(), set))
                    .ifPresent(found -> like.add(new Versioned<>(found, candidate)));
        }
        like.sort(Comparator.comparing(Versioned::version));
        return mostTrusted(version.get(), like, minBuilds);
    }

    private static <T> Peers<T> mostTrusted(ReleaseVersion version, List<Versioned<T>> like, int minBuilds) {
        Peers<T> refused = none(Refusal.NO_BUILD, List.of());
        for (int rank : like.stream()
                .mapToInt(each -> each.peer().provider().rank())
                .distinct()
                .sorted()
                .toArray()) {
            Peers<T> ofRank = nearest(
                    version,
                    like.stream()
                            .filter(each -> each.peer().provider().rank() == rank)
                            .toList(),
                    minBuilds);
            if (ofRank.refusal() == null) {
                return ofRank;
            }
            refused = refused.refusal() == Refusal.NO_BUILD ? ofRank : refused;
        }
        return refused;
    }

    /** Returns the same selection with some of the builds. */
    Peers<T> only(List<Peer<T>> some) {
        return new Peers<>(some, below, above, refusal, unknown);
    }

    /** Returns how many builds count as evidence: all of one uploader count as one. */
    static int evidence(Collection<Provider> providers) {
        Set<String> uploaders = new HashSet<>();
        return (int) providers.stream()
                .filter(provider -> provider.uploader() == null || uploaders.add(provider.uploader()))
                .count();
    }

    private static <T> int evidenceOf(List<Versioned<T>> builds) {
        return evidence(builds.stream().map(each -> each.peer().provider()).toList());
    }

    private record Versioned<T>(ReleaseVersion version, Peer<T> peer) {}

    private static Optional<ReleaseVersion> version(ConsensusIdentity identity) {
        return identity.version() == null ? Optional.empty() : ReleaseVersion.parse(identity.version());
    }

    private static boolean isLike(ConsensusIdentity program, ConsensusIdentity candidate, TypeSet set) {
        return candidate.project() != null
                && candidate.project().equals(program.project())
                && candidate.architecture() != null
                && candidate.architecture().equals(program.architecture())
                && set.variants().stream().allMatch(token -> {
                    String state = candidate.tokens().get(token.name());
                    return state != null && state.equals(program.tokens().get(token.name()));
                });
    }

    private static <T> Peers<T> nearest(ReleaseVersion version, List<Versioned<T>> like, int minBuilds) {
        List<Versioned<T>> same = of(version, like);
        if (evidenceOf(same) >= minBuilds) {
            return of(same);
        }
        Optional<ReleaseVersion> below = like.stream()
                .map(Versioned::version)
                .filter(other -> other.isOfSameSeries(version) && other.compareTo(version) < 0)
                .max(Comparator.naturalOrder());
        Optional<ReleaseVersion> above = like.stream()
                .map(Versioned::version)
                .filter(other -> other.isOfSameSeries(version) && other.compareTo(version) > 0)
                .min(Comparator.naturalOrder());
        if (same.isEmpty() && (below.isEmpty() || above.isEmpty())) {
            return new Peers<>(
                    List.of(),
                    below.map(other -> text(other, like)).orElse(null),
                    above.map(other -> text(other, like)).orElse(null),
                    below.isPresent() ? Refusal.ONLY_BELOW : above.isPresent() ? Refusal.ONLY_ABOVE : Refusal.NO_BUILD,
                    List.of());
        }
        List<Versioned<T>> all = new ArrayList<>();
        below.ifPresent(other -> all.addAll(of(other, like)));
        all.addAll(same);
        above.ifPresent(other -> all.addAll(of(other, like)));
        return evidenceOf(all) < minBuilds ? none(Refusal.NO_BUILD, List.of()) : of(all);
    }

    private static <T> List<Versioned<T>> of(ReleaseVersion version, List<Versioned<T>> like) {
        return like.stream()
                .filter(each -> each.version.compareTo(version) == 0)
                .toList();
    }

    /** Returns how the first build of a version writes it. */
    private static <T> @Nullable String text(ReleaseVersion version, List<Versioned<T>> like) {
        return of(version, like).getFirst().peer().identity().version();
    }

    private static <T> Peers<T> of(List<Versioned<T>> builds) {
        return new Peers<>(
                builds.stream().map(Versioned::peer).toList(),
                builds.getFirst().peer().identity().version(),
                builds.getLast().peer().identity().version(),
                null,
                List.of());
    }

    private static <T> Peers<T> none(Refusal refusal, List<String> unknown) {
        return new Peers<>(List.of(), null, null, refusal, unknown);
    }
}
