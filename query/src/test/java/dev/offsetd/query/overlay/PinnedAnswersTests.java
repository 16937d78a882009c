package dev.offsetd.query.overlay;

import static dev.offsetd.query.overlay.PinnedBuild.bits;
import static dev.offsetd.query.overlay.PinnedBuild.members;
import static dev.offsetd.query.overlay.PinnedBuild.place;
import static dev.offsetd.query.overlay.PinnedBuild.plain;
import static dev.offsetd.query.overlay.PinnedBuild.type;
import static dev.offsetd.query.overlay.PinnedPlaces.assertJson;
import static dev.offsetd.query.overlay.PinnedPlaces.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.View;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class PinnedAnswersTests {

    @Nested
    class Views {

        private final PinnedBuild build = plain().pin("frame.sp", place(48, 8)).pin("frame.extra", place(28, 4));

        @Test
        void fieldsTellPinnedMembersFromExtractedOnes() {
            assertJson(build, View.FIELDS, """
                    {"offsets": {"struct frame": {"status": "found", "kind": "struct", "size": 32, "language": "C99",
                        "source": "p1", "fields": {
                          "pc": {"offset": 0, "size": 8, "type": "char *"},
                          "self": {"offset": 16, "size": 8, "type": "VALUE"},
                          "kind": {"offset": 24, "size": 1, "bitOffset": 192, "bitSize": 3, "storageSize": 4,
                              "signed": false, "type": "unsigned int"},
                          "depth": {"offset": 24, "size": 1, "bitOffset": 195, "bitSize": 5, "storageSize": 4,
                              "signed": false, "type": "unsigned int"},
                          "extra": {"offset": 28, "size": 4, "type": "unsigned char [4]",
                              "source": "p3", "extracted": null},
                          "sp": {"offset": 48, "size": 8, "type": "char *",
                              "source": "p2", "extracted": {"offset": 8, "size": 8}}}}},
                     "pinned": {
                       "frame.extra": {"source": "p3", "extracted": null},
                       "frame.sp": {"source": "p2", "extracted": {"offset": 8, "size": 8}}}}
                    """, "struct frame");
        }

        @Test
        void membersHaveAMovedMemberWhereItIsNowAndTheGapItLeft() {
            assertJson(plain().pin("pair_t.first", place(8, 4)), View.MEMBERS, """
                    {"offsets": {"pair_t": {"status": "found", "kind": "struct", "via": "typedef", "size": 8,
                        "language": "C99", "source": "p1", "members": [
                          {"padding": true, "offset": 0, "size": 4},
                          {"name": "second", "offset": 4, "size": 4, "type": "int"},
                          {"name": "first", "offset": 8, "size": 4, "type": "int",
                              "source": "p2", "extracted": {"offset": 0, "size": 4}}]}},
                     "pinned": {"pair_t.first": {"source": "p2", "extracted": {"offset": 0, "size": 4}}}}
                    """, "pair_t");
        }

        @Test
        void flatViewHasThePinnedNumbersAndTellsBesideThem() {
            assertJson(
                    plain().pin("both.x", place(12, 4)).pin("pair_t.first", place(8, 2)),
                    View.FLAT,
                    """
                    {"offsets": {"pair_t": [0, 8], "pair_t.second": [4, 4], "pair_t.first": [8, 2],
                        "frame.pc": [0, 8]},
                     "pinned": {"pair_t.first": {"source": "p3", "extracted": {"offset": 0, "size": 4}}}}
                    """,
                    "pair_t",
                    "frame.pc");
        }

        @Test
        void pathHasTheSourceOfItsPin() {
            assertJson(build, View.FIELDS, """
                    {"offsets": {
                       "frame.sp": {"status": "found", "offset": 48, "size": 8, "type": "char *",
                           "source": "p2", "extracted": {"offset": 8, "size": 8}},
                       "frame.pc": {"status": "found", "offset": 0, "size": 8, "type": "char *", "source": "p1"}},
                     "pinned": {"frame.sp": {"source": "p2", "extracted": {"offset": 8, "size": 8}}}}
                    """, "frame.sp", "frame.pc");
        }

        @Test
        void pinThatHadNoSayIsNotMentioned() {
            assertThat(build.json(View.FIELDS, "list", "frame.pc")).doesNotContain("pinned", "extracted");
        }

        @ParameterizedTest
        @EnumSource(View.class)
        void typeWithAPinnedMemberSaysSoInEveryView(View view) {
            assertThat(JsonMapper.shared()
                            .readTree(build.json(view, "frame_t"))
                            .get("pinned")
                            .propertyNames())
                    .containsExactly("frame.extra", "frame.sp");
        }
    }

    @Nested
    class Places {

        @ParameterizedTest
        @CsvSource({
            "frame.sp, 48 8 p2 8",
            "struct frame.sp, 48 8 p2 8",
            "frame_t.sp, 48 8 p2 8",
            "typedef frame_t.sp, 48 8 p2 8",
            "thread.top.sp, 56 8 p2 16",
            "thread.frames[1].sp, 120 8 p2 80",
            "thread.top.pc, 8 8",
            "thread.top, 8 32",
            "thread.frames[1], 72 32"
        })
        void memberIsMovedWhereverItsTypeIsHeldByValue(String item, String expected) {
            assertThat(at(plain().pin("frame.sp", place(48, 8)), item)).isEqualTo(expected);
        }

        @Test
        void pinOfATypedefSpeaksOfTheTypeBehindIt() {
            PinnedBuild build = plain().pin("frame_t.sp", place(48, 8));

            assertThat(at(build, "frame.sp")).isEqualTo("48 8 p2 8");
            assertThat(at(build, "thread.top.sp")).isEqualTo("56 8 p2 16");
        }

        @Test
        void typedefOfAnUnnamedTypeIsItsNameWhateverQualifiesIt() {
            assertThat(at(plain().pin("flag_t.by", place(0, 4)), "flag_t.by")).isEqualTo("0 4 p2 4");
            assertThat(plain().pin("flag_t.by", place(0, 4)).json(View.FLAT, "flag_t"))
                    .contains("\"flag_t.by\":[0,4]");
        }

        @Test
        void whatIsInsideOfAMovedMemberMovesWithIt() {
            PinnedBuild build = plain().pin("thread.top", place(16, 32)).pin("thread.frames", place(48, 64));

            assertThat(at(build, "thread.top.sp")).isEqualTo("24 8 p2 16");
            assertThat(at(build, "thread.frames[1].self")).isEqualTo("96 8 p3 88");
        }

        @Test
        void pinInsideOfAMemberSpeaksOfThatMemberAlone() {
            PinnedBuild build = plain().pin("thread.top.sp", place(24, 8));

            assertThat(at(build, "thread.top.sp")).isEqualTo("24 8 p2 16");
            assertThat(at(build, "thread.frames[0].sp")).isEqualTo("48 8");
            assertThat(at(build, "frame.sp")).isEqualTo("8 8");
        }

        @Test
        void nearerPinSpeaksLastAndAllOfThemAreNamed() {
            PinnedBuild build = plain().pin("thread.top.sp", place(44, 8))
                    .pin("frame.sp", place(0, 8))
                    .pin("thread.top", place(16, 32));

            assertThat(at(build, "thread.top.sp")).isEqualTo("44 8 p2 16");
            assertThat(at(build, "thread.top.self")).isEqualTo("32 8 p4 24");
            assertThat(AppliedPins.of(build.answers("thread.top.sp"), build.pinned()))
                    .extracting(AppliedPin::source)
                    .containsExactly("p4", "p2");
        }

        @Test
        void memberOfAnUnnamedUnionStaysInIt() {
            PinnedBuild build = plain().pin("value.half", place(12, 4));

            assertThat(at(build, "value.half")).isEqualTo("12 4 p2 8");
            assertThat(build.json(View.MEMBERS, "value"))
                    .contains("{\"name\":\"half\",\"offset\":12,\"size\":4,\"type\":\"int\",\"source\":\"p2\","
                            + "\"extracted\":{\"offset\":8,\"size\":4}}]}");
        }

        @Test
        void memberThatLeavesItsUnnamedUnionBecomesTheTypesOwn() {
            PinnedBuild build = plain().pin("value.half", place(20, 4));

            assertThat(at(build, "value.half")).isEqualTo("20 4 p2 8");
            assertThat(build.json(View.MEMBERS, "value")).endsWith("""
                    {"name":"half","offset":20,"size":4,"type":"int","source":"p2","extracted":{"offset":8,"size":4}}]}},\
                    "pinned":{"value.half":{"source":"p2","extracted":{"offset":8,"size":4}}}}""");
        }

        @Test
        void inheritedMemberMovesInTheDerivedClassAlone() {
            PinnedBuild build = plain().pin("ui::shape.colour", place(4, 4));

            assertThat(at(build, "ui::shape.colour")).isEqualTo("4 4 p2 0");
            assertThat(at(build, "shape.colour")).isEqualTo("4 4 p2 0");
            assertThat(at(build, "ui::base.colour")).isEqualTo("0 4");
        }

        @Test
        void qualifiedNameMeansNoOtherScope() {
            assertThat(at(plain().pin("web::base.colour", place(4, 4)), "ui::base.colour"))
                    .isEqualTo("0 4");
            assertThat(at(plain().pin("::ui::base.colour", place(4, 4)), "base.colour"))
                    .isEqualTo("4 4 p2 0");
        }

        @Test
        void kindThatTheTypeIsNotOfDoesNotMeanIt() {
            assertThat(at(plain().pin("union frame.sp", place(48, 8)), "struct frame.sp"))
                    .isEqualTo("8 8");
            assertThat(at(plain().pin("struct shape.edges", place(12, 4)), "class shape.edges"))
                    .isEqualTo("12 4 p2 8");
        }

        @Test
        void typeOfAnotherSizeIsWhatThePinSaysOrBytes() {
            assertThat(plain().pin("frame.sp", place(8, 4)).json(View.FIELDS, "frame.sp"))
                    .contains("\"type\":\"unsigned char [4]\"");
            assertThat(plain().pin("frame.sp", place(8, 4, "u32")).json(View.FIELDS, "frame.sp"))
                    .contains("\"type\":\"u32\"");
            assertThat(plain().pin("thread.top", place(16, 32, "struct frame")).json(View.FIELDS, "thread.top.sp"))
                    .contains("field_not_found");
            assertThat(plain().pin("thread.top", place(16, 32, "frame_t")).json(View.FIELDS, "thread.top.sp"))
                    .contains("\"offset\":24");
        }

        @ParameterizedTest
        @ValueSource(booleans = {false, true})
        void bitFieldsAreCountedInMemoryOrderWhateverTheByteOrder(boolean bigEndian) {
            PinnedBuild build = PinnedBuild.written(
                            DwarfStyle.DEFAULT.withOrder(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN))
                    .pin("frame.depth", bits(198, 4));
            assertJson(build, View.FIELDS, """
                    {"offsets": {"frame.depth": {"status": "found", "offset": 24, "size": 2, "bitOffset": 198,
                        "bitSize": 4, "storageSize": 4, "signed": false, "type": "unsigned int", "source": "p2",
                        "extracted": {"offset": 24, "size": 1, "bitOffset": 195, "bitSize": 5}}},
                     "pinned": {"frame.depth": {"source": "p2",
                        "extracted": {"offset": 24, "size": 1, "bitOffset": 195, "bitSize": 5}}}}
                    """, "frame.depth");
            assertThat(build.json(View.FLAT, "thread.top.depth")).contains("[32,2,262,4]");
        }

        @Test
        void bitFieldMayBecomeAWholeMemberAndTheOtherWayRound() {
            assertThat(plain().pin("frame.kind", place(28, 4, "unsigned int")).json(View.FIELDS, "frame.kind"))
                    .contains(
                            "{\"status\":\"found\",\"offset\":28,\"size\":4,\"type\":\"unsigned int\",\"source\":\"p2\","
                                    + "\"extracted\":{\"offset\":24,\"size\":1,\"bitOffset\":192,\"bitSize\":3}}");
            assertThat(plain().pin("list.length", bits(65, 7)).json(View.FIELDS, "list.length"))
                    .contains("\"bitOffset\":65,\"bitSize\":7,\"storageSize\":4,\"signed\":true,\"type\":\"int\"");
        }
    }

    @Nested
    class Types {

        @Test
        void sizeAloneLeavesTheMembers() {
            assertJson(plain().pin("pair_t", type(16, Map.of())), View.FIELDS, """
                    {"offsets": {"pair_t": {"status": "found", "kind": "struct", "via": "typedef", "size": 16,
                        "language": "C99", "source": "p2", "extracted": {"size": 8}, "fields": {
                          "first": {"offset": 0, "size": 4, "type": "int", "source": "p1"},
                          "second": {"offset": 4, "size": 4, "type": "int", "source": "p1"}}}},
                     "pinned": {"pair_t": {"source": "p2", "extracted": {"size": 8}}}}
                    """, "pair_t");
        }

        @Test
        void membersStandInPlaceOfAllThatWere() {
            assertJson(
                    plain().pin("struct list", type(24, members("next", place(16, 8), "prev", place(0, 8)))),
                    View.FIELDS,
                    """
                    {"offsets": {"list": {"status": "found", "kind": "struct", "size": 24,
                        "language": "C99", "source": "p2", "extracted": {"size": 16}, "fields": {
                          "next": {"offset": 16, "size": 8, "type": "struct list *",
                              "source": "p2", "extracted": {"offset": 0, "size": 8}},
                          "prev": {"offset": 0, "size": 8, "type": "unsigned char [8]",
                              "source": "p2", "extracted": null}}},
                       "list.length": {"status": "field_not_found",
                          "detail": "\\"list\\" has no member \\"length\\""}},
                     "pinned": {"struct list": {"source": "p2", "extracted": {"size": 16}}}}
                    """,
                    "list",
                    "list.length");
        }

        @Test
        void sizeIsThatOfEveryMemberHeldByValueToo() {
            PinnedBuild build = plain().pin("frame", type(40, Map.of()));

            assertThat(at(build, "thread.top")).isEqualTo("8 40 p2 8");
            assertThat(at(build, "thread.frames")).isEqualTo("40 80 p2 40");
            assertThat(at(build, "thread.frames[1]")).isEqualTo("80 40 p2 72");
            assertThat(at(build, "thread.frames[1].pc")).isEqualTo("80 8 p2 72");
            assertThat(at(build, "thread.state")).isEqualTo("104 4");
        }

        @Test
        void typedefOfANumberMayHaveAnotherSize() {
            PinnedBuild build = plain().pin("VALUE", type(4, Map.of()));

            assertThat(at(build, "frame.self")).isEqualTo("16 4 p2 16");
            assertThat(build.json(View.FIELDS, "VALUE"))
                    .contains("\"kind\":\"typedef\",\"size\":4,\"type\":\"long int\",\"source\":\"p2\"");
        }

        @Test
        void pinByTheTypesOwnNameSpeaksAfterThatByATypedef() {
            PinnedBuild build = plain().pin("frame", type(40, Map.of())).pin("frame_t", type(48, Map.of()));

            assertThat(build.json(View.FLAT, "frame")).startsWith("{\"offsets\":{\"frame\":[0,40]");
            assertThat(build.json(View.FLAT, "frame_t")).startsWith("{\"offsets\":{\"frame_t\":[0,40]");
        }

        @Test
        void memberPinSpeaksAfterThatOfItsType() {
            PinnedBuild build =
                    plain().pin("frame.sp", place(24, 8)).pin("frame", type(32, Map.of("sp", place(16, 8))));

            assertThat(at(build, "frame.sp")).isEqualTo("24 8 p2 8");
        }
    }

    /** Forty unnamed structs, each with the next one twice: a trillion members where they appear. */
    @ParameterizedTest
    @ValueSource(strings = {"wide.absent", "wide.absent.inside", "wide.last"})
    void typeOfTooManyMembersIsNotGoneThrough(String item) {
        AggregateShape shape = unnamed(List.of(new Member(
                Member.Role.FIELD,
                "last",
                new MemberLocation.Fixed(0),
                Member.NOT_A_BIT_FIELD,
                0,
                new BaseShape("int", 4, BaseShape.Encoding.SIGNED))));
        for (int i = 0; i < 40; i++) {
            Member member =
                    new Member(Member.Role.FIELD, null, new MemberLocation.Fixed(0), Member.NOT_A_BIT_FIELD, 0, shape);
            shape = unnamed(List.of(member, member));
        }
        AggregateShape wide = new AggregateShape(TypeKind.STRUCT, "wide", "struct wide", 4, 0, shape.members());
        Definition definition = new Definition(
                TypeKind.STRUCT,
                "wide",
                "wide",
                null,
                "wide.c",
                new Language("C11", Language.Family.C),
                ".debug_info",
                0,
                wide);
        TypeIndex index = new TypeIndex() {
            @Override
            public void forEachVariable(Consumer<Variable> sink) {
                // It has none.
            }

            @Override
            public List<Definition> definitionsNamed(String name) {
                return name.equals("wide") ? List.of(definition) : List.of();
            }

            @Override
            public List<EnumeratorDefinition> enumeratorsNamed(String name) {
                return List.of();
            }

            @Override
            public List<Variable> variablesNamed(String name) {
                return List.of();
            }

            @Override
            public void forEachTypeName(String from, Predicate<String> goOn) {}

            @Override
            public void forEachEnumeratorName(String from, Predicate<String> goOn) {}

            @Override
            public void forEachVariableName(String from, Predicate<String> goOn) {}

            @Override
            public Set<String> inlineNamespaces() {
                return Set.of();
            }
        };
        PinnedBuild build = new PinnedBuild(Optional.of(index), PinOverlay.NONE).pin(item, place(2, 2));

        assertThat(at(build, item)).isEqualTo("2 2 p2 none");
        assertThat(build.answer("wide").status()).isEqualTo(ItemStatus.UNSUPPORTED);
    }

    private static AggregateShape unnamed(List<Member> members) {
        return new AggregateShape(TypeKind.STRUCT, null, "struct {...}", 4, 0, members);
    }

    @Test
    void pointerIsToldWithItsPinnedPlace() {
        @Nullable String json = plain().pin("list.next", place(24, 8)).json(View.FIELDS, "list.next.length");
        assertThat(json)
                .contains("\"at\":{\"path\":\"list.next\",\"offset\":24,\"size\":8,\"type\":\"struct list *\","
                        + "\"source\":\"p2\",\"extracted\":{\"offset\":0,\"size\":8}},\"source\":\"p1\"")
                .contains("\"pinned\":{\"list.next\"");
    }
}
