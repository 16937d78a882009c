package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;

/**
 * One entry of the section header table (gABI, "Sections"); the names are the standard's.
 *
 * @param name its name out of the section header string table
 * @param nameOffset {@code sh_name}: bytes from the start of that table
 * @param type {@code sh_type}
 * @param flags {@code sh_flags}
 * @param address {@code sh_addr}
 * @param offset {@code sh_offset}: bytes from the start of the file
 * @param size {@code sh_size}: bytes in the file, or in memory for {@link #SHT_NOBITS}
 * @param link {@code sh_link}
 * @param info {@code sh_info}: of a relocation table, the section that it is for
 * @param addressAlign {@code sh_addralign}
 * @param entryBytes {@code sh_entsize}
 */
public record SectionHeader(
        String name,
        long nameOffset,
        long type,
        long flags,
        long address,
        long offset,
        long size,
        long link,
        long info,
        long addressAlign,
        long entryBytes) {

    static final int SHT_NULL = 0;
    static final int SHT_PROGBITS = 1;
    static final int SHT_SYMTAB = 2;
    static final int SHT_STRTAB = 3;
    static final int SHT_RELA = 4;
    static final int SHT_DYNAMIC = 6;
    static final int SHT_NOTE = 7;
    static final int SHT_NOBITS = 8;
    static final int SHT_REL = 9;
    static final int SHT_DYNSYM = 11;
    static final int SHT_GROUP = 17;
    static final int SHT_SYMTAB_SHNDX = 18;
    static final int SHT_GNU_VERDEF = 0x6ffffffd;
    static final int SHT_GNU_VERNEED = 0x6ffffffe;
    static final int SHT_GNU_VERSYM = 0x6fffffff;
    static final int SHF_WRITE = 1;
    static final int SHF_ALLOC = 2;
    static final int SHF_EXECINSTR = 4;
    static final int SHF_COMPRESSED = 0x800;

    /**
     * Reads the entry at the cursor, whose name is not known yet.
     *
     * @param word bytes of an address
     */
    static SectionHeader read(ByteCursor in, int word) throws MalformedInputException {
        return new SectionHeader(
                "",
                in.u32(),
                in.u32(),
                in.unsigned(word),
                in.unsigned(word),
                in.unsigned(word),
                in.unsigned(word),
                in.u32(),
                in.u32(),
                in.unsigned(word),
                in.unsigned(word));
    }

    /** Returns the name without the {@code z} of GNU's older compression, {@code .zdebug_*}. */
    String plainName() {
        return isGnuCompressed() ? "." + name.substring(2) : name;
    }

    /** Returns whether the section has the name of one with GNU's older compression. */
    boolean isGnuCompressed() {
        return name.startsWith(".zdebug_");
    }

    SectionHeader named(String other) {
        return new SectionHeader(
                other, nameOffset, type, flags, address, offset, size, link, info, addressAlign, entryBytes);
    }

    /** Returns the same section with this {@code sh_link} and {@code sh_entsize}. */
    SectionHeader linked(long index, long sizeOfEntry) {
        return new SectionHeader(
                name, nameOffset, type, flags, address, offset, size, index, info, addressAlign, sizeOfEntry);
    }

    /** Returns whether the entry describes bytes of the file: not an unused entry, not one without contents. */
    public boolean isInFile() {
        return type != SHT_NULL && type != SHT_NOBITS;
    }

    /** Returns whether the section has no contents in this file, as most sections of a separate debug file. */
    public boolean isNoBits() {
        return type == SHT_NOBITS;
    }

    /** Returns whether it is a relocation table. */
    boolean isRelocationTable() {
        return type == SHT_REL || type == SHT_RELA;
    }

    /** Returns whether it is in memory when the program runs. */
    public boolean isLoaded() {
        return (flags & SHF_ALLOC) != 0;
    }

    /** Returns whether it has code. */
    public boolean isCode() {
        return isLoaded() && (flags & SHF_EXECINSTR) != 0;
    }

    boolean isWritable() {
        return (flags & SHF_WRITE) != 0;
    }

    public boolean isCompressed() {
        return (flags & SHF_COMPRESSED) != 0;
    }

    /**
     * Returns the section's bytes as they are in the file, still compressed.
     *
     * @throws MalformedInputException if they lie outside the file
     */
    Section bytesIn(Section file) throws MalformedInputException {
        return bytesIn(file, name);
    }

    /** @param shownName the name under which messages know the section */
    Section bytesIn(Section file, String shownName) throws MalformedInputException {
        long fileBytes = file.size();
        if (offset < 0 || size < 0 || offset > fileBytes || size > fileBytes - offset) {
            throw new MalformedInputException(
                    shownName,
                    ExtractionException.NO_OFFSET,
                    "sh_offset 0x" + Long.toHexString(offset) + " and sh_size 0x" + Long.toHexString(size)
                            + " lie outside the file of " + fileBytes + " bytes");
        }
        return new Section(shownName, file.bytes().asSlice(offset, size), file.byteOrder());
    }
}
