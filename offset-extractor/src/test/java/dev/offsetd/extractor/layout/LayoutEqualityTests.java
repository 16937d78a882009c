package dev.offsetd.extractor.layout;

import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.UNSIGNED_LONG;
import static dev.offsetd.extractor.testkit.Types.aggregate;
import static dev.offsetd.extractor.testkit.Types.alias;
import static dev.offsetd.extractor.testkit.Types.array;
import static dev.offsetd.extractor.testkit.Types.base;
import static dev.offsetd.extractor.testkit.Types.bits;
import static dev.offsetd.extractor.testkit.Types.computed;
import static dev.offsetd.extractor.testkit.Types.enumeration;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.incomplete;
import static dev.offsetd.extractor.testkit.Types.pointer;
import static dev.offsetd.extractor.testkit.Types.struct;
import static dev.offsetd.extractor.testkit.Types.union;
import static dev.offsetd.extractor.testkit.Types.unnamed;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.Types;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class LayoutEqualityTests {

    private static final Enumerator A = new Enumerator("A", 0);

    static Stream<Arguments> equal() {
        return Stream.of(
                Arguments.of("typedefs", alias("VALUE", UNSIGNED_LONG), UNSIGNED_LONG),
                Arguments.of(
                        "pointees",
                        struct("s", 8, field("p", 0, pointer("char *", "char"))),
                        struct("s", 8, field("p", 0, pointer("int *", "int")))),
                Arguments.of(
                        "tags of members",
                        struct("s", 4, field("i", 0, struct("a", 4, field("x", 0, INT)))),
                        struct("s", 4, field("i", 0, struct("b", 4, field("x", 0, INT))))),
                Arguments.of(
                        "array typedefs",
                        struct("s", 24, field("m", 0, array(INT, 2, 3))),
                        struct("s", 24, field("m", 0, array(alias("row", array(INT, 3)), 2)))),
                Arguments.of("incomplete types", incomplete("struct a"), incomplete("struct b")),
                Arguments.of("enumerations", enumeration("e", 4, false, A), alias("e_t", enumeration("f", 4, true, A))),
                Arguments.of(
                        "computed locations",
                        struct("s", 8, computed("x", LONG)),
                        struct("s", 8, computed("x", LONG))));
    }

    static Stream<Arguments> different() {
        AggregateShape one = struct("s", 8, field("a", 0, INT), field("b", 4, INT));
        return Stream.of(
                Arguments.of("kind", one, aggregate(TypeKind.CLASS, "s", 8, field("a", 0, INT), field("b", 4, INT))),
                Arguments.of("byte size", one, struct("s", 16, field("a", 0, INT), field("b", 4, INT))),
                Arguments.of("order", one, struct("s", 8, field("b", 4, INT), field("a", 0, INT))),
                Arguments.of("name", one, struct("s", 8, field("a", 0, INT), field("c", 4, INT))),
                Arguments.of("offset", one, struct("s", 8, field("a", 0, INT), field("b", 3, INT))),
                Arguments.of("size of a member", one, struct("s", 8, field("a", 0, INT), field("b", 4, Types.CHAR))),
                Arguments.of("number of members", one, struct("s", 8, field("a", 0, INT))),
                Arguments.of("bit size", struct("s", 4, bits("a", 0, 3, INT)), struct("s", 4, bits("a", 0, 4, INT))),
                Arguments.of(
                        "bit-field or not", struct("s", 4, bits("a", 0, 32, INT)), struct("s", 4, field("a", 0, INT))),
                Arguments.of("counts", array(INT, 2, 3), array(INT, 3, 2)),
                Arguments.of("flexible or empty", array(INT, 0), array(INT, ArrayShape.FLEXIBLE)),
                Arguments.of(
                        "member by value",
                        struct("s", 4, field("i", 0, struct("a", 4, field("x", 0, INT)))),
                        struct("s", 4, field("i", 0, struct("a", 4, field("y", 0, INT))))),
                Arguments.of(
                        "struct or union",
                        struct("s", 4, field("i", 0, struct("a", 4, field("x", 0, INT)))),
                        struct("s", 4, field("i", 0, union("a", 4, field("x", 0, INT))))),
                Arguments.of(
                        "base or member",
                        struct("s", 4, base(0, struct("a", 4))),
                        struct("s", 4, unnamed(0, struct("a", 4)))),
                Arguments.of(
                        "computed or fixed", struct("s", 8, computed("x", LONG)), struct("s", 8, field("x", 0, LONG))),
                Arguments.of(
                        "enumerators",
                        enumeration("e", 4, false, A),
                        enumeration("e", 4, false, new Enumerator("A", 1))),
                Arguments.of("enumeration size", enumeration("e", 4, false, A), enumeration("e", 8, false, A)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("equal")
    void layoutsThatDifferOnlyInSpellingOrPointeesAreEqual(String what, TypeShape a, TypeShape b) {
        assertThat(new LayoutEquality().areEqual(a, b)).as(what).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("different")
    void layoutsThatDifferInAMemberOrSizeAreDifferent(String what, TypeShape a, TypeShape b) {
        assertThat(new LayoutEquality().areEqual(a, b)).as(what).isFalse();
    }

    @Test
    void sharedShapesAreComparedOnce() {
        AggregateShape a = struct("s", 8, field("x", 0, LONG));
        AggregateShape b = struct("s", 8, field("x", 0, LONG));
        for (int i = 0; i < 200; i++) {
            a = struct("s", 8, field("l", 0, a), field("r", 0, a));
            b = struct("s", 8, field("l", 0, b), field("r", 0, b));
        }
        LayoutEquality layouts = new LayoutEquality();

        assertThat(layouts.areEqual(a, b)).isTrue();
        assertThat(layouts.areEqual(struct("s", 8, field("l", 0, a), field("r", 0, LONG)), b))
                .isFalse();
    }
}
