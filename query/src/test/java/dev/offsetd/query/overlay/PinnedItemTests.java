package dev.offsetd.query.overlay;

import static dev.offsetd.query.overlay.PinnedBuild.place;
import static dev.offsetd.query.overlay.PinnedBuild.type;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.offsetd.query.item.ItemParser;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PinnedItemTests {

    private static PinnedItem pin(String item, PinnedValue value) {
        return new PinnedItem("p2", ItemParser.parse(item), value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            value = {
                "frame.pcs[0]!has an index",
                "frame.pc|frame.sp!has alternatives",
                "enumerator RED!is not a type or member path",
                "symbol main!is not a type or member path",
                "tls!is not a type or member path",
                "@ruby!is not a type or member path",
                "frame!is a type; expected a size without an offset",
                "enum colour.red!an enum has no members"
            })
    void placeIsPinnedToAMemberPathOnly(String item, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pin(item, place(0, 8)))
                .withMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource({"frame.pc", "\"runtime.g\".m", "frame[1]"})
    void sizeIsPinnedToATypeOnly(String item) {
        assertThatIllegalArgumentException().isThrownBy(() -> pin(item, type(8, Map.of())));
    }

    @Test
    void typeWhoseNameHasDotsIsQuoted() {
        assertThat(pin("\"runtime.g\"", type(8, Map.of())).item().text()).isEqualTo("\"runtime.g\"");
    }

    @Test
    void numbersThatMakeNoSenseAreRefusedWhateverTheyAreAbout() {
        assertThatIllegalArgumentException().isThrownBy(() -> pin("frame.pc", place(-1, 8)));
        assertThatIllegalArgumentException().isThrownBy(() -> pin("frame.pc", place(0, Long.MAX_VALUE)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pin("frame", type(8, Map.of("pc", place(Long.MAX_VALUE, 1)))))
                .withMessageContaining("member \"pc\": offset is 9223372036854775807");
    }

    @Test
    void emptyPinsAreEmpty() {
        assertThat(PinOverlay.of(List.of()).isEmpty()).isTrue();
        assertThat(PinOverlay.NONE.all()).isEmpty();
        assertThat(PinOverlay.of(List.of(pin("frame.pc", place(0, 8)))).isEmpty())
                .isFalse();
    }
}
