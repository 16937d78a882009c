package dev.offsetd.extractor.layout;

/**
 * One enumerator (DWARF 5 §5.9).
 *
 * @param value its value; two's complement, and unsigned if the enumeration is not {@linkplain EnumShape#signed()
 *     signed}. 0 if it is not known
 * @param known whether 64 bits can say the value; those of 128-bit enumerations may be larger
 */
public record Enumerator(String name, long value, boolean known) {

    public Enumerator {
        if (!known && value != 0) {
            throw new IllegalArgumentException("value is " + value + "; expected 0 where it is not known");
        }
    }

    /** An enumerator whose value is known. */
    public Enumerator(String name, long value) {
        this(name, value, true);
    }

    /** Returns an enumerator whose value needs more than 64 bits. */
    public static Enumerator tooWide(String name) {
        return new Enumerator(name, 0, false);
    }
}
