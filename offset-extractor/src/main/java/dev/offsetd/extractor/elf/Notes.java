package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.BuildId;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;

/** Search for the build-id in the notes of a file (gABI, "Note Section"). */
final class Notes {

    private static final int NT_GNU_BUILD_ID = 3;

    private final Section file;
    private long noteBytes;
    private Optional<BuildId> found = Optional.empty();

    private Notes(Section file) {
        this.file = file;
    }

    /** Returns the first build-id in the note sections, or in the note segments of a file without section headers. */
    static Optional<BuildId> buildId(Section file, List<SectionHeader> sections, ProgramHeaders programHeaders)
            throws MalformedInputException {
        Notes notes = new Notes(file);
        if (sections.isEmpty()) {
            programHeaders.forEachNoteSegment((segment, align) -> !notes.search(segment, align));
            return notes.found;
        }
        for (SectionHeader section : sections) {
            if (section.type() == SectionHeader.SHT_NOTE
                    && notes.search(section.bytesIn(file), section.addressAlign())) {
                break;
            }
        }
        return notes.found;
    }

    private boolean search(Section notes, long align) throws MalformedInputException {
        noteBytes += notes.size();
        if (noteBytes > file.size()) {
            // Overlapping sections could make the same bytes be read again and again.
            throw new MalformedInputException(
                    notes.name(),
                    ExtractionException.NO_OFFSET,
                    "notes up to here have " + noteBytes + " bytes, the file has " + file.size());
        }
        found = buildIdIn(notes, align);
        return found.isPresent();
    }

    /**
     * Returns the first build-id among these notes.
     *
     * @param align {@code sh_addralign} or {@code p_align}
     * @throws MalformedInputException if its size is not that of a build-id
     */
    static Optional<BuildId> buildIdIn(Section notes, long align) throws MalformedInputException {
        long padding = align == 8 ? 7 : 3;
        ByteCursor in = notes.cursor();
        while (notes.size() - in.offset() >= 12) {
            long nameSize = in.u32();
            long descriptorSize = in.u32();
            long type = in.u32();
            long name = in.offset();
            long descriptor = name + nameSize + padding & ~padding;
            boolean gnu =
                    nameSize == 4 && in.u32() == (notes.byteOrder() == ByteOrder.BIG_ENDIAN ? 0x474e5500L : 0x554e47L);
            if (gnu && type == NT_GNU_BUILD_ID) {
                if (descriptorSize < BuildId.MIN_BYTES || descriptorSize > BuildId.MAX_BYTES) {
                    throw notes.cursor()
                            .malformed(
                                    name,
                                    "NT_GNU_BUILD_ID of " + descriptorSize + " bytes; expected " + BuildId.MIN_BYTES
                                            + " to " + BuildId.MAX_BYTES);
                }
                ByteCursor id = notes.cursor(descriptor, descriptorSize);
                byte[] bytes = new byte[(int) descriptorSize];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = (byte) id.u8();
                }
                return Optional.of(BuildId.of(bytes));
            }
            long next = descriptor + descriptorSize + padding & ~padding;
            if (next > notes.size()) {
                break;
            }
            in.seek(next);
        }
        return Optional.empty();
    }
}
