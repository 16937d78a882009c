package dev.offsetd.extractor.go;

import dev.offsetd.extractor.layout.TypeKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A type descriptor ({@code internal/abi.Type} and the structs that begin with it).
 *
 * @param address of the descriptor
 * @param end address of the byte after everything that belongs to it in a row of descriptors
 * @param size of a value in bytes
 * @param text the type as {@code reflect.Type.String} shows it: packages by their last element
 * @param packagePath path of the package of a named type; empty for a predeclared or unnamed type
 * @param isNamed whether the type has a name
 * @param elements types that it is made of: element, or key and value, or parameters and results
 * @param length of an array
 * @param methods of an interface
 * @param fields of a struct
 */
record Descriptor(
        long address,
        long end,
        Kind kind,
        long size,
        String text,
        String packagePath,
        boolean isNamed,
        List<Long> elements,
        long length,
        long methods,
        List<Field> fields) {

    Descriptor {
        elements = List.copyOf(elements);
        fields = List.copyOf(fields);
    }

    /** Kind of a type: those of {@code reflect.Kind}, with numbers by their encoding. */
    enum Kind {
        BOOL,
        SIGNED,
        UNSIGNED,
        FLOAT,
        COMPLEX,
        ARRAY,
        CHANNEL,
        FUNCTION,
        INTERFACE,
        MAP,
        POINTER,
        SLICE,
        STRING,
        STRUCT,
        UNSAFE_POINTER
    }

    /**
     * A field of a struct.
     *
     * @param type address of its descriptor
     * @param offset in bytes
     */
    record Field(String name, boolean embedded, long type, long offset) {}

    boolean isPredeclared() {
        return isNamed && packagePath.isEmpty();
    }

    /** Returns the addresses of all types that this one refers to. */
    List<Long> references() {
        List<Long> references = new ArrayList<>(elements);
        fields.forEach(field -> references.add(field.type()));
        return references;
    }

    /** Returns the kind of definition that DWARF has of this type; empty if its definition has no name. */
    Optional<TypeKind> definedKind() {
        return switch (kind) {
            case STRUCT -> isNamed ? Optional.of(TypeKind.STRUCT) : Optional.empty();
            case STRING, SLICE -> Optional.of(TypeKind.STRUCT);
            case INTERFACE, CHANNEL, MAP, FUNCTION -> isNamed ? Optional.of(TypeKind.TYPEDEF) : Optional.empty();
            case ARRAY, POINTER -> isNamed ? Optional.of(TypeKind.TYPEDEF) : Optional.empty();
            case UNSAFE_POINTER -> isNamed && !isPredeclared() ? Optional.of(TypeKind.TYPEDEF) : Optional.empty();
            case BOOL, SIGNED, UNSIGNED, FLOAT, COMPLEX -> Optional.of(TypeKind.BASE);
        };
    }
}
