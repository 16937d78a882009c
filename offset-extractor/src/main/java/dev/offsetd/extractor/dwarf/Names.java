package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.lang.foreign.ValueLayout;

/** Turns a {@link NameRef} into its bytes or its text. Safe for several threads. */
final class Names {

    /** Characters past which the clock is looked at. */
    private static final int LONG_NAME = 1 << 12;

    private final DwarfSections[] files;
    private final Limits limits;
    private final Deadline deadline;

    /** @param files the file itself and those that it is to be read with, each at its number */
    Names(DwarfSections[] files, Limits limits, Deadline deadline) {
        this.files = files.clone();
        this.limits = limits;
        this.deadline = deadline;
    }

    /** The name as text. */
    String text(long ref, Unit unit) throws ExtractionException {
        long found = resolve(ref, unit);
        return text(found);
    }

    /** The name as text, of a unit whose string offsets base is just being read. */
    String text(long ref, UnitHeader header, long strOffsetsBase) throws ExtractionException {
        long found = resolve(ref, header, strOffsetsBase);
        return text(found);
    }

    private String text(long found) throws ExtractionException {
        Section section = section(found);
        String text = section.string(NameRef.offset(found), limits.maxNameBytes());
        checkTime(section, text.length());
        return text;
    }

    /** A long name takes as long to read as many DIEs, and as many DIEs can refer to it. */
    private void checkTime(Section section, long length) throws ExtractionException {
        if (length > LONG_NAME) {
            deadline.check(section.name());
        }
    }

    /** The same name with indexes looked up: it has a section and an offset of its own. */
    long resolve(long ref, Unit unit) throws ExtractionException {
        return resolve(ref, unit.header(), unit.strOffsetsBase());
    }

    private long resolve(long ref, UnitHeader header, long strOffsetsBase) throws ExtractionException {
        if (NameRef.kind(ref) != NameRef.INDEX) {
            return ref;
        }
        int file = NameRef.file(ref);
        long index = NameRef.offset(ref);
        int offsetSize = header.offsetSize();
        Section offsets = files[file].strOffsets();
        if (strOffsetsBase < 0 || index >= offsets.size() / offsetSize) {
            throw new MalformedInputException(
                    offsets.name(),
                    Math.max(strOffsetsBase, 0),
                    "string index " + index + ", the section has " + offsets.size() + " bytes");
        }
        ByteCursor in = offsets.cursor(strOffsetsBase + index * offsetSize, offsetSize);
        return NameRef.of(NameRef.STR | NameRef.inFile(file), in.unsigned(offsetSize));
    }

    /** {@code .debug_str} of a file. */
    Section strings(int file) {
        return files[file].str();
    }

    /** The section that a resolved name stands in. */
    Section section(long ref) throws ExtractionException {
        int number = NameRef.file(ref);
        if (number >= files.length) {
            throw new UnsupportedInputException(
                    files[0].info().name(),
                    ExtractionException.NO_OFFSET,
                    "a name stands in a supplementary file, and the file names none");
        }
        DwarfSections file = files[number];
        return switch (NameRef.kind(ref)) {
            case NameRef.STR -> file.str();
            case NameRef.LINE_STR -> file.lineStr();
            case NameRef.INFO -> file.info();
            case NameRef.TYPES -> file.types();
            default ->
                throw new MalformedInputException(
                        file.info().name(),
                        ExtractionException.NO_OFFSET,
                        "a name is at 0x" + Long.toHexString(ref) + "; expected an offset into a section");
        };
    }

    /** The offset of a resolved name; it lies inside its section. */
    long checkedOffset(long ref) throws ExtractionException {
        long offset = NameRef.offset(ref);
        if (offset >= section(ref).size()) {
            section(ref).string(offset, limits.maxNameBytes());
        }
        return offset;
    }

    /** A 64-bit hash of the bytes of a resolved name; equal names have equal hashes wherever they stand. */
    long hash(long ref) throws ExtractionException {
        Section section = section(ref);
        long start = NameRef.offset(ref);
        if (start >= section.size()) {
            section.string(start, limits.maxNameBytes());
        }
        long length = section.stringLength(start, limits.maxNameBytes());
        checkTime(section, length);
        long hash = length * Hash.GOLDEN;
        long at = start;
        for (; length - (at - start) >= 8; at += 8) {
            hash = Hash.mix(hash ^ section.bytes().get(ValueLayout.JAVA_LONG_UNALIGNED, at));
        }
        long tail = 0;
        for (; at - start < length; at++) {
            tail = (tail << 8) | (section.bytes().get(ValueLayout.JAVA_BYTE, at) & 0xff);
        }
        return Hash.mix(hash ^ tail);
    }
}
