package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.AbbreviationTable;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.PlanCompiler;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Omission.Part;
import org.jspecify.annotations.Nullable;

/**
 * Reads the DIEs of a unit one after the other, or at any offset: decodes the abbreviation code and runs its plan. The
 * cursor holds the unit's bytes and no others. Not thread-safe.
 */
public final class DieReader {

    /** Reading the clock costs more than passing over a DIE. */
    private static final int DIES_BETWEEN_CHECKS = 1 << 12;

    /** The value of {@code DW_FORM_flag_present}, the one constant that an indirect form can stand for. */
    private static final long[] ONE = {1};

    private final DwarfUnits dwarf;
    private final Section info;
    private final long base;
    private final int inlineNames;
    private final int fileOfNames;
    private final UnitHeader header;
    private final @Nullable Unit unit;
    private final AbbreviationTable abbreviations;
    private final ByteCursor in;
    private final PlanCompiler compiler;

    /** DIEs since the clock was last read. */
    private int unchecked;

    /** Section offset of the last DIE. */
    private long lastDie;

    /** The unit that the last reference to the supplementary file went to. */
    private UnitHeader used;

    /** Attributes that the last plan captured. */
    public final DieScratch die = new DieScratch();

    DieReader(DwarfUnits dwarf, Unit unit) throws MalformedInputException {
        this(dwarf, unit.header(), unit.abbreviations(), unit);
    }

    /** @param unit null while its unit DIE is read */
    DieReader(DwarfUnits dwarf, UnitHeader header, AbbreviationTable abbreviations, @Nullable Unit unit)
            throws MalformedInputException {
        this.dwarf = dwarf;
        this.info = dwarf.section(header.base());
        this.base = header.base();
        this.fileOfNames = NameRef.inFile(header.file());
        this.inlineNames = (DieAddress.isInTypes(base) ? NameRef.TYPES : NameRef.INFO) | fileOfNames;
        this.header = header;
        this.unit = unit;
        this.used = header;
        this.abbreviations = abbreviations;
        this.in = info.cursor(header.unitOffset(), header.end() - header.unitOffset());
        // References tell which units of the supplementary file are used, even those of DIEs that are passed over.
        this.compiler = new PlanCompiler(
                header.version(),
                header.addressSize(),
                header.offsetSize(),
                dwarf.hasSupplementaryFile(),
                dwarf.readsCode());
        in.seek(header.firstDie());
    }

    /** Returns the address of the first DIE of the unit. */
    long firstDie() {
        return base + header.firstDie();
    }

    /** Returns the address of the next DIE. */
    public long address() {
        return base + in.offset();
    }

    public void seek(long dieAddress) {
        in.seek(dieAddress - base);
    }

    public boolean hasRemaining() {
        return in.hasRemaining();
    }

    /** Passes over zeros, and returns whether something follows them. */
    public boolean passPadding() throws ExtractionException {
        while (in.hasRemaining()) {
            long here = in.offset();
            if (in.u8() != 0) {
                in.seek(here);
                return true;
            }
        }
        return false;
    }

    /**
     * Reads the DIE at the cursor and captures the attributes of its plan in {@link #die}.
     *
     * @return its abbreviation, or null for the entry that ends a list of children
     */
    @Nullable
    public Abbreviation read() throws ExtractionException {
        Abbreviation abbreviation = next();
        if (abbreviation != null) {
            capture(abbreviation);
        }
        return abbreviation;
    }

    /**
     * Reads only which abbreviation the DIE at the cursor has. Its attributes come next: the caller has to
     * {@link #capture} them or to {@link #pass} over them.
     *
     * @return null for the entry that ends a list of children
     */
    @Nullable
    public Abbreviation next() throws ExtractionException {
        if (++unchecked == DIES_BETWEEN_CHECKS) {
            unchecked = 0;
            dwarf.deadline().check(info.name());
        }
        lastDie = in.offset();
        long code = in.uleb128();
        if (code == 0) {
            return null;
        }
        Abbreviation abbreviation = abbreviations.find(code, compiler);
        if (abbreviation == null) {
            throw new MalformedInputException(
                    info.name(),
                    lastDie,
                    "unknown abbreviation code " + Long.toUnsignedString(code) + "; table at .debug_abbrev+0x"
                            + Long.toHexString(abbreviations.offset()) + " has " + abbreviations.size() + " codes");
        }
        return abbreviation;
    }

    /**
     * Returns the tag of the DIE at the cursor, which stays there; 0 if an entry is there that ends a list of
     * children.
     */
    public int nextTag() throws ExtractionException {
        long here = in.offset();
        Abbreviation abbreviation = in.hasRemaining() ? next() : null;
        in.seek(here);
        return abbreviation == null ? 0 : abbreviation.tag();
    }

    /** Captures in {@link #die} the attributes of the DIE whose abbreviation was read last. */
    public void capture(Abbreviation abbreviation) throws ExtractionException {
        run(abbreviation.plan(), abbreviation.constants());
    }

    private void run(int[] plan, long[] constants) throws ExtractionException {
        die.clear();
        for (int step : plan) {
            perform(step, constants);
        }
    }

    /**
     * Returns the offset into {@code .debug_str} of the name of the DIE whose abbreviation was read last.
     *
     * @param abbreviation one that says {@linkplain Abbreviation#nameAt where the name stands}
     */
    public long nameOffset(Abbreviation abbreviation) throws ExtractionException {
        return in.u32Ahead(abbreviation.nameAt());
    }

    /** Returns the name of a DIE as {@link #nameOffset} does, if it has one. */
    public long nameAhead(Abbreviation abbreviation) throws ExtractionException {
        return abbreviation.nameAt() < 0
                ? NameRef.NONE
                : NameRef.of(NameRef.STR | fileOfNames, nameOffset(abbreviation));
    }

    /**
     * Returns the address of the type of the DIE whose abbreviation was read last.
     *
     * @param abbreviation one that says {@linkplain Abbreviation#typeAt where the type stands}
     */
    public long typeAhead(Abbreviation abbreviation) throws ExtractionException {
        return addressInUnit(in.u32Ahead(abbreviation.typeAt()), in.offset() + abbreviation.typeAt());
    }

    /** Returns the location of the {@linkplain Abbreviation#isPlainMember plain member} whose abbreviation was read last. */
    public long locationAhead(Abbreviation abbreviation) throws ExtractionException {
        return abbreviation.locationAt() < 0
                ? 0
                : in.unsignedAhead(abbreviation.locationAt(), abbreviation.locationBytes());
    }

    /** Passes over the attributes and children of the DIE whose abbreviation was read last. */
    public void pass(Abbreviation abbreviation) throws ExtractionException {
        if (passOne(abbreviation)) {
            passChildren();
        }
    }

    /** Passes over the attributes of the DIE whose abbreviation was read last; its children come next. */
    public void passAttributes(Abbreviation abbreviation) throws ExtractionException {
        if (abbreviation.size() >= 0) {
            in.skip(abbreviation.size());
        } else {
            run(abbreviation.passing(), abbreviation.constants());
        }
    }

    /**
     * Passes over the attributes, and over the children too where {@code DW_AT_sibling} tells their end.
     *
     * @return whether the children come next
     */
    private boolean passOne(Abbreviation abbreviation) throws ExtractionException {
        boolean children = abbreviation.hasChildren();
        if (children && abbreviation.siblingAt() >= 0) {
            long sibling = in.u32Ahead(abbreviation.siblingAt());
            in.skip(abbreviation.size());
            hop(header.unitOffset() + sibling);
            return false;
        }
        passAttributes(abbreviation);
        if (children && abbreviation.size() < 0 && die.has(Slot.SIBLING)) {
            hop(die.get(Slot.SIBLING) - base);
            return false;
        }
        return children;
    }

    /** Passes over the rest of a list of children. */
    private void passChildren() throws ExtractionException {
        for (int depth = 1; depth > 0; ) {
            Abbreviation child = next();
            if (child == null) {
                depth--;
            } else if (passOne(child)) {
                depth++;
            }
        }
    }

    /** Goes to the DIE that {@code DW_AT_sibling} names: an offset in the section, in the unit and not backwards. */
    private void hop(long sibling) throws MalformedInputException {
        if (sibling < in.offset() || sibling > header.end()) {
            throw new MalformedInputException(
                    info.name(),
                    lastDie,
                    "DW_AT_sibling points to 0x" + Long.toHexString(sibling) + "; expected 0x"
                            + Long.toHexString(in.offset()) + " to 0x" + Long.toHexString(header.end()));
        }
        in.seek(sibling);
    }

    /**
     * Reads the DIE at the cursor, which something refers to, so there has to be one.
     *
     * @throws MalformedInputException if the entry there ends a list of children instead
     */
    public Abbreviation require() throws ExtractionException {
        Abbreviation abbreviation = requireNext();
        capture(abbreviation);
        return abbreviation;
    }

    /** Reads as {@link #next} does the DIE at the cursor, which something refers to. */
    public Abbreviation requireNext() throws ExtractionException {
        long dieAddress = address();
        Abbreviation abbreviation = next();
        if (abbreviation == null) {
            throw dwarf.malformed(dieAddress, "null entry; expected the DIE of a type");
        }
        return abbreviation;
    }

    /** Returns the address of the type of the DIE whose abbreviation was read last, and 0 or less if it has none. */
    public long typeOf(Abbreviation abbreviation) throws ExtractionException {
        if (abbreviation.typeAt() >= 0) {
            return typeAhead(abbreviation);
        }
        capture(abbreviation);
        return die.get(Slot.TYPE, 0);
    }

    private void perform(int step, long[] constants) throws ExtractionException {
        int slot = step >>> 8 & 0xff;
        int operand = step >>> 16;
        switch (step & 0xff) {
            case PlanCompiler.SKIP -> in.skip(step >>> 8);
            case PlanCompiler.SKIP_LEB -> in.skipLeb128();
            case PlanCompiler.SKIP_STRING -> in.skipString();
            case PlanCompiler.SKIP_BLOCK -> in.skip(operand == 0 ? in.uleb128() : in.unsigned(operand));
            case PlanCompiler.SKIP_INDIRECT -> indirect(Slot.NONE);
            case PlanCompiler.FIXED -> die.setFixed(slot, in.unsigned(operand), operand);
            case PlanCompiler.ULEB -> die.set(slot, in.uleb128());
            case PlanCompiler.SLEB -> {
                die.set(slot, in.sleb128());
                die.markSigned(slot);
            }
            case PlanCompiler.CONSTANT -> {
                die.set(slot, constants[operand]);
                die.markSigned(slot);
            }
            case PlanCompiler.WIDE -> wide(slot);
            case PlanCompiler.NOT_CONSTANT -> {
                die.setExpression(slot, in.offset(), 0);
                switch (operand) {
                    case 0 -> in.skipLeb128();
                    case PlanCompiler.INLINE -> in.skipString();
                    default -> in.skip(operand);
                }
            }
            case PlanCompiler.EXPRESSION -> {
                long length = operand == 0 ? in.uleb128() : in.unsigned(operand);
                if ((slot == Slot.CONST_VALUE || slot == Slot.DISCR_VALUE) && length == 16) {
                    wide(slot);
                } else {
                    die.setExpression(slot, in.offset(), length);
                    in.skip(length);
                }
            }
            case PlanCompiler.STRING_OFFSET ->
                die.set(slot, NameRef.of((operand >>> 8) | fileOfNames, in.unsigned(operand & 0xff)));
            case PlanCompiler.INLINE_STRING -> {
                die.set(slot, NameRef.of(inlineNames, in.offset()));
                in.skipString();
            }
            case PlanCompiler.STRING_INDEX ->
                die.set(
                        slot,
                        NameRef.of(NameRef.INDEX | fileOfNames, operand == 0 ? in.uleb128() : in.unsigned(operand)));
            case PlanCompiler.SUPPLEMENTARY_STRING ->
                die.set(
                        slot,
                        NameRef.of(NameRef.STR | NameRef.inFile(dwarf.supplementaryFile()), in.unsigned(operand)));
            case PlanCompiler.REFERENCE -> {
                long start = in.offset();
                die.set(slot, addressInUnit(operand == 0 ? in.uleb128() : in.unsigned(operand), start));
            }
            case PlanCompiler.REFERENCE_ADDRESS -> {
                long start = in.offset();
                long target = in.unsigned(operand);
                // From a type unit of .debug_types, too, it counts in .debug_info.
                die.set(slot, referenceTarget(start, target, header.referenceBase()));
            }
            case PlanCompiler.REFERENCE_SIGNATURE -> die.set(slot, dwarf.typeOfSignature(in.u64()));
            case PlanCompiler.REFERENCE_SUPPLEMENTARY -> {
                long start = in.offset();
                long target = in.unsigned(operand);
                die.set(
                        slot,
                        dwarf.hasSupplementaryFile()
                                ? referenceTarget(start, target, DieAddress.info(dwarf.supplementaryFile()))
                                : DieScratch.UNRESOLVED);
            }
            case PlanCompiler.INDIRECT -> indirect(slot);
            case PlanCompiler.WRONG_CLASS ->
                throw new MalformedInputException(
                        info.name(),
                        in.offset(),
                        "form 0x" + Integer.toHexString(operand) + " is not of a class that this attribute can have");
            default -> throw new IllegalStateException("step " + step);
        }
    }

    /**
     * Returns the address of a DIE of this unit.
     *
     * @param inUnit bytes from the start of the unit
     * @param place section offset of the reference
     */
    private long addressInUnit(long inUnit, long place) throws ExtractionException {
        long length = header.end() - header.unitOffset();
        // Microtec's unit DIE has the end of the unit as its sibling.
        if (inUnit < header.firstDie() - header.unitOffset() || inUnit > length) {
            return nowhere(
                    place,
                    "reference to unit offset 0x" + Long.toHexString(inUnit) + "; the DIEs of the unit are at 0x"
                            + Long.toHexString(header.firstDie() - header.unitOffset()) + " to 0x"
                            + Long.toHexString(length));
        }
        return header.startAddress() + inUnit;
    }

    private long nowhere(long place, String problem) throws ExtractionException {
        dwarf.omit(referrer(), base + place, new MalformedInputException(info.name(), place, problem));
        return DieScratch.NOWHERE;
    }

    /** Returns what the DIE is whose attributes are read. */
    private Part referrer() throws ExtractionException {
        long here = in.offset();
        in.seek(lastDie);
        Abbreviation abbreviation = abbreviations.find(in.uleb128(), compiler);
        in.seek(here);
        return abbreviation != null && abbreviation.tag() == Dwarf.DW_TAG_variable ? Part.VARIABLE : Part.TYPE;
    }

    /**
     * A number of 16 bytes ({@code DW_FORM_data16}, or a block as LLVM writes the value of a 128-bit enumerator): a
     * constant if it fits 64 bits, otherwise recorded like an expression, whose value is never used.
     */
    private void wide(int slot) throws ExtractionException {
        long start = in.offset();
        long first = in.u64();
        long second = in.u64();
        long low = dwarf.isBigEndian() ? second : first;
        long high = dwarf.isBigEndian() ? first : second;
        if (high == low >> 63) {
            die.set(slot, low);
            die.markSigned(slot);
        } else {
            die.setExpression(slot, start, 16);
        }
    }

    /** Returns the address of a reference into a whole section. */
    private long referenceTarget(long start, long target, long targetBase) throws ExtractionException {
        Section section = dwarf.section(targetBase);
        if (target <= 0 || target >= section.size() - DieAddress.offset(targetBase)) {
            return nowhere(
                    start,
                    "reference to section offset 0x" + Long.toHexString(target) + ", the section has 0x"
                            + Long.toHexString(section.size()) + " bytes");
        }
        long dieAddress = targetBase + target;
        if (unit != null && dwarf.isSupplementary(dieAddress) && !used.holds(dieAddress)) {
            used = dwarf.usedBy(dieAddress, unit);
        }
        return dieAddress;
    }

    /** {@code DW_FORM_indirect}: the form stands before the value (DWARF 5 §7.5.3); forms may nest, so this loops. */
    private void indirect(int slot) throws ExtractionException {
        long start = in.offset();
        long form = in.uleb128();
        while (form == Dwarf.DW_FORM_indirect) {
            form = in.uleb128();
        }
        if (form < 0 || form > 0xffff) {
            throw new MalformedInputException(info.name(), start, "attribute form is 0x" + Long.toHexString(form));
        }
        compiler.begin();
        perform(compiler.step((int) form, Slot.inForm(slot, (int) form), info, start), ONE);
    }

    /** Skips the children of the DIE just read, by {@code DW_AT_sibling} where there is one. */
    public void skipChildren(Abbreviation abbreviation) throws ExtractionException {
        if (!abbreviation.hasChildren()) {
            return;
        }
        if (die.has(Slot.SIBLING)) {
            hop(die.get(Slot.SIBLING) - base);
        } else {
            passChildren();
        }
    }

    public UnitHeader header() {
        return header;
    }

    /** Returns the language that the unit names; a unit that names none may be part of several. */
    public Language language() {
        return unit == null ? Languages.UNKNOWN : unit.language();
    }
}
