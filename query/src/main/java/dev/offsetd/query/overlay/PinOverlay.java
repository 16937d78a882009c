package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.TypeIndex;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pins of one build; of several for one item, the last wins. Immutable. */
public final class PinOverlay {

    /** No pins. */
    public static final PinOverlay NONE = new PinOverlay(List.of());

    private final List<PinnedItem> all;

    private PinOverlay(List<PinnedItem> all) {
        this.all = List.copyOf(all);
    }

    public static PinOverlay of(List<PinnedItem> pins) {
        return pins.isEmpty() ? NONE : new PinOverlay(pins);
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    public List<PinnedItem> all() {
        return all;
    }

    /**
     * Applies the pins to the types of the build. The result is as safe for several threads as the types.
     *
     * @param types by the debug information; null if the build has none
     */
    public PinnedTypes over(@Nullable TypeIndex types) {
        return new PinnedTypes(this, types);
    }
}
