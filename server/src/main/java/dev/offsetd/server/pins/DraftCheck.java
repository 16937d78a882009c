package dev.offsetd.server.pins;

import dev.offsetd.query.overlay.PinnedValue;
import java.util.List;
import java.util.Optional;

/**
 * Result of checking a draft.
 *
 * @param errors the reasons to refuse the draft
 * @param warnings likely mistakes
 * @param extracted the item's value by the debug information; empty if it has none
 */
public record DraftCheck(List<Diagnostic> errors, List<Diagnostic> warnings, Optional<PinnedValue> extracted) {

    public DraftCheck {
        errors = List.copyOf(errors);
        warnings = List.copyOf(warnings);
    }
}
