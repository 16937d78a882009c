package dev.offsetd.query.overlay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.View;
import tools.jackson.databind.json.JsonMapper;

/** Answers of a pinned build, as short texts. */
final class PinnedPlaces {

    private PinnedPlaces() {}

    static void assertJson(PinnedBuild build, View view, String expected, String... items) {
        assertThat(JsonMapper.shared().readTree(build.json(view, items)))
                .isEqualTo(JsonMapper.shared().readTree(expected));
    }

    /** Offset, size and, if the place is pinned, source and extracted offset: {@code 40 8 p2 0}. */
    static String at(PinnedBuild build, String item) {
        return build.answer(item).outcome() instanceof ItemOutcome.PathFound path
                ? words(path.placement(), build)
                : build.answer(item).status().word();
    }

    static String words(Placement.Fixed place, PinnedBuild build) {
        Provenance pinned = build.pinned().of(place);
        String numbers = place.offset() + " " + place.size();
        if (pinned == null) {
            return numbers;
        }
        return numbers + " " + pinned.pin().source() + " "
                + (pinned.extracted() instanceof AppliedPin.Extent.OfMember extracted
                        ? Math.floorDiv(extracted.bitOffset(), Byte.SIZE)
                        : "none");
    }
}
