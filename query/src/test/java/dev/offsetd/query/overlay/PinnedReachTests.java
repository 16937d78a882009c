package dev.offsetd.query.overlay;

import static dev.offsetd.query.overlay.PinnedBuild.bits;
import static dev.offsetd.query.overlay.PinnedBuild.members;
import static dev.offsetd.query.overlay.PinnedBuild.place;
import static dev.offsetd.query.overlay.PinnedBuild.plain;
import static dev.offsetd.query.overlay.PinnedBuild.type;
import static dev.offsetd.query.overlay.PinnedBuild.unknown;
import static dev.offsetd.query.overlay.PinnedPlaces.assertJson;
import static dev.offsetd.query.overlay.PinnedPlaces.at;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.View;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** How far a pin reaches: types that contain the pinned one, builds without types, and equal types. */
class PinnedReachTests {

    @Nested
    class ExactlyWhatIsPinned {

        @Test
        void pinMakesAnAmbiguousMemberClear() {
            assertThat(plain().answer("both.y").status()).isEqualTo(ItemStatus.AMBIGUOUS);

            PinnedBuild build = plain().pin("both.y", place(8, 4));
            assertThat(at(build, "both.y")).isEqualTo("8 4 p2 none");
            assertThat(AppliedPins.of(build.answers("both.y"), build.pinned()))
                    .containsExactly(new AppliedPin("p2", "both.y", null));
            assertThat(build.answer("both").status()).isEqualTo(ItemStatus.AMBIGUOUS);
        }

        @Test
        void definitionsThatDifferInPinnedThingsOnlyAreOne() {
            PinnedBuild build = plain().pin("both.y", place(8, 4)).pin("both", type(16, Map.of()));

            assertThat(build.json(View.FLAT, "both"))
                    .startsWith("{\"offsets\":{\"both\":[0,16],\"both.x\":[0,4],\"both.y\":[8,4]}");
        }

        @Test
        void typeOfAPinnedMemberDoesNotMakeDefinitionsDiffer() {
            assertThat(plain().answer("mixed").status()).isEqualTo(ItemStatus.AMBIGUOUS);

            PinnedBuild build = plain().pin("mixed.data", place(8, 8));
            assertThat(build.json(View.FLAT, "mixed"))
                    .startsWith("{\"offsets\":{\"mixed\":[0,16],\"mixed.id\":[0,4],\"mixed.data\":[8,8]}");
            assertThat(at(build, "mixed.data")).isEqualTo("8 8 p2 none");
            assertThat(build.answer("mixed.data.high").status()).isEqualTo(ItemStatus.AMBIGUOUS);
        }

        @Test
        void allMembersOfAnAmbiguousTypeMakeItClear() {
            PinnedBuild build = plain().pin("both", type(16, members("x", place(0, 4), "y", place(12, 4))));

            assertThat(build.json(View.FLAT, "both"))
                    .startsWith("{\"offsets\":{\"both\":[0,16],\"both.x\":[0,4],\"both.y\":[12,4]}");
        }

        @Test
        void sizeAloneDoesNotSayWhichMembersAnAmbiguousTypeHas() {
            assertThat(plain().pin("both", type(16, Map.of())).answer("both").status())
                    .isEqualTo(ItemStatus.AMBIGUOUS);
        }

        @ParameterizedTest
        @CsvSource({
            "list.next.length, crosses_pointer",
            "ui::widget.colour, computed",
            "closed.inside, declaration_only",
            "nowhere.inside, type_not_found",
            "thread.top.later.inside, field_not_found",
            "list.length.bit, field_not_found"
        })
        void pinAnswersWhatNothingElseCan(String item, String without) {
            assertThat(plain().answer(item).status().word()).isEqualTo(without);
            assertThat(at(plain().pin(item, place(8, 4)), item)).isEqualTo("8 4 p2 none");
        }

        @Test
        void pinAnswersForEveryRequestedLanguage() {
            PinnedBuild build = plain().pin("frame.sp", place(48, 8)).pin("frame", type(64, Map.of("sp", place(8, 8))));
            for (String item : List.of("frame.sp", "frame")) {
                ItemAnswer answer =
                        ItemResolver.resolve(ItemParser.parse(item), build.contents(), Language.Family.RUST);
                assertThat(answer.status()).as(item).isEqualTo(ItemStatus.FOUND);
            }
        }

        @Test
        void quotesAndSpacesDoNotMatter() {
            PinnedBuild build = unknown().pin("map<int, int>.size", place(16, 8));

            assertThat(at(build, "\"map<int,int>\".size")).isEqualTo("16 8 p2 none");
            assertThat(at(build, "map<int,int>.other")).isEqualTo("no_debuginfo");
        }

        @Test
        void alternativeThatAPinAnswersIsFound() {
            PinnedBuild build = plain().pin("nowhere.x", place(4, 4));

            ItemAnswer answer = build.answer("both.y|nowhere.x");
            assertThat(answer.status()).isEqualTo(ItemStatus.FOUND);
            assertThat(answer.matched())
                    .satisfies(matched -> assertThat(matched).isNotNull())
                    .extracting(matched -> matched == null ? "" : matched.text())
                    .isEqualTo("nowhere.x");
        }

        @Test
        void coverageOfASetCountsWhatIsPinned() {
            TypeSet set = TypeSetParser.parse("""
                    {"name": "own", "version": 1, "title": "A set", "items": [
                       {"item": "frame.pc", "need": "required"},
                       {"item": "closed.inside", "need": "required"},
                       {"item": "closed.other", "need": "required"}]}
                    """.getBytes(StandardCharsets.UTF_8));
            TypeSetSource source = new TypeSetSource() {
                @Override
                public Optional<TypeSet> find(String name) {
                    return Optional.of(set);
                }

                @Override
                public Set<String> names() {
                    return Set.of("own");
                }
            };
            BuildContents contents = plain().pin("closed.inside", place(8, 4)).contents();
            Expansion.Answers answers = Expansion.of(ItemParser.parseList(List.of("@own")), source)
                    .answer(item -> ItemResolver.resolve(item, contents, null));

            assertThat(answers.items().getFirst().outcome())
                    .isInstanceOfSatisfying(
                            ItemOutcome.SetFound.class,
                            found -> assertThat(found.coverage().required()).isEqualTo(new Coverage.Share(2, 3)));
        }
    }

    @Nested
    class WithoutDebugInformation {

        private final PinnedBuild build = unknown()
                .pin("frame.pc", place(48, 8, "VALUE *"))
                .pin("list", type(16, members("next", place(0, 8), "length", bits(64, 3))))
                .pin("VALUE", type(8, Map.of()));

        @Test
        void whatIsPinnedIsAnswered() {
            assertJson(build, View.FIELDS, """
                    {"offsets": {
                       "frame.pc": {"status": "found", "offset": 48, "size": 8, "type": "VALUE *",
                           "source": "p2", "extracted": null},
                       "struct list": {"status": "found", "kind": "struct", "size": 16, "language": "unknown",
                           "source": "p3", "extracted": null, "fields": {
                             "next": {"offset": 0, "size": 8, "type": "unsigned char [8]",
                                 "source": "p3", "extracted": null},
                             "length": {"offset": 8, "size": 1, "bitOffset": 64, "bitSize": 3, "storageSize": 1,
                                 "type": "unsigned char [1]", "source": "p3", "extracted": null}}},
                       "list.length": {"status": "found", "offset": 8, "size": 1, "bitOffset": 64, "bitSize": 3,
                           "storageSize": 1, "type": "unsigned char [1]", "source": "p3",
                           "extracted": null},
                       "VALUE": {"status": "found", "kind": "typedef", "size": 8, "type": "unsigned char [8]", "source": "p4", "extracted": null}},
                     "pinned": {
                       "VALUE": {"source": "p4", "extracted": null},
                       "frame.pc": {"source": "p2", "extracted": null},
                       "list": {"source": "p3", "extracted": null}}}
                    """, "frame.pc", "struct list", "list.length", "VALUE");
        }

        @ParameterizedTest
        @CsvSource({
            "list.other, field_not_found",
            "frame, no_debuginfo",
            "frame.sp, no_debuginfo",
            "frame.pc.x, no_debuginfo",
            "union list, found",
            "struct frame, no_debuginfo",
            "thread, no_debuginfo",
            "enumerator RED, no_debuginfo",
            "symbol main, no_debuginfo",
            "tls, no_debuginfo"
        })
        void whatIsNotPinnedIsNotKnown(String item, String status) {
            assertThat(build.answer(item).status().word()).isEqualTo(status);
        }

        @Test
        void namesWithDotsAreWhatATypePinMakesThem() {
            PinnedBuild go = unknown()
                    .pin("\"runtime.g\"", type(400, Map.of("goid", place(152, 8))))
                    .pin("runtime.g.m", place(48, 8));

            assertThat(at(go, "runtime.g.goid")).isEqualTo("152 8 p2 none");
            assertThat(at(go, "runtime.g.m")).isEqualTo("48 8 p3 none");
            assertThat(go.json(View.FLAT, "runtime.g")).contains("\"runtime.g.m\":[48,8]");
        }
    }

    @Nested
    class Sameness {

        private static final String[] ITEMS = {
            "frame",
            "frame_t",
            "thread",
            "thread.frames[1].sp",
            "value",
            "pair_t",
            "list",
            "list.next.length",
            "both",
            "both.y",
            "closed",
            "ui::widget",
            "ui::shape",
            "number",
            "VALUE",
            "nope",
            "nope.x|frame.sp"
        };

        @ParameterizedTest
        @EnumSource(View.class)
        void pinsOfOtherTypesChangeNoByte(View view) {
            PinnedBuild pinned = plain().pin("absent.x", place(0, 8)).pin("absent", type(8, Map.of("x", place(0, 8))));

            assertThat(pinned.json(view, ITEMS)).isEqualTo(plain().json(view, ITEMS));
        }

        @Test
        void withoutPinsTheTypesAreTheBuildsOwn() {
            assertThat(plain().contents().types()).isSameAs(plain().types().orElseThrow());
            assertThat(unknown().contents().types()).isNull();
        }

        @ParameterizedTest
        @EnumSource(View.class)
        void answersAreTheSameEveryTimeAndInEveryOrderOfPins(View view) {
            PinnedBuild build = plain().pin("frame.sp", place(24, 8))
                    .pin("thread.top.sp", place(32, 8))
                    .pin("frame", type(40, Map.of()))
                    .pin("value.half", place(12, 4));
            PinnedBuild turned = new PinnedBuild(
                    build.types(), PinOverlay.of(build.pins().all().reversed()));

            assertThat(build.json(view, ITEMS)).isEqualTo(build.json(view, ITEMS));
            assertThat(turned.json(view, ITEMS)).isEqualTo(build.json(view, ITEMS));
        }
    }
}
