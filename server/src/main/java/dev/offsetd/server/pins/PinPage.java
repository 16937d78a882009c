package dev.offsetd.server.pins;

import dev.offsetd.server.web.CreationPosition;
import java.util.List;
import java.util.Optional;

/**
 * Some of the pins, the newest first.
 *
 * @param next the place behind which the next page begins; empty if this is the last
 */
public record PinPage(List<Pin> pins, Optional<CreationPosition> next) {

    public PinPage {
        pins = List.copyOf(pins);
    }
}
