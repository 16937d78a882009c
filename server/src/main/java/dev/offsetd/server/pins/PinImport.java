package dev.offsetd.server.pins;

import java.util.List;

/**
 * Result of adding the pins of another server.
 *
 * @param added number of new pins
 * @param leftOut the pins that were not added
 */
public record PinImport(int added, List<RejectedPin> leftOut) {

    public PinImport {
        leftOut = List.copyOf(leftOut);
    }

    /**
     * A pin that was not added.
     *
     * @param code {@code pin_exists}, {@code pin_does_not_fit} or {@code bad_pin}
     */
    public record RejectedPin(String item, String code, String detail) {}
}
