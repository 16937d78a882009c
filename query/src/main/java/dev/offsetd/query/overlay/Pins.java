package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.OverriddenTypes;
import dev.offsetd.query.item.Overrides;
import java.util.List;
import java.util.Optional;

/** The pins of one build. Of several for one thing the last counts. Immutable; safe for any number of threads. */
public final class Pins implements Overrides {

    /** No pins. */
    public static final Pins NONE = new Pins(List.of());

    private final List<Pin> all;

    private Pins(List<Pin> all) {
        this.all = List.copyOf(all);
    }

    /** These pins. */
    public static Pins of(List<Pin> pins) {
        return pins.isEmpty() ? NONE : new Pins(pins);
    }

    @Override
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Every pin. */
    public List<Pin> all() {
        return all;
    }

    /**
     * The types of the build with what the pins say of them, for every question that takes an index of types. As safe for
     * several threads as the types that it is given.
     */
    @Override
    public OverriddenTypes over(Optional<TypeIndex> types) {
        return new PinnedTypes(this, types);
    }
}
