package dev.offsetd.extractor.dwarf.abbreviation;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.BytesKey;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The abbreviations of a unit (DWARF 5 §7.5.3), for its version, address size and offset size. Each is compiled at its
 * first use, because a scan needs only some of them. Codes that count up from 1, as all producers write them, index an
 * array; others are in a map. Thread-safe: two threads that compile the same abbreviation get equal results.
 */
public final class AbbreviationTable {

    /** Attributes for which an abbreviation counts as one towards the limit. */
    private static final int USUAL_ATTRIBUTES = 16;

    private static final int SMALLEST = 32;

    private final Section abbrev;
    private final long offset;
    private final Limits limits;

    /** Section offsets of the tags, by number in the order of declaration from 1. */
    private long[] places = new long[SMALLEST];

    /** Bytes from the tags to the ends of the declarations, by number. */
    private int[] lengths = new int[SMALLEST];

    private int count = 1;

    /** Codes below this one equal their numbers. */
    private int dense = 1;

    /** Numbers by code, for all other codes. */
    private final Map<Long, Integer> sparse = new HashMap<>();

    private final @Nullable Abbreviation[] compiled;

    /** By their declarations without the code, which differs from unit to unit. */
    private final Map<BytesKey, Abbreviation> declared;

    private final long weight;
    private long byteSize;

    private AbbreviationTable(Section abbrev, long offset, Map<BytesKey, Abbreviation> declared, Limits limits)
            throws ExtractionException {
        this.abbrev = abbrev;
        this.offset = offset;
        this.declared = declared;
        this.limits = limits;
        this.weight = readPlaces();
        this.compiled = new Abbreviation[count];
    }

    /**
     * Reads the table at {@code offset} of {@code .debug_abbrev}.
     *
     * @param declared abbreviations of other tables for units of the same version, address size and offset size; this table
     *     adds its own
     */
    public static AbbreviationTable read(
            Section abbrev, long offset, Map<BytesKey, Abbreviation> declared, Limits limits)
            throws ExtractionException {
        if (offset < 0 || offset >= abbrev.size()) {
            throw new MalformedInputException(
                    abbrev.name(),
                    offset,
                    "abbreviation table starts outside the section of " + abbrev.size() + " bytes");
        }
        return new AbbreviationTable(abbrev, offset, declared, limits);
    }

    /** @return how many abbreviations the table counts as */
    private long readPlaces() throws ExtractionException {
        ByteCursor in = abbrev.cursor(offset, abbrev.size() - offset);
        long read = 0;
        while (true) {
            long start = in.offset();
            long code = in.uleb128();
            if (code == 0) {
                byteSize = in.offset() - offset;
                return read;
            }
            if (code == count && sparse.isEmpty()) {
                dense++;
            } else if ((code > 0 && code < dense) || sparse.put(code, count) != null) {
                throw new MalformedInputException(
                        abbrev.name(), start, "abbreviation code " + code + " is declared twice in one table");
            }
            if (count == places.length) {
                places = Arrays.copyOf(places, count * 2);
                lengths = Arrays.copyOf(lengths, count * 2);
            }
            places[count] = in.offset();
            read += 1 + passOne(in, start, code) / USUAL_ATTRIBUTES;
            lengths[count] = (int) (in.offset() - places[count]);
            count++;
            if (read > limits.maxEntries()) {
                throw new LimitExceededException(
                        abbrev.name(), start, "maxEntries", limits.maxEntries(), read + " abbreviations up to here");
            }
        }
    }

    /** @return how many attributes it has */
    private int passOne(ByteCursor in, long start, long code) throws ExtractionException {
        long tag = in.uleb128();
        int children = in.u8();
        if (children > 1) {
            throw new MalformedInputException(
                    abbrev.name(), in.offset() - 1, "DW_CHILDREN is " + children + "; expected 0 or 1");
        }
        if (tag <= 0 || tag > 0xffff) {
            throw new MalformedInputException(
                    abbrev.name(), start, "tag is 0x" + Long.toHexString(tag) + "; expected 0x1 to 0xffff");
        }
        for (int attributes = 0; ; attributes++) {
            if (attributes > limits.maxAttributesPerAbbreviation()) {
                throw new LimitExceededException(
                        abbrev.name(),
                        start,
                        "maxAttributesPerAbbreviation",
                        limits.maxAttributesPerAbbreviation(),
                        "abbreviation " + code + " has at least " + attributes);
            }
            long attribute = in.uleb128();
            long form = in.uleb128();
            if (form == Dwarf.DW_FORM_implicit_const) {
                in.sleb128();
            }
            if (attribute == 0 && form == 0) {
                return attributes;
            }
        }
    }

    /** Returns the abbreviation with this number. Units repeat a few hundred of them, so most were compiled before. */
    private Abbreviation shared(int number, PlanCompiler compiler) throws ExtractionException {
        ByteBuffer window = abbrev.window(places[number], lengths[number]);
        if (window.remaining() < lengths[number]) {
            return compile(number, compiler);
        }
        byte[] bytes = new byte[lengths[number]];
        window.get(bytes);
        BytesKey declaration = new BytesKey(bytes);
        Abbreviation known = declared.get(declaration);
        if (known == null) {
            known = compile(number, compiler);
            declared.put(declaration, known);
        }
        return known;
    }

    private Abbreviation compile(int number, PlanCompiler compiler) throws ExtractionException {
        ByteCursor in = abbrev.cursor(places[number], abbrev.size() - places[number]);
        int tag = (int) in.uleb128();
        boolean children = in.u8() == 1;
        compiler.begin();
        while (true) {
            long place = in.offset();
            long attribute = in.uleb128();
            long form = in.uleb128();
            long implicit = form == Dwarf.DW_FORM_implicit_const ? in.sleb128() : 0;
            if (attribute == 0 && form == 0) {
                return compiler.finish(tag, children);
            }
            if (form > 0xffff || form < 0) {
                throw new MalformedInputException(
                        abbrev.name(), place, "attribute form is 0x" + Long.toHexString(form));
            }
            int slot =
                    attribute < 0 || attribute > 0xffff ? Slot.NONE : compiler.slot(tag, (int) attribute, (int) form);
            compiler.add((int) form, slot, implicit, abbrev, place);
        }
    }

    /** Returns where the table starts in {@code .debug_abbrev}. */
    public long offset() {
        return offset;
    }

    /**
     * Returns the abbreviation of this code, or null if the table has none.
     *
     * @param compiler for the units of this table
     */
    @Nullable
    public Abbreviation find(long code, PlanCompiler compiler) throws ExtractionException {
        Abbreviation known = code > 0 && code < dense ? compiled[(int) code] : null;
        return known != null ? known : findSlowly(code, compiler);
    }

    private @Nullable Abbreviation findSlowly(long code, PlanCompiler compiler) throws ExtractionException {
        int number = code > 0 && code < dense ? (int) code : sparse.getOrDefault(code, 0);
        if (number > 0 && compiled[number] == null) {
            compiled[number] = shared(number, compiler);
        }
        return compiled[number];
    }

    /** Returns how many abbreviations the table has. */
    public int size() {
        return count - 1;
    }

    /** Returns the weight of the table towards limits: an abbreviation with many attributes counts more than once. */
    public long weight() {
        return weight;
    }

    /** Returns how many bytes of the section the table takes, with the code that ends it. */
    public long byteSize() {
        return byteSize;
    }
}
