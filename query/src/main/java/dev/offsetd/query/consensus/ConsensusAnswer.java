package dev.offsetd.query.consensus;

import dev.offsetd.query.consensus.Peers.Peer;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.OutcomeEquality;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The answer of the peers of a program to one item.
 *
 * @param answer what all of them say; a miss that is {@link ItemStatus#AMBIGUOUS} if they differ, and
 *     {@link ItemStatus#UNSUPPORTED} for addresses, which differ in every build
 * @param candidates the different answers if they differ, else empty
 */
public record ConsensusAnswer(ItemAnswer answer, Agreement agreement, List<Candidate> candidates) {

    private static final ItemOutcome ADDRESS = new ItemOutcome.Missed(
            ItemStatus.UNSUPPORTED, "addresses differ in every build; read them from the program");

    private static final ItemOutcome READ_IN_PART = new ItemOutcome.Missed(
            ItemStatus.UNSUPPORTED,
            "a part of the builds that would answer could not be read, and may define it in another way");

    /**
     * The builds that an answer rests on.
     *
     * @param builds the number of builds that were asked; those of one uploader count as one
     * @param distinct the number of different answers
     * @param below the nearest version at or below that of the program; null if no build was asked
     * @param above the nearest version at or above it; null if no build was asked
     * @param distributions of the builds, sorted
     * @param origins of their debug files
     * @param tokens the number of tokens and users that uploaded them; 0 if none was uploaded
     */
    public record Agreement(
            int builds,
            int distinct,
            @Nullable String below,
            @Nullable String above,
            List<String> distributions,
            List<String> origins,
            int tokens) {

        public Agreement {
            distributions = List.copyOf(distributions);
            origins = List.copyOf(origins);
        }

        /**
         * Returns the agreement of all peers.
         *
         * @param distinct the number of their different answers
         */
        public static <T> Agreement of(Peers<T> peers, int distinct) {
            List<Peer<T>> builds = peers.builds();
            List<Peers.Provider> providers = builds.stream().map(Peer::provider).toList();
            return new Agreement(
                    Peers.evidence(providers),
                    distinct,
                    peers.below(),
                    peers.above(),
                    builds.stream()
                            .flatMap(peer -> Stream.ofNullable(peer.identity().distribution()))
                            .distinct()
                            .sorted()
                            .toList(),
                    providers.stream().map(Peers.Provider::word).distinct().toList(),
                    (int) providers.stream()
                            .map(Peers.Provider::uploader)
                            .filter(Objects::nonNull)
                            .distinct()
                            .count());
        }
    }

    /**
     * One of several different answers.
     *
     * @param builds the number of builds that give it; those of one uploader count as one
     * @param versions their versions, each once
     */
    public record Candidate(ItemAnswer answer, int builds, List<String> versions) {

        public Candidate {
            versions = List.copyOf(versions);
        }
    }

    public ConsensusAnswer {
        candidates = List.copyOf(candidates);
    }

    /**
     * Asks all peers.
     *
     * @param peers at least one
     * @param item not a type set: expand it, so that one selection of peers answers all of it
     * @param ask what a build answers to the item
     */
    public static <T> ConsensusAnswer of(Item item, Peers<T> peers, Function<T, ItemAnswer> ask) {
        if (hasAddress(item)) {
            return new ConsensusAnswer(new ItemAnswer(item, null, ADDRESS), Agreement.of(peers, 0), List.of());
        }
        OutcomeEquality equality = new OutcomeEquality();
        Map<String, List<Said>> different = new LinkedHashMap<>();
        List<Peer<T>> counted = new ArrayList<>();
        for (Peer<T> peer : peers.builds()) {
            ItemAnswer answer = ask.apply(peer.build());
            if (answer.outcome() instanceof ItemOutcome.StaticFound || answer.isOfVariable()) {
                return new ConsensusAnswer(new ItemAnswer(item, null, ADDRESS), Agreement.of(peers, 0), List.of());
            }
            if (answer.incomplete()) {
                continue;
            }
            counted.add(peer);
            String matched = answer.matched() == null ? "" : answer.matched().text();
            String key = answer.status() + " " + matched.length() + ":" + matched + equality.keyOf(answer.outcome());
            different
                    .computeIfAbsent(key, _ -> new ArrayList<>())
                    .add(new Said(answer, peer.identity().version(), peer.provider()));
        }
        Agreement agreement = Agreement.of(peers.only(counted), different.size());
        if (!isBounded(peers, counted)) {
            return new ConsensusAnswer(new ItemAnswer(item, null, READ_IN_PART), agreement, List.of());
        }
        if (different.size() == 1) {
            return new ConsensusAnswer(
                    different.values().iterator().next().getFirst().answer(), agreement, List.of());
        }
        ItemOutcome ambiguous = new ItemOutcome.Missed(
                ItemStatus.AMBIGUOUS, counted.size() + " builds give " + different.size() + " different answers");
        return new ConsensusAnswer(
                new ItemAnswer(item, null, ambiguous),
                agreement,
                different.values().stream().map(ConsensusAnswer::candidate).toList());
    }

    /** Returns whether the builds have the versions that the program's is between. */
    private static <T> boolean isBounded(Peers<T> peers, List<Peer<T>> counted) {
        List<@Nullable String> versions = new ArrayList<>();
        counted.forEach(peer -> versions.add(peer.identity().version()));
        return !counted.isEmpty() && versions.contains(peers.below()) && versions.contains(peers.above());
    }

    /** The answer of a build of a version. */
    private record Said(ItemAnswer answer, @Nullable String version, Peers.Provider provider) {}

    private static Candidate candidate(List<Said> same) {
        return new Candidate(
                same.getFirst().answer(),
                Peers.evidence(same.stream().map(Said::provider).toList()),
                same.stream()
                        .map(Said::version)
                        .filter(Objects::nonNull)
                        .distinct()
                        .toList());
    }

    private static boolean hasAddress(Item item) {
        return item.alternatives().stream()
                .anyMatch(alternative -> alternative instanceof Alternative.SymbolGlob
                        || alternative instanceof Alternative.ThreadLocalStorage);
    }
}
