package dev.offsetd.server.pins;

import dev.offsetd.server.web.CreationPosition;
import java.util.List;
import java.util.Optional;

/**
 * A page of pins, the newest first.
 *
 * @param next the cursor of the next page; empty if this is the last
 */
public record PinPage(List<Pin> pins, Optional<CreationPosition> next) {

    public PinPage {
        pins = List.copyOf(pins);
    }
}
