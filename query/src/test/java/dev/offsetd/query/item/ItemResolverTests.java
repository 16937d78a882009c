package dev.offsetd.query.item;

import static dev.offsetd.extractor.testkit.Types.C;
import static dev.offsetd.extractor.testkit.Types.CPP;
import static dev.offsetd.extractor.testkit.Types.GO;
import static dev.offsetd.extractor.testkit.Types.INT;
import static dev.offsetd.extractor.testkit.Types.LONG;
import static dev.offsetd.extractor.testkit.Types.RUST;
import static dev.offsetd.extractor.testkit.Types.UNSIGNED;
import static dev.offsetd.extractor.testkit.Types.UNSIGNED_LONG;
import static dev.offsetd.extractor.testkit.Types.aggregate;
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
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Spelling;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ItemResolverTests {

    @Nested
    class Names {

        @Test
        void unknownNameIsTypeNotFound() {
            assertThat(ask("nope", build()).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
            assertThat(ask("nope.x[2].y", build()).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
        }

        @Test
        void definitionInCComesBeforeAnOpaqueOneInRust() {
            TypeIndex build = build(
                    in("cruby.rs", RUST, define(struct("frame", 0, field("_data", 0, array(INT, 0))))),
                    define(struct("frame", 8, field("pc", 0, LONG))));

            assertThat(type("frame", build).definition().language()).isEqualTo(C);
            assertThat(place("frame.pc", build).offset()).isZero();
        }

        @Test
        void definitionInCComesBeforeOneInRustThatHasASize() {
            TypeIndex build = build(
                    in("cruby.rs", RUST, define(struct("VALUE", 8, field("__0", 0, LONG)))),
                    define(alias("VALUE", UNSIGNED_LONG)));

            assertThat(type("VALUE", build).kind()).isEqualTo(TypeKind.TYPEDEF);
            assertThat(type("VALUE", build).alsoMatches()).isEmpty();
            assertThat(type("VALUE", build, Language.Family.RUST).kind()).isEqualTo(TypeKind.STRUCT);
        }

        @Test
        void opaqueDefinitionOfAnotherLanguageAloneOnlyDeclaresTheName() {
            TypeIndex build = build(qualified("cruby::iseq", in("cruby.rs", RUST, define(struct("iseq", 0)))));

            assertThat(ask("iseq", build).outcome())
                    .isEqualTo(new ItemOutcome.Missed(
                            ItemStatus.DECLARATION_ONLY,
                            "defined with size 0 in Rust; select that definition by its language or qualified name"));
            assertThat(type("iseq", build, Language.Family.RUST).definition().language())
                    .isEqualTo(RUST);
            assertThat(type("cruby::iseq", build).definition().language()).isEqualTo(RUST);
        }

        @Test
        void emptyStructOfCIsComplete() {
            assertThat(type("empty", build(define(struct("empty", 0))))
                            .definition()
                            .shape()
                            .byteSize())
                    .isZero();
        }

        @Test
        void otherLanguageAnswersANameThatCDoesNotHave() {
            TypeIndex build = build(in("proc.go", GO, define(struct("runtime.g", 8, field("m", 0, LONG)))));

            assertThat(place("runtime.g.m", build).size()).isEqualTo(8);
        }

        @Test
        void requestedLanguageIsTheOnlyOne() {
            TypeIndex build = build(define(struct("frame", 8)));

            assertThat(ask("frame", build, Language.Family.RUST).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
            assertThat(ask("frame", build, Language.Family.CPP).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
            assertThat(ask("frame", build, Language.Family.C).status()).isEqualTo(ItemStatus.FOUND);
        }

        @Test
        void declarationDropsOutWhereThereIsADefinition() {
            TypeIndex build = build(declare(TypeKind.STRUCT, "s"), define(struct("s", 8, field("a", 0, LONG))));

            assertThat(type("s", build).definition().isDeclaration()).isFalse();
        }

        @Test
        void typedefOfADeclarationDropsOutWhereAnotherIsComplete() {
            TypeIndex build = build(
                    define(alias("s_t", incomplete("struct s"))),
                    define(alias("s_t", struct("s", 8, field("a", 0, LONG)))));

            assertThat(place("s_t.a", build).size()).isEqualTo(8);
        }

        @Test
        void nameThatIsOnlyDeclaredSaysSo() {
            assertThat(ask("s.a", build(declare(TypeKind.STRUCT, "s"))).outcome())
                    .isEqualTo(new ItemOutcome.Missed(ItemStatus.DECLARATION_ONLY, "the build only declares it"));
            assertThat(ask("s_t", build(define(alias("s_t", incomplete("struct s")))))
                            .status())
                    .isEqualTo(ItemStatus.DECLARATION_ONLY);
        }

        @Test
        void tagComesBeforeTypedefWhichAlsoMatches() {
            TypeIndex build =
                    build(define(alias("node", pointer("struct node *", "struct node"))), define(struct("node", 16)));

            ItemOutcome.TypeFound found = type("node", build);
            assertThat(found.kind()).isEqualTo(TypeKind.STRUCT);
            assertThat(found.viaTypedef()).isFalse();
            assertThat(found.alsoMatches()).extracting(Definition::kind).containsExactly(TypeKind.TYPEDEF);
            assertThat(type("typedef node", build).kind()).isEqualTo(TypeKind.TYPEDEF);
            assertThat(type("typedef node", build).alsoMatches()).isEmpty();
        }

        @Test
        void typedefComesBeforeBaseType() {
            TypeIndex build = build(define(TypeKind.BASE, "bool", UNSIGNED), define(alias("bool", INT)));

            assertThat(type("bool", build).kind()).isEqualTo(TypeKind.TYPEDEF);
            assertThat(type("bool", build).alsoMatches())
                    .extracting(Definition::kind)
                    .containsExactly(TypeKind.BASE);
        }

        @Test
        void typedefNamesAnUnnamedStruct() {
            TypeIndex build = build(define(alias("PyObject", struct(null, 8, field("ob_type", 0, LONG)))));

            ItemOutcome.TypeFound found = type("PyObject", build);
            assertThat(found.kind()).isEqualTo(TypeKind.STRUCT);
            assertThat(found.viaTypedef()).isTrue();
            assertThat(found.fields()).containsOnlyKeys("ob_type");
            assertThat(ask("struct PyObject", build).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
        }

        @ParameterizedTest
        @CsvSource({"struct n,STRUCT", "union n,TYPE_NOT_FOUND", "enum n,ENUM", "typedef n,TYPEDEF", "n,AMBIGUOUS"})
        void kindIsAFilter(String item, String expected) {
            TypeIndex build = build(
                    define(struct("n", 4, field("a", 0, INT))),
                    define(enumeration("n", 4, false, new Enumerator("A", 0))),
                    define(alias("n", LONG)));

            ItemAnswer answer = ask(item, build);
            assertThat(
                            answer.outcome() instanceof ItemOutcome.TypeFound found
                                    ? found.kind().name()
                                    : answer.status().name())
                    .isEqualTo(expected);
        }

        @Test
        void structAndClassStandForEachOtherWhereOnlyOneIsDefined() {
            Definition isolate = in("a.cc", CPP, define(aggregate(TypeKind.CLASS, "Isolate", 8)));

            assertThat(type("struct Isolate", build(declare(TypeKind.STRUCT, "Isolate"), isolate))
                            .kind())
                    .isEqualTo(TypeKind.CLASS);
            TypeIndex both = build(define(struct("Isolate", 4)), isolate);
            assertThat(type("class Isolate", both).kind()).isEqualTo(TypeKind.CLASS);
            assertThat(type("struct Isolate", both).kind()).isEqualTo(TypeKind.STRUCT);
        }

        @Test
        void bareNameSeesNamespacesAndQualifiedNameMustBeWhole() {
            TypeIndex build = build(qualified(
                    "v8::internal::Isolate", in("a.cc", CPP, define(aggregate(TypeKind.CLASS, "Isolate", 8)))));

            for (String name : List.of("Isolate", "v8::internal::Isolate", "::v8::internal::Isolate")) {
                assertThat(ask(name, build).status()).as(name).isEqualTo(ItemStatus.FOUND);
            }
            for (String name : List.of("internal::Isolate", "v8::Isolate", "::Isolate")) {
                assertThat(ask(name, build).status()).as(name).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
            }
        }

        @Test
        void nameWithScopesInItselfIsFound() {
            TypeIndex build = build(in("lib.rs", RUST, define(struct("&core::ffi::CStr", 16, field("len", 8, LONG)))));

            assertThat(place("&core::ffi::CStr.len", build).offset()).isEqualTo(8);
            assertThat(ask("CStr", build).status()).isEqualTo(ItemStatus.TYPE_NOT_FOUND);
        }

        @Test
        void spacesBesidePunctuationDoNotCount() {
            TypeIndex build = build(qualified(
                    "std::map<int, std::pair<a, b> >",
                    in("a.cc", CPP, define(aggregate(TypeKind.CLASS, "map<int, std::pair<a, b> >", 48)))));

            assertThat(ask("std::map<int,std::pair<a,b>>", build).status()).isEqualTo(ItemStatus.FOUND);
            assertThat(ask("map<int, std::pair<a,b> >", build).status()).isEqualTo(ItemStatus.FOUND);
        }

        @Test
        void typeLocalToAFunctionAnswersOnlyWhereNothingElseDoes() {
            Definition inFunction = local("main", define(struct("s", 4, field("a", 0, INT))));
            Definition inFile = define(struct("s", 8, field("a", 0, LONG)));

            assertThat(type("s", build(inFunction)).definition().function()).isEqualTo("main");
            assertThat(type("s", build(inFunction, inFile)).definition().function())
                    .isNull();
            assertThat(type("s", build(inFunction, define(alias("s", LONG)))).kind())
                    .isEqualTo(TypeKind.TYPEDEF);
            assertThat(type("s", build(inFunction, in("a.rs", RUST, inFile)))
                            .definition()
                            .language())
                    .isEqualTo(RUST);
        }

        @Test
        void longestPrefixThatIsATypeIsTheType() {
            TypeIndex build =
                    build(define(struct("a", 16, field("b", 8, LONG))), define(struct("a.b", 4, field("c", 2, INT))));

            assertThat(type("a.b", build).definition().name()).isEqualTo("a.b");
            assertThat(place("a.b.c", build).offset()).isEqualTo(2);
            assertThat(place("\"a\".b", build).offset()).isEqualTo(8);
            assertThat(ask("a.b.d", build).status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
        }
    }

    @Nested
    class Differences {

        @Test
        void equalDefinitionsAreOne() {
            TypeIndex build = build(
                    define(struct("s", 16, field("p", 0, pointer("char *", "char")), field("n", 8, LONG))),
                    in(
                            "b.cc",
                            CPP,
                            define(struct(
                                    "s",
                                    16,
                                    field("p", 0, pointer("void *", null)),
                                    field("n", 8, alias("ssize_t", LONG))))));

            assertThat(type("s", build).definition().unit()).isEqualTo("main.c");
        }

        @Test
        void differingDefinitionsAreAmbiguousOnlyInWhatDiffers() {
            TypeIndex build = build(
                    define(struct("s", 16, field("same", 0, LONG), field("moved", 8, INT))),
                    in("b.c", C, define(struct("s", 16, field("same", 0, LONG), field("moved", 12, INT)))));

            assertThat(ask("s", build).status()).isEqualTo(ItemStatus.AMBIGUOUS);
            assertThat(place("s.same", build).offset()).isZero();
            ItemOutcome.Ambiguous moved =
                    (ItemOutcome.Ambiguous) ask("s.moved", build).outcome();
            assertThat(moved.total()).isEqualTo(2);
            assertThat(moved.variants())
                    .extracting(variant -> variant.definition().unit() + " "
                            + ((ItemOutcome.PathFound) variant.outcome())
                                    .placement()
                                    .offset())
                    .containsExactly("main.c 8", "b.c 12");
        }

        @Test
        void memberThatOnlyOneOfTwoDefinitionsHasIsAmbiguous() {
            TypeIndex build = build(
                    define(struct("s", 8, field("x", 0, LONG))),
                    in("b.c", C, define(struct("s", 8, field("y", 0, LONG)))));

            ItemOutcome.Ambiguous answer =
                    (ItemOutcome.Ambiguous) ask("s.x", build).outcome();
            assertThat(answer.variants())
                    .extracting(variant -> variant.outcome().status())
                    .containsExactly(ItemStatus.FOUND, ItemStatus.FIELD_NOT_FOUND);
            assertThat(ask("s.z", build).status()).isEqualTo(ItemStatus.FIELD_NOT_FOUND);
        }

        @Test
        void memberWhoseOwnLayoutDiffersIsAmbiguous() {
            TypeIndex build = build(
                    define(struct("s", 8, field("in", 0, struct("i", 8, field("a", 0, INT))))),
                    in("b.c", C, define(struct("s", 8, field("in", 0, struct("i", 8, field("a", 4, INT)))))));

            assertThat(ask("s.in", build).status()).isEqualTo(ItemStatus.AMBIGUOUS);
            assertThat(ask("s.in.a", build).status()).isEqualTo(ItemStatus.AMBIGUOUS);
        }

        @Test
        void pathToAPointerIsNotAmbiguousForItsPointee() {
            TypeIndex build = build(
                    define(struct("s", 8, field("p", 0, pointer("struct a *", "struct a")))),
                    in("b.c", C, define(struct("s", 8, field("p", 0, pointer("struct b *", "struct b"))))));

            assertThat(ask("s.p", build).status()).isEqualTo(ItemStatus.FOUND);
            assertThat(ask("s.p.x", build).status()).isEqualTo(ItemStatus.CROSSES_POINTER);
        }

        @Test
        void longListOfDifferencesIsCutAndCounted() {
            Definition[] definitions = new Definition[150];
            for (int i = 0; i < definitions.length; i++) {
                definitions[i] = in("u" + i + ".c", C, define(struct("iterator", i + 1)));
            }

            ItemOutcome.Ambiguous answer =
                    (ItemOutcome.Ambiguous) ask("iterator", build(definitions)).outcome();
            assertThat(answer.total()).isEqualTo(150);
            assertThat(answer.variants()).hasSize(100);
            assertThat(answer.variants().getFirst().definition().unit()).isEqualTo("u0.c");
        }
    }

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

        @Test
        void pointerEndsThePathAndNamesThePointee() {
            for (String item : List.of("outer.next.first", "outer.next[0]")) {
                ItemOutcome.CrossesPointer answer =
                        (ItemOutcome.CrossesPointer) ask(item, build).outcome();
                assertThat(answer.pointee()).isEqualTo("struct outer");
                assertThat(answer.at()).isEqualTo("outer.next");
                assertThat(answer.placement().offset()).isEqualTo(160);
            }
            assertThat(((ItemOutcome.CrossesPointer)
                                    ask("struct outer.handlers[1][0].x", build).outcome())
                            .at())
                    .isEqualTo("struct outer.handlers[1][0]");
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

    @Nested
    class Alternatives {

        private final TypeIndex build = build(
                define(struct("s", 16, field("a", 0, LONG), field("p", 8, pointer("void *", null)))),
                declare(TypeKind.STRUCT, "t"));

        @ParameterizedTest
        @CsvSource({
            "s.gc.a|s.a,        FOUND,           s.a",
            "s.a|s.p,           FOUND,           s.a",
            "nope | s.a ,       FOUND,           s.a",
            "s.p.x|s.a,         FOUND,           s.a",
            "s.b|s.p.x,         CROSSES_POINTER, s.p.x",
            "nope|s.b,          FIELD_NOT_FOUND, s.b",
            "t|s.b,             DECLARATION_ONLY, t",
            "nope|nix,          TYPE_NOT_FOUND,",
            "nope|symbol foo,   UNSUPPORTED,",
            "s.a,               FOUND,",
            "s.b,               FIELD_NOT_FOUND,"
        })
        void firstThatIsFoundAnswersElseTheOneThatCameFurthest(String item, ItemStatus status, String matched) {
            ItemAnswer answer = ask(item, build);

            assertThat(answer.status()).isEqualTo(status);
            assertThat(Optional.ofNullable(answer.matched()).map(Alternative::text))
                    .isEqualTo(Optional.ofNullable(matched));
        }

        @ParameterizedTest
        @ValueSource(strings = {"@ruby", "tls", "symbol main"})
        void whatTypesAloneCannotAnswerIsSaid(String item) {
            assertThat(ask(item, build).outcome())
                    .isInstanceOfSatisfying(
                            ItemOutcome.Missed.class,
                            missed -> assertThat(missed.detail()).endsWith("cannot be queried here"));
        }

        @Test
        void answersAreCompleteIfAllAreFound() {
            assertThat(ItemAnswer.complete(List.of(ask("s", build), ask("s.a", build))))
                    .isTrue();
            assertThat(ItemAnswer.complete(List.of(ask("s", build), ask("s.b", build))))
                    .isFalse();
        }
    }

    private static ItemAnswer ask(String item, TypeIndex build) {
        return ItemResolver.resolve(ItemParser.parse(item), build, Optional.empty());
    }

    private static ItemAnswer ask(String item, TypeIndex build, Language.Family language) {
        return ItemResolver.resolve(ItemParser.parse(item), build, Optional.of(language));
    }

    private static ItemOutcome.TypeFound type(String item, TypeIndex build) {
        return (ItemOutcome.TypeFound) ask(item, build).outcome();
    }

    private static ItemOutcome.TypeFound type(String item, TypeIndex build, Language.Family language) {
        return (ItemOutcome.TypeFound) ask(item, build, language).outcome();
    }

    private static Placement.Fixed place(String item, TypeIndex build) {
        return ((ItemOutcome.PathFound) ask(item, build).outcome()).placement();
    }
}
