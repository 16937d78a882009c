package dev.offsetd.query.consensus;

import dev.offsetd.query.consensus.Speakers.Speaker;
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
 * The answer of several builds to one item of a program for which they speak.
 *
 * @param answer what all of them say; a miss that is {@link ItemStatus#AMBIGUOUS} if they differ, and
 *     {@link ItemStatus#UNSUPPORTED} if builds cannot speak for each other: addresses differ in every build
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
         * Returns the agreement of all speakers.
         *
         * @param distinct the number of their different answers
         */
        public static <T> Agreement of(Speakers<T> speakers, int distinct) {
            List<Speaker<T>> builds = speakers.builds();
            List<Speakers.Provider> providers =
                    builds.stream().map(Speaker::provider).toList();
            return new Agreement(
                    Speakers.evidence(providers),
                    distinct,
                    speakers.below(),
                    speakers.above(),
                    builds.stream()
                            .flatMap(speaker ->
                                    Stream.ofNullable(speaker.identity().distribution()))
                            .distinct()
                            .sorted()
                            .toList(),
                    providers.stream().map(Speakers.Provider::word).distinct().toList(),
                    (int) providers.stream()
                            .map(Speakers.Provider::uploader)
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
     * Asks all speakers.
     *
     * @param speakers at least one
     * @param item not a type set: expand it, so that one selection of speakers answers all of it
     * @param ask what a build answers to the item
     */
    public static <T> ConsensusAnswer of(Item item, Speakers<T> speakers, Function<T, ItemAnswer> ask) {
        if (hasAddress(item)) {
            return new ConsensusAnswer(new ItemAnswer(item, null, ADDRESS), Agreement.of(speakers, 0), List.of());
        }
        OutcomeEquality equality = new OutcomeEquality();
        Map<String, List<Said>> different = new LinkedHashMap<>();
        List<Speaker<T>> counted = new ArrayList<>();
        for (Speaker<T> speaker : speakers.builds()) {
            ItemAnswer answer = ask.apply(speaker.build());
            if (answer.outcome() instanceof ItemOutcome.StaticFound) {
                return new ConsensusAnswer(new ItemAnswer(item, null, ADDRESS), Agreement.of(speakers, 0), List.of());
            }
            if (answer.incomplete()) {
                continue;
            }
            counted.add(speaker);
            String matched = answer.matched() == null ? "" : answer.matched().text();
            String key = answer.status() + " " + matched.length() + ":" + matched + equality.keyOf(answer.outcome());
            different
                    .computeIfAbsent(key, _ -> new ArrayList<>())
                    .add(new Said(answer, speaker.identity().version(), speaker.provider()));
        }
        Agreement agreement = Agreement.of(speakers.only(counted), different.size());
        if (!isBounded(speakers, counted)) {
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
    private static <T> boolean isBounded(Speakers<T> speakers, List<Speaker<T>> counted) {
        List<@Nullable String> versions = new ArrayList<>();
        counted.forEach(speaker -> versions.add(speaker.identity().version()));
        return !counted.isEmpty() && versions.contains(speakers.below()) && versions.contains(speakers.above());
    }

    /** The answer of a build of a version. */
    private record Said(ItemAnswer answer, @Nullable String version, Speakers.Provider provider) {}

    private static Candidate candidate(List<Said> same) {
        return new Candidate(
                same.getFirst().answer(),
                Speakers.evidence(same.stream().map(Said::provider).toList()),
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
