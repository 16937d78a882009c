package dev.offsetd.server.admin.builds;

import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.pins.Pin;

/** Pins in words. */
public final class PinWords {

    private PinWords() {}

    /** {@code offset 48, size 8}; {@code size 56, 7 members}. */
    public static String says(PinnedValue value) {
        return switch (value) {
            case PinnedValue.Place place -> {
                PinnedValue.Bits bits = place.bits();
                yield "offset " + place.offset() + ", size " + place.size()
                        + (bits == null ? "" : ", bit " + bits.bitOffset() + ", " + bits.bitSize() + " bits");
            }
            case PinnedValue.Type type ->
                "size " + type.size()
                        + (type.members().isEmpty()
                                ? ""
                                : ", " + type.members().size() + (type.members().size() == 1 ? " member" : " members"));
        };
    }

    /** What extraction says of a pin. */
    public static String agreement(Pin.Agreement agreement) {
        return switch (agreement) {
            case AGREES -> "agrees";
            case DISAGREES -> "disagrees";
            case UNKNOWN -> "says nothing";
        };
    }

    /** The class of a badge with {@link #agreement}. */
    public static String style(Pin.Agreement agreement) {
        return switch (agreement) {
            case AGREES -> "badge-ok";
            case DISAGREES -> "badge-warn";
            case UNKNOWN -> "badge-quiet";
        };
    }
}
