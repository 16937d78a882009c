package dev.offsetd.extractor.bpf;

import dev.offsetd.extractor.layout.NamedShape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A CO-RE relocation of a BPF program: a request for a number about a type of another file (Linux, {@code struct
 * bpf_core_relo}).
 *
 * @param type that it starts from, without its flavour
 * @param path names of members and indexes such as {@code [3]}, or the name of an enumerator; empty for the type itself, but if
 *     that must match, the names of its members or enumerators
 * @param form of the member; null if the relocation is not of a member, or its type has none of these forms
 * @param load of the member; null if the instruction takes the number as a constant
 */
public record CoreRelocation(
        Kind kind,
        NamedShape type,
        List<String> path,
        @Nullable Form form,
        @Nullable Load load) {

    public CoreRelocation {
        path = List.copyOf(path);
    }

    /** A relocation asks of a member, of a type, or of an enumerator. */
    public enum Subject {
        FIELD,
        TYPE,
        ENUMERATOR
    }

    /**
     * Form of a member's type. A member of another form is another member to libbpf ({@code bpf_core_fields_are_compat}).
     *
     * @param dimensions of an array; 0 for anything else
     * @param element the form of the array's elements, or of the type itself
     * @param enumeration the name of an enumeration without its flavour; empty if it has none, and for anything else
     */
    public record Form(int dimensions, Element element, String enumeration) {

        /** Returns whether libbpf takes a member of the other form for one of this form. */
        public boolean accepts(Form other) {
            return dimensions == other.dimensions
                    && element == other.element
                    && (enumeration.isEmpty() || other.enumeration.isEmpty() || enumeration.equals(other.enumeration));
        }
    }

    /**
     * An instruction that loads or stores a member at the relocated offset.
     *
     * @param bytes of the member in the program
     * @param isAdapted whether libbpf makes it one of another size: of a whole pointer or unsigned integer
     */
    public record Load(long bytes, boolean isAdapted) {}

    /** Forms of types, arrays apart. */
    public enum Element {
        AGGREGATE,
        INTEGER,
        ENUMERATION,
        POINTER,
        FLOAT
    }

    /** Kinds of relocations with their numbers in {@code enum bpf_core_relo_kind}. */
    public enum Kind {
        FIELD_BYTE_OFFSET(0, Subject.FIELD, false),
        FIELD_BYTE_SIZE(1, Subject.FIELD, false),
        FIELD_EXISTS(2, Subject.FIELD, true),
        FIELD_SIGNED(3, Subject.FIELD, false),
        FIELD_LSHIFT_U64(4, Subject.FIELD, false),
        FIELD_RSHIFT_U64(5, Subject.FIELD, false),
        TYPE_ID_LOCAL(6, Subject.TYPE, true),
        TYPE_ID_TARGET(7, Subject.TYPE, true),
        TYPE_EXISTS(8, Subject.TYPE, true),
        TYPE_SIZE(9, Subject.TYPE, true),
        ENUMVAL_EXISTS(10, Subject.ENUMERATOR, true),
        ENUMVAL_VALUE(11, Subject.ENUMERATOR, false),
        TYPE_MATCHES(12, Subject.TYPE, true);

        private final int number;
        private final Subject subject;
        private final boolean zeroIfAbsent;

        Kind(int number, Subject subject, boolean zeroIfAbsent) {
            this.number = number;
            this.subject = subject;
            this.zeroIfAbsent = zeroIfAbsent;
        }

        /** Returns the kind of this number; null if it is not known. */
        public static @Nullable Kind of(long number) {
            for (Kind kind : values()) {
                if (kind.number == number) {
                    return kind;
                }
            }
            return null;
        }

        public Subject subject() {
            return subject;
        }

        /** Returns whether libbpf answers 0 for what the file lacks; else it makes the instruction one that cannot run. */
        public boolean zeroIfAbsent() {
            return zeroIfAbsent;
        }

        /** Returns whether libbpf answers 1 for everything that the file has. */
        public boolean saysWhetherItExists() {
            return this == FIELD_EXISTS || this == TYPE_EXISTS || this == ENUMVAL_EXISTS;
        }
    }
}
