package dev.offsetd.extractor.go;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The fields of {@code runtime.moduledata} that lead to type descriptors, and to what functions have. The linker fills it; its first word is the
 * address of the header of {@code .gopclntab}.
 *
 * @param types address that offsets of types and names count from
 * @param end end of the types
 * @param links address of the offsets of types, 32 bits each; 0 if the descriptors are in a row
 * @param linkCount number of these offsets
 * @param rowEnd end of the row of descriptors that starts at {@code types}; 0 if there are links
 * @param maps how maps are described
 * @param text address that those of functions count from
 * @param functionData address that offsets of the data of functions count from ({@code gofunc})
 */
record ModuleData(
        long types, long end, long links, long linkCount, long rowEnd, Maps maps, long text, long functionData) {

    /** Descriptors of maps, which grew with the implementation. */
    enum Maps {
        /** {@code key, elem, bucket, hasher}, four small numbers and flags. */
        BUCKETS,
        /** {@code key, elem, group, hasher}, three sizes and flags. */
        SWISS,
        /** {@code key, elem, group, hasher}, six sizes and flags. */
        SWISS_WITH_STRIDES;

        /** Returns the bytes of the descriptor of a map behind its head. */
        long bytes(int word) {
            return switch (this) {
                case BUCKETS -> 4L * word + 8;
                case SWISS -> 8L * word;
                case SWISS_WITH_STRIDES -> 11L * word;
            };
        }
    }

    private static final Pattern VERSION = Pattern.compile("(?:.* )?1\\.([0-9]{1,3})(?:[^0-9].*)?");

    /** First minor version with the fields in this order. */
    private static final int FIRST_MINOR = 18;

    /** First minor version with counters of coverage in front of the types. */
    private static final int COVERAGE_MINOR = 20;

    /** First minor version with Swiss tables, unless they were turned off. */
    private static final int SWISS_MINOR = 24;

    private static final String WITHOUT_SWISS = "noswissmap";

    /** First minor version with the end of the line table in front of the links. */
    private static final int LINE_TABLE_END_MINOR = 26;

    /** First minor version whose descriptors are in a row, without links to them. */
    private static final int ROW_MINOR = 27;

    /** A minor version for each order of the fields since Go 1.20, when line tables gained the lines where functions start. */
    private static final List<Integer> MINORS_WITH_START_LINES =
            List.of(COVERAGE_MINOR, LINE_TABLE_END_MINOR, ROW_MINOR);

    private static final int MIN_PC = 20;
    private static final int TEXT = 22;
    private static final int TYPES = 35;
    private static final int TYPE_LINKS = 42;
    private static final int COVERAGE_WORDS = 2;

    /** Words from {@link #TYPES} to the data of functions. */
    private static final int FUNCTION_DATA = 3;

    private static final int FUNCTION_DATA_OF_ROW = 6;

    /**
     * Finds the module data.
     *
     * @throws UnsupportedInputException if there is none, or its fields are not where this version of Go has them
     */
    static ModuleData find(GoProgram program, Memory memory, Limits limits) throws ExtractionException {
        return find(program, minor(program.version()), memory, limits).orElseThrow(() -> missing(program));
    }

    /**
     * Finds the module data of functions. In a program that does not state its version, the fields are where one of the
     * versions with its format of line tables has them.
     *
     * @throws UnsupportedInputException if there is none, or more than one order of the fields is possible
     */
    static ModuleData ofFunctions(GoProgram program, LineTableHeader.Format lines, Memory memory, Limits limits)
            throws ExtractionException {
        if (!program.version().isEmpty()) {
            return find(program, memory, limits);
        }
        List<ModuleData> found = new ArrayList<>();
        for (int minor : lines.hasStartLine() ? MINORS_WITH_START_LINES : List.of(FIRST_MINOR)) {
            find(program, minor, memory, limits).ifPresent(found::add);
        }
        if (found.size() != 1) {
            throw missing(program);
        }
        return found.getFirst();
    }

    private static UnsupportedInputException missing(GoProgram program) {
        return unsupported("no module data of Go " + HostileText.quote(program.version()) + " was found");
    }

    /** Finds the module data of a program of this minor version; empty if there is none. */
    private static Optional<ModuleData> find(GoProgram program, int minor, Memory memory, Limits limits)
            throws ExtractionException {
        if (minor < FIRST_MINOR) {
            throw unsupported("module data of Go " + HostileText.quote(program.version())
                    + " are not supported; expected 1." + FIRST_MINOR + " or later");
        }
        long lineTable = program.lineTable();
        if (lineTable == 0) {
            throw unsupported("the program has no .gopclntab, which leads to its types");
        }
        int word = memory.wordBytes();
        int words = TYPE_LINKS + COVERAGE_WORDS + 4;
        for (GoProgram.Data data : program.data()) {
            long last = data.section().size() - (long) words * word;
            for (long at = 0; at <= last; at += word) {
                Deadline.checkCurrent(at);
                if (memory.pointer(data.address() + at) == lineTable) {
                    Optional<ModuleData> found = read(program, memory, data.address() + at, minor, limits);
                    if (found.isPresent()) {
                        return found;
                    }
                }
            }
        }
        return Optional.empty();
    }

    /** Returns whether a version is later than those whose module data and descriptors are known. */
    static boolean isLater(String version) {
        return minor(version) > ROW_MINOR;
    }

    /** Returns the minor version: 24 of Go 1.24; 0 if unknown. */
    static int minor(String version) {
        Matcher matcher = VERSION.matcher(version);
        return matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    }

    private static UnsupportedInputException unsupported(String message) {
        return new UnsupportedInputException(".gopclntab", ExtractionException.NO_OFFSET, message);
    }

    private static Optional<ModuleData> read(GoProgram program, Memory memory, long address, int minor, Limits limits)
            throws ExtractionException {
        int word = memory.wordBytes();
        int shift = minor < COVERAGE_MINOR ? 0 : COVERAGE_WORDS;
        long minPc = memory.pointer(address + (long) MIN_PC * word);
        long maxPc = memory.pointer(address + (long) (MIN_PC + 1) * word);
        long text = memory.pointer(address + (long) TEXT * word);
        long textEnd = memory.pointer(address + (long) (TEXT + 1) * word);
        boolean valid = Long.compareUnsigned(minPc, maxPc) < 0 && Long.compareUnsigned(text, textEnd) < 0;
        if (!valid) {
            return Optional.empty();
        }
        return minor < ROW_MINOR
                ? linked(program, memory, address + (long) shift * word, minor, text, limits)
                : row(memory, address + (long) shift * word, text);
    }

    /** Returns the module data, whose types are at this address and {@link #TYPES} words. */
    private static Optional<ModuleData> linked(
            GoProgram program, Memory memory, long address, int minor, long text, Limits limits)
            throws ExtractionException {
        int word = memory.wordBytes();
        long types = memory.pointer(address + (long) TYPES * word);
        long typesEnd = memory.pointer(address + (long) (TYPES + 1) * word);
        long slice = address + (minor < LINE_TABLE_END_MINOR ? TYPE_LINKS : TYPE_LINKS + 1L) * word;
        long links = memory.pointer(slice);
        long count = memory.pointer(slice + word);
        long capacity = memory.pointer(slice + 2L * word);
        boolean valid = Long.compareUnsigned(types, typesEnd) < 0
                && count > 0
                && count == capacity
                && count <= limits.maxEntries()
                && memory.isLoaded(types)
                && memory.isLoaded(links);
        if (!valid) {
            return Optional.empty();
        }
        boolean swiss = minor >= SWISS_MINOR && !program.version().contains(WITHOUT_SWISS);
        return Optional.of(new ModuleData(
                types,
                typesEnd,
                links,
                count,
                0,
                swiss ? Maps.SWISS : Maps.BUCKETS,
                text,
                memory.pointer(address + (long) (TYPES + FUNCTION_DATA) * word)));
    }

    /** Returns the module data, whose types are a row of descriptors at this address. */
    private static Optional<ModuleData> row(Memory memory, long address, long text) throws ExtractionException {
        int word = memory.wordBytes();
        long types = memory.pointer(address + (long) TYPES * word);
        long bytes = memory.pointer(address + (long) (TYPES + 1) * word);
        long typesEnd = memory.pointer(address + (long) (TYPES + 2) * word);
        boolean valid = Long.compareUnsigned(types, typesEnd) < 0
                && bytes > 0
                && Long.compareUnsigned(bytes, typesEnd - types) <= 0
                && memory.isLoaded(types);
        return valid
                ? Optional.of(new ModuleData(
                        types,
                        typesEnd,
                        0,
                        0,
                        types + bytes,
                        Maps.SWISS_WITH_STRIDES,
                        text,
                        memory.pointer(address + (long) (TYPES + FUNCTION_DATA_OF_ROW) * word)))
                : Optional.empty();
    }
}
