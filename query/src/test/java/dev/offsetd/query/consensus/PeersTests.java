package dev.offsetd.query.consensus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.query.consensus.Peers.Peer;
import dev.offsetd.query.consensus.Peers.Refusal;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PeersTests {

    private static final TypeSet SET = TypeSetParser.parse("""
            {"name": "lang", "version": 1, "title": "t", "items": [{"item": "a"}],
             "probes": [{"text": "lang {version} ("}],
             "variants": [{"token": "jit", "symbol": "jit"}, {"token": "state", "sizeOf": "state"}]}
            """.getBytes(StandardCharsets.UTF_8));

    private static final Architecture AMD64 = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);
    private static final Architecture X32 = new Architecture("x86_64", 32, ByteOrder.LITTLE_ENDIAN);
    private static final Map<String, String> TOKENS = Map.of("jit", "yes", "state", "128");

    private static final Peers.Provider UPSTREAM = new Peers.Provider(0, "debuginfod", null);
    private static final Peers.Provider FOLDER = new Peers.Provider(1, "local", null);
    private static final Peers.Provider CI = new Peers.Provider(2, "upload", "ci");

    private static ConsensusIdentity identity(String version) {
        return new ConsensusIdentity("lang", version, AMD64, TOKENS, null);
    }

    private static List<Peer<String>> builds(String... versions) {
        return Stream.of(versions)
                .map(version -> new Peer<>(identity(version), UPSTREAM, version))
                .toList();
    }

    private static List<String> peers(ConsensusIdentity program, List<Peer<String>> builds) {
        return Peers.select(program, SET, builds).builds().stream()
                .map(Peer::build)
                .toList();
    }

    @Test
    void buildsOfTheSameVersionSuffice() {
        assertThat(peers(identity("3.4.5"), builds("3.4.4", "3.4.5p1", "3.4.6", "3.4.5")))
                .containsExactly("3.4.5p1", "3.4.5");
    }

    @Test
    void oneBuildOfTheVersionNeedsNeighboursIfTwoAreRequired() {
        assertThat(ofTwo("3.4.5")).isEmpty();
        assertThat(ofTwo("3.4.5", "3.3.9")).isEmpty();
        assertThat(ofTwo("3.4.5", "3.4.4", "3.4.3")).containsExactly("3.4.4", "3.4.5");
        assertThat(ofTwo("3.4.6", "3.4.5", "3.4.4")).containsExactly("3.4.4", "3.4.5", "3.4.6");
    }

    private static List<String> ofTwo(String... versions) {
        return Peers.select(identity("3.4.5"), SET, builds(versions), 2).builds().stream()
                .map(Peer::build)
                .toList();
    }

    @Test
    @ChecklistRow(43)
    void onlyTheMostTrustedOriginThatSufficesCounts() {
        Peer<String> below = new Peer<>(identity("3.4.4"), UPSTREAM, "below");
        Peer<String> above = new Peer<>(identity("3.4.7"), UPSTREAM, "above");
        Peer<String> inFolder = new Peer<>(identity("3.4.5"), FOLDER, "folder");
        Peer<String> uploaded = new Peer<>(identity("3.4.5"), CI, "uploaded");
        Peer<String> between = new Peer<>(identity("3.4.6"), CI, "between");

        ConsensusIdentity program = identity("3.4.5");
        assertThat(peers(program, List.of(uploaded, between, above, inFolder, below)))
                .containsExactly("below", "above");
        assertThat(peers(program, List.of(uploaded, inFolder, below))).containsExactly("folder");
        assertThat(peers(program, List.of(uploaded, below, between))).containsExactly("uploaded");
        assertThat(Peers.select(program, SET, List.of(between, below)).refusal())
                .isEqualTo(Refusal.ONLY_BELOW);
        assertThat(Peers.select(program, SET, List.of(uploaded, uploaded), 2).builds())
                .isEmpty();
    }

    @Test
    void elseTheNearestReleasesOnBothSidesCount() {
        Peers<String> peers =
                Peers.select(identity("3.4.5"), SET, builds("3.4.7", "3.4.1", "3.4.3", "3.4.9", "3.4.3p2"));

        assertThat(peers.builds()).extracting(Peer::build).containsExactly("3.4.3", "3.4.3p2", "3.4.7");
        assertThat(peers.below()).isEqualTo("3.4.3");
        assertThat(peers.above()).isEqualTo("3.4.7");
    }

    @ParameterizedTest
    @CsvSource({
        "'3.4.7,3.4.6', ONLY_ABOVE, , 3.4.6",
        "'3.4.3,3.4.4', ONLY_BELOW, 3.4.4,",
        "'3.4.4,3.4.6rc1', ONLY_BELOW, 3.4.4,",
        "'3.4.4,3.5.1', ONLY_BELOW, 3.4.4,",
        "'3.4,3.4.6', ONLY_ABOVE, , 3.4.6",
        "'3.3.9,3.5.0', NO_BUILD, ,",
    })
    void neighboursOfOneSideOrOfOtherSeriesDoNotCount(
            String versions, Refusal refusal, @Nullable String below, @Nullable String above) {
        Peers<String> peers = Peers.select(identity("3.4.5"), SET, builds(versions.split(",", -1)));

        assertThat(peers).isEqualTo(new Peers<String>(List.of(), below, above, refusal, List.of()));
    }

    @Test
    void aPreReleaseHasNoNeighbours() {
        assertThat(peers(identity("3.4.0rc1"), builds("3.4.0-1", "3.4.0rc2", "3.4.1")))
                .isEmpty();
        assertThat(peers(identity("3.4.0rc1"), builds("3.4.0rc1", "3.4.0rc1", "3.4.0")))
                .containsExactly("3.4.0rc1", "3.4.0rc1");
    }

    @Test
    void projectArchitectureAndEachTokenMustBeEqual() {
        ConsensusIdentity program = identity("3.4.5");
        List<ConsensusIdentity> others = List.of(
                new ConsensusIdentity("other", "3.4.5", AMD64, TOKENS, null),
                new ConsensusIdentity(null, "3.4.5", AMD64, TOKENS, null),
                new ConsensusIdentity("lang", null, AMD64, TOKENS, null),
                new ConsensusIdentity("lang", "3.4.5", X32, TOKENS, null),
                new ConsensusIdentity("lang", "3.4.5", null, TOKENS, null),
                new ConsensusIdentity("lang", "3.4.5", AMD64, Map.of("jit", "no", "state", "128"), null),
                new ConsensusIdentity("lang", "3.4.5", AMD64, Map.of("jit", "yes", "state", "136"), null),
                new ConsensusIdentity("lang", "3.4.5", AMD64, Map.of("jit", "yes"), null));

        for (ConsensusIdentity other : others) {
            assertThat(peers(program, List.of(new Peer<>(other, UPSTREAM, "one"), new Peer<>(other, UPSTREAM, "two"))))
                    .as("%s", other)
                    .isEmpty();
        }
    }

    @Test
    void whatIsUnknownOfTheProgramEqualsNothing() {
        ConsensusIdentity noToken = new ConsensusIdentity("lang", "3.4.5", AMD64, Map.of("state", "128"), null);
        Peers<String> peers = Peers.select(noToken, SET, List.of(new Peer<>(noToken, UPSTREAM, "itself")));

        assertThat(peers.builds()).isEmpty();
        assertThat(peers.refusal()).isEqualTo(Refusal.UNKNOWN_VARIANT);
        assertThat(peers.unknown()).containsExactly("jit");
        for (ConsensusIdentity unknown : List.of(
                new ConsensusIdentity(null, "3.4.5", AMD64, TOKENS, null),
                new ConsensusIdentity("lang", null, AMD64, TOKENS, null),
                new ConsensusIdentity("lang", "x", AMD64, TOKENS, null),
                new ConsensusIdentity("lang", "3.4.5", null, TOKENS, null))) {
            assertThat(Peers.select(unknown, SET, List.of(new Peer<>(unknown, UPSTREAM, "itself")))
                            .refusal())
                    .isEqualTo(Refusal.UNKNOWN_IDENTITY);
        }
    }

    @Test
    void theOrderOfTheCandidatesDoesNotMatter() {
        List<Peer<String>> all = new ArrayList<>();
        for (int patch = 0; patch < 12; patch += 3) {
            all.addAll(builds("3.4." + patch, "3.5." + patch));
        }
        for (int patch = 0; patch < 12; patch++) {
            List<String> expected = peers(identity("3.4." + patch), all);
            for (int seed = 0; seed < 10; seed++) {
                List<Peer<String>> shuffled = new ArrayList<>(all);
                Collections.shuffle(shuffled, new Random(seed));
                assertThat(peers(identity("3.4." + patch), shuffled)).isEqualTo(expected);
            }
        }
    }

    @Test
    void onlyWhatTheProgramStatesCounts() {
        IdentityField guessed = new IdentityField(Kind.VERSION, "3.4.4", "DW_AT_comp_dir", true);
        IdentityField version = new IdentityField(Kind.VERSION, "3.4.5", ".rodata (@lang probe)", false);
        IdentityField project = new IdentityField(Kind.PROJECT, "lang", ".rodata (@lang probe)", false);
        IdentityField jit = SET.variants().getFirst().field("yes", ".dynsym");
        IdentityField noJit = SET.variants().getFirst().field("no", ".dynsym");

        assertThat(ConsensusIdentity.of(new Identity(List.of(guessed, version, project, jit)), AMD64, SET))
                .contains(new ConsensusIdentity("lang", "3.4.5", AMD64, Map.of("jit", "yes"), null));
        assertThat(ConsensusIdentity.of(new Identity(List.of(guessed, project, jit)), AMD64, SET))
                .isEmpty();
        assertThat(ConsensusIdentity.of(new Identity(List.of(version, project, jit, noJit)), AMD64, SET))
                .contains(new ConsensusIdentity("lang", "3.4.5", AMD64, Map.of(), null));
    }
}
