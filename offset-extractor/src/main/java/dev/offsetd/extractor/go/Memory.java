package dev.offsetd.extractor.go;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Memory of a program as it is loaded at the addresses in the file. A program that can be loaded anywhere has relocations
 * for its pointers: with addends in the relocation, the bytes in the file may be 0.
 */
final class Memory {

    /** Ranges that are remembered, so that not every read looks for its segment. */
    private static final int MAX_RANGES = 16;

    private final GoProgram program;
    private final int word;
    private final List<GoProgram.Data> ranges = new ArrayList<>();
    private final RelativeRelocations.Pointers relocated;

    Memory(GoProgram program, Limits limits, HeapBudget heap) throws ExtractionException {
        this.program = program;
        this.word = program.addressBytes();
        this.relocated =
                RelativeRelocations.read(program.relocations(), word, program.relativeRelocation(), limits, heap);
    }

    int wordBytes() {
        return word;
    }

    /** Returns a cursor over this many bytes at an address. */
    ByteCursor at(long address, long bytes) throws ExtractionException {
        GoProgram.Data range = range(address);
        return range.section().cursor(address - range.address(), bytes);
    }

    boolean isLoaded(long address) throws ExtractionException {
        return !range(address).section().isEmpty();
    }

    /** Returns the pointer at an address. */
    long pointer(long address) throws ExtractionException {
        int index = Arrays.binarySearch(relocated.places(), address);
        return index >= 0 ? relocated.targets()[index] : at(address, word).unsigned(word);
    }

    /**
     * Returns the text of a {@code name}: a byte of flags, the length as an unsigned LEB128 number, and UTF-8.
     *
     * @throws LimitExceededException if it is longer than {@code maxBytes}
     */
    String name(long address, int maxBytes) throws ExtractionException {
        GoProgram.Data range = range(address);
        long start = address - range.address();
        ByteCursor in = range.section().cursor(start, range.section().size() - start);
        in.u8();
        long length = in.uleb128();
        if (length < 0 || length > maxBytes) {
            throw new LimitExceededException(
                    range.section().name(),
                    start,
                    "maxNameBytes",
                    maxBytes,
                    "a name of " + Long.toUnsignedString(length) + " bytes");
        }
        byte[] text = new byte[(int) length];
        for (int i = 0; i < text.length; i++) {
            text[i] = (byte) in.u8();
        }
        return new String(text, StandardCharsets.UTF_8);
    }

    MalformedInputException malformed(long address, String problem) throws ExtractionException {
        GoProgram.Data range = range(address);
        return new MalformedInputException(range.section().name(), Math.max(0, address - range.address()), problem);
    }

    private GoProgram.Data range(long address) throws ExtractionException {
        for (GoProgram.Data range : ranges) {
            long offset = address - range.address();
            if (offset >= 0 && offset < range.section().size()) {
                return range;
            }
        }
        Section found = program.loadedAt(address);
        GoProgram.Data range = new GoProgram.Data(address, found);
        if (!found.isEmpty()) {
            // A range from a lower address contains this one's end, so the largest ranges are kept by order of use.
            if (ranges.size() == MAX_RANGES) {
                ranges.clear();
            }
            ranges.addFirst(range);
        }
        return range;
    }
}
