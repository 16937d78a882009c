package dev.offsetd.query.overlay;

import static dev.offsetd.query.overlay.PinnedBuild.place;
import static dev.offsetd.query.overlay.PinnedBuild.plain;
import static dev.offsetd.query.overlay.PinnedBuild.type;
import static dev.offsetd.query.overlay.PinnedBuild.unknown;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.Types;
import dev.offsetd.query.answer.DiffText;
import dev.offsetd.query.answer.DiffWriter;
import dev.offsetd.query.answer.ResolutionText;
import dev.offsetd.query.answer.ResolutionWriter;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.resolve.Resolution;
import java.io.StringWriter;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/** Resolution of byte offsets and layout diffs of builds with pins. */
class PinnedBytesTests {

    private static final JsonMapper JSON = new JsonMapper();

    private static String json(Consumer<JsonGenerator> writes) {
        StringWriter text = new StringWriter();
        try (JsonGenerator out = JSON.createGenerator(text)) {
            writes.accept(out);
        }
        return text.toString();
    }

    private static Resolution resolve(PinnedBuild build, String expression) {
        return Resolution.of(OffsetExpression.parse(expression), build.index(), null);
    }

    private static String resolved(PinnedBuild build, String expression) {
        Resolution resolution = resolve(build, expression);
        return json(out -> {
            out.writeStartObject();
            ResolutionWriter.writeProperties(out, resolution.expression(), resolution.answer(), build.pinned());
            out.writeEndObject();
        });
    }

    private static List<TypeDiff> diff(PinnedBuild from, PinnedBuild to, String items) {
        return LayoutDiff.ofItems(ItemParser.parseList(List.of(items)), from.index(), to.index(), null);
    }

    @Test
    void scalarsOfAPinnedSizeKeepTheirByteOrder() {
        List<TypeShape> scalars = List.of(
                new BaseShape("count", 4, BaseShape.Encoding.SIGNED, ByteOrder.BIG_ENDIAN),
                new EnumShape("count", "enum count", 4, false, List.of(), ByteOrder.BIG_ENDIAN));
        for (TypeShape scalar : scalars) {
            TypeCatalogue types = new TypeCatalogue(List.of(Types.define(scalar)), List.of());
            PinnedBuild build = new PinnedBuild(Optional.of(types), PinOverlay.NONE).pin("count", type(8, Map.of()));
            TypeShape shape = build.index().definitionsNamed("count").getFirst().shape();

            assertThat(shape.byteSize()).isEqualTo(8);
            assertThat(shape.byteOrder()).isEqualTo(ByteOrder.BIG_ENDIAN);
        }
    }

    @Test
    void pinnedMemberIsFoundAtItsPlaceAndMarked() {
        PinnedBuild build = plain().pin("frame.pc", place(24, 8));

        assertThat(resolved(build, "frame+24"))
                .contains("{\"step\":\"member\",\"name\":\"pc\",\"offset\":24,\"offsetInParent\":24,\"size\":8,"
                        + "\"type\":\"char *\",\"source\":\"p2\",\"extracted\":{\"offset\":0,\"size\":8},"
                        + "\"path\":\"frame.pc\",\"byteInside\":0}")
                .endsWith("\"pinned\":{\"frame.pc\":{\"source\":\"p2\",\"extracted\":{\"offset\":0,\"size\":8}}}}");
        assertThat(resolved(build, "frame+0")).contains("\"step\":\"padding\"").doesNotContain("pinned");
    }

    @Test
    void stepsInsideOfAPinnedMemberAreMarkedToo() {
        PinnedBuild build = plain().pin("thread.frames", place(48, 64));

        assertThat(ResolutionText.lines(
                        OffsetExpression.parse("main_thread+96"),
                        resolve(build, "main_thread+96").answer(),
                        build.pinned()))
                .anySatisfy(line -> assertThat(line)
                        .endsWith("frames  struct frame [2]  (pinned: p2, extracted: offset 40, size 64)"))
                .anySatisfy(line ->
                        assertThat(line).endsWith("[1]  struct frame  (pinned: p2, extracted: offset 72, size 32)"))
                .anySatisfy(
                        line -> assertThat(line).endsWith("self  VALUE  (pinned: p2, extracted: offset 88, size 8)"))
                .contains("  = main_thread.frames[1].self, byte 0 of 8");
    }

    @Test
    void typeAndVariableWithAPinnedSizeAreMarkedAtTheRoot() {
        PinnedBuild build = plain().pin("thread", type(128, Map.of()));

        for (String expression : List.of("thread+120", "main_thread+120")) {
            assertThat(resolved(build, expression))
                    .as(expression)
                    .contains("\"status\":\"found\"", "\"source\":\"p2\",\"extracted\":{\"size\":112}");
            assertThat(resolved(plain(), expression)).contains("\"status\":\"past_end\"");
        }
    }

    @Test
    void typeThatOnlyAPinKnowsIsExplained() {
        PinnedBuild build = unknown().pin("list", type(16, Map.of("next", place(8, 8))));

        assertThat(resolved(build, "list+8"))
                .contains("\"path\":\"list.next\"", "\"source\":\"p2\",\"extracted\":null");
        assertThat(resolved(build, "frame+8")).contains("\"status\":\"not_found\"");
    }

    @Test
    void withoutPinsBytesAreExplainedAsTheyWere() {
        PinnedBuild absent = plain().pin("absent.x", place(0, 8));
        for (String expression :
                List.of("main_thread+72", "frame+24", "value+12", "ui::shape+0", "both+8", "list+16")) {
            assertThat(resolved(absent, expression)).isEqualTo(resolved(plain(), expression));
        }
    }

    @Test
    void differenceThatAPinMakesIsTold() {
        PinnedTypes from = plain().pinned();
        PinnedBuild to = plain().pin("frame.sp", place(24, 8));
        List<TypeDiff> diffs = diff(plain(), to, "frame,frame.sp,frame.pc");

        assertThat(json(out -> DiffWriter.writeTypes(out, diffs, from, to.pinned())))
                .contains("{\"member\":\"sp\",\"changes\":[\"moved\"],"
                        + "\"from\":{\"offset\":8,\"size\":8,\"type\":\"char *\"},"
                        + "\"to\":{\"offset\":24,\"size\":8,\"type\":\"char *\",\"source\":\"p2\","
                        + "\"extracted\":{\"offset\":8,\"size\":8}}}");
        assertThat(diffs)
                .extracting(TypeDiff::status)
                .containsExactly(TypeDiff.Status.CHANGED, TypeDiff.Status.CHANGED, TypeDiff.Status.SAME);
        assertThat(DiffWriter.pinsFrom(diffs, from)).isEmpty();
        assertThat(DiffWriter.pinsTo(diffs, to.pinned()))
                .extracting(AppliedPin::item)
                .containsExactly("frame.sp");
        assertThat(DiffText.lines(diffs, from, to.pinned()))
                .contains("  ~ sp: offset 8 -> 24 (pinned: p2, extracted: offset 8, size 8)");
    }

    @Test
    void differenceThatAPinTakesAwayIsGone() {
        PinnedBuild moved = plain().pin("frame.sp", place(24, 8));

        assertThat(DiffWriter.isSame(diff(moved, moved, "frame,thread,value,frame.sp")))
                .isTrue();
    }

    @Test
    void pinnedSizeOfATypeIsTold() {
        PinnedBuild from = plain().pin("pair_t", type(16, Map.of()));
        List<TypeDiff> diffs = diff(from, plain(), "pair_t");

        assertThat(json(out -> DiffWriter.writeTypes(out, diffs, from.pinned(), plain().pinned())))
                .contains("\"from\":{\"kind\":\"struct\",\"size\":16,\"source\":\"p2\",\"extracted\":{\"size\":8}},"
                        + "\"to\":{\"kind\":\"struct\",\"size\":8}");
        assertThat(DiffWriter.pinsFrom(diffs, from.pinned()))
                .extracting(AppliedPin::source)
                .containsExactly("p2");
    }

    @Test
    void pinnedSizeOfATypeHeldByValueIsToldOfThatType() {
        PinnedBuild to = plain().pin("frame", type(40, Map.of()));
        List<TypeDiff> diffs = diff(plain(), to, "thread");

        assertThat(json(out -> DiffWriter.writeTypes(out, diffs, plain().pinned(), to.pinned())))
                .contains("{\"type\":\"frame\",\"status\":\"changed\",\"from\":{\"kind\":\"struct\",\"size\":32},"
                        + "\"to\":{\"kind\":\"struct\",\"size\":40,\"source\":\"p2\",\"extracted\":{\"size\":32}}}");
    }

    @Test
    void ambiguousMemberThatAPinMakesClearCanBeCompared() {
        List<TypeDiff> diffs =
                diff(plain().pin("both.y", place(8, 4, "int")), plain().pin("both.y", place(12, 4, "int")), "both.y");

        assertThat(diffs).singleElement().extracting(TypeDiff::status).isEqualTo(TypeDiff.Status.CHANGED);
    }
}
