package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.lang.foreign.ValueLayout;

/** Turns a {@link NameRef} into its bytes or its text. Safe for several threads. */
final class Names {

    private final DwarfSections sections;
    private final Limits limits;

    Names(DwarfSections sections, Limits limits) {
        this.sections = sections;
        this.limits = limits;
    }

    /** The name as text. */
    String text(long ref, Unit unit) throws ExtractionException {
        long found = resolve(ref, unit.header().offsetSize(), unit.strOffsetsBase());
        return section(found).string(NameRef.offset(found), limits.maxNameBytes());
    }

    /** The name as text, of a unit whose string offsets base is just being read. */
    String text(long ref, UnitHeader header, long strOffsetsBase) throws ExtractionException {
        long found = resolve(ref, header.offsetSize(), strOffsetsBase);
        return section(found).string(NameRef.offset(found), limits.maxNameBytes());
    }

    /** The same name with indexes looked up: it has a section and an offset of its own. */
    long resolve(long ref, int offsetSize, long strOffsetsBase) throws ExtractionException {
        if (NameRef.kind(ref) != NameRef.INDEX) {
            return ref;
        }
        long index = NameRef.offset(ref);
        Section offsets = sections.strOffsets();
        if (strOffsetsBase < 0 || index >= offsets.size() / offsetSize) {
            throw new MalformedInputException(
                    offsets.name(),
                    Math.max(strOffsetsBase, 0),
                    "string index " + index + ", the section has " + offsets.size() + " bytes");
        }
        ByteCursor in = offsets.cursor(strOffsetsBase + index * offsetSize, offsetSize);
        return NameRef.of(NameRef.STR, in.unsigned(offsetSize));
    }

    /** The section that a resolved name stands in. */
    Section section(long ref) throws ExtractionException {
        return switch (NameRef.kind(ref)) {
            case NameRef.STR -> sections.str();
            case NameRef.LINE_STR -> sections.lineStr();
            case NameRef.INFO -> sections.info();
            default ->
                throw new UnsupportedInputException(
                        sections.info().name(),
                        ExtractionException.NO_OFFSET,
                        "a name stands in a supplementary file that was not given");
        };
    }

    /** A 64-bit hash of the bytes of a resolved name; equal names have equal hashes wherever they stand. */
    long hash(long ref) throws ExtractionException {
        Section section = section(ref);
        long start = NameRef.offset(ref);
        if (start >= section.size()) {
            section.string(start, limits.maxNameBytes());
        }
        long length = section.stringLength(start, limits.maxNameBytes());
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
