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
import static dev.offsetd.extractor.testkit.Types.build;
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
import static dev.offsetd.query.item.ItemAnswers.ask;
import static dev.offsetd.query.item.ItemAnswers.place;
import static dev.offsetd.query.item.ItemAnswers.type;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import java.util.List;
import java.util.Optional;
import java.util.Set;
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

        @ParameterizedTest
        @CsvSource({"MEMBER, a.x|a.y", "TYPE, b|a", "SYMBOL, symbol b|a", "TYPE, a.x|b"})
        void itemIsIncompleteIfAnAlternativeThatWasPassedOverMayHaveBeenLeftOut(Part part, String item) {
            TypeIndex build = new TypeCatalogue(
                    List.of(define(struct("a", 8, field("y", 0, INT)))),
                    List.of(),
                    Set.of(),
                    List.of(new Omission(part, Omission.Cause.DAMAGED, 1, List.of("somewhere"))));

            assertThat(ask(item, build).incomplete()).isTrue();
            assertThat(ask("a.y|b", build).incomplete()).isFalse();
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

        @ParameterizedTest
        @ValueSource(strings = {"Node", "\"Node\"", "struct Node", "::Node"})
        void nameAtFileScopeWinsOverNestedOnes(String item) {
            TypeIndex build = build(
                    qualified("ns::Node", in("a.cc", CPP, define(struct("Node", 1, field("c", 0, INT))))),
                    in("a.cc", CPP, define(struct("Node", 16, field("b", 8, INT)))),
                    local("f", in("a.cc", CPP, define(struct("Node", 2)))));

            assertThat(type(item, build).definition().shape().byteSize()).isEqualTo(16);
        }

        @Test
        void typedefAtFileScopeWinsOverANestedTag() {
            TypeIndex build = build(
                    qualified("ns::Node", in("a.cc", CPP, define(struct("Node", 1)))), define(alias("Node", LONG)));

            assertThat(type("Node", build).kind()).isEqualTo(TypeKind.TYPEDEF);
        }

        /** A declaration says nothing of a layout, and many headers have one. */
        @Test
        void declarationAtFileScopeDoesNotHideANestedDefinition() {
            TypeIndex build = build(
                    declare(TypeKind.STRUCT, "Node"),
                    qualified("ns::Node", in("a.cc", CPP, define(struct("Node", 8)))));

            assertThat(type("Node", build).definition().qualifiedName()).isEqualTo("ns::Node");
        }

        @Test
        void enumeratorAtFileScopeWinsOverNestedOnes() {
            TypeIndex build = build(
                    qualified(
                            "ns::Color",
                            in("a.cc", CPP, define(enumeration("Color", 4, false, new Enumerator("RED", 1))))),
                    in("a.cc", CPP, define(enumeration("Colour", 4, false, new Enumerator("RED", 7)))));

            assertThat(ask("enumerator RED", build).status()).isEqualTo(ItemStatus.FOUND);
            assertThat(ask("enumerator ns::RED", build).status()).isEqualTo(ItemStatus.FOUND);
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
        void typeAtFileScopeAnswersABareNameWithEitherOfTheWordsStructAndClass() {
            TypeIndex build = build(
                    in("a.cc", CPP, define(struct("Node", 8))),
                    qualified("ns::Node", in("a.cc", CPP, define(aggregate(TypeKind.CLASS, "Node", 16)))));

            assertThat(type("class Node", build).kind()).isEqualTo(TypeKind.STRUCT);
            assertThat(type("struct Node", build).kind()).isEqualTo(TypeKind.STRUCT);
            assertThat(type("class ns::Node", build).kind()).isEqualTo(TypeKind.CLASS);
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
}
