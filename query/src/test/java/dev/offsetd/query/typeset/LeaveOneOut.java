package dev.offsetd.query.typeset;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.query.consensus.ConsensusAnswer;
import dev.offsetd.query.consensus.Peers;
import dev.offsetd.query.consensus.Peers.Peer;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.OutcomeEquality;
import dev.offsetd.query.typeset.ConsensusBuilds.Listed;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.opentest4j.TestAbortedException;

/** Compares the consensus of all other builds of a runtime with the debug information of each build. */
final class LeaveOneOut {

    private static final Peers.Provider UPSTREAM = new Peers.Provider(0, "debuginfod", null);

    private final List<ConsensusBuild> builds;
    private final OutcomeEquality equality = new OutcomeEquality();

    LeaveOneOut(List<ConsensusBuild> builds) {
        this.builds = List.copyOf(builds);
    }

    /**
     * Items of one or more builds.
     *
     * @param builds builds that were left out
     * @param withPeers builds of them that have peers
     * @param items items that the debug information has
     * @param answered items of them that others answer
     * @param correct answers that are equal to the debug information, including that the build lacks the item
     * @param ambiguous items on which others do not agree
     * @param wrong other answers
     */
    record Score(int builds, int withPeers, int items, int answered, int correct, int ambiguous, List<String> wrong) {

        static final Score NONE = new Score(0, 0, 0, 0, 0, 0, List.of());

        Score plus(Score other) {
            List<String> both = new ArrayList<>(wrong);
            both.addAll(other.wrong);
            return new Score(
                    builds + other.builds,
                    withPeers + other.withPeers,
                    items + other.items,
                    answered + other.answered,
                    correct + other.correct,
                    ambiguous + other.ambiguous,
                    both);
        }
    }

    /** Reads builds, each file once; prints those that cannot be had. */
    static LeaveOneOut read(List<Listed> listed, PrintStream out) {
        Map<String, ConsensusBuild> builds = new LinkedHashMap<>();
        for (Listed each : listed) {
            try {
                ConsensusBuild build = ConsensusBuild.read(
                        each.set(), each.options(), each.source().find());
                builds.putIfAbsent(build.key(), build);
            } catch (IOException | ExtractionException | TestAbortedException | AssertionError e) {
                out.println(each.set() + " " + each.place() + ": unavailable: " + firstLine(e));
            }
        }
        return new LeaveOneOut(List.copyOf(builds.values()));
    }

    private static String firstLine(Throwable e) {
        return Objects.requireNonNullElse(e.getMessage(), "")
                .lines()
                .findFirst()
                .orElse("");
    }

    List<ConsensusBuild> builds() {
        return builds;
    }

    /**
     * Leaves out each build in turn.
     *
     * @param variants whether variant tokens count; without, any build of the version counts
     * @param minBuilds fewest builds of the version that suffice
     * @return by name of the set
     */
    Map<String, Score> scores(boolean variants, int minBuilds) {
        Map<String, Score> scores = new TreeMap<>();
        for (ConsensusBuild build : builds) {
            scores.merge(build.set().name(), score(build, variants, minBuilds), Score::plus);
        }
        return scores;
    }

    Peers<ConsensusBuild> peers(ConsensusBuild program, boolean variants, int minBuilds) {
        TypeSet set = program.set();
        TypeSet declared = variants
                ? set
                : new TypeSet(
                        set.name(),
                        set.version(),
                        set.title(),
                        set.entries(),
                        set.probes(),
                        List.of(),
                        set.maps(),
                        set.versions());
        return Peers.select(
                program.identity(),
                declared,
                builds.stream()
                        .filter(build -> !build.equals(program))
                        .map(build -> new Peer<>(build.identity(), UPSTREAM, build))
                        .toList(),
                minBuilds);
    }

    private Score score(ConsensusBuild program, boolean variants, int minBuilds) {
        Peers<ConsensusBuild> peers = peers(program, variants, minBuilds);
        int found = (int) program.answers().values().stream()
                .filter(answer -> answer.status() == ItemStatus.FOUND)
                .count();
        Score score = new Score(1, peers.builds().isEmpty() ? 0 : 1, found, 0, 0, 0, List.of());
        if (peers.builds().isEmpty()) {
            return score;
        }
        for (Map.Entry<String, ItemAnswer> known : program.answers().entrySet()) {
            score = score.plus(item(program, known.getKey(), known.getValue(), peers));
        }
        return score;
    }

    private Score item(ConsensusBuild program, String item, ItemAnswer known, Peers<ConsensusBuild> peers) {
        ConsensusAnswer consensus = ConsensusAnswer.of(
                known.item(),
                peers,
                build -> Objects.requireNonNull(build.answers().get(item)));
        int answered = known.status() == ItemStatus.FOUND && consensus.answer().status() == ItemStatus.FOUND ? 1 : 0;
        if (areEqual(known, consensus.answer())) {
            return new Score(0, 0, 0, answered, 1, 0, List.of());
        }
        if (!consensus.candidates().isEmpty()) {
            return new Score(0, 0, 0, 0, 0, 1, List.of());
        }
        return new Score(
                0,
                0,
                0,
                answered,
                0,
                0,
                List.of(program.name() + ": " + item + ": "
                        + consensus.answer().status().word() + " by "
                        + consensus.agreement().below() + " to "
                        + consensus.agreement().above() + ", but "
                        + known.status().word()));
    }

    private boolean areEqual(ItemAnswer one, ItemAnswer other) {
        return one.status() == other.status()
                && Objects.equals(matched(one), matched(other))
                && equality.keyOf(one.outcome()).equals(equality.keyOf(other.outcome()));
    }

    private static Optional<String> matched(ItemAnswer answer) {
        return Optional.ofNullable(answer.matched()).map(matched -> matched.text());
    }

    /** Two builds whose items differ, though a guess by version takes one for the other. */
    record Pair(ConsensusBuild one, ConsensusBuild other, List<String> items) {}

    /** Returns the pairs of one version and architecture, or of neighbouring versions of one series, that differ. */
    List<Pair> moving() {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < builds.size(); i++) {
            for (int j = i + 1; j < builds.size(); j++) {
                ConsensusBuild one = builds.get(i);
                ConsensusBuild other = builds.get(j);
                if (areLikeByVersion(one, other)) {
                    List<String> items = one.differences(other, this::areEqual);
                    if (!items.isEmpty()) {
                        pairs.add(new Pair(one, other, items));
                    }
                }
            }
        }
        return pairs;
    }

    private static boolean areLikeByVersion(ConsensusBuild one, ConsensusBuild other) {
        return one.set().name().equals(other.set().name())
                && Objects.equals(
                        one.identity().architecture(), other.identity().architecture())
                && series(one).equals(series(other));
    }

    /** The first two numbers of a version. */
    private static String series(ConsensusBuild build) {
        String[] numbers = String.valueOf(build.identity().version()).split("\\.", 3);
        return numbers.length < 2 ? numbers[0] : numbers[0] + "." + numbers[1];
    }
}
