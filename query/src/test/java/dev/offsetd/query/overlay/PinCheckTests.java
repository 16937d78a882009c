package dev.offsetd.query.overlay;

import static dev.offsetd.query.overlay.PinnedBuild.bits;
import static dev.offsetd.query.overlay.PinnedBuild.members;
import static dev.offsetd.query.overlay.PinnedBuild.place;
import static dev.offsetd.query.overlay.PinnedBuild.plain;
import static dev.offsetd.query.overlay.PinnedBuild.type;
import static dev.offsetd.query.overlay.PinnedBuild.unknown;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PinCheckTests {

    private static void assertErrors(PinCheck fit, String... errors) {
        assertThat(fit.errors()).containsExactly(errors);
    }

    private static void assertWarnings(PinCheck fit, String... warnings) {
        assertThat(fit.errors()).isEmpty();
        assertThat(fit.warnings()).containsExactly(warnings);
    }

    @Nested
    class Errors {

        @ParameterizedTest
        @ValueSource(strings = {"frame.pc[0]", "frame.pc|frame.sp", "enumerator RED", "symbol main", "@ruby", "frame"})
        void onlyMemberPathsHaveOffsets(String item) {
            assertThat(plain().check(item, place(0, 8)).errors())
                    .singleElement()
                    .asString()
                    .startsWith("item \"" + item + "\" ");
        }

        @Test
        void negativeNumbers() {
            assertErrors(
                    unknown().check("frame.pc", place(-8, -1)),
                    "offset is -8; expected 0 to 1099511627776",
                    "size is -1; expected 0 to 1099511627776");
            assertErrors(
                    unknown().check("frame", type(-1, Map.of("pc", place(0, -1)))),
                    "size is -1; expected 0 to 1099511627776",
                    "member \"pc\": size is -1; expected 0 to 1099511627776");
        }

        @Test
        void bitsThatAreNotInTheBytes() {
            assertErrors(
                    unknown().check("frame.kind", new PinnedValue.OfMember(24, 4, new PinnedValue.Bits(200, 3), null)),
                    "offset is 24; expected 25, the byte that holds bit 200",
                    "size is 4; expected 1, the bytes that 3 bits from bit 200 touch");
            assertErrors(
                    unknown().check("frame.kind", new PinnedValue.OfMember(25, 1, new PinnedValue.Bits(200, 0), null)),
                    "bitSize is 0; expected at least 1");
            assertErrors(
                    unknown().check("frame.kind", new PinnedValue.OfMember(0, 1, new PinnedValue.Bits(-1, 1), null)),
                    "bitOffset is -1; expected 0 to 8796093022208");
        }

        @Test
        void memberBehindTheEndOfItsType() {
            assertErrors(
                    plain().check("frame.pc", place(28, 8)),
                    "it ends at byte 36; expected at most 32, the size of \"frame\"");
            assertErrors(
                    plain().pin("frame", type(16, Map.of("sp", place(0, 8)))).check("frame.pc", place(12, 8)),
                    "it ends at byte 20; expected at most 16, the size of \"frame\"");
            assertErrors(
                    unknown().pin("frame", type(16, Map.of())).check("frame.pc", place(12, 8)),
                    "it ends at byte 20; expected at most 16, the size of \"frame\"");
            assertThat(plain().check("both.y", place(12, 4)).errors()).isEmpty();
            assertErrors(
                    plain().check("both.y", place(16, 4)),
                    "it ends at byte 20; expected at most 16, the size of \"both\"");
        }

        @Test
        void typeThatEndsBeforeItsMembers() {
            assertErrors(
                    unknown().check("frame", type(8, Map.of("pc", place(4, 8)))),
                    "member \"pc\" ends at byte 12; expected at most 8, the size of \"frame\"");
            assertErrors(
                    plain().check("pair_t", type(4, Map.of())),
                    "member \"second\" ends at byte 8; expected at most 4, the size of \"pair_t\"");
            assertErrors(
                    unknown().pin("frame.sp", place(8, 8)).check("frame", type(8, Map.of("pc", place(0, 8)))),
                    "pin \"frame.sp\" ends at byte 16; expected at most 8, the size of \"frame\"");
        }

        @Test
        void memberOutsideOfTheMemberThatHasIt() {
            assertErrors(
                    plain().check("thread.top.sp", place(40, 8)),
                    "it lies in bytes 40 to 47; expected 8 to 39, where \"thread.top\" lies");
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = '|',
                value = {
                    "list.next.length|\"list.next\" is a pointer and has no members; expected a struct, union or class",
                    "thread.frames.sp|\"thread.frames\" is an array and has no members; expected a struct, union or class",
                    "frame.self.low|\"frame.self\" is \"VALUE\" and has no members; expected a struct, union or class",
                    "VALUE.low|\"VALUE\" is \"VALUE\" and has no members; expected a struct, union or class"
                })
        void pathThroughSomethingWithoutMembers(String item, String error) {
            assertErrors(plain().check(item, place(0, 1)), error);
            assertThat(unknown().check(item, place(0, 1)).errors()).isEmpty();
        }

        @Test
        void secondPinOfOneThing() {
            assertErrors(
                    unknown().pin("struct frame.pc", place(0, 8)).check("frame.pc", place(8, 8)),
                    "item \"frame.pc\" has a pin already: \"struct frame.pc\"");
            assertThat(unknown()
                            .pin("union frame.pc", place(0, 8))
                            .check("struct frame.pc", place(8, 8))
                            .errors())
                    .isEmpty();
        }

        @Test
        void memberWithoutAName() {
            assertErrors(
                    unknown().check("frame", type(8, members(" ", place(0, 4), "a.b", place(4, 4)))),
                    "member \" \"; expected the name of one member",
                    "member \"a.b\"; expected the name of one member");
            assertErrors(unknown().check("enum colour", type(4, Map.of("RED", place(0, 4)))), "an enum has no members");
        }
    }

    @Nested
    class Warnings {

        @Test
        void overlapWithAnotherMember() {
            assertWarnings(
                    plain().check("frame.sp", place(20, 8)),
                    "it overlaps member \"self\" (bytes 16 to 23)",
                    "it overlaps member \"kind\" (bits 192 to 194)",
                    "it overlaps member \"depth\" (bits 195 to 199)");
            assertWarnings(plain().check("frame.kind", bits(200, 3)));
            assertWarnings(plain().check("frame.kind", bits(196, 3)), "it overlaps member \"depth\" (bits 195 to 199)");
        }

        @Test
        void overlapWithAMemberOfAnUnnamedUnionOrABaseClass() {
            assertWarnings(
                    plain().check("value.tag", place(10, 4)),
                    "it overlaps member \"whole\" (bytes 8 to 15)",
                    "it overlaps member \"half\" (bytes 8 to 11)");
            assertWarnings(
                    plain().check("ui::shape.edges", place(2, 4)), "it overlaps member \"colour\" (bytes 0 to 3)");
        }

        @Test
        void membersOfAUnionOverlapByRight() {
            assertWarnings(plain().check("number.narrow", place(4, 4)));
            assertWarnings(plain().check("value.half", place(12, 4)));
            assertWarnings(unknown().check("union mine", type(8, members("a", place(0, 4), "b", place(0, 8)))));
        }

        @Test
        void overlapWithWhatIsPinned() {
            assertWarnings(
                    plain().pin("frame.extra", place(28, 4)).check("frame.self", place(24, 8, "VALUE")),
                    "it overlaps member \"kind\" (bits 192 to 194)",
                    "it overlaps member \"depth\" (bits 195 to 199)",
                    "it overlaps member \"extra\" (bytes 28 to 31)");
            assertWarnings(
                    unknown().check("frame", type(16, members("a", place(0, 8), "b", place(4, 8)))),
                    "member \"b\" overlaps \"a\" (bytes 0 to 7)");
        }

        @Test
        void insideOfAMemberOnlyItsOwnNeighboursCount() {
            assertWarnings(plain().check("thread.top.sp", place(12, 8)), "it overlaps member \"pc\" (bytes 8 to 15)");
        }

        @Test
        void sizeDiffersFromTheType() {
            assertWarnings(
                    plain().check("frame.pc", place(0, 4)), "size is 4, but the debug information has 8 (\"char *\")");
            assertWarnings(
                    plain().check("frame.pc", place(0, 8, "unsigned int")),
                    "the debug information says the same",
                    "size is 8, but its type \"unsigned int\" has 4");
            assertWarnings(
                    plain().check("thread.state", place(104, 8, "struct frame")),
                    "size is 8, but its type \"struct frame\" has 32");
            assertWarnings(
                    plain().check("frame.kind", bits(200, 4)),
                    "bitSize is 4, but the debug information has 3 (\"unsigned int\")");
            assertWarnings(
                    plain().check("frame.kind", place(28, 4)),
                    "it is no bit-field, but in the debug information it is one (\"unsigned int\")");
        }

        @Test
        void typeOrMemberThatTheDebugInformationDoesNotHave() {
            assertWarnings(plain().check("farme.pc", place(0, 8)), "the debug information has no type \"farme\"");
            assertWarnings(plain().check("farme", type(8, Map.of())), "the debug information has no type \"farme\"");
            assertWarnings(
                    plain().check("frame.cp", place(28, 4)),
                    "the debug information has no \"frame.cp\": \"frame\" has no member \"cp\"");
            assertWarnings(
                    plain().check("closed.inside", place(0, 8)),
                    "the debug information has no \"closed.inside\": the build only declares it");
            assertWarnings(
                    plain().check("pair_t", type(8, members("first", place(0, 4), "sceond", place(4, 4)))),
                    "the debug information has no member \"sceond\"");
            assertWarnings(unknown().check("farme.pc", place(0, 8)));
        }

        @Test
        void exactlyWhatIsExtracted() {
            assertWarnings(plain().check("frame.sp", place(8, 8)), "the debug information says the same");
            assertWarnings(plain().check("frame.depth", bits(195, 5)), "the debug information says the same");
            assertWarnings(
                    plain().check("pair_t", type(8, members("second", place(4, 4), "first", place(0, 4)))),
                    "the debug information says the same");
            assertWarnings(plain().check("VALUE", type(8, Map.of())), "the debug information says the same");
        }
    }

    @Test
    void whatFitsHasNothingSaidAgainstIt() {
        assertWarnings(
                plain().check("frame.extra2", place(28, 4)),
                "the debug information has no \"frame.extra2\": \"frame\" has no member \"extra2\"");
        assertWarnings(plain().check("thread.state", place(4, 4)));
        assertWarnings(plain().check("thread.state", place(108, 4, "int")));
        assertWarnings(unknown().check("frame.pc", place(48, 8, "VALUE *")));
        assertWarnings(plain().check("frame", type(40, Map.of())));
    }
}
