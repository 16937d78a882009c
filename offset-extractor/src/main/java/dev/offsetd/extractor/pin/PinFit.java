package dev.offsetd.extractor.pin;

import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.layout.TypeIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether a value fits the item that it is to be pinned to. */
public final class PinFit {

    private final List<String> errors;
    private final List<String> warnings;

    private PinFit(List<String> errors, List<String> warnings) {
        this.errors = List.copyOf(errors);
        this.warnings = List.copyOf(warnings);
    }

    /** Why it cannot be pinned; empty if it can be. */
    public List<String> errors() {
        return errors;
    }

    /** What looks like a mistake; empty if nothing does. */
    public List<String> warnings() {
        return warnings;
    }

    /**
     * Checks a value.
     *
     * @param types of the build by its debug information; empty if it has none
     * @param others the other pins of the build
     */
    public static PinFit check(Item item, PinnedValue value, Optional<TypeIndex> types, Pins others) {
        List<String> errors = new ArrayList<>();
        PinPath path;
        try {
            path = PinPath.of(item, value);
        } catch (IllegalArgumentException e) {
            return new PinFit(List.of(String.valueOf(e.getMessage())), List.of());
        }
        errors.addAll(Ranges.problems(value));
        others.all().stream()
                .filter(other -> other.path().meets(path))
                .findFirst()
                .ifPresent(other -> errors.add(
                        "item " + item.text() + " has a pin: " + other.item().text()));
        return new PinFit(errors, List.of());
    }
}
