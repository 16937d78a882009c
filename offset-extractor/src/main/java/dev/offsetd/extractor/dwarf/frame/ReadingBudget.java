package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.MalformedInputException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bound on how often parts of a section are read. Parts of real files do not overlap; what hostile units share is read
 * again for each. Thread-safe.
 */
final class ReadingBudget {

    private static final int READINGS = 8;

    private final AtomicLong spent = new AtomicLong();

    /** Counts bytes that were read. */
    void spend(long bytes) {
        spent.addAndGet(bytes);
    }

    /**
     * Checks that more may be read.
     *
     * @throws MalformedInputException if the parts that were read come to many times the section
     */
    void require(Section section, long offset) throws MalformedInputException {
        if (spent.get() / READINGS > section.size()) {
            throw new MalformedInputException(
                    section.name(),
                    offset,
                    "parts overlap: those read so far have " + spent + " bytes; expected at most " + READINGS
                            + " times the " + section.size() + " bytes of the section");
        }
    }
}
