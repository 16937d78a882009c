package dev.offsetd.server.pins;

import dev.offsetd.query.overlay.PinnedValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Result of checking a draft.
 *
 * @param errors the reasons to refuse the draft
 * @param warnings likely mistakes
 * @param extracted the item's value by the debug information; null if it has none
 */
public record DraftCheck(
        List<Diagnostic> errors,
        List<Diagnostic> warnings,
        @Nullable PinnedValue extracted) {

    public DraftCheck {
        errors = List.copyOf(errors);
        warnings = List.copyOf(warnings);
    }

    /**
     * An error or warning about a draft.
     *
     * @param place the part of the draft: {@code value.offset}
     * @param message names the part, the value and what is expected
     */
    public record Diagnostic(String place, String message) {}
}
