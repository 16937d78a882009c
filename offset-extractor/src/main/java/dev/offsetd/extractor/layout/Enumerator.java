package dev.offsetd.extractor.layout;

/**
 * One enumerator (DWARF 5 §5.9).
 *
 * @param value its value; two's complement, and unsigned if the enumeration is not {@linkplain EnumShape#signed()
 *     signed}
 */
public record Enumerator(String name, long value) {}
