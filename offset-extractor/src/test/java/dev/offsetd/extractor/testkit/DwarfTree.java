package dev.offsetd.extractor.testkit;

import static dev.offsetd.extractor.testkit.Dw.*;

import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * DWARF described as a tree; {@link DwarfWriter} brings it into bytes. Made to be imported statically:
 *
 * {@snippet :
 * unit(
 *         baseType("int", 4, DW_ATE_signed),
 *         die(DW_TAG_structure_type, name("point"), byteSize(8),
 *                 member("x", "int", 0),
 *                 member("y", "int", 4)))
 * }
 *
 * A {@linkplain #label label} names a DIE for references to it, in any unit; {@link #baseType} labels itself by its name.
 */
public final class DwarfTree {

    private DwarfTree() {}

    /** Content of a DIE. */
    public sealed interface Part permits Attribute, Die, Label, Code, Verbatim, Styled {}

    public record Die(int tag, List<Part> parts) implements Part {}

    /** Label of the enclosing DIE, the target of a {@link Ref}. */
    public record Label(String name) implements Part {}

    /** Abbreviation code of the enclosing DIE; by default the writer numbers codes from 1. */
    public record Code(long code) implements Part {}

    /** Bytes written in place of a DIE, well-formed or not. */
    public record Verbatim(Blob bytes) implements Part {}

    /** Parts that depend on the style of the output. */
    public record Styled(Function<DwarfStyle, List<Part>> parts) implements Part {}

    /**
     * An attribute.
     *
     * @param form a {@code DW_FORM_*}, or null for the default of the value and the style
     */
    public record Attribute(int attribute, @Nullable Integer form, Value value) implements Part {

        /** Returns this attribute in another form. */
        public Attribute as(int newForm) {
            return new Attribute(attribute, newForm, value);
        }
    }

    /** Value of an attribute, encoded as its form requires. */
    public sealed interface Value permits Num, Text, Blob, Ref, StrOffsetsBase {}

    /** A number, flag, offset, signature or index. */
    public record Num(long value) implements Value {}

    public record Text(String text) implements Value {}

    /** A reference to the DIE with this label. */
    public record Ref(String label) implements Value {}

    /** Offset of the unit's first entry in the string offsets table (DWARF 5 §7.26). */
    public record StrOffsetsBase() implements Value {}

    /** Bytes of a block or an expression; with any other form, the attribute's encoded bytes. */
    public static final class Blob implements Value {
        private final byte[] bytes;

        private Blob(byte[] bytes) {
            this.bytes = bytes.clone();
        }

        byte[] bytes() {
            return bytes.clone();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Blob that && Arrays.equals(bytes, that.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }
    }

    /**
     * A unit.
     *
     * @param version its DWARF version, or null for the style's
     * @param unitType a {@code DW_UT_*}, written from version 5 on; in version 4 it only selects type units
     * @param id type signature or DWO id, if the unit type has one
     * @param typeLabel label of the type's DIE in a type unit, else null
     */
    public record Unit(
            @Nullable Integer version,
            int unitType,
            long id,
            @Nullable String typeLabel,
            Die root) {

        /** Returns this unit in a fixed version of DWARF, whatever the style. */
        public Unit in(int newVersion) {
            return new Unit(newVersion, unitType, id, typeLabel, root);
        }
    }

    /** Returns a C unit named {@code test.c}. */
    public static Unit unit(Part... children) {
        return unit("test.c", DW_LANG_C99, children);
    }

    public static Unit unit(String name, int language, Part... children) {
        Part[] parts = concat(
                new Part[] {name(name), attribute(DW_AT_language, DW_FORM_data1, language), strOffsetsBase()},
                children);
        return unitOf(die(DW_TAG_compile_unit, parts));
    }

    /** Returns a unit with the given root. The tags of partial and skeleton units determine the unit type. */
    public static Unit unitOf(Die root) {
        int type = switch (root.tag()) {
            case DW_TAG_partial_unit -> DW_UT_partial;
            case DW_TAG_skeleton_unit -> DW_UT_skeleton;
            default -> DW_UT_compile;
        };
        return new Unit(null, type, 0, null, root);
    }

    public static Unit partialUnit(Part... children) {
        return unitOf(die(DW_TAG_partial_unit, concat(new Part[] {strOffsetsBase()}, children)));
    }

    /** Returns a type unit (DWARF 4 §3.1.3, DWARF 5 §3.1.4) for the DIE labelled {@code typeLabel}. */
    public static Unit typeUnit(long signature, String typeLabel, Part... children) {
        Part[] parts =
                concat(new Part[] {attribute(DW_AT_language, DW_FORM_data1, DW_LANG_C99), strOffsetsBase()}, children);
        return new Unit(null, DW_UT_type, signature, typeLabel, die(DW_TAG_type_unit, parts));
    }

    public static Die die(int tag, Part... parts) {
        return new Die(tag, List.of(parts));
    }

    public static Label label(String name) {
        return new Label(name);
    }

    public static Code code(long code) {
        return new Code(code);
    }

    public static Verbatim verbatim(int... bytes) {
        return new Verbatim(blob(bytes));
    }

    public static Blob blob(int... bytes) {
        byte[] narrowed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            narrowed[i] = (byte) bytes[i];
        }
        return new Blob(narrowed);
    }

    public static Blob blob(byte[] bytes) {
        return new Blob(bytes);
    }

    public static Attribute attribute(int attribute, int form, long value) {
        return new Attribute(attribute, form, new Num(value));
    }

    public static Attribute attribute(int attribute, int form, String text) {
        return new Attribute(attribute, form, new Text(text));
    }

    public static Attribute attribute(int attribute, int form, Value value) {
        return new Attribute(attribute, form, value);
    }

    /** Returns an attribute in the default form of its value. */
    public static Attribute attribute(int attribute, Value value) {
        return new Attribute(attribute, null, value);
    }

    public static Attribute name(String text) {
        return attribute(DW_AT_name, new Text(text));
    }

    public static Attribute byteSize(long bytes) {
        return attribute(DW_AT_byte_size, new Num(bytes));
    }

    public static Attribute encoding(int code) {
        return attribute(DW_AT_encoding, DW_FORM_data1, code);
    }

    public static Attribute type(String label) {
        return attribute(DW_AT_type, new Ref(label));
    }

    /** Returns {@code DW_AT_declaration}: a flag with a value up to version 3, a flag by presence from version 4 on. */
    public static Part declaration() {
        return new Styled(style ->
                List.of(attribute(DW_AT_declaration, style.version() >= 4 ? DW_FORM_flag_present : DW_FORM_flag, 1)));
    }

    /** Returns the base of the unit's string offsets; the writer omits it from units without indexed strings. */
    public static Attribute strOffsetsBase() {
        return attribute(DW_AT_str_offsets_base, DW_FORM_sec_offset, new StrOffsetsBase());
    }

    /** Returns a base type labelled by its name. */
    public static Die baseType(String name, long bytes, int encoding) {
        return die(DW_TAG_base_type, label(name), name(name), byteSize(bytes), encoding(encoding));
    }

    /** Returns a typedef labelled by its name. */
    public static Die typedef(String name, String target) {
        return die(DW_TAG_typedef, label(name), name(name), type(target));
    }

    /** Returns a struct labelled by its name. */
    public static Die struct(String name, long bytes, Part... parts) {
        return die(DW_TAG_structure_type, concat(new Part[] {label(name), name(name), byteSize(bytes)}, parts));
    }

    /** Returns a member at a byte offset. */
    public static Die member(String name, String type, long offset) {
        return die(DW_TAG_member, name(name), type(type), memberLocation(offset));
    }

    /**
     * Returns {@code DW_AT_data_member_location}: an expression in version 2 (DWARF 2 §5.5.4), a constant from version
     * 3 on.
     */
    public static Part memberLocation(long offset) {
        return new Styled(style -> List.of(
                style.version() == 2
                        ? attribute(DW_AT_data_member_location, DW_FORM_block1, plusUconst(style.order(), offset))
                        : attribute(DW_AT_data_member_location, DW_FORM_udata, offset)));
    }

    /** Returns the expression {@code DW_OP_plus_uconst offset}. */
    public static Blob plusUconst(ByteOrder order, long offset) {
        return new Blob(
                new BinaryWriter(order).u8(DW_OP_plus_uconst).uleb(offset).toBytes());
    }

    /**
     * Returns a bit-field: {@code DW_AT_data_bit_offset} from version 4 on, before that the offset of the storage unit
     * and the bits from its most significant end (DWARF 3 §5.6.6).
     *
     * @param bitOffset bits from the start of the struct in memory order
     * @param storageBytes size of the declared type, which is also its alignment
     */
    public static Die bitField(String name, String type, int storageBytes, long bitOffset, int bitSize) {
        return die(
                DW_TAG_member,
                name(name),
                type(type),
                attribute(DW_AT_bit_size, DW_FORM_data1, bitSize),
                new Styled(style -> {
                    if (style.version() >= 4) {
                        return List.of(attribute(DW_AT_data_bit_offset, DW_FORM_udata, bitOffset));
                    }
                    long storageBits = 8L * storageBytes;
                    long inStorage = bitOffset % storageBits;
                    long fromMost =
                            style.order() == ByteOrder.BIG_ENDIAN ? inStorage : storageBits - inStorage - bitSize;
                    return List.of(
                            byteSize(storageBytes),
                            attribute(DW_AT_bit_offset, DW_FORM_data1, fromMost),
                            memberLocation(bitOffset / storageBits * storageBytes));
                }));
    }

    private static Part[] concat(Part[] first, Part[] second) {
        Part[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }
}
