package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * An ELF file written once more with the contents of some of its sections. All section headers stay, at their index and
 * with their address and size, so that symbols and relocations mean the same; what is left out becomes
 * {@code SHT_NOBITS}, as in a separate debug file (GDB manual, "Separate Debug Files"). The same file gives the same bytes.
 */
public final class SlimElf {

    private static final int PT_NULL = 0;
    private static final int PT_INTERP = 3;
    private static final int PT_PHDR = 6;
    private static final int PT_GNU_PROPERTY = 0x6474e553;

    /** Programs have some 30 entries; a section that is larger than this is left out. */
    private static final int MAX_DYNAMIC_BYTES = 1 << 16;

    /** The most that {@code e_phnum} itself can say; programs have a dozen, core files more. */
    private static final int MAX_PROGRAM_HEADERS = 0xffff;

    /** Contents are copied in pieces of so many bytes. */
    private static final int STEP_BYTES = 1 << 16;

    /** Where contents are aligned to more than this in memory, they need not be in the file. */
    private static final long MAX_ALIGN = 64;

    private final ElfFile elf;
    private final ElfHeader header;
    private final List<SectionHeader> sections;
    private final boolean[] kept;

    /** Bytes from the start of the new file to each section. */
    private final long[] offsets;

    private final long programHeadersOffset;
    private final long contentsOffset;
    private final long sectionHeadersOffset;

    private SlimElf(ElfFile elf, ElfHeader header, boolean[] kept) {
        this.elf = elf;
        this.header = header;
        this.sections = elf.sections();
        this.kept = kept;
        programHeadersOffset = header.headerBytes();
        contentsOffset = programHeadersOffset
                + elf.programHeaders().count() * elf.programHeaders().entryBytes();
        offsets = new long[kept.length];
        long end = contentsOffset;
        for (int i : order()) {
            SectionHeader section = sections.get(i);
            end = aligned(end, section.addressAlign());
            offsets[i] = end;
            end += section.size();
        }
        sectionHeadersOffset = aligned(end, 8);
    }

    /**
     * Writes the file with the contents of these sections, notes and symbol tables, with what they are linked to, and in
     * relocatable files the relocations of what is kept.
     *
     * @return bytes written
     * @throws UnsupportedInputException if the file has no section headers to go by
     * @throws MalformedInputException if its sections overlap
     * @throws IOException if it cannot be written
     */
    public static long write(ElfFile elf, SlimSections wanted, OutputStream out)
            throws IOException, ExtractionException {
        if (elf.sections().isEmpty()) {
            throw new UnsupportedInputException(
                    "section headers", ExtractionException.NO_OFFSET, "the file has none, so its contents are unknown");
        }
        ElfHeader header = ElfHeader.read(elf.file().bytes());
        elf.programHeaders().requireInFile();
        if (elf.programHeaders().count() > MAX_PROGRAM_HEADERS) {
            throw new UnsupportedInputException(
                    ElfHeader.NAME,
                    ExtractionException.NO_OFFSET,
                    "the file has " + elf.programHeaders().count() + " program headers; up to " + MAX_PROGRAM_HEADERS
                            + " are supported");
        }
        boolean[] kept = kept(elf, header, wanted);
        requireApart(elf, kept);
        return new SlimElf(elf, header, kept).write(out);
    }

    /** Returns the sections whose contents {@link #write} copies, in the order of the section header table. */
    public static List<SectionHeader> keptSections(ElfFile elf, SlimSections wanted) throws ExtractionException {
        boolean[] kept = kept(elf, ElfHeader.read(elf.file().bytes()), wanted);
        requireApart(elf, kept);
        return IntStream.range(0, kept.length)
                .filter(i -> kept[i])
                .mapToObj(elf.sections()::get)
                .toList();
    }

    private static boolean[] kept(ElfFile elf, ElfHeader header, SlimSections wanted) throws ExtractionException {
        List<SectionHeader> sections = elf.sections();
        if (!Notes.buildId(elf.file(), sections).equals(elf.buildId())) {
            throw new UnsupportedInputException(
                    "note segment", ExtractionException.NO_OFFSET, "the build-id is in no section, and would be lost");
        }
        boolean[] kept = new boolean[sections.size()];
        // Where there are too many sections for the field, it holds SHN_XINDEX, and the first header has the number.
        long names = header.shstrndx() < kept.length
                ? header.shstrndx()
                : sections.getFirst().link();
        for (int i = 0; i < kept.length; i++) {
            SectionHeader section = sections.get(i);
            if (section.isInFile() && (i == names || isAlwaysKept(section) || isWanted(section, wanted))) {
                kept[i] = true;
                keepStrings(sections, section, kept);
            }
        }
        for (int i = 0; i < kept.length; i++) {
            SectionHeader section = sections.get(i);
            if (elf.isRelocatable() && section.isRelocationTable() && section.info() < kept.length) {
                kept[i] |= kept[(int) section.info()]
                        && !sections.get((int) section.info()).isLoaded();
            }
        }
        if (elf.tlsSegment().isPresent() && !elf.isDebugFile()) {
            keepSomethingLoaded(sections, kept);
        }
        return kept;
    }

    private static boolean isWanted(SectionHeader section, SlimSections wanted) {
        return wanted.contains(section)
                && (section.type() != SectionHeader.SHT_DYNAMIC || section.size() <= MAX_DYNAMIC_BYTES);
    }

    private static boolean isAlwaysKept(SectionHeader section) {
        // sh_type has 32 bits without a sign.
        return switch ((int) section.type()) {
            case SectionHeader.SHT_NOTE,
                    SectionHeader.SHT_GROUP,
                    SectionHeader.SHT_SYMTAB,
                    SectionHeader.SHT_DYNSYM,
                    SectionHeader.SHT_SYMTAB_SHNDX,
                    SectionHeader.SHT_GNU_VERDEF,
                    SectionHeader.SHT_GNU_VERNEED,
                    SectionHeader.SHT_GNU_VERSYM -> true;
            default -> false;
        };
    }

    /** The names of symbols and versions are in the section that theirs is linked to. */
    private static void keepStrings(List<SectionHeader> sections, SectionHeader section, boolean[] kept) {
        if (isAlwaysKept(section) && section.link() < kept.length) {
            int linked = (int) section.link();
            kept[linked] |= sections.get(linked).isInFile();
        }
    }

    /**
     * A file without any contents that are loaded is a separate debug file, whose program headers are not believed: keeps
     * the smallest of what is loaded, so that the size of the thread-local segment is still known.
     */
    private static void keepSomethingLoaded(List<SectionHeader> sections, boolean[] kept) {
        int smallest = -1;
        for (int i = 0; i < kept.length; i++) {
            SectionHeader section = sections.get(i);
            if (section.isLoaded() && section.isInFile() && section.type() != SectionHeader.SHT_NOTE) {
                if (kept[i]) {
                    return;
                }
                if (smallest < 0 || section.size() < sections.get(smallest).size()) {
                    smallest = i;
                }
            }
        }
        if (smallest >= 0) {
            kept[smallest] = true;
        }
    }

    /** Refuses sections that share bytes, of which more could come out than went in. */
    private static void requireApart(ElfFile elf, boolean[] kept) throws MalformedInputException {
        long bytes = 0;
        for (int i = 0; i < kept.length; i++) {
            SectionHeader section = elf.sections().get(i);
            bytes += kept[i] ? section.size() : 0;
            if (bytes > elf.fileBytes()) {
                throw new MalformedInputException(
                        section.name(),
                        ExtractionException.NO_OFFSET,
                        "sections up to here have " + bytes + " bytes, the file has " + elf.fileBytes());
            }
        }
    }

    /**
     * Returns the sections whose contents are written, in that order: notes first, which readers of streams look for.
     */
    private List<Integer> order() {
        List<Integer> order = new ArrayList<>();
        for (boolean notes : new boolean[] {true, false}) {
            IntStream.range(0, kept.length)
                    .filter(i -> kept[i] && notes == (sections.get(i).type() == SectionHeader.SHT_NOTE))
                    .forEach(order::add);
        }
        return order;
    }

    private static long aligned(long offset, long align) {
        long step = Long.bitCount(align) == 1 ? Math.min(align, MAX_ALIGN) : 1;
        return offset + step - 1 & -step;
    }

    private long write(OutputStream out) throws IOException {
        out.write(elfHeader());
        out.write(programHeaders());
        long position = contentsOffset;
        for (int i : order()) {
            SectionHeader section = sections.get(i);
            out.write(new byte[(int) (offsets[i] - position)]);
            if (section.type() == SectionHeader.SHT_DYNAMIC) {
                out.write(soname(section));
            } else {
                copy(section.offset(), section.size(), out);
            }
            position = offsets[i] + section.size();
        }
        out.write(new byte[(int) (sectionHeadersOffset - position)]);
        byte[] table = sectionHeaders();
        out.write(table);
        return sectionHeadersOffset + table.length;
    }

    /**
     * Returns a dynamic section with its {@code DT_SONAME} only (gABI, "Dynamic Section"): its other entries are addresses of
     * contents that are left out.
     */
    private byte[] soname(SectionHeader section) {
        byte[] bytes = copied(section.offset(), (int) section.size());
        byte[] only = new byte[bytes.length];
        ByteBuffer raw = view(bytes);
        int word = header.word();
        for (int at = 0; at + 2 * word <= bytes.length; at += 2 * word) {
            if (word(raw, at) == CoreFile.DT_SONAME) {
                System.arraycopy(bytes, at, only, 0, 2 * word);
                break;
            }
        }
        return only;
    }

    private void copy(long offset, long size, OutputStream out) throws IOException {
        byte[] step = new byte[(int) Math.min(size, STEP_BYTES)];
        MemorySegment bytes = elf.file().bytes();
        for (long done = 0; done < size; done += step.length) {
            int count = (int) Math.min(step.length, size - done);
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, offset + done, step, 0, count);
            out.write(step, 0, count);
        }
    }

    private byte[] elfHeader() {
        byte[] bytes = copied(0, header.headerBytes());
        ByteBuffer raw = view(bytes);
        // e_phoff and e_shoff follow e_entry, which is at byte 24.
        putWord(raw, 24 + header.word(), elf.programHeaders().count() == 0 ? 0 : programHeadersOffset);
        putWord(raw, 24 + 2 * header.word(), sectionHeadersOffset);
        return bytes;
    }

    private byte[] programHeaders() {
        ProgramHeaders table = elf.programHeaders();
        int count = (int) table.count();
        byte[] bytes = copied(table.offset(), count * table.entryBytes());
        ByteBuffer raw = view(bytes);
        for (int i = 0; i < count; i++) {
            int entry = i * table.entryBytes();
            int offsetField = entry + (header.isWide() ? 8 : 4);
            int sizeField = entry + (header.isWide() ? 32 : 16);
            long offset = word(raw, offsetField);
            long size = word(raw, sizeField);
            switch (raw.getInt(entry)) {
                case ProgramHeaders.PT_NOTE, PT_GNU_PROPERTY -> {
                    int first = sectionAt(offset);
                    putWord(
                            raw,
                            offsetField,
                            first < 0
                                    ? contentsOffset
                                    : offsets[first]
                                            + offset
                                            - sections.get(first).offset());
                    putWord(raw, sizeField, first < 0 ? 0 : together(first, offset, size));
                }
                case PT_PHDR -> putWord(raw, offsetField, programHeadersOffset);
                case ProgramHeaders.PT_LOAD ->
                    putWord(raw, sizeField, offset == 0 ? Math.min(size, contentsOffset) : 0);
                // Without its contents it names nothing; and it has no other use.
                case PT_INTERP -> {
                    raw.putInt(entry, PT_NULL);
                    putWord(raw, sizeField, 0);
                }
                case ProgramHeaders.PT_TLS -> {
                    // Its size in the file is said of the program, and stays true of that.
                }
                default -> putWord(raw, sizeField, 0);
            }
        }
        return bytes;
    }

    /**
     * Returns the index of the note section that starts or goes on at this place of the file as it was; -1 if none
     * does.
     */
    private int sectionAt(long offset) {
        return IntStream.range(0, kept.length)
                .filter(i -> kept[i]
                        && sections.get(i).type() == SectionHeader.SHT_NOTE
                        && sections.get(i).offset() <= offset
                        && offset - sections.get(i).offset() < sections.get(i).size())
                .findFirst()
                .orElse(-1);
    }

    /** Returns how many of the bytes from this place on are as far from each other as they were. */
    private long together(int first, long offset, long size) {
        long end = offset + size;
        long moved = offsets[first] - sections.get(first).offset();
        long reached = sections.get(first).offset() + sections.get(first).size();
        for (int i = first + 1; i < kept.length && reached < end; i++) {
            SectionHeader section = sections.get(i);
            if (!kept[i] || section.type() != SectionHeader.SHT_NOTE || offsets[i] - section.offset() != moved) {
                break;
            }
            reached = section.offset() + section.size();
        }
        return Math.min(end, reached) - offset;
    }

    private byte[] sectionHeaders() {
        byte[] bytes = copied(header.shoff(), kept.length * header.sectionHeaderBytes());
        ByteBuffer raw = view(bytes);
        int word = header.word();
        for (int i = 0; i < kept.length; i++) {
            int entry = i * header.sectionHeaderBytes();
            if (sections.get(i).type() == SectionHeader.SHT_NULL) {
                continue;
            }
            if (!kept[i]) {
                raw.putInt(entry + 4, SectionHeader.SHT_NOBITS);
                // gABI, "Section Attribute Flags": no section without contents is compressed.
                putWord(raw, entry + 8, sections.get(i).flags() & ~SectionHeader.SHF_COMPRESSED);
            }
            putWord(raw, entry + 8 + 2 * word, kept[i] ? offsets[i] : contentsOffset);
        }
        return bytes;
    }

    private byte[] copied(long offset, int size) {
        byte[] bytes = new byte[size];
        MemorySegment.copy(elf.file().bytes(), ValueLayout.JAVA_BYTE, offset, bytes, 0, size);
        return bytes;
    }

    private ByteBuffer view(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(elf.file().byteOrder());
    }

    private long word(ByteBuffer raw, int at) {
        return header.isWide() ? raw.getLong(at) : Integer.toUnsignedLong(raw.getInt(at));
    }

    private void putWord(ByteBuffer raw, int at, long value) {
        if (header.isWide()) {
            raw.putLong(at, value);
        } else {
            raw.putInt(at, (int) value);
        }
    }
}
