package dev.offsetd.server.pins;

import java.time.Instant;
import java.util.UUID;

/** Where a pin stands in the list of all: the newest come first. */
public record PinPlace(Instant createdAt, UUID id) {

    static PinPlace of(Pin pin) {
        return new PinPlace(pin.createdAt(), pin.id());
    }
}
