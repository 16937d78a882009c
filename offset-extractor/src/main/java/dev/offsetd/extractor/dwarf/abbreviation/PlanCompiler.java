package dev.offsetd.extractor.dwarf.abbreviation;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.Arrays;

/**
 * Compiler of the attribute specifications of an abbreviation to a plan: a short list of steps with the rules of every
 * form already applied. Consecutive attributes of fixed size that the reader does not use become one step.
 * {@code unit.DieReader} runs plans; it does not look at attributes or forms again.
 *
 * <p>A step is one {@code int}: the operation in the low 8 bits, the {@link Slot} in the next 8, an operand in the upper
 * 16. The operand of {@link #SKIP} takes all upper 24 bits.
 *
 * <p>An example: members of C structs in the DWARF 4 of GCC 8.
 *
 * <pre>{@code
 * DW_TAG_member, no children             step                                       bytes
 *   DW_AT_name                 strp      STRING_OFFSET to NAME, 4 of .debug_str      0 to 3
 *   DW_AT_decl_file            data1     SKIP 4: three attributes that the           4
 *   DW_AT_decl_line            data2       reader does not use                       5 to 6
 *   DW_AT_decl_column          data1                                                 7
 *   DW_AT_type                 ref4      REFERENCE to TYPE, 4                        8 to 11
 *   DW_AT_data_member_location data1     FIXED to MEMBER_LOCATION, 1                 12
 * }</pre>
 *
 * <p>Six attributes are four steps. All forms have a fixed
 * size, so a walk that wants nothing of such a DIE passes over its 13 bytes at once ({@link Abbreviation#size}), and one that
 * wants the type alone looks 8 bytes ahead ({@link Abbreviation#typeAt}).
 */
public final class PlanCompiler {

    // Attributes that are passed over.

    /** Pass over n bytes. */
    public static final int SKIP = 0;
    /** Pass over a LEB128 number. */
    public static final int SKIP_LEB = 1;
    /** Pass over a null-terminated string. */
    public static final int SKIP_STRING = 2;
    /** Pass over a block; operand: bytes of its length, 0 for ULEB128. */
    public static final int SKIP_BLOCK = 3;
    /** Pass over a {@code DW_FORM_indirect} attribute. */
    public static final int SKIP_INDIRECT = 4;

    // Numbers.

    /** Capture a constant; operand: its bytes. */
    public static final int FIXED = 5;

    public static final int ULEB = 6;
    public static final int SLEB = 7;
    /** Capture constant number n of the abbreviation. */
    public static final int CONSTANT = 8;
    /** Capture a constant of 16 bytes. */
    public static final int WIDE = 9;
    /**
     * Capture that a number is that of a variable (DWARF 5 §2.19), or that a constant is a text; operand: bytes of the value, 0 for
     * ULEB128, or {@link #INLINE}.
     */
    public static final int NOT_CONSTANT = 10;

    /** Operand for an inline string. */
    public static final int INLINE = 0xff;

    /** Capture an expression; operand: bytes of its length, 0 for ULEB128. */
    public static final int EXPRESSION = 11;

    // Names.

    /** Capture an offset into a string section; operand: its bytes, {@link NameRef} kind above them. */
    public static final int STRING_OFFSET = 12;

    public static final int INLINE_STRING = 13;
    /** Capture an index into {@code .debug_str_offsets}; operand: its bytes, 0 for ULEB128. */
    public static final int STRING_INDEX = 14;
    /** Capture an offset into the supplementary file's {@code .debug_str}; operand: its bytes. */
    public static final int SUPPLEMENTARY_STRING = 15;

    // References.

    /** Capture a reference inside the unit; operand: its bytes, 0 for ULEB128. */
    public static final int REFERENCE = 16;
    /** Capture a reference into the section; operand: its bytes. */
    public static final int REFERENCE_ADDRESS = 17;
    /** Capture a reference to a type unit by signature. */
    public static final int REFERENCE_SIGNATURE = 18;
    /** Capture a reference into the supplementary file; operand: its bytes. */
    public static final int REFERENCE_SUPPLEMENTARY = 19;

    /** Capture a {@code DW_FORM_indirect} attribute, whose class only the DIE tells. */
    public static final int INDIRECT = 20;

    /** Refuse an attribute that cannot have its form, which is the operand: other DIEs of the abbreviation may be passed over. */
    public static final int WRONG_CLASS = 21;

    private static final int MAX_SKIP = (1 << 24) - 1;
    private static final long[] NO_CONSTANTS = {};

    private final int version;
    private final int addressSize;
    private final int offsetSize;
    private final boolean capturesAlways;
    private final boolean code;

    private final Steps capturing = new Steps();
    private final Steps passing = new Steps();
    private long[] constants = new long[2];
    private int constantCount;

    /** Bytes of the attributes so far, or {@link Abbreviation#VARIABLE}. */
    private long size;

    private int siblingAt;
    private int nameAt;
    private int typeAt;
    private int locationAt;
    private int locationBytes;
    private boolean namedElsewhere;

    /** Slots that are captured, a bit each. */
    private long captured;

    /** Captured slots that stand at the same place in all DIEs, and that a reader can look at alone. */
    private long placed;

    /**
     * @param capturesAlways whether skipped attributes are captured as well, because their references matter
     * @param code whether what DIEs say of code is captured
     */
    public PlanCompiler(int version, int addressSize, int offsetSize, boolean capturesAlways, boolean code) {
        this.version = version;
        this.addressSize = addressSize;
        this.offsetSize = offsetSize;
        this.capturesAlways = capturesAlways;
        this.code = code;
    }

    public void begin() {
        capturing.clear();
        passing.clear();
        constantCount = 0;
        size = 0;
        siblingAt = Abbreviation.VARIABLE;
        nameAt = Abbreviation.VARIABLE;
        typeAt = Abbreviation.VARIABLE;
        locationAt = Abbreviation.VARIABLE;
        locationBytes = 0;
        namedElsewhere = false;
        captured = 0;
        placed = 0;
    }

    /** Returns the slot of this attribute in DIEs of this tag, or {@link Slot#NONE} to skip it. */
    int slot(int tag, int attribute, int form) {
        return code ? Slot.ofCode(tag, attribute, form) : Slot.of(tag, attribute);
    }

    /**
     * Adds one attribute.
     *
     * @param slot where to put it, or {@link Slot#NONE}
     * @param implicit value of {@code DW_FORM_implicit_const}
     */
    void add(int form, int slot, long implicit, Section abbrev, long abbrevOffset) throws ExtractionException {
        int bytes = fixedSize(form);
        int step = bytes >= 0 ? SKIP | bytes << 8 : skip(form, abbrev, abbrevOffset);
        int capture = slot == Slot.NONE ? step : captureInClass(form, slot, implicit, abbrev, abbrevOffset);
        capturing.add(capture);
        passing.add(slot == Slot.SIBLING && (capture & 0xff) != WRONG_CLASS ? capture : step);
        if (slot != Slot.NONE) {
            notePlace(form, slot);
        }
        boolean still = size >= 0 && bytes >= 0 && size + bytes <= MAX_SKIP;
        size = still ? size + bytes : Abbreviation.VARIABLE;
    }

    /** Notes where the attribute stands, if that is the same for all DIEs, of those that can be looked at alone. */
    private void notePlace(int form, int slot) {
        int here = (int) size;
        boolean found = false;
        switch (slot) {
            case Slot.SIBLING -> siblingAt = form == Dwarf.DW_FORM_ref4 ? here : siblingAt;
            case Slot.NAME -> {
                found = form == Dwarf.DW_FORM_strp && offsetSize == 4;
                nameAt = found ? here : Abbreviation.VARIABLE;
            }
            case Slot.TYPE -> {
                found = form == Dwarf.DW_FORM_ref4;
                typeAt = found ? here : Abbreviation.VARIABLE;
            }
            case Slot.MEMBER_LOCATION -> {
                found = form == Dwarf.DW_FORM_data1 || form == Dwarf.DW_FORM_data2;
                locationAt = here;
                locationBytes = fixedSize(form);
            }
            case Slot.ORIGIN, Slot.LINKAGE_NAME -> namedElsewhere = true;
            default -> {}
        }
        captured |= 1L << slot;
        placed = found ? placed | 1L << slot : placed & ~(1L << slot);
    }

    /** Returns whether name, type and location are all that a member has, each where it can be looked at alone. */
    private boolean isPlainMember(int tag, boolean hasChildren) {
        return tag == Dwarf.DW_TAG_member && !hasChildren && captured == placed && (captured & 1L << Slot.TYPE) != 0;
    }

    Abbreviation finish(int tag, boolean hasChildren) {
        // An abbreviation without a fixed size needs the plan for passing.
        int bytes = capturesAlways ? Abbreviation.VARIABLE : (int) size;
        int[] plan = capturing.toArray();
        return new Abbreviation(
                tag,
                hasChildren,
                bytes,
                bytes >= 0 ? siblingAt : Abbreviation.VARIABLE,
                namedElsewhere ? Abbreviation.VARIABLE : nameAt,
                bytes >= 0 ? typeAt : Abbreviation.VARIABLE,
                locationAt,
                locationBytes,
                bytes >= 0 && isPlainMember(tag, hasChildren),
                plan,
                capturesAlways ? plan : passing.toArray(),
                constantCount == 0 ? NO_CONSTANTS : Arrays.copyOf(constants, constantCount));
    }

    /** One step for an attribute whose form is read from the DIE itself ({@code DW_FORM_indirect}). */
    public int step(int form, int slot, Section info, long infoOffset) throws ExtractionException {
        if (form == Dwarf.DW_FORM_implicit_const) {
            throw new MalformedInputException(
                    info.name(),
                    infoOffset,
                    "DW_FORM_indirect names DW_FORM_implicit_const; expected a form that has its value in the DIE");
        }
        if (slot != Slot.NONE) {
            return captureInClass(form, slot, 0, info, infoOffset);
        }
        int bytes = fixedSize(form);
        return bytes >= 0 ? SKIP | bytes << 8 : skip(form, info, infoOffset);
    }

    /** Bytes of a value of this form, or -1 if they differ from value to value. */
    private int fixedSize(int form) {
        return switch (form) {
            case Dwarf.DW_FORM_flag_present, Dwarf.DW_FORM_implicit_const -> 0;
            case Dwarf.DW_FORM_data1,
                    Dwarf.DW_FORM_ref1,
                    Dwarf.DW_FORM_flag,
                    Dwarf.DW_FORM_strx1,
                    Dwarf.DW_FORM_addrx1 -> 1;
            case Dwarf.DW_FORM_data2, Dwarf.DW_FORM_ref2, Dwarf.DW_FORM_strx2, Dwarf.DW_FORM_addrx2 -> 2;
            case Dwarf.DW_FORM_strx3, Dwarf.DW_FORM_addrx3 -> 3;
            case Dwarf.DW_FORM_data4,
                    Dwarf.DW_FORM_ref4,
                    Dwarf.DW_FORM_ref_sup4,
                    Dwarf.DW_FORM_strx4,
                    Dwarf.DW_FORM_addrx4 -> 4;
            case Dwarf.DW_FORM_data8, Dwarf.DW_FORM_ref8, Dwarf.DW_FORM_ref_sig8, Dwarf.DW_FORM_ref_sup8 -> 8;
            case Dwarf.DW_FORM_data16 -> 16;
            case Dwarf.DW_FORM_addr -> addressSize;
            case Dwarf.DW_FORM_ref_addr -> referenceAddressSize();
            case Dwarf.DW_FORM_strp,
                    Dwarf.DW_FORM_line_strp,
                    Dwarf.DW_FORM_sec_offset,
                    Dwarf.DW_FORM_strp_sup,
                    Dwarf.DW_FORM_GNU_strp_alt,
                    Dwarf.DW_FORM_GNU_ref_alt -> offsetSize;
            default -> Abbreviation.VARIABLE;
        };
    }

    /** DWARF 2 gave {@code DW_FORM_ref_addr} the size of an address; DWARF 3 and later that of an offset. */
    private int referenceAddressSize() {
        return version <= 2 ? addressSize : offsetSize;
    }

    private int skip(int form, Section section, long offset) throws ExtractionException {
        return switch (form) {
            case Dwarf.DW_FORM_sdata,
                    Dwarf.DW_FORM_udata,
                    Dwarf.DW_FORM_ref_udata,
                    Dwarf.DW_FORM_strx,
                    Dwarf.DW_FORM_addrx,
                    Dwarf.DW_FORM_loclistx,
                    Dwarf.DW_FORM_rnglistx,
                    Dwarf.DW_FORM_GNU_addr_index,
                    Dwarf.DW_FORM_GNU_str_index -> SKIP_LEB;
            case Dwarf.DW_FORM_string -> SKIP_STRING;
            case Dwarf.DW_FORM_block1 -> SKIP_BLOCK | 1 << 16;
            case Dwarf.DW_FORM_block2 -> SKIP_BLOCK | 2 << 16;
            case Dwarf.DW_FORM_block4 -> SKIP_BLOCK | 4 << 16;
            case Dwarf.DW_FORM_block, Dwarf.DW_FORM_exprloc -> SKIP_BLOCK;
            case Dwarf.DW_FORM_indirect -> SKIP_INDIRECT;
            default -> throw unknownForm(form, section, offset);
        };
    }

    /**
     * Returns the step that captures the attribute, or refuses it if its form is of a class that the attribute cannot have
     * (DWARF 5 §7.5.5).
     */
    private int captureInClass(int form, int slot, long implicit, Section section, long offset)
            throws ExtractionException {
        int step = capture(form, slot, implicit, section, offset);
        int operation = step & 0xff;
        boolean name = operation >= STRING_OFFSET && operation <= SUPPLEMENTARY_STRING;
        boolean reference = operation >= REFERENCE && operation <= REFERENCE_SUPPLEMENTARY;
        boolean list =
                slot == Slot.MEMBER_LOCATION && (form == Dwarf.DW_FORM_sec_offset || form == Dwarf.DW_FORM_loclistx);
        boolean text = name && slot == Slot.CONST_VALUE;
        if (list || text || (reference && !Slot.isReference(slot) && !Slot.isName(slot))) {
            int operand = form == Dwarf.DW_FORM_string ? INLINE : Math.max(fixedSize(form), 0);
            return NOT_CONSTANT | slot << 8 | operand << 16;
        }
        if (operation == INDIRECT || (name == Slot.isName(slot) && reference == Slot.isReference(slot))) {
            return step;
        }
        return WRONG_CLASS | slot << 8 | form << 16;
    }

    private int capture(int form, int slot, long implicit, Section section, long offset) throws ExtractionException {
        int at = slot << 8;
        return switch (form) {
            case Dwarf.DW_FORM_data1,
                    Dwarf.DW_FORM_data2,
                    Dwarf.DW_FORM_data4,
                    Dwarf.DW_FORM_data8,
                    Dwarf.DW_FORM_flag,
                    Dwarf.DW_FORM_addr,
                    Dwarf.DW_FORM_sec_offset -> FIXED | at | fixedSize(form) << 16;
            case Dwarf.DW_FORM_udata -> ULEB | at;
            case Dwarf.DW_FORM_sdata -> SLEB | at;
            case Dwarf.DW_FORM_flag_present -> constant(at, 1);
            case Dwarf.DW_FORM_implicit_const -> constant(at, implicit);
            case Dwarf.DW_FORM_strp -> STRING_OFFSET | at | (offsetSize | NameRef.STR << 8) << 16;
            case Dwarf.DW_FORM_line_strp -> STRING_OFFSET | at | (offsetSize | NameRef.LINE_STR << 8) << 16;
            case Dwarf.DW_FORM_strp_sup, Dwarf.DW_FORM_GNU_strp_alt -> SUPPLEMENTARY_STRING | at | offsetSize << 16;
            case Dwarf.DW_FORM_string -> INLINE_STRING | at;
            case Dwarf.DW_FORM_strx, Dwarf.DW_FORM_GNU_str_index -> STRING_INDEX | at;
            case Dwarf.DW_FORM_strx1, Dwarf.DW_FORM_strx2, Dwarf.DW_FORM_strx3, Dwarf.DW_FORM_strx4 ->
                STRING_INDEX | at | fixedSize(form) << 16;
            case Dwarf.DW_FORM_ref1, Dwarf.DW_FORM_ref2, Dwarf.DW_FORM_ref4, Dwarf.DW_FORM_ref8 ->
                REFERENCE | at | fixedSize(form) << 16;
            case Dwarf.DW_FORM_ref_udata -> REFERENCE | at;
            case Dwarf.DW_FORM_ref_addr -> REFERENCE_ADDRESS | at | referenceAddressSize() << 16;
            case Dwarf.DW_FORM_ref_sig8 -> REFERENCE_SIGNATURE | at;
            case Dwarf.DW_FORM_ref_sup4, Dwarf.DW_FORM_ref_sup8, Dwarf.DW_FORM_GNU_ref_alt ->
                REFERENCE_SUPPLEMENTARY | at | fixedSize(form) << 16;
            case Dwarf.DW_FORM_exprloc, Dwarf.DW_FORM_block -> EXPRESSION | at;
            case Dwarf.DW_FORM_block1 -> EXPRESSION | at | 1 << 16;
            case Dwarf.DW_FORM_block2 -> EXPRESSION | at | 2 << 16;
            case Dwarf.DW_FORM_block4 -> EXPRESSION | at | 4 << 16;
            case Dwarf.DW_FORM_indirect -> INDIRECT | at;
            case Dwarf.DW_FORM_data16 -> WIDE | at;
            case Dwarf.DW_FORM_loclistx, Dwarf.DW_FORM_rnglistx, Dwarf.DW_FORM_addrx, Dwarf.DW_FORM_GNU_addr_index ->
                ULEB | at;
            case Dwarf.DW_FORM_addrx1, Dwarf.DW_FORM_addrx2, Dwarf.DW_FORM_addrx3, Dwarf.DW_FORM_addrx4 ->
                FIXED | at | fixedSize(form) << 16;
            default -> throw unknownForm(form, section, offset);
        };
    }

    private int constant(int at, long value) {
        if (constantCount == constants.length) {
            constants = Arrays.copyOf(constants, constantCount * 2);
        }
        constants[constantCount] = value;
        return CONSTANT | at | constantCount++ << 16;
    }

    private static ExtractionException unknownForm(int form, Section section, long offset) {
        return new UnsupportedInputException(
                section.name(), offset, "unknown attribute form 0x" + Integer.toHexString(form));
    }

    /** A plan in the making. Skips are joined. */
    private static final class Steps {

        private int[] steps = new int[16];
        private int count;
        private long skipped;

        void clear() {
            count = 0;
            skipped = 0;
        }

        void add(int step) {
            if ((step & 0xff) == SKIP) {
                skipped += step >>> 8;
                return;
            }
            flush();
            append(step);
        }

        int[] toArray() {
            flush();
            return Arrays.copyOf(steps, count);
        }

        private void flush() {
            while (skipped > 0) {
                int bytes = (int) Math.min(skipped, MAX_SKIP);
                append(SKIP | bytes << 8);
                skipped -= bytes;
            }
        }

        private void append(int step) {
            if (count == steps.length) {
                steps = Arrays.copyOf(steps, count * 2);
            }
            steps[count++] = step;
        }
    }

    /** Returns whether a DIE with this plan can have a location that is an expression. */
    static boolean mayLocateByExpression(int[] plan) {
        for (int step : plan) {
            int operation = step & 0xff;
            if ((operation == EXPRESSION || operation == INDIRECT) && (step >>> 8 & 0xff) == Slot.LOCATION) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a plan captures something in this slot. */
    static boolean captures(int[] plan, int slot) {
        for (int step : plan) {
            if ((step & 0xff) != SKIP && (step >>> 8 & 0xff) == slot) {
                return true;
            }
        }
        return false;
    }
}
