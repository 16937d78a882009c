package dev.offsetd.server.admin.pins;

import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.admin.builds.PinWords;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.pins.Pin;
import org.jspecify.annotations.Nullable;

/**
 * A pin in a list.
 *
 * @param extracted what the debug information says; empty if that is nothing
 */
record PinLine(
        String id,
        String build,
        String item,
        String says,
        String extracted,
        String agreement,
        String agreementStyle,
        String state,
        String stateStyle,
        String reason,
        String author,
        Moment createdAt,
        @Nullable Moment expiresAt) {

    static PinLine of(Pin pin) {
        PinnedValue extracted = pin.extracted();
        return new PinLine(
                pin.id().toString(),
                pin.draft().buildId().toString(),
                pin.draft().item(),
                PinWords.says(pin.draft().value()),
                extracted == null ? "" : PinWords.says(extracted),
                PinWords.agreement(pin.agreement()),
                PinWords.style(pin.agreement()),
                pin.state().word(),
                style(pin.state()),
                pin.draft().reason(),
                pin.author(),
                Moment.of(pin.createdAt()),
                Moment.orNull(pin.draft().expiresAt()));
    }

    /** The class of a badge with a state. */
    static String style(Pin.State state) {
        return switch (state) {
            case ACTIVE -> "badge-pin";
            case EXPIRED, RETIRED -> "badge-quiet";
        };
    }
}
