package dev.offsetd.query.overlay;

import static dev.offsetd.query.overlay.PinnedBuild.bits;
import static dev.offsetd.query.overlay.PinnedBuild.members;
import static dev.offsetd.query.overlay.PinnedBuild.place;
import static dev.offsetd.query.overlay.PinnedBuild.plain;
import static dev.offsetd.query.overlay.PinnedBuild.type;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.query.item.ItemParser;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExtractedValuesTests {

    private static Optional<PinnedValue> of(String item) {
        return ExtractedValues.of(ItemParser.parse(item), plain().types().orElseThrow());
    }

    @Test
    void memberHasItsPlaceAndType() {
        assertThat(of("frame.sp")).contains(place(8, 8, "char *"));
        assertThat(of("thread.top.sp")).contains(place(16, 8, "char *"));
        assertThat(of("value.half")).contains(place(8, 4, "int"));
        assertThat(of("ui::shape.colour")).contains(place(0, 4, "int"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bitFieldHasItsBitsInMemoryOrder(boolean bigEndian) {
        PinnedBuild build = PinnedBuild.written(
                DwarfStyle.DEFAULT.withOrder(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN));

        assertThat(ExtractedValues.of(ItemParser.parse("frame.depth"), build.index()))
                .contains(new PinnedValue.OfMember(24, 1, new PinnedValue.Bits(195, 5), "unsigned int"));
    }

    @Test
    void typeHasItsSizeAndEveryMember() {
        assertThat(of("value"))
                .hasValueSatisfying(value -> assertThat(value)
                        .isInstanceOfSatisfying(PinnedValue.OfType.class, whole -> {
                            assertThat(whole.size()).isEqualTo(24);
                            assertThat(whole.members())
                                    .containsOnlyKeys("tag", "whole", "half", "end")
                                    .containsEntry("half", place(8, 4, "int"));
                        }));
        assertThat(of("VALUE")).contains(type(8, Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nope", "nope.x", "frame.nope", "both", "both.y", "closed", "list.next.length"})
    void nothingClearIsNothing(String item) {
        assertThat(of(item)).isEmpty();
    }

    @Test
    void placesAreTheSameWhateverTheirTypesAreCalled() {
        assertThat(ExtractedValues.same(place(8, 8, "char *"), place(8, 8))).isTrue();
        assertThat(ExtractedValues.same(place(8, 8), place(16, 8))).isFalse();
        assertThat(ExtractedValues.same(place(8, 8), place(8, 4))).isFalse();
        assertThat(ExtractedValues.same(bits(65, 3), bits(65, 3))).isTrue();
        assertThat(ExtractedValues.same(bits(65, 3), bits(66, 3))).isFalse();
        assertThat(ExtractedValues.same(bits(64, 8), place(8, 1))).isFalse();
        assertThat(ExtractedValues.same(place(0, 8), type(8, Map.of()))).isFalse();
    }

    @Test
    void typesAreTheSameWithTheSameMembersInAnyOrder() {
        PinnedValue one = type(16, members("a", place(0, 8), "b", place(8, 8)));

        assertThat(ExtractedValues.same(one, type(16, members("b", place(8, 8, "long"), "a", place(0, 8)))))
                .isTrue();
        assertThat(ExtractedValues.same(one, type(24, members("a", place(0, 8), "b", place(8, 8)))))
                .isFalse();
        assertThat(ExtractedValues.same(one, type(16, members("a", place(0, 8), "b", place(8, 4)))))
                .isFalse();
        assertThat(ExtractedValues.same(one, type(16, Map.of("a", place(0, 8)))))
                .isFalse();
        assertThat(ExtractedValues.same(type(16, Map.of()), one)).isTrue();
        assertThat(ExtractedValues.same(type(8, Map.of()), one)).isFalse();
    }
}
