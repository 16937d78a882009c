package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/**
 * A mark of a type whose size, and maybe whose members, somebody has pinned.
 *
 * @param extractedBytes its size by the debug information, or {@link TypeShape#UNKNOWN_SIZE} if that says nothing
 */
public record PinnedSize(PinMark pin, long extractedBytes) {

    /** What the debug information says in place of the pin; null if nothing. */
    public PinMark.Extent.@Nullable OfType extent() {
        return extractedBytes == TypeShape.UNKNOWN_SIZE ? null : new PinMark.Extent.OfType(extractedBytes);
    }
}
