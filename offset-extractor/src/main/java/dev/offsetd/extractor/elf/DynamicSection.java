package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.ProgramHeaders.Segment;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Entries by which the dynamic linker finds its way in a file (gABI, "Dynamic Section").
 *
 * @param segment {@code PT_DYNAMIC}, with its bytes in the file; null if there is none
 * @param entries the first value of each tag
 */
record DynamicSection(@Nullable Segment segment, Map<Long, Long> entries) {

    /** Most entries that are read; the longest known have some hundred. */
    private static final int MAX_ENTRIES = 1 << 14;

    static DynamicSection read(int word, Section file, ProgramHeaders segments) throws MalformedInputException {
        Segment segment = segments.ofType(ProgramHeaders.PT_DYNAMIC).stream()
                .filter(found -> found.isIn(file))
                .findFirst()
                .orElse(null);
        Map<Long, Long> entries = new HashMap<>();
        if (segment != null) {
            ByteCursor in = segment.bytesIn(file, "dynamic segment", 0).cursor();
            long count = Math.min(segment.fileSize() / (2L * word), MAX_ENTRIES);
            for (long i = 0; i < count; i++) {
                long tag = in.unsigned(word);
                if (tag == 0) {
                    break;
                }
                entries.putIfAbsent(tag, in.unsigned(word));
            }
        }
        return new DynamicSection(segment, entries);
    }

    boolean has(long tag) {
        return entries.containsKey(tag);
    }

    /** Returns the value of a tag; 0 if there is none. */
    long value(long tag) {
        return entries.getOrDefault(tag, 0L);
    }
}
