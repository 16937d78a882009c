package dev.offsetd.extractor.identity;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.IdentityField;
import dev.offsetd.extractor.layout.IdentityField.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Go's build information, which {@code go version -m} prints: a header of 32 bytes, and the Go version and the modules as
 * strings. From Go 1.18 on the strings follow the header, each after its length as an unsigned LEB128 number; before, the
 * header has the addresses of two string variables. (Package {@code debug/buildinfo}.)
 */
final class GoBuildInfo {

    private static final String SOURCE = ".go.buildinfo";
    private static final byte[] MAGIC = "\u00ff Go buildinf:".getBytes(StandardCharsets.ISO_8859_1);
    private static final int HEADER_BYTES = 32;
    private static final int STEP_BYTES = 8;

    private static final int BIG_ENDIAN = 1;
    private static final int INLINE_STRINGS = 2;

    /** The linker puts it near the start of the data segment if no section has it. */
    private static final int SEARCHED_BYTES = 1 << 16;

    /** Longest string: a module line takes a hundred bytes, and large programs have a thousand. */
    private static final int MAX_STRING_BYTES = 1 << 20;

    private GoBuildInfo() {}

    static List<IdentityField> read(SectionSource sections) throws ExtractionException {
        Section own = sections.section(SOURCE);
        Section data = own.isEmpty() ? sections.data() : own;
        long header = find(data);
        if (header < 0) {
            return List.of();
        }
        ByteCursor in = data.cursor(header + MAGIC.length, data.size() - header - MAGIC.length);
        int addressBytes = in.u8();
        int flags = in.u8();
        String version;
        String modules;
        if ((flags & INLINE_STRINGS) != 0) {
            in.seek(header + HEADER_BYTES);
            version = inline(data, in);
            modules = inline(data, in);
        } else if (addressBytes == 4 || addressBytes == 8) {
            ByteOrder order = (flags & BIG_ENDIAN) != 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
            ByteCursor addresses = new Section(data.name(), data.bytes(), order).cursor(in.offset(), 2L * addressBytes);
            version = loaded(sections, addresses.unsigned(addressBytes), addressBytes, order);
            modules = loaded(sections, addresses.unsigned(addressBytes), addressBytes, order);
        } else {
            throw in.malformed(in.offset() - 2, "address of " + addressBytes + " bytes; expected 4 or 8");
        }
        return fields(version, modules);
    }

    private static long find(Section data) {
        long end = Math.min(data.size(), SEARCHED_BYTES) - HEADER_BYTES;
        MemorySegment magic = MemorySegment.ofArray(MAGIC);
        for (long at = 0; at <= end; at += STEP_BYTES) {
            if (MemorySegment.mismatch(data.bytes(), at, at + MAGIC.length, magic, 0, MAGIC.length) < 0) {
                return at;
            }
        }
        return -1;
    }

    private static String inline(Section data, ByteCursor in) throws MalformedInputException {
        long length = in.uleb128();
        String text = text(data, in.offset(), length);
        in.skip(length);
        return text;
    }

    private static String loaded(SectionSource sections, long address, int addressBytes, ByteOrder order)
            throws ExtractionException {
        Section variable = sections.loadedAt(address);
        if (variable.isEmpty()) {
            return "";
        }
        ByteCursor in = new Section(variable.name(), variable.bytes(), order).cursor(0, 2L * addressBytes);
        long start = in.unsigned(addressBytes);
        long length = in.unsigned(addressBytes);
        return length == 0 ? "" : text(sections.loadedAt(start), 0, length);
    }

    private static String text(Section section, long offset, long length) throws MalformedInputException {
        if (length < 0 || length > MAX_STRING_BYTES) {
            throw new MalformedInputException(
                    section.name(),
                    offset,
                    "string of " + Long.toUnsignedString(length) + " bytes; expected up to " + MAX_STRING_BYTES);
        }
        section.cursor(offset, length);
        byte[] text = section.bytes().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        return new String(text, StandardCharsets.UTF_8);
    }

    private static List<IdentityField> fields(String version, String marked) {
        List<IdentityField> fields = new ArrayList<>();
        boolean release = version.startsWith("go") && version.length() > 2 && Character.isDigit(version.charAt(2));
        add(fields, Kind.GO_VERSION, release ? version.substring(2) : version);
        // 16 bytes before and behind the modules mark them in memory; those behind are on a line of their own.
        int start = marked.indexOf("path\t");
        String modules = start < 0 ? "" : marked.substring(start);
        String packagePath = "";
        for (String line : modules.split("\n", -1)) {
            String[] words = line.split("\t", -1);
            if (words[0].equals("path") && words.length > 1) {
                packagePath = words[1];
            } else if (words[0].equals("mod") && words.length > 2) {
                add(fields, Kind.GO_MODULE, words[1]);
                add(fields, Kind.GO_MODULE_VERSION, words[2].equals("(devel)") ? "" : words[2]);
                return fields;
            }
        }
        add(fields, Kind.GO_MODULE, packagePath);
        return fields;
    }

    private static void add(List<IdentityField> fields, Kind kind, String value) {
        fields.add(new IdentityField(kind, value, SOURCE, false));
    }
}
