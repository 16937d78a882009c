package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.BuildId;
import java.nio.ByteOrder;
import java.util.Optional;

/** The notes of one section or segment (gABI, "Note Section"). */
final class Notes {

    /** {@code p_type} of a segment that holds notes. */
    static final int PT_NOTE = 4;

    private static final int NT_GNU_BUILD_ID = 3;

    private Notes() {}

    /**
     * The first build-id among these notes.
     *
     * @param align {@code sh_addralign} or {@code p_align}
     * @throws MalformedInputException if there is one of a size that no build-id has
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
