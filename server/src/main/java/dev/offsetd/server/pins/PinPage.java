package dev.offsetd.server.pins;

import dev.offsetd.server.web.CreationPosition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of pins, the newest first.
 *
 * @param next the cursor of the next page; null if this is the last
 */
public record PinPage(List<Pin> pins, @Nullable CreationPosition next) {

    public PinPage {
        pins = List.copyOf(pins);
    }
}
