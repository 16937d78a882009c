package dev.offsetd.extractor.layout;

import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A complete enumeration (DWARF 5 §5.9).
 *
 * @param name its tag, or null if it has none
 * @param byteSize size in bytes, or {@link TypeShape#UNKNOWN_SIZE}
 * @param signed whether its values are signed: by its underlying type or encoding where the debug information has one,
 *     else whether an enumerator is negative
 * @param enumerators in the order of the debug information
 * @param byteOrder the order of the bytes of its values where it is not that of the file, else null
 */
public record EnumShape(
        @Nullable String name,
        String spelling,
        long byteSize,
        boolean signed,
        List<Enumerator> enumerators,
        @Nullable ByteOrder byteOrder)
        implements TypeShape {

    /** An enumeration in the byte order of the file. */
    public EnumShape(
            @Nullable String name, String spelling, long byteSize, boolean signed, List<Enumerator> enumerators) {
        this(name, spelling, byteSize, signed, enumerators, null);
    }

    public EnumShape {
        enumerators = List.copyOf(enumerators);
    }

    /** Returns the value of one of its enumerators in decimal; empty if it is not {@linkplain Enumerator#known() known}. */
    public Optional<String> text(Enumerator enumerator) {
        return enumerator.known()
                ? Optional.of(signed ? Long.toString(enumerator.value()) : Long.toUnsignedString(enumerator.value()))
                : Optional.empty();
    }
}
