package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The abbreviations of a unit (DWARF 5 §7.5.3), compiled for its version, address size and offset size. Codes that count
 * up from 1, as every producer writes them, are found in an array; others in a map. Immutable.
 */
final class AbbreviationTable {

    /** Steps of a plan up to which an abbreviation counts as one. */
    private static final int USUAL_STEPS = 16;

    private final long offset;
    private final @Nullable Abbreviation[] dense;
    private final Map<Long, Abbreviation> sparse;
    private final long weight;

    private AbbreviationTable(
            long offset, @Nullable Abbreviation[] dense, Map<Long, Abbreviation> sparse, long weight) {
        this.offset = offset;
        this.dense = dense;
        this.sparse = sparse;
        this.weight = weight;
    }

    /** Reads and compiles the table at {@code offset} of {@code .debug_abbrev}. */
    static AbbreviationTable read(
            Section abbrev, long offset, int version, int addressSize, int offsetSize, Limits limits)
            throws ExtractionException {
        if (offset < 0 || offset >= abbrev.size()) {
            throw new MalformedInputException(
                    abbrev.name(),
                    offset,
                    "abbreviation table starts outside the section of " + abbrev.size() + " bytes");
        }
        ByteCursor in = abbrev.cursor(offset, abbrev.size() - offset);
        PlanCompiler compiler = new PlanCompiler(version, addressSize, offsetSize);
        List<@Nullable Abbreviation> dense = new ArrayList<>();
        dense.add(null);
        Map<Long, Abbreviation> sparse = new HashMap<>();
        long weight = 0;
        while (true) {
            long start = in.offset();
            long code = in.uleb128();
            if (code == 0) {
                break;
            }
            Abbreviation abbreviation = readOne(in, abbrev, start, code, compiler, limits);
            weight += 1 + abbreviation.plan().length / USUAL_STEPS;
            if (weight > limits.maxEntries()) {
                throw new LimitExceededException(
                        abbrev.name(), start, "maxEntries", limits.maxEntries(), weight + " abbreviations up to here");
            }
            boolean next = code == dense.size();
            if (next) {
                dense.add(abbreviation);
            }
            boolean duplicate = next ? sparse.containsKey(code) : code > 0 && code < dense.size();
            if (duplicate || (!next && sparse.put(code, abbreviation) != null)) {
                throw new MalformedInputException(
                        abbrev.name(), start, "abbreviation code " + code + " is declared twice in one table");
            }
        }
        return new AbbreviationTable(offset, dense.toArray(Abbreviation[]::new), sparse, weight);
    }

    private static Abbreviation readOne(
            ByteCursor in, Section abbrev, long start, long code, PlanCompiler compiler, Limits limits)
            throws ExtractionException {
        long tag = in.uleb128();
        int children = in.u8();
        if (children > 1) {
            throw new MalformedInputException(
                    abbrev.name(), in.offset() - 1, "DW_CHILDREN is " + children + "; expected 0 or 1");
        }
        if (tag == 0 || tag > 0xffff) {
            throw new MalformedInputException(
                    abbrev.name(), start, "tag is 0x" + Long.toHexString(tag) + "; expected 0x1 to 0xffff");
        }
        compiler.begin();
        for (int attributes = 0; ; attributes++) {
            if (attributes > limits.maxAttributesPerAbbreviation()) {
                throw new LimitExceededException(
                        abbrev.name(),
                        start,
                        "maxAttributesPerAbbreviation",
                        limits.maxAttributesPerAbbreviation(),
                        "abbreviation " + code + " has at least " + attributes);
            }
            long place = in.offset();
            long attribute = in.uleb128();
            long form = in.uleb128();
            long implicit = form == Dwarf.DW_FORM_implicit_const ? in.sleb128() : 0;
            if (attribute == 0 && form == 0) {
                break;
            }
            if (form > 0xffff || form < 0) {
                throw new MalformedInputException(
                        abbrev.name(), place, "attribute form is 0x" + Long.toHexString(form));
            }
            int slot = attribute < 0 || attribute > 0xffff ? Slot.NONE : Slot.of((int) tag, (int) attribute);
            compiler.add((int) form, slot, implicit, abbrev, place);
        }
        return compiler.finish(code, (int) tag, children == 1);
    }

    /** Where the table starts in {@code .debug_abbrev}. */
    long offset() {
        return offset;
    }

    /** The abbreviation of this code, or null if the table has none. */
    @Nullable
    Abbreviation find(long code) {
        return code >= 0 && code < dense.length ? dense[(int) code] : sparse.get(code);
    }

    /** How many abbreviations the table has. */
    int size() {
        return dense.length - 1 + sparse.size();
    }

    /** How many abbreviations the table counts as: a long plan counts more than once. */
    long weight() {
        return weight;
    }
}
