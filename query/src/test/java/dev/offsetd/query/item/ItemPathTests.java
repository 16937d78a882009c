package dev.offsetd.query.item;

import static dev.offsetd.extractor.testkit.Types.C;
import static dev.offsetd.extractor.testkit.Types.CHAR;
import static dev.offsetd.extractor.testkit.Types.CPP;
import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.RUST;
import static dev.offsetd.extractor.testkit.Types.UNSIGNED;
import static dev.offsetd.extractor.testkit.Types.alias;
import static dev.offsetd.extractor.testkit.Types.array;
import static dev.offsetd.extractor.testkit.Types.base;
import static dev.offsetd.extractor.testkit.Types.bits;
import static dev.offsetd.extractor.testkit.Types.build;
import static dev.offsetd.extractor.testkit.Types.computed;
import static dev.offsetd.extractor.testkit.Types.declare;
import static dev.offsetd.extractor.testkit.Types.define;
import static dev.offsetd.extractor.testkit.Types.enumeration;
import static dev.offsetd.extractor.testkit.Types.field;
import static dev.offsetd.extractor.testkit.Types.in;
import static dev.offsetd.extractor.testkit.Types.incomplete;
import static dev.offsetd.extractor.testkit.Types.local;
import static dev.offsetd.extractor.testkit.Types.pointer;
import static dev.offsetd.extractor.testkit.Types.qualified;
import static dev.offsetd.extractor.testkit.Types.struct;
import static dev.offsetd.extractor.testkit.Types.union;
import static dev.offsetd.extractor.testkit.Types.unnamed;
import static dev.offsetd.extractor.testkit.Types.virtualBase;
import static dev.offsetd.query.item.ItemAnswers.ask;
import static dev.offsetd.query.item.ItemAnswers.place;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Paths of members, of base classes and of enumerators. */
class ItemPathTests {

    @Nested
    class Paths {

        private final AggregateShape inner = struct(
                "inner", 16, field("a", 0, INT), field("b", 4, INT), field("grid", 8, array(alias("u16", INT), 2, 3)));

        private final TypeIndex build = build(define(struct(
                "outer",
                200,
                field("first", 0, LONG),
                field("as", 8, union(null, 16, field("heap", 0, alias("heap_t", inner)), field("n", 0, LONG))),
                unnamed(
                        32,
                        struct(
                                null,
                                8,
                                unnamed(4, union(null, 4, field("deep", 0, INT), bits("flag", 3, 2, UNSIGNED))))),
                field("list", 48, alias("const list_t", array(inner, 4))),
                field("grid", 112, array(INT, 2, 3)),
                field("rows", 136, array(alias("row", array(INT, 3)), 2)),
                field("next", 160, alias("outer_p", pointer("struct outer *", "struct outer"))),
                field("opaque", 168, incomplete("struct opaque")),
                field("zero", 176, array(INT, 0)),
                field(
                        "handlers",
                        176,
                        array(pointer(Spelling.of("int").function("(void)").pointer("*"), null), 2, 1)),
                field("tail", 192, array(LONG, ArrayShape.FLEXIBLE)))));

        @ParameterizedTest
        @CsvSource({
            "outer.first,            0,   8, long int",
            "outer.as,               8,  16, union {...}",
            "outer.as.heap,          8,  16, heap_t",
            "outer.as.heap.b,       12,   4, int",
            "outer.as.n,             8,   8, long int",
            "outer.deep,            36,   4, int",
            "outer.list,            48,  64, const list_t",
            "outer.list[0],         48,  16, struct inner",
            "outer.list[3].b,      100,   4, int",
            "outer.grid[1],        124,  12, int [3]",
            "outer.grid[1][2],     132,   4, int",
            "outer.rows[1],        148,  12, row",
            "outer.rows[1][2],     156,   4, int",
            "outer.handlers[1],    184,   8, int (*[1])(void)",
            "outer.handlers[1][0], 184,   8, int (*)(void)",
            "outer.next,           160,   8, outer_p",
            "outer.opaque,         168,  -1, struct opaque",
            "outer.tail,           192,   0, long int []",
            "outer.tail[3],        216,   8, long int"
        })
        void offsetsAddUpFromTheOutermostType(String item, long offset, long size, String type) {
            Placement.Fixed place = place(item, build);

            assertThat(place.offset()).isEqualTo(offset);
            assertThat(place.size()).isEqualTo(size);
            assertThat(place.type().spelling()).isEqualTo(type);
            assertThat(place.pastEnd()).isFalse();
        }

        @Test
        void bitFieldInAnUnnamedUnionCountsBitsFromTheOutermostType() {
            Placement.Fixed place = place("outer.flag", build);

            assertThat(place.bitOffset()).isEqualTo(36 * 8 + 3);
            assertThat(place.bitSize()).isEqualTo(2);
            assertThat(place.offset()).isEqualTo(36);
            assertThat(place.size()).isEqualTo(1);
            assertThat(place.signed()).contains(false);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"outer.list[4]", "outer.list[9].b", "outer.grid[0][3]", "outer.grid[2][0]", "outer.zero[0]"})
        void indexPastTheCountIsAnsweredAndFlagged(String item) {
            assertThat(place(item, build).pastEnd()).isTrue();
        }

        @ParameterizedTest
        @CsvSource({
            "outer.next->first,             160,      0,  8",
            "outer.next->list[2].b,         160,     84,  4",
            "outer.next[0],                 160,      0, 200",
            "outer.next[3].list[1],         160,    664, 16",
            "outer.next[-1].as.n,           160,   -192,  8",
            "outer.next->next->deep,    160 160,     36,  4",
            "outer.next[1].next -> flag, 160 360,    36,  1"
        })
        void pathsBehindPointersAreSteps(String item, String pointers, long offset, long size) {
            ReadPlan plan = ((ItemOutcome.PlanFound) ask(item, build).outcome()).plan();

            assertThat(plan.pointers().stream().map(pointer -> Long.toString(pointer.offset())))
                    .containsExactly(pointers.split(" ", -1));
            assertThat(plan.pointers()).allMatch(pointer -> ReadPlan.pointerSize(pointer) == 8);
            assertThat(plan.target().offset()).isEqualTo(offset);
            assertThat(plan.target().size()).isEqualTo(size);
        }

        @Test
        void bitsBehindAPointerCountFromTheByteThatTheStepsLeadTo() {
            ReadPlan plan =
                    ((ItemOutcome.PlanFound) ask("outer.next->flag", build).outcome()).plan();

            assertThat(plan.target().offset()).isEqualTo(36);
            assertThat(plan.bitOffset()).isEqualTo(3);
            assertThat(plan.target().bitSize()).isEqualTo(2);
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = ';',
                value = {
                    "outer.first->x;          FIELD_NOT_FOUND;  is not a pointer",
                    "outer->first;            FIELD_NOT_FOUND;  select the member by a dot, as in \"outer.first\"",
                    "outer->nope;             FIELD_NOT_FOUND;  is not a pointer: select a member by a dot",
                    "outer.first outer.first; FIELD_NOT_FOUND;  separate items by commas",
                    "outer.as->n;             FIELD_NOT_FOUND;  select the member by a dot",
                    "outer.next->missing;     FIELD_NOT_FOUND;  has no member",
                    "outer.handlers[0][0]->x; FIELD_NOT_FOUND;  which has no members",
                    "holder.opaque->x;        DECLARATION_ONLY; struct opaque",
                    "holder.opaque[2];        DECLARATION_ONLY; struct opaque"
                })
        void whatCannotBeFollowedIsAStatusWithTheReason(String item, ItemStatus status, String reason) {
            TypeIndex both = build(
                    define(struct("holder", 8, field("opaque", 0, pointer("struct opaque *", "struct opaque")))),
                    build.definitionsNamed("outer").getFirst());
            ItemOutcome.Missed missed = (ItemOutcome.Missed) ask(item, both).outcome();

            assertThat(missed.status()).isEqualTo(status);
            assertThat(missed.detail()).contains(reason);
        }

        @Test
        void typeWinsOverAVariableUnlessTheItemAsksForTheVariable() {
            Variable twin = new Variable(
                    "twin",
                    "twin",
                    null,
                    null,
                    "a.c",
                    C,
                    false,
                    0x4010L,
                    null,
                    struct("holder", 16, field("x", 8, INT)));
            TypeIndex both = new TypeCatalogue(List.of(define(struct("twin", 4, field("a", 0, INT)))), List.of(twin));

            assertThat(place("twin.a", both).offset()).isZero();
            assertThat(ask("twin.x", both).status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
            ItemOutcome.VariableFound found =
                    (ItemOutcome.VariableFound) ask("variable twin.x", both).outcome();
            assertThat(found.address()).hasValue(0x4010);
            assertThat(((ItemOutcome.PathFound) found.part()).placement().offset())
                    .isEqualTo(8);
            assertThat(ask("variable holder", both).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
        }

        @Test
        void targetAtFileScopeIsNeverATypeInAnotherScope() {
            TypeIndex scoped = build(
                    define(struct("holder", 8, field("p", 0, pointer("struct node *", "struct node")))),
                    in("b.cpp", CPP, qualified("ns::node", define(struct("node", 4, field("x", 0, INT))))),
                    declare(TypeKind.STRUCT, "node"));

            assertThat(ask("holder.p->x", scoped).status()).isEqualTo(ItemStatus.DECLARATION_ONLY);
        }

        @Test
        void elementsBehindPointersToDifferentTypesAreAmbiguous() {
            TypeIndex byMacro = build(
                    define(struct(
                            "spec",
                            8,
                            field("end", 0, new PointerShape(PointerKind.POINTER, Spelling.of("char *"), 8, CHAR)))),
                    define(struct(
                            "spec",
                            8,
                            field("end", 0, new PointerShape(PointerKind.POINTER, Spelling.of("wchar_t *"), 8, INT)))));

            assertThat(ask("spec.end", byMacro).status()).isEqualTo(ItemStatus.FOUND);
            assertThat(ask("spec.end[1]", byMacro).status()).isEqualTo(ItemStatus.AMBIGUOUS);
        }

        /** Without merging at each pointer, the paths would be 20 to the power of 60. */
        @Test
        void definitionsOfOneNameDoNotMultiplyFromPointerToPointer() {
            TypeIndex many = build(IntStream.range(0, 20)
                    .mapToObj(each -> define(struct(
                            "node",
                            100 + each,
                            field("next", 0, pointer("struct node *", "struct node")),
                            field("last", each % 2 == 0 ? 8 : 16, INT))))
                    .toArray(Definition[]::new));
            ReadPlan plan = ((ItemOutcome.PlanFound)
                            ask("node.next" + "->next".repeat(60), many).outcome())
                    .plan();

            assertThat(plan.pointers()).hasSize(60);
            assertThat(ask("node.next" + "->next".repeat(59) + "->last", many).status())
                    .isEqualTo(ItemStatus.AMBIGUOUS);
        }

        @Test
        void moreThan64PointersAreAStatusOfTheItem() {
            String path = "->next".repeat(63);

            assertThat(ask("outer.next" + path + "->first", build).status()).isEqualTo(ItemStatus.FOUND);
            ItemOutcome.Missed missed = (ItemOutcome.Missed)
                    ask("outer.next" + path + "->next->first", build).outcome();
            assertThat(missed.status()).isEqualTo(ItemStatus.UNSUPPORTED);
            assertThat(missed.detail()).contains("more than 64 pointers");
        }

        @Test
        void pointerEndsThePathAndNamesThePointee() {
            ItemOutcome.CrossesPointer answer =
                    (ItemOutcome.CrossesPointer) ask("outer.next.as.n", build).outcome();
            assertThat(answer.pointee()).isEqualTo("struct outer");
            assertThat(answer.at()).isEqualTo("outer.next");
            assertThat(answer.placement().offset()).isEqualTo(160);
            assertThat(answer.following()).isEqualTo("outer.next->as.n");
            assertThat(((ItemOutcome.CrossesPointer)
                                    ask("struct outer.handlers[1][0].x", build).outcome())
                            .at())
                    .isEqualTo("struct outer.handlers[1][0]");
        }

        private static PointerShape to(TypeShape target) {
            return new PointerShape(PointerKind.POINTER, Spelling.of("to"), 8, target);
        }

        @ParameterizedTest
        @CsvSource({
            "holder.twice.a,         holder.twice->a",
            "holder.twice->a,        holder.twice[0]->a",
            "holder.twice[2].grid,   holder.twice[2]->grid",
            "holder.twice[0]->next.a, holder.twice[0]->next[0][0].a",
            "holder.rows.a,          holder.rows[0][0][0].a",
            "holder.rows[1][2][3].a, ''"
        })
        void suggestedPathFollowsThePointer(String item, String following) {
            TypeIndex holders = build(
                    define(struct(
                            "holder",
                            16,
                            field("twice", 0, to(pointer("struct node *", "struct node"))),
                            field("rows", 8, to(array(inner, 2, 3))))),
                    define(struct("node", 16, field("a", 0, LONG), field("next", 8, to(array(inner, 4))))));
            ItemOutcome outcome = ask(item, holders).outcome();

            assertThat(outcome instanceof ItemOutcome.CrossesPointer crosses ? crosses.following() : "")
                    .isEqualTo(following);
            if (!following.isEmpty()) {
                assertThat(ItemParser.parse(following).text()).isEqualTo(following);
            }
        }

        @ParameterizedTest
        @CsvSource(
                delimiter = ';',
                value = {
                    "outer.nope;         \"outer\" has no member \"nope\"",
                    "outer.as.heap.nope; \"outer.as.heap\" has no member \"nope\"",
                    "outer.first.x;      \"outer.first\" is not a struct, union or class",
                    "outer.flag.x;       \"outer.flag\" is not a struct, union or class",
                    "outer.first[0];     \"outer.first\" is not an array",
                    "outer[0];           \"outer\" is not an array",
                    "outer.list.a;       \"outer.list\" is an array: select an element first, as in [0]"
                })
        void missingMemberSaysHowFarThePathWent(String item, String detail) {
            assertThat(ask(item, build).outcome())
                    .usingRecursiveComparison()
                    .ignoringFields("member")
                    .isEqualTo(new ItemOutcome.Missed(ItemStatus.FIELD_NOT_FOUND, detail));
        }

        @Test
        void pathThroughAnIncompleteMemberIsOnlyDeclared() {
            assertThat(ask("outer.opaque.x", build).outcome())
                    .isEqualTo(new ItemOutcome.Missed(
                            ItemStatus.DECLARATION_ONLY, "\"outer.opaque\" is incomplete: only declared"));
            TypeIndex opaques = build(define(struct(
                    "s",
                    8,
                    field(
                            "a",
                            0,
                            new ArrayShape(
                                    new Spelling("struct o", "[2]"), incomplete("struct o"), List.of(2L), -1)))));
            assertThat(place("s.a[0]", opaques).size()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            assertThat(ask("s.a[1]", opaques).status()).isEqualTo(ItemStatus.DECLARATION_ONLY);
        }

        @Test
        void elementOfUnknownSizeHasAnOffsetOnlyAtIndex0() {
            TypeIndex odd = build(define(struct(
                    "s",
                    8,
                    field("a", 0, new ArrayShape(new Spelling("f", "[2]"), struct("f", -1), List.of(2L), -1)))));

            assertThat(ask("s.a[0]", odd).status()).isEqualTo(ItemStatus.FOUND);
            assertThat(ask("s.a[1]", odd).status()).isEqualTo(ItemStatus.UNSUPPORTED);
        }

        @Test
        void elementOfAnArrayOfArraysIsSpelledLikeTheArray() {
            ArrayShape names = array(pointer("char *", "char"), 2, 3);

            assertThat(place("s.names[1]", build(define(struct("s", 48, field("names", 0, names)))))
                            .type()
                            .spelling())
                    .isEqualTo("char *[3]");
        }

        @Test
        void typedefOfAnArrayCanBeIndexed() {
            TypeIndex build = build(define(alias("jmp_buf", array(struct("tag", 200, field("mask", 64, INT)), 1))));

            assertThat(place("jmp_buf[0].mask", build).offset()).isEqualTo(64);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "outer.grid[9223372036854775807]",
                    "outer.list[576460752303423488].b",
                    "outer.tail[144115188075855872]"
                })
        void offsetThatCannotBeCountedIsUnsupported(String item) {
            ItemOutcome.Missed answer = (ItemOutcome.Missed) ask(item, build).outcome();

            assertThat(answer.status()).isEqualTo(ItemStatus.UNSUPPORTED);
            assertThat(answer.detail()).contains("past bit");
        }

        @Test
        void typeTooLargeToCountItsBitsIsUnsupported() {
            TypeIndex huge = build(
                    define(struct("a", Long.MAX_VALUE)),
                    define(struct("b", 8, field("x", Long.MAX_VALUE / 8, LONG))),
                    define(struct("c", 8, field("x", 0, struct("a", Long.MAX_VALUE)))),
                    define(struct("d", 8, bits("x", Long.MAX_VALUE - 1, 4, INT))));

            for (String item : List.of("a", "b", "b.x", "c", "d", "d.x")) {
                assertThat(ask(item, huge).status()).as(item).isEqualTo(ItemStatus.UNSUPPORTED);
            }
        }
    }

    @Nested
    class BaseClasses {

        private final AggregateShape root = struct("Root", 8, field("id", 0, LONG), field("shared", 0, INT));
        private final AggregateShape left = struct("Left", 16, base(0, root), field("l", 8, LONG), field("x", 8, INT));
        private final AggregateShape right = struct("Right", 16, field("r", 0, LONG), field("x", 8, INT));
        private final TypeIndex build = build(
                define(struct("D", 40, base(0, left), base(16, right), field("shared", 32, LONG))),
                define(struct("Twice", 32, base(0, left), base(16, left))),
                define(struct("V", 24, field("own", 8, LONG), virtualBase(root))),
                define(struct("E", 8, computed("e", LONG), field("f", 0, LONG))));

        @Test
        void membersOfBasesAreReachedAndDerivedComesFirst() {
            assertThat(place("D.id", build).offset()).isZero();
            assertThat(place("D.r", build).offset()).isEqualTo(16);
            assertThat(place("D.shared", build).offset()).isEqualTo(32);
        }

        @Test
        void nameInTwoBasesIsAmbiguous() {
            ItemOutcome.Ambiguous answer =
                    (ItemOutcome.Ambiguous) ask("D.x", build).outcome();

            assertThat(answer.variants())
                    .extracting(variant -> ((ItemOutcome.PathFound) variant.outcome())
                            .placement()
                            .offset())
                    .containsExactly(8L, 24L);
            assertThat(ask("Twice.id", build).status()).isEqualTo(ItemStatus.AMBIGUOUS);
        }

        @Test
        void memberOfAVirtualBaseIsComputed() {
            ItemOutcome.Computed answer =
                    (ItemOutcome.Computed) ask("V.id", build).outcome();

            assertThat(answer.at()).isEqualTo("V.id");
            assertThat(answer.reason()).isEqualTo("virtual base class");
            assertThat(place("V.own", build).offset()).isEqualTo(8);
            assertThat(ask("E.e", build).status()).isEqualTo(ItemStatus.COMPUTED);
            assertThat(ask("E.e.x", build).status()).isEqualTo(ItemStatus.COMPUTED);
            assertThat(ask("E.f", build).status()).isEqualTo(ItemStatus.FOUND);
        }

        @Test
        void ladderOfDoubledBasesIsRefusedNotUnfolded() {
            AggregateShape bases = struct("A0", 8, field("x", 0, LONG));
            AggregateShape unnamed = struct(null, 8, field("x", 0, LONG));
            for (int i = 1; i <= 100; i++) {
                bases = struct("A" + i, 8, base(0, bases), base(0, bases));
                unnamed = struct(i == 100 ? "U" : null, 8, unnamed(0, unnamed), unnamed(0, unnamed));
            }
            TypeIndex ladder = build(define(bases), in("b.c", C, define(bases)), define(unnamed));

            for (String item : List.of("A100", "A100.x", "U", "U.x")) {
                assertThat(ask(item, ladder).status()).as(item).isEqualTo(ItemStatus.UNSUPPORTED);
            }
        }
    }

    @Nested
    class Enumerators {

        private final TypeIndex build = build(
                define(enumeration("color", 4, false, new Enumerator("RED", 0), new Enumerator("BLUE", 7))),
                define(enumeration(null, 4, false, new Enumerator("ANON", 3), new Enumerator("BLUE", 7))),
                define(enumeration("other", 4, false, new Enumerator("RED", 1))),
                in("a.rs", RUST, define(enumeration("Shade", 1, false, new Enumerator("BLUE", 9)))),
                local("main", define(enumeration("inside", 4, false, new Enumerator("BLUE", 5)))),
                qualified(
                        "ns::Level",
                        in("a.cc", CPP, define(enumeration("Level", 4, false, new Enumerator("HIGH", 2))))));

        @Test
        void enumeratorHasItsValueAndEnumeration() {
            assertThat(enumerator("ANON")).isEqualTo(3);
            assertThat(enumerator("BLUE")).isEqualTo(7);
        }

        @Test
        void differentValuesAreAmbiguous() {
            assertThat(ask("enumerator RED", build).status()).isEqualTo(ItemStatus.AMBIGUOUS);
        }

        @Test
        void qualifiedNameGivesTheEnumerationOrItsScope() {
            for (String name : List.of("HIGH", "ns::HIGH", "ns::Level::HIGH", "::ns::HIGH")) {
                assertThat(enumerator(name)).as(name).isEqualTo(2);
            }
            assertThat(enumerator("other::RED")).isEqualTo(1);
            assertThat(ask("enumerator Level::HIGH", build).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
        }

        @Test
        void languageIsAFilter() {
            ItemAnswer answer = ask("enumerator BLUE", build, Language.Family.RUST);

            assertThat(((ItemOutcome.EnumeratorFound) answer.outcome())
                            .found()
                            .enumerator()
                            .value())
                    .isEqualTo(9);
        }

        @Test
        void unknownEnumeratorIsNotFound() {
            assertThat(ask("enumerator GREEN", build).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
        }

        private long enumerator(String name) {
            return ((ItemOutcome.EnumeratorFound)
                            ask("enumerator " + name, build).outcome())
                    .found()
                    .enumerator()
                    .value();
        }
    }
}
