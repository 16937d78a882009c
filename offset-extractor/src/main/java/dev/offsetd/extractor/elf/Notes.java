package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The notes of a file (gABI, "Note Section"), and the search for the build-id in them. */
final class Notes {

    private static final int NT_GNU_BUILD_ID = 3;

    private final Section file;
    private long noteBytes;
    private @Nullable BuildId found;

    private Notes(Section file) {
        this.file = file;
    }

    /** Returns the first build-id in the sections of notes. */
    static Optional<BuildId> buildId(Section file, List<SectionHeader> sections) throws MalformedInputException {
        Notes notes = new Notes(file);
        for (SectionHeader section : sections) {
            if (section.type() == SectionHeader.SHT_NOTE
                    && notes.search(section.bytesIn(file), section.addressAlign())) {
                break;
            }
        }
        return Optional.ofNullable(notes.found);
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
        found = buildIdIn(notes, align).orElse(null);
        return found != null;
    }

    /**
     * Returns the first build-id among these notes, if it can be a key.
     *
     * @param align {@code sh_addralign} or {@code p_align}
     */
    static Optional<BuildId> buildIdIn(Section notes, long align) throws MalformedInputException {
        Optional<Note> note = find("GNU", NT_GNU_BUILD_ID, notes, align);
        if (note.isEmpty()) {
            return Optional.empty();
        }
        long size = note.get().size();
        // The types and symbols of a file do not depend on its note.
        return size < BuildId.MIN_BYTES
                        || size > BuildId.MAX_BYTES
                        || !note.get().isIn(notes)
                ? Optional.empty()
                : Optional.of(BuildId.of(note.get().descriptor(notes).bytes().toArray(ValueLayout.JAVA_BYTE)));
    }

    /** Returns why the first build-id in the sections of notes cannot be a key; empty if there is none, or it can. */
    static Optional<String> unusableBuildId(Section file, List<SectionHeader> sections) throws MalformedInputException {
        for (SectionHeader section : sections) {
            if (section.type() != SectionHeader.SHT_NOTE) {
                continue;
            }
            Section notes = section.bytesIn(file);
            Optional<Note> note = find("GNU", NT_GNU_BUILD_ID, notes, section.addressAlign());
            if (note.isPresent()) {
                return buildIdIn(notes, section.addressAlign()).isPresent()
                        ? Optional.empty()
                        : Optional.of("NT_GNU_BUILD_ID of " + note.get().size() + " bytes"
                                + (note.get().isIn(notes) ? ", " + note.get().hex(notes) : " in too short a section")
                                + "; expected " + BuildId.MIN_BYTES + " to " + BuildId.MAX_BYTES + " bytes");
            }
        }
        return Optional.empty();
    }

    /** Returns the descriptor of the first note of this owner and type in the note sections, or an empty section. */
    static Section descriptor(String owner, int type, Section file, List<SectionHeader> sections)
            throws MalformedInputException {
        long noteBytes = 0;
        for (SectionHeader section : sections) {
            if (section.type() == SectionHeader.SHT_NOTE) {
                Section notes = section.bytesIn(file);
                noteBytes += notes.size();
                if (noteBytes > file.size()) {
                    break;
                }
                Optional<Note> note = find(owner, type, notes, section.addressAlign());
                if (note.isPresent()) {
                    return note.get().descriptor(notes);
                }
            }
        }
        return Section.absent("note", file.byteOrder());
    }

    /**
     * A note.
     *
     * @param name offset of its owner
     * @param start offset of its descriptor
     * @param size bytes of its descriptor
     * @param next offset behind it
     */
    record Note(int type, long name, long nameBytes, long start, long size, long next) {

        private static final int HEADER_BYTES = 12;

        /**
         * Returns the note at an offset of the section; null if none starts there.
         *
         * @param align {@code sh_addralign} or {@code p_align}
         */
        static @Nullable Note at(Section notes, long offset, long align) throws MalformedInputException {
            if (notes.size() - offset < HEADER_BYTES) {
                return null;
            }
            long padding = align == 8 ? 7 : 3;
            ByteCursor in = notes.cursor(offset, HEADER_BYTES);
            long nameBytes = in.u32();
            long size = in.u32();
            int type = (int) in.u32();
            long name = offset + HEADER_BYTES;
            long start = name + nameBytes + padding & ~padding;
            return new Note(type, name, nameBytes, start, size, start + size + padding & ~padding);
        }

        boolean is(String owner, int wanted, Section notes) throws MalformedInputException {
            if (type != wanted || nameBytes != owner.length() + 1 || nameBytes > notes.size() - name) {
                return false;
            }
            ByteCursor in = notes.cursor(name, nameBytes);
            for (int i = 0; i < owner.length(); i++) {
                if (in.u8() != owner.charAt(i)) {
                    return false;
                }
            }
            return in.u8() == 0;
        }

        boolean isIn(Section notes) {
            return start <= notes.size() && size <= notes.size() - start;
        }

        /** Returns the first bytes of the descriptor in hex. */
        String hex(Section notes) {
            byte[] bytes = notes.bytes()
                    .asSlice(start, Math.min(size, BuildId.MAX_BYTES))
                    .toArray(ValueLayout.JAVA_BYTE);
            return HexFormat.of().formatHex(bytes) + (size > bytes.length ? "..." : "");
        }

        Section descriptor(Section notes) throws MalformedInputException {
            notes.cursor(start, size);
            return new Section(notes.name(), notes.bytes().asSlice(start, size), notes.byteOrder());
        }
    }

    private static Optional<Note> find(String owner, int type, Section notes, long align)
            throws MalformedInputException {
        for (Note note = Note.at(notes, 0, align); note != null; note = Note.at(notes, note.next, align)) {
            if (note.is(owner, type, notes)) {
                return Optional.of(note);
            }
        }
        return Optional.empty();
    }
}
