package dev.offsetd.server.pins;

import java.util.List;

/**
 * Result of copying the pins of one build to another.
 *
 * @param copied the new pins
 * @param leftOut the pins that were not copied
 */
public record CopyResult(List<Pin> copied, List<SkippedPin> leftOut) {

    public CopyResult {
        copied = List.copyOf(copied);
        leftOut = List.copyOf(leftOut);
    }

    /**
     * A pin that was not copied.
     *
     * @param pin the pin of the source build
     * @param code {@code pin_exists}, {@code pin_does_not_fit} or {@code bad_pin}
     */
    public record SkippedPin(Pin pin, String code, String reason) {}
}
