package dev.offsetd.extractor.layout;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A complete enumeration (DWARF 5 §5.9).
 *
 * @param name its tag, or null if it has none
 * @param byteSize size in bytes, or {@link TypeShape#UNKNOWN_SIZE}
 * @param signed whether its values are signed: by its underlying type or encoding where the debug information has one,
 *     else whether an enumerator is negative
 * @param enumerators in the order of the debug information
 */
public record EnumShape(
        @Nullable String name, String spelling, long byteSize, boolean signed, List<Enumerator> enumerators)
        implements TypeShape {

    public EnumShape {
        enumerators = List.copyOf(enumerators);
    }
}
