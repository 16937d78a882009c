package dev.offsetd.query.typeset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.typeset.LeaveOneOut.Score;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Consensus among Debian's three builds of one Perl; {@code ./offsetd sets --leave-one-out} takes hundreds of builds. */
class LeaveOneOutIntegrationTests {

    private static LeaveOneOut proof = new LeaveOneOut(List.of());

    @BeforeAll
    static void readBuilds() {
        proof = LeaveOneOut.read(
                ConsensusBuilds.quick(Path.of(System.getProperty("offsetd.compiled", "target/compiled"))), System.err);
        assertThat(proof.builds()).hasSize(3);
    }

    private static ConsensusBuild build(String name) {
        return proof.builds().stream()
                .filter(build -> build.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theLibraryAndTheProgramArePeers() {
        Score score = Objects.requireNonNull(proof.scores(true, 1).get("perl"));

        assertThat(score.withPeers()).isEqualTo(2);
        assertThat(score.answered()).isGreaterThan(60);
        assertThat(score.wrong()).isEmpty();
    }

    @Test
    void aBuildWithOtherOptionsIsNoPeer() {
        ConsensusBuild debugging = build("perl 5.36.0 x86_64 DEBUGGING");

        assertThat(debugging.tokens()).contains("threads=yes", "debugging=yes");
        assertThat(proof.peers(debugging, true, 1).builds()).isEmpty();
        assertThat(proof.peers(debugging, false, 1).builds()).hasSize(2);
    }

    @Test
    void oneBuildDoesNotSufficeIfTwoAreRequired() {
        assertThat(Objects.requireNonNull(proof.scores(true, 2).get("perl")).withPeers())
                .isZero();
    }

    @Test
    void aMovedMemberIsFoundToBeWrong() {
        List<ConsensusBuild> builds = new ArrayList<>(proof.builds());
        ConsensusBuild first = builds.getFirst();
        Map<String, ItemAnswer> moved = new HashMap<>(first.answers());
        ItemAnswer other = Objects.requireNonNull(moved.get("interpreter.Icurstackinfo"));
        moved.computeIfPresent(
                "interpreter.Icurcop",
                (item, answer) -> new ItemAnswer(answer.item(), answer.matched(), other.outcome()));
        builds.set(0, new ConsensusBuild(first.name(), first.set(), first.key(), first.identity(), moved));

        List<String> wrong = Objects.requireNonNull(
                        new LeaveOneOut(builds).scores(true, 1).get("perl"))
                .wrong();

        assertThat(other.status()).isEqualTo(ItemStatus.FOUND);
        assertThat(wrong).hasSize(2).allMatch(text -> text.contains("interpreter.Icurcop"));
    }
}
