package dev.offsetd.server.sources;

import dev.offsetd.extractor.builds.BuildId;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Small complete ELF files: header, build-id note, filler in place of debug information, section names, and the section
 * header table at the end, so that a truncated file lacks a part of it (gABI chapter 4). 64-bit, little-endian,
 * {@code ET_DYN}, x86-64.
 */
public final class TestElf {

    /** {@code e_machine} of a processor that is always big-endian. */
    static final int EM_S390 = 22;

    private static final int E_MACHINE = 18;
    private static final int EHDR_BYTES = 64;
    private static final int SHDR_BYTES = 64;
    private static final int SHT_PROGBITS = 1;
    private static final int SHT_STRTAB = 3;
    private static final int SHT_NOTE = 7;
    private static final int SHF_ALLOC = 2;
    private static final int NT_GNU_BUILD_ID = 3;

    /** Bytes of filler: enough that the first half of a file is neither empty nor complete. */
    public static final int FILLER_BYTES = 32 << 10;

    private TestElf() {}

    /** Returns a file of this build. */
    public static byte[] of(BuildId id) {
        return build(id, FILLER_BYTES);
    }

    /** Returns a file of this build with a number of bytes of filler. */
    public static byte[] of(BuildId id, int fillerBytes) {
        return build(id, fillerBytes);
    }

    /** Returns a file without a build-id. */
    public static byte[] withoutBuildId() {
        return build(null, FILLER_BYTES);
    }

    /** Returns the file for another machine, still little-endian. */
    static byte[] withMachine(byte[] file, int machine) {
        byte[] changed = file.clone();
        ByteBuffer.wrap(changed).order(ByteOrder.LITTLE_ENDIAN).putShort(E_MACHINE, (short) machine);
        return changed;
    }

    private static byte[] build(@Nullable BuildId id, int fillerBytes) {
        byte[] names = "\0.note.gnu.build-id\0.debug_line\0.shstrtab\0".getBytes(StandardCharsets.US_ASCII);
        byte[] note = id == null ? new byte[0] : note(id);
        int noteOffset = EHDR_BYTES;
        int fillerOffset = noteOffset + note.length;
        int namesOffset = fillerOffset + fillerBytes;
        int tableOffset = (namesOffset + names.length + 7) & ~7;

        ByteBuffer file = ByteBuffer.allocate(tableOffset + 4 * SHDR_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        file.putShort((short) 3).putShort((short) 62).putInt(1);
        file.putLong(0).putLong(0).putLong(tableOffset).putInt(0);
        file.putShort((short) EHDR_BYTES).putShort((short) 0).putShort((short) 0);
        file.putShort((short) SHDR_BYTES).putShort((short) 4).putShort((short) 3);
        file.put(note);
        for (int i = 0; i < fillerBytes; i++) {
            file.put((byte) ((i * 31) >> 3));
        }
        file.put(names).position(tableOffset);
        section(file, 0, 0, 0, 0, 0, 0);
        section(file, 1, id == null ? SHT_PROGBITS : SHT_NOTE, SHF_ALLOC, noteOffset, note.length, 4);
        section(file, 20, SHT_PROGBITS, 0, fillerOffset, fillerBytes, 1);
        section(file, 32, SHT_STRTAB, 0, namesOffset, names.length, 1);
        return file.array();
    }

    private static byte[] note(BuildId id) {
        ByteArrayOutputStream note = new ByteArrayOutputStream();
        byte[] descriptor = id.toBytes();
        ByteBuffer header = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(4).putInt(descriptor.length).putInt(NT_GNU_BUILD_ID);
        header.put("GNU\0".getBytes(StandardCharsets.US_ASCII));
        note.writeBytes(header.array());
        note.writeBytes(descriptor);
        note.writeBytes(new byte[-descriptor.length & 3]);
        return note.toByteArray();
    }

    private static void section(ByteBuffer file, int name, int type, long flags, long offset, long size, long align) {
        file.putInt(name).putInt(type).putLong(flags).putLong(0);
        file.putLong(offset).putLong(size).putInt(0).putInt(0).putLong(align).putLong(0);
    }
}
