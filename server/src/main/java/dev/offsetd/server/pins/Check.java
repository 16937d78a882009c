package dev.offsetd.server.pins;

import dev.offsetd.query.overlay.PinnedValue;
import java.util.List;
import java.util.Optional;

/**
 * What became of looking at a draft.
 *
 * @param errors for which it is refused
 * @param warnings for which it is not
 * @param extracted what the build's debug information says of the item; empty if that is nothing
 */
public record Check(List<Finding> errors, List<Finding> warnings, Optional<PinnedValue> extracted) {

    public Check {
        errors = List.copyOf(errors);
        warnings = List.copyOf(warnings);
    }
}
