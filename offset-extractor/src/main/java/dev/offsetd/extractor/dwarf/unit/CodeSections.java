package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The sections of one file that tell where code is from. An absent one is empty. One that cannot be decompressed or relocated
 * keeps nothing from being read but what is in it.
 */
public final class CodeSections {

    private final Contents line;
    private final Contents ranges;
    private final Contents rangeLists;

    /**
     * @param line {@code .debug_line}
     * @param ranges {@code .debug_ranges}, before DWARF 5
     * @param rangeLists {@code .debug_rnglists}
     */
    public CodeSections(Contents line, Contents ranges, Contents rangeLists) {
        this.line = line;
        this.ranges = ranges;
        this.rangeLists = rangeLists;
    }

    /** Returns the sections of a split file, whose line programs and older ranges are in the linked file. */
    public static CodeSections ofSplit(Contents rangeLists) {
        return new CodeSections(Contents.ABSENT, Contents.ABSENT, rangeLists);
    }

    /** Contents of a section, or why they cannot be read. */
    public record Contents(
            @Nullable Section section, @Nullable ExtractionException fault) {

        private static final Contents ABSENT = new Contents(Section.absent("", ByteOrder.LITTLE_ENDIAN), null);

        /** Reads a section of a file. */
        @FunctionalInterface
        public interface Reading {
            Section section() throws ExtractionException;
        }

        /**
         * Reads a section, or notes why it cannot be read.
         *
         * @throws LimitExceededException if the section exceeds a limit, which ends the reading of the whole file
         */
        public static Contents of(Reading reading) throws LimitExceededException {
            try {
                return new Contents(reading.section(), null);
            } catch (LimitExceededException e) {
                throw e;
            } catch (ExtractionException e) {
                return new Contents(null, e);
            }
        }

        private Section readable() throws ExtractionException {
            if (fault != null) {
                throw fault;
            }
            return Objects.requireNonNull(section);
        }
    }

    public Section line() throws ExtractionException {
        return line.readable();
    }

    public Section ranges() throws ExtractionException {
        return ranges.readable();
    }

    public Section rangeLists() throws ExtractionException {
        return rangeLists.readable();
    }
}
