package dev.offsetd.extractor.testkit;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Encoding of a DWARF tree. The tree describes the content; a reader's answer must not depend on the encoding.
 *
 * @param version version of units that specify none: 2 to 5
 * @param order byte order
 * @param offsetSize 4 for the 32-bit DWARF format, 8 for the 64-bit one (DWARF 5 §7.4)
 * @param addressSize bytes of a target address: 4 or 8
 * @param indirect whether every form that allows it is written as {@code DW_FORM_indirect}
 * @param siblings whether DIEs with children have {@code DW_AT_sibling}
 */
public record DwarfStyle(
        int version, ByteOrder order, int offsetSize, int addressSize, boolean indirect, boolean siblings) {

    /** The style of current compilers for x86-64. */
    public static final DwarfStyle DEFAULT = new DwarfStyle(5, ByteOrder.LITTLE_ENDIAN, 4, 8, false, true);

    /**
     * Returns styles of versions 2 to 5, both byte orders, both formats and both address sizes; and for each version
     * and byte order one with {@code DW_FORM_indirect} and one without siblings. Version 2 has only the 32-bit format
     * (DWARF 3 §1.5.1).
     */
    public static Stream<DwarfStyle> all() {
        List<DwarfStyle> all = new ArrayList<>();
        for (int version = 2; version <= 5; version++) {
            for (ByteOrder order : List.of(ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN)) {
                DwarfStyle plain = new DwarfStyle(version, order, 4, 8, false, true);
                all.add(plain);
                all.add(plain.withAddressSize(4));
                all.add(plain.withIndirect(true));
                all.add(plain.withSiblings(false));
                if (version > 2) {
                    all.add(plain.withOffsetSize(8));
                    all.add(plain.withOffsetSize(8).withAddressSize(4));
                }
            }
        }
        return all.stream();
    }

    public DwarfStyle withVersion(int newVersion) {
        return new DwarfStyle(newVersion, order, offsetSize, addressSize, indirect, siblings);
    }

    public DwarfStyle withOrder(ByteOrder newOrder) {
        return new DwarfStyle(version, newOrder, offsetSize, addressSize, indirect, siblings);
    }

    public DwarfStyle withOffsetSize(int size) {
        return new DwarfStyle(version, order, size, addressSize, indirect, siblings);
    }

    public DwarfStyle withAddressSize(int size) {
        return new DwarfStyle(version, order, offsetSize, size, indirect, siblings);
    }

    public DwarfStyle withIndirect(boolean value) {
        return new DwarfStyle(version, order, offsetSize, addressSize, value, siblings);
    }

    public DwarfStyle withSiblings(boolean value) {
        return new DwarfStyle(version, order, offsetSize, addressSize, indirect, value);
    }

    @Override
    public String toString() {
        return "DWARF " + version + (order == ByteOrder.LITTLE_ENDIAN ? " el" : " eb") + " format" + 8 * offsetSize
                + " address" + 8 * addressSize + (indirect ? " indirect" : "") + (siblings ? "" : " no siblings");
    }
}
