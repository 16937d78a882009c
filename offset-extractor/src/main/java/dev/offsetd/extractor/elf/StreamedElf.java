package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.Architecture;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An ELF file that is read once, from front to back, for its build-id: an entry of an archive. Linkers put notes first, so
 * a few kilobytes usually suffice. The build-id is searched for in the note segments of the program header table, then in
 * the note sections of the section header table. Because that table lies at the end of the file, behind the notes, the
 * reader keeps the first megabyte.
 *
 * @param architecture from the ELF header
 * @param buildId its {@code NT_GNU_BUILD_ID} note, or null
 */
public record StreamedElf(
        Architecture architecture, @Nullable BuildId buildId) {

    /** How much of the start of the file is kept, and how much is read of one table or of the notes in one place. */
    public static final int WINDOW_BYTES = 1 << 20;

    /**
     * Reads as much of a file as it takes.
     *
     * @param in the file from its first byte on; it is left wherever the reading ended
     * @throws IOException if it cannot be read
     * @throws MalformedInputException if it is not an ELF file, or ends before what its headers name
     * @throws LimitExceededException if the notes may be where they can no longer be read, or a table is too large
     */
    public static StreamedElf read(InputStream in) throws IOException, ExtractionException {
        return new Reader(in).read();
    }

    /** Section or segment of notes. */
    private record NoteRange(long offset, long size, long align) {}

    private static final class Reader {

        private final InputStream in;
        private byte[] window = new byte[1 << 12];
        private int kept;

        /** Bytes from the start of the file to where the stream stands. */
        private long position;

        Reader(InputStream in) {
            this.in = in;
        }

        StreamedElf read() throws IOException, ExtractionException {
            keep(ElfHeader.MAX_BYTES);
            ElfHeader header = ElfHeader.read(MemorySegment.ofArray(window).asSlice(0, kept));
            Optional<BuildId> buildId = inSegments(header);
            if (buildId.isEmpty() && header.shoff() != 0) {
                buildId = inSections(header);
            }
            return new StreamedElf(header.architecture(), buildId.orElse(null));
        }

        private Optional<BuildId> inSegments(ElfHeader header) throws IOException, ExtractionException {
            if (header.phoff() == 0 || header.phnum() == 0) {
                return Optional.empty();
            }
            requireEntryBytes("e_phentsize", header.phentsize(), header.programHeaderBytes());
            long tableBytes = (long) header.phnum() * header.phentsize();
            Section table = at(header, "program headers", header.phoff(), tableBytes);
            List<NoteRange> notes = new ArrayList<>();
            for (int i = 0; i < header.phnum(); i++) {
                ByteCursor entry = table.cursor((long) i * header.phentsize(), header.phentsize());
                ProgramHeaders.Segment segment = ProgramHeaders.Segment.read(entry, header.isWide());
                if (segment.type() == ProgramHeaders.PT_NOTE) {
                    notes.add(new NoteRange(segment.offset(), segment.fileSize(), segment.align()));
                }
            }
            return firstBuildId(header, notes, "note segment");
        }

        private Optional<BuildId> inSections(ElfHeader header) throws IOException, ExtractionException {
            requireEntryBytes("e_shentsize", header.shentsize(), header.sectionHeaderBytes());
            // The stream cannot return to the notes in front of the table, so keep them.
            keep((int) Long.min(unsigned(header.shoff()), WINDOW_BYTES));
            long tableBytes = (long) header.shnum() * header.shentsize();
            Section table = at(header, "section headers", header.shoff(), tableBytes);
            List<NoteRange> notes = new ArrayList<>();
            for (int i = 0; i < header.shnum(); i++) {
                ByteCursor entry = table.cursor((long) i * header.shentsize(), header.shentsize());
                SectionHeader section = SectionHeader.read(entry, header.word());
                if (section.type() == SectionHeader.SHT_NOTE) {
                    notes.add(new NoteRange(section.offset(), section.size(), section.addressAlign()));
                }
            }
            return firstBuildId(header, notes, "note section");
        }

        private Optional<BuildId> firstBuildId(ElfHeader header, List<NoteRange> notes, String name)
                throws IOException, ExtractionException {
            notes.sort(Comparator.comparing(NoteRange::offset, Long::compareUnsigned));
            for (NoteRange place : notes) {
                if (place.size() == 0) {
                    continue;
                }
                Optional<BuildId> found =
                        Notes.buildIdIn(at(header, name, place.offset(), place.size()), place.align());
                if (found.isPresent()) {
                    return found;
                }
            }
            return Optional.empty();
        }

        /** These bytes of the file: out of the window, or from where the stream gets to. */
        private Section at(ElfHeader header, String name, long offset, long size)
                throws IOException, ExtractionException {
            if (size < 0 || size > WINDOW_BYTES) {
                throw limit(name, offset, Long.toUnsignedString(size) + " bytes");
            }
            if (offset < 0) {
                throw endsBefore(name, offset, size);
            }
            byte[] bytes;
            if (offset <= WINDOW_BYTES - size && position == kept) {
                keep((int) (offset + size));
                if (kept < offset + size) {
                    throw endsBefore(name, offset, size);
                }
            }
            if (offset <= kept - size) {
                bytes = Arrays.copyOfRange(window, (int) offset, (int) (offset + size));
            } else if (offset >= position) {
                try {
                    in.skipNBytes(offset - position);
                } catch (EOFException e) {
                    throw endsBefore(name, offset, size);
                }
                bytes = in.readNBytes((int) size);
                position = offset + bytes.length;
            } else {
                throw limit(name, offset, "the stream is already at " + position);
            }
            if (bytes.length < size) {
                throw endsBefore(name, offset, size);
            }
            return new Section(name, MemorySegment.ofArray(bytes), header.byteOrder());
        }

        /** Reads on until so many bytes of the start are kept, or the file ends. */
        private void keep(int bytes) throws IOException {
            if (position != kept || bytes <= kept) {
                return;
            }
            if (bytes > window.length) {
                window = Arrays.copyOf(window, Math.clamp(2L * bytes, window.length, WINDOW_BYTES));
            }
            int count = in.readNBytes(window, kept, bytes - kept);
            kept += count;
            position += count;
        }

        private static long unsigned(long offset) {
            return offset < 0 ? Long.MAX_VALUE : offset;
        }

        private static void requireEntryBytes(String field, int bytes, int expected) throws MalformedInputException {
            if (bytes != expected) {
                throw new MalformedInputException(
                        ElfHeader.NAME,
                        ExtractionException.NO_OFFSET,
                        field + " is " + bytes + "; expected " + expected);
            }
        }

        private static LimitExceededException limit(String name, long offset, String observed) {
            return new LimitExceededException(name, offset, "windowBytes", WINDOW_BYTES, observed);
        }

        private static MalformedInputException endsBefore(String name, long offset, long size) {
            return new MalformedInputException(
                    name, offset, "the file ends before the " + size + " bytes that its headers name there");
        }
    }
}
