package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A member of an archive of object files, as linkers name it: {@code lib.a(x.o)}. Archives are those of {@code ar} with the
 * long names of GNU or BSD.
 */
record ArchiveMember(Path archive, String name) {

    private static final String NAME = "archive";
    private static final String MAGIC = "!<arch>\n";
    private static final String THIN_MAGIC = "!<thin>\n";
    private static final int HEADER_BYTES = 60;
    private static final int SIZE_FIELD = 48;
    private static final String GNU_NAMES = "//";
    private static final String BSD_NAME = "#1/";

    /** Names that a message lists. */
    private static final int MAX_LISTED = 5;

    /** Returns the member that a path names; null if there is a file of that path, or it has not the form of a member. */
    static @Nullable ArchiveMember namedBy(Path path) {
        String text = path.toString();
        int open = text.lastIndexOf('(');
        if (open <= 0 || !text.endsWith(")") || Files.exists(path)) {
            return null;
        }
        return new ArchiveMember(Path.of(text.substring(0, open)), text.substring(open + 1, text.length() - 1));
    }

    /**
     * Returns the contents of the member of this name.
     *
     * @throws UnsupportedInputException if the file is not an archive, or has no or several such members
     * @throws MalformedInputException if a member does not end in the file
     */
    MemorySegment in(MemorySegment bytes, Limits limits) throws ExtractionException {
        Section file = new Section(NAME, bytes, ByteOrder.BIG_ENDIAN);
        String magic = file.size() < MAGIC.length() ? "" : text(file, 0, MAGIC.length());
        if (!magic.equals(MAGIC)) {
            throw new UnsupportedInputException(
                    NAME,
                    0,
                    "expected an ar archive, in which " + HostileText.quote(name) + " is looked for; "
                            + (magic.equals(THIN_MAGIC)
                                    ? "this is " + OtherFormat.THIN_AR.description()
                                    : "it starts with other bytes than \"!<arch>\""));
        }
        List<String> names = new ArrayList<>();
        MemorySegment contents = null;
        Section longNames = Section.absent(GNU_NAMES, ByteOrder.BIG_ENDIAN);
        long at = MAGIC.length();
        while (file.size() - at >= HEADER_BYTES) {
            long start = at + HEADER_BYTES;
            long size = size(file, at);
            file.cursor(start, size);
            String field = text(file, at, 16).stripTrailing();
            if (field.equals(GNU_NAMES)) {
                longNames = new Section(GNU_NAMES, bytes.asSlice(start, size), ByteOrder.BIG_ENDIAN);
            } else if (!field.equals("/") && !field.equals("/SYM64/")) {
                long nameBytes = field.startsWith(BSD_NAME) ? Math.min(number(file, at, field.substring(3)), size) : 0;
                String found = nameBytes > 0
                        ? text(file, start, Math.min(nameBytes, limits.maxNameBytes()))
                                .replace("\0", "")
                        // A name in the table may be that of each member, so no more of it is read than is compared.
                        : memberName(
                                file,
                                at,
                                field,
                                longNames,
                                names.size() < MAX_LISTED ? limits.maxNameBytes() : name.length() + 2);
                if (found.equals(name)) {
                    if (contents != null) {
                        throw new UnsupportedInputException(
                                NAME,
                                at,
                                "another member is named " + HostileText.quote(name)
                                        + "; expected one (ar xN COUNT extracts each)");
                    }
                    contents = bytes.asSlice(start + nameBytes, size - nameBytes);
                }
                if (names.size() < MAX_LISTED) {
                    names.add(HostileText.quote(found));
                }
            }
            at = start + size + (size & 1);
        }
        if (contents != null) {
            return contents;
        }
        throw new UnsupportedInputException(
                NAME,
                ExtractionException.NO_OFFSET,
                "no member is named " + HostileText.quote(name)
                        + (names.isEmpty() ? "" : "; the first are " + String.join(", ", names)));
    }

    private static String memberName(Section file, long at, String field, Section longNames, int maxChars)
            throws ExtractionException {
        if (field.length() > 1 && field.charAt(0) == '/') {
            long offset = number(file, at, field.substring(1));
            ByteCursor in = longNames.cursor(offset, longNames.size() - offset);
            StringBuilder name = new StringBuilder();
            int c = offset < longNames.size() ? in.u8() : '\n';
            while (c != '\n' && c != 0 && name.length() < maxChars) {
                name.append((char) c);
                c = in.hasRemaining() ? in.u8() : 0;
            }
            return withoutSlash(name.toString());
        }
        return withoutSlash(field);
    }

    private static String withoutSlash(String name) {
        return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    }

    private static long size(Section file, long at) throws MalformedInputException {
        return number(file, at, text(file, at + SIZE_FIELD, 10).strip());
    }

    private static long number(Section file, long at, String digits) throws MalformedInputException {
        if (digits.isEmpty() || digits.length() > 15 || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw file.cursor()
                    .malformed(at, "header of a member has " + HostileText.quote(digits) + "; expected a number");
        }
        return Long.parseLong(digits);
    }

    private static String text(Section file, long at, long length) throws MalformedInputException {
        file.cursor(at, length);
        return new String(file.bytes().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
    }
}
