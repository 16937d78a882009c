package dev.offsetd.extractor.go;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The fields of {@code runtime.moduledata} that lead to type descriptors. The linker fills it; its first word is the
 * address of the header of {@code .gopclntab}.
 *
 * @param types address that offsets of types and names count from
 * @param end end of the types
 * @param links address of the offsets of types, 32 bits each
 * @param linkCount number of these offsets
 * @param swissMaps whether maps are Swiss tables, whose descriptors are longer
 */
record ModuleData(long types, long end, long links, long linkCount, boolean swissMaps) {

    private static final Pattern VERSION = Pattern.compile("(?:.* )?1\\.([0-9]{1,3})(?:[^0-9].*)?");

    /** First minor version whose struct fields have plain offsets. */
    private static final int FIRST_MINOR = 19;

    /** First minor version with counters of coverage in front of the types. */
    private static final int COVERAGE_MINOR = 20;

    /** First minor version with Swiss tables, unless they were turned off. */
    private static final int SWISS_MINOR = 24;

    private static final String WITHOUT_SWISS = "noswissmap";

    private static final int MIN_PC = 20;
    private static final int TEXT = 22;
    private static final int TYPES = 35;
    private static final int TYPE_LINKS = 42;
    private static final int COVERAGE_WORDS = 2;

    /**
     * Finds the module data.
     *
     * @throws UnsupportedInputException if there is none, or its fields are not where this version of Go has them
     */
    static ModuleData find(GoProgram program, Memory memory, Limits limits) throws ExtractionException {
        int minor = minor(program.version());
        if (minor < FIRST_MINOR) {
            throw unsupported("type descriptors of Go " + HostileText.quote(program.version())
                    + " are not supported; expected 1." + FIRST_MINOR + " or later");
        }
        long lineTable = program.lineTable();
        if (lineTable == 0) {
            throw unsupported("the program has no .gopclntab, which leads to its types");
        }
        int word = memory.wordBytes();
        int words = TYPE_LINKS + COVERAGE_WORDS + 3;
        for (GoProgram.Data data : program.data()) {
            long last = data.section().size() - (long) words * word;
            for (long at = 0; at <= last; at += word) {
                if (memory.pointer(data.address() + at) == lineTable) {
                    Optional<ModuleData> found = read(program, memory, data.address() + at, minor, limits);
                    if (found.isPresent()) {
                        return found.get();
                    }
                }
            }
        }
        throw unsupported("no module data of Go " + HostileText.quote(program.version()) + " was found");
    }

    private static int minor(String version) {
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
        long types = memory.pointer(address + (long) (TYPES + shift) * word);
        long typesEnd = memory.pointer(address + (long) (TYPES + shift + 1) * word);
        long links = memory.pointer(address + (long) (TYPE_LINKS + shift) * word);
        long count = memory.pointer(address + (long) (TYPE_LINKS + shift + 1) * word);
        long capacity = memory.pointer(address + (long) (TYPE_LINKS + shift + 2) * word);
        boolean valid = Long.compareUnsigned(minPc, maxPc) < 0
                && Long.compareUnsigned(text, textEnd) < 0
                && Long.compareUnsigned(types, typesEnd) < 0
                && count > 0
                && count == capacity
                && count <= limits.maxEntries()
                && memory.isLoaded(types)
                && memory.isLoaded(links);
        if (!valid) {
            return Optional.empty();
        }
        boolean swiss = minor >= SWISS_MINOR && !program.version().contains(WITHOUT_SWISS);
        return Optional.of(new ModuleData(types, typesEnd, links, count, swiss));
    }

    /** Returns the bytes of the descriptor of a map behind its head. */
    long mapBytes(int word) {
        return swissMaps ? 8L * word : 4L * word + 8;
    }
}
