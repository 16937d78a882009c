package dev.offsetd.server.admin.builds;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.overlay.PinOverlay;
import dev.offsetd.server.pins.Pin;
import java.util.ArrayList;
import java.util.List;

/** Conversion of stored pins into the pins of the overlay; the source of each is its id. */
final class PinnedBuild {

    private PinnedBuild() {}

    static PinOverlay pins(List<Pin> active) {
        List<dev.offsetd.query.overlay.PinnedItem> pins = new ArrayList<>();
        for (Pin pin : active) {
            try {
                Item item = ItemParser.parse(pin.draft().item());
                pins.add(new dev.offsetd.query.overlay.PinnedItem(
                        pin.id().toString(), item, pin.draft().value()));
            } catch (ItemSyntaxException e) {
                throw new IllegalStateException("pin " + pin.id() + " is stored with an invalid item", e);
            }
        }
        return PinOverlay.of(pins);
    }
}
