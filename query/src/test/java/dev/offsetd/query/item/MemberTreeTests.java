package dev.offsetd.query.item;

import static dev.offsetd.extractor.testkit.Types.CHAR;
import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.UNSIGNED;
import static dev.offsetd.extractor.testkit.Types.array;
import static dev.offsetd.extractor.testkit.Types.base;
import static dev.offsetd.extractor.testkit.Types.bits;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.incomplete;
import static dev.offsetd.extractor.testkit.Types.struct;
import static dev.offsetd.extractor.testkit.Types.union;
import static dev.offsetd.extractor.testkit.Types.unnamed;
import static dev.offsetd.extractor.testkit.Types.virtualBase;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.query.item.MemberTree.Entry;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemberTreeTests {

    @Test
    void gapsBetweenAndAfterMembersArePadding() {
        assertThat(tree(struct("s", 24, field("c", 0, CHAR), field("l", 8, LONG), field("i", 16, INT))))
                .containsExactly("c@0", "pad 8+56", "l@64", "i@128", "pad 160+32");
    }

    @Test
    void bitHolesEndAtBytes() {
        assertThat(tree(struct("s", 8, bits("a", 0, 3, UNSIGNED), bits("b", 5, 1, UNSIGNED), field("i", 4, INT))))
                .containsExactly("a@0", "pad 3+2", "b@5", "pad 6+2", "pad 8+24", "i@32");
        assertThat(tree(struct("s", 4, bits("a", 0, 4, UNSIGNED), bits("b", 12, 4, UNSIGNED))))
                .containsExactly("a@0", "pad 4+4", "pad 8+4", "b@12", "pad 16+16");
    }

    @Test
    void unnamedBitFieldIsPadding() {
        assertThat(tree(struct(
                        "s", 4, bits("a", 0, 4, UNSIGNED), bits(null, 4, 4, UNSIGNED), bits("b", 8, 24, UNSIGNED))))
                .containsExactly("a@0", "pad 4+4", "b@8");
    }

    @Test
    void unionHasPaddingOnlyAtItsEnd() {
        assertThat(tree(union("u", 8, field("c", 0, CHAR), field("i", 0, INT))))
                .containsExactly("c@0", "i@0", "pad 32+32");
    }

    @Test
    void nestedMembersCountFromTheOutermostType() {
        assertThat(tree(struct("s", 16, field("i", 0, INT), unnamed(8, struct(null, 8, field("c", 1, CHAR))))))
                .containsExactly("i@0", "pad 32+32", "null@64", " pad 64+8", " c@72", " pad 80+48");
    }

    @Test
    void memberInTheTailPaddingOfABaseLeavesNoGap() {
        AggregateShape base = struct("B", 16, field("l", 0, LONG), field("i", 8, INT));

        assertThat(tree(struct("D", 16, base(0, base), field("own", 12, INT))))
                .containsExactly("null@0", " l@0", " i@64", " pad 96+32", "own@96");
    }

    @Test
    void emptyTypeIsAllPadding() {
        assertThat(tree(struct("Empty", 1))).containsExactly("pad 0+8");
        assertThat(tree(struct("Empty", 0))).isEmpty();
    }

    @Test
    void membersOutOfOrderKeepTheirOrderAndTheirGaps() {
        assertThat(tree(struct("s", 16, field("c", 12, CHAR), field("l", 0, LONG))))
                .containsExactly("pad 64+32", "c@96", "l@0", "pad 104+24");
    }

    @Test
    void flexibleArrayTakesNoBits() {
        assertThat(tree(struct("s", 8, field("c", 0, CHAR), field("tail", 8, array(LONG, ArrayShape.FLEXIBLE)))))
                .containsExactly("c@0", "pad 8+56", "tail@64");
    }

    @Test
    void nothingIsClaimedAfterAMemberOfUnknownSize() {
        assertThat(tree(struct(
                        "s", 24, field("o", 0, incomplete("struct o")), field("c", 8, CHAR), field("i", 12, INT))))
                .containsExactly("o@0", "c@64", "pad 72+24", "i@96", "pad 128+64");
        assertThat(tree(struct("s", 24, field("o", 0, incomplete("struct o"))))).containsExactly("o@0");
        assertThat(tree(struct("s", -1, field("c", 0, CHAR)))).containsExactly("c@0");
    }

    @Test
    void nothingIsClaimedWhereAVirtualBaseMayLie() {
        assertThat(tree(struct("s", 24, field("c", 0, CHAR), virtualBase(struct("V", 8, field("i", 4, INT))))))
                .containsExactly("c@0", "null computed", " i computed");
    }

    @Test
    void everyBitBelongsToAMemberOrToPadding() {
        Random random = new Random(20261120);
        for (int round = 0; round < 500; round++) {
            List<Member> members = new ArrayList<>();
            int bytes = 1 + random.nextInt(40);
            for (int n = random.nextInt(8); n > 0; n--) {
                if (random.nextBoolean()) {
                    int bitSize = 1 + random.nextInt(Math.min(bytes * 8, 32));
                    members.add(bits("m" + n, random.nextInt(bytes * 8 - bitSize + 1), bitSize, UNSIGNED));
                } else {
                    int size = random.nextInt(Math.min(bytes, 9));
                    members.add(field("m" + n, random.nextInt(bytes - size + 1), array(CHAR, size)));
                }
            }
            BitSet used = new BitSet();
            BitSet padding = new BitSet();
            for (Entry entry : MemberTree.of(struct("s", bytes, members.toArray(new Member[0])))) {
                switch (entry) {
                    case Entry.MemberEntry part -> {
                        Placement.Fixed place = (Placement.Fixed) part.placement();
                        int start = (int) place.bitOffset();
                        used.set(start, start + (int) (place.isBitField() ? place.bitSize() : place.size() * 8));
                    }
                    case Entry.Padding gap -> {
                        int start = (int) gap.bitOffset();
                        int end = start + (int) gap.bitSize();
                        assertThat(end).isGreaterThan(start);
                        assertThat(padding.get(start, end).isEmpty()).isTrue();
                        padding.set(start, end);
                    }
                }
            }
            assertThat(used.intersects(padding)).isFalse();
            used.or(padding);
            assertThat(used.cardinality()).isEqualTo(bytes * 8);
        }
    }

    @Test
    void expandedArrayShowsItsFirstElement() {
        AggregateShape pair = struct("pair", 8, field("a", 0, INT), field("b", 4, INT));
        AggregateShape outer = struct("outer", 72, field("n", 0, LONG), field("pairs", 8, array(pair, 2, 4)));

        assertThat(tree(outer, 1)).containsExactly("n@0", "pairs@64", " a@64", " b@96");
        assertThat(tree(outer, 0)).containsExactly("n@0", "pairs@64");
    }

    /** Each level has twice as many members as the one above. */
    @Test
    void expandedMembersAreBounded() {
        AggregateShape shape = struct("level0", 1, field("a", 0, CHAR));
        for (int i = 1; i <= 20; i++) {
            shape = struct("level" + i, 1, field("a", 0, shape), field("b", 0, shape));
        }

        assertThat(tree(shape, 20)).hasSizeBetween(10_000, 200_000);
    }

    /** One line an entry, nested ones indented: the name or {@code pad}, and bits. */
    private static List<String> tree(AggregateShape shape) {
        return tree(shape, 0);
    }

    private static List<String> tree(AggregateShape shape, int levels) {
        List<String> lines = new ArrayList<>();
        print(new MemberTree(levels).entries(shape), "", lines);
        return lines;
    }

    private static void print(List<Entry> entries, String indent, List<String> lines) {
        for (Entry entry : entries) {
            switch (entry) {
                case Entry.Padding gap -> lines.add(indent + "pad " + gap.bitOffset() + "+" + gap.bitSize());
                case Entry.MemberEntry part -> {
                    String name = indent + part.member().name();
                    lines.add(
                            switch (part.placement()) {
                                case Placement.Fixed fixed -> name + "@" + fixed.bitOffset();
                                case Placement.Computed _ -> name + " computed";
                            });
                    print(part.nested(), indent + " ", lines);
                }
            }
        }
    }
}
