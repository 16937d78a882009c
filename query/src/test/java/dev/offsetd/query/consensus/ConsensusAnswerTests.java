package dev.offsetd.query.consensus;

import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.build;
import static dev.offsetd.extractor.testkit.Types.define;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.pointer;
import static dev.offsetd.extractor.testkit.Types.struct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.query.consensus.Peers.Peer;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsensusAnswerTests {

    private static final TypeIndex NARROW = build(define(struct("s", 8, field("a", 0, INT), field("b", 4, INT))));
    private static final TypeIndex WIDE = build(define(struct("s", 16, field("a", 0, INT), field("b", 8, LONG))));

    private static final Peers.Provider UPSTREAM = new Peers.Provider(0, "debuginfod", null);

    private static ConsensusAnswer ask(String text, TypeIndex... builds) {
        return ask(text, Collections.nCopies(builds.length, UPSTREAM), builds);
    }

    private static ConsensusAnswer ask(String text, List<Peers.Provider> providers, TypeIndex... builds) {
        Item item = ItemParser.parse(text);
        return ConsensusAnswer.of(item, peers(providers, builds), types -> ItemResolver.resolve(item, types, null));
    }

    private static Peers<TypeIndex> peers(List<Peers.Provider> providers, TypeIndex... builds) {
        List<Peer<TypeIndex>> peers = IntStream.range(0, builds.length)
                .mapToObj(i -> new Peer<>(
                        new ConsensusIdentity("lang", "1.0." + i, null, Map.of(), i % 2 == 0 ? "Debian 13" : "Alpine"),
                        providers.get(i),
                        builds[i]))
                .toList();
        return new Peers<>(peers, "1.0.0", "1.0." + (builds.length - 1), null, List.of());
    }

    @ParameterizedTest
    @ValueSource(strings = {"s", "s.a", "s.b", "x|s.b"})
    void whatAllBuildsGiveIsTheAnswer(String item) {
        ConsensusAnswer answer = ask(item, WIDE, WIDE, WIDE);

        assertThat(answer.answer().outcome())
                .isEqualTo(
                        ItemResolver.resolve(ItemParser.parse(item), WIDE, null).outcome());
        assertThat(answer.agreement())
                .isEqualTo(new ConsensusAnswer.Agreement(
                        3, 1, "1.0.0", "1.0.2", List.of("Alpine", "Debian 13"), List.of("debuginfod"), 0));
        assertThat(answer.candidates()).isEmpty();
    }

    @Test
    @ChecklistRow(43)
    void uploadsOfOneTokenCountAsOneBuild() {
        Peers.Provider ci = new Peers.Provider(2, "upload", "ci");
        Peers.Provider other = new Peers.Provider(2, "upload", "other");

        assertThat(ask("s.b", List.of(ci, ci, ci), WIDE, WIDE, WIDE).agreement())
                .extracting(
                        ConsensusAnswer.Agreement::builds,
                        ConsensusAnswer.Agreement::distinct,
                        ConsensusAnswer.Agreement::origins,
                        ConsensusAnswer.Agreement::tokens)
                .containsExactly(1, 1, List.of("upload"), 1);
        ConsensusAnswer differing = ask("s.b", List.of(ci, other, ci, ci), WIDE, WIDE, NARROW, WIDE);
        assertThat(differing.answer().status()).isEqualTo(ItemStatus.AMBIGUOUS);
        assertThat(differing.agreement())
                .extracting(ConsensusAnswer.Agreement::builds, ConsensusAnswer.Agreement::tokens)
                .containsExactly(2, 2);
        assertThat(differing.candidates())
                .extracting(ConsensusAnswer.Candidate::builds)
                .containsExactly(2, 1);
    }

    @Test
    void oneBuildThatDiffersMakesTheItemAmbiguous() {
        ConsensusAnswer answer = ask("s.b", WIDE, NARROW, WIDE);

        assertThat(answer.answer().status()).isEqualTo(ItemStatus.AMBIGUOUS);
        assertThat(answer.agreement().distinct()).isEqualTo(2);
        assertThat(answer.candidates())
                .extracting(ConsensusAnswer.Candidate::builds, ConsensusAnswer.Candidate::versions)
                .containsExactly(tuple(2, List.of("1.0.0", "1.0.2")), tuple(1, List.of("1.0.1")));
        assertThat(ask("s.a", WIDE, NARROW, WIDE).answer().status()).isEqualTo(ItemStatus.FOUND);
    }

    /** Another definition may be in what was left out. */
    @Test
    void buildOfWhichSomethingWasLeftOutIsNotCounted() {
        Item item = ItemParser.parse("s.b");
        ConsensusAnswer answer =
                ConsensusAnswer.of(item, peers(Collections.nCopies(3, UPSTREAM), WIDE, NARROW, WIDE), types -> {
                    ItemAnswer resolved = ItemResolver.resolve(item, types, null);
                    return new ItemAnswer(
                            item, resolved.matched(), resolved.outcome(), types.equals(NARROW), List.of());
                });

        assertThat(answer.answer().status()).isEqualTo(ItemStatus.FOUND);
        assertThat(answer.agreement().builds()).isEqualTo(2);
    }

    @Test
    void aBuildWithoutTheItemDiffers() {
        assertThat(ask("s.b", WIDE, build()).answer().status()).isEqualTo(ItemStatus.AMBIGUOUS);
        assertThat(ask("s.c", WIDE, build()).answer().status()).isEqualTo(ItemStatus.AMBIGUOUS);
        assertThat(ask("s.c", WIDE, NARROW).answer().status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
    }

    @Test
    void differentAlternativesDifferEvenAtTheSameOffset() {
        TypeIndex renamed = build(define(struct("s", 16, field("a", 0, INT), field("c", 8, LONG))));

        assertThat(ask("s.c|s.b", WIDE, renamed).answer().status()).isEqualTo(ItemStatus.AMBIGUOUS);
        assertThat(ask("s.c|s.b", renamed, renamed).answer().matched()).isNotNull();
    }

    @Test
    void targetsOfPointersDoNotCount() {
        TypeIndex one = build(define(struct("s", 8, field("p", 0, pointer("struct t *", "t")))));
        TypeIndex other = build(define(struct("s", 8, field("p", 0, pointer("int *", null)))));

        assertThat(ask("s.p", one, other).answer().status()).isEqualTo(ItemStatus.FOUND);
    }

    @ParameterizedTest
    @ValueSource(strings = {"symbol main", "tls", "s.b|symbol main"})
    void addressesAreUnsupported(String item) {
        ConsensusAnswer answer = ask(item, WIDE, WIDE);

        assertThat(answer.answer().status()).isEqualTo(ItemStatus.UNSUPPORTED);
        assertThat(answer.answer().outcome()).isInstanceOf(ItemOutcome.Missed.class);
    }

    @Test
    void theAnswerDoesNotDependOnTheOrderOfTheBuilds() {
        List<TypeIndex> builds = List.of(NARROW, WIDE, WIDE, build(), WIDE);
        for (String item : List.of("s", "s.a", "s.b", "s.c", "t")) {
            ItemAnswer expected = ask(item, builds.toArray(TypeIndex[]::new)).answer();
            for (int seed = 0; seed < 20; seed++) {
                List<TypeIndex> shuffled = new ArrayList<>(builds);
                Collections.shuffle(shuffled, new Random(seed));
                assertThat(ask(item, shuffled.toArray(TypeIndex[]::new)).answer())
                        .isEqualTo(expected);
            }
        }
    }
}
