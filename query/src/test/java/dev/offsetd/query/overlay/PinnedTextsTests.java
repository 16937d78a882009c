package dev.offsetd.query.overlay;

import static dev.offsetd.query.overlay.PinnedBuild.bits;
import static dev.offsetd.query.overlay.PinnedBuild.members;
import static dev.offsetd.query.overlay.PinnedBuild.place;
import static dev.offsetd.query.overlay.PinnedBuild.plain;
import static dev.offsetd.query.overlay.PinnedBuild.type;
import static dev.offsetd.query.overlay.PinnedBuild.unknown;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.answer.ConstantsHeader;
import dev.offsetd.query.answer.LayoutText;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PinnedTextsTests {

    private static String text(PinnedBuild build, String... items) {
        return String.join("\n", LayoutText.lines(build.answers(items), build.pinned()));
    }

    private static List<String> header(PinnedBuild build, String... items) {
        return ConstantsHeader.lines(
                build.answers(items), build.pinned(), null, new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN));
    }

    @Test
    void pinnedMemberSaysSoOnItsLine() {
        assertThat(text(plain().pin("frame.sp", place(24, 8)).pin("frame.depth", bits(204, 4)), "frame"))
                .isEqualTo("""
                        struct frame {
                                char *                     pc;                  /*     0     8 */
                                /* XXX 8 bytes hole */
                                VALUE                      self;                /*    16     8 */
                                unsigned int               kind:3;              /*    24: 0  4 */
                                char *                     sp;                  /*    24     8 */ \
                        /* pinned: p2, extracted: offset 8, size 8 */
                                unsigned int               depth:4;             /*    24:12  4 */ \
                        /* pinned: p3, extracted: bit 195, 5 bits */

                                /* size: 32, cachelines: 1, members: 5 */
                                /* sum members: 24, holes: 1, sum holes: 8 */
                                /* sum bitfield members: 7 bits */
                                /* last cacheline: 32 bytes */
                        };""");
    }

    @Test
    void pinnedPathAndSizeSaySo() {
        PinnedBuild build = plain().pin("frame.sp", place(48, 8)).pin("VALUE", type(4, Map.of()));

        assertThat(text(build, "thread.top.sp"))
                .endsWith("/*    56     8 */ /* pinned: p2, extracted: offset 16, size 8 */");
        assertThat(text(build, "VALUE"))
                .isEqualTo("typedef long int VALUE; /* 4 bytes */ /* pinned: p3, extracted: size 8 */");
        assertThat(text(build, "frame.pc")).doesNotContain("pinned");
    }

    @Test
    void typeThatOnlyAPinKnowsIsWrittenAsOneToo() {
        PinnedBuild build =
                unknown().pin("list", type(16, members("next", place(0, 8, "struct list *"), "ids", place(8, 8))));

        assertThat(text(build, "list")).isEqualTo("""
                struct list {
                        struct list *              next;                /*     0     8 */ \
                /* pinned: p2, extracted: nothing */
                        unsigned char              ids[8];              /*     8     8 */ \
                /* pinned: p2, extracted: nothing */

                        /* size: 16, cachelines: 1, members: 2 */
                        /* last cacheline: 16 bytes */
                        /* pinned: p2, extracted: nothing */
                };""");
    }

    @Test
    void whatAnUnfoldedMemberHoldsIsCountedFromTheOutermostTypeInItsMarksToo() {
        assertThat(text(plain().pin("outer.in", place(16, 8)), "outer")).contains("""
                        struct {
                                int                low;                 /*    16     4 */ \
                /* pinned: p2, extracted: offset 8, size 4 */
                                int                high;                /*    20     4 */ \
                /* pinned: p2, extracted: offset 12, size 4 */
                        } in;                                           /*    16     8 */ \
                /* pinned: p2, extracted: offset 8, size 8 */
                """);
        assertThat(text(plain().pin("outer.in.high", place(12, 2)), "outer"))
                .contains("unsigned char      high[2];             /*    12     2 */"
                        + " /* pinned: p2, extracted: offset 12, size 4 */");
        assertThat(text(plain().pin("value.half", place(12, 4)), "value"))
                .contains("/*    12     4 */ /* pinned: p2, extracted: offset 8, size 4 */");
    }

    @Test
    void headerSaysSoBesideEachNumber() {
        PinnedBuild build = plain().pin("frame.sp", place(48, 8))
                .pin("frame.depth", bits(204, 4))
                .pin("VALUE", type(4, Map.of()));

        assertThat(header(build, "frame", "VALUE"))
                .contains(
                        "#define frame_SIZE 32",
                        "#define frame_pc_OFFSET 0",
                        "#define frame_sp_OFFSET 48 /* pinned: p2, extracted: offset 8, size 8 */",
                        "#define frame_sp_SIZE 8 /* pinned: p2, extracted: offset 8, size 8 */",
                        "#define frame_depth_BIT_OFFSET 204 /* pinned: p3, extracted: bit 195, 5 bits */",
                        "#define frame_depth_BIT_SIZE 4 /* pinned: p3, extracted: bit 195, 5 bits */",
                        "#define VALUE_SIZE 4 /* pinned: p4, extracted: size 8 */");
    }

    @Test
    void withoutPinsTextsAreAsTheyWere() {
        PinnedBuild absent = plain().pin("absent.x", place(0, 8));
        String[] items = {"frame", "thread", "value", "pair_t", "VALUE", "both", "list.next.length", "nope"};

        assertThat(text(absent, items)).isEqualTo(text(plain(), items));
        assertThat(header(absent, items)).isEqualTo(header(plain(), items));
    }
}
