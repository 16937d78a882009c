package dev.offsetd.extractor.identity.scan;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.identity.GoModule;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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

    /** The linker puts it near the start of a data segment if no section has it. */
    private static final int SEARCHED_BYTES = 1 << 16;

    /** Longest string: a module line takes a hundred bytes, and large programs have a thousand. */
    private static final int MAX_STRING_BYTES = 1 << 20;

    private GoBuildInfo() {}

    static Identity read(SectionSource sections) throws ExtractionException {
        Section own = sections.section(SOURCE);
        for (Section data : own.isEmpty() ? sections.data() : List.of(own)) {
            long header = find(data);
            if (header >= 0) {
                return read(sections, data, header);
            }
        }
        return Identity.UNKNOWN;
    }

    private static Identity read(SectionSource sections, Section data, long header) throws ExtractionException {
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
        return identity(version, modules);
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

    private static Identity identity(String version, String marked) {
        List<IdentityField> fields = new ArrayList<>();
        boolean release = version.startsWith("go") && version.length() > 2 && Character.isDigit(version.charAt(2));
        add(fields, Kind.GO_VERSION, release ? version.substring(2) : version);
        // 16 bytes before and behind the modules mark them in memory; those behind are on a line of their own.
        int start = marked.indexOf("path\t");
        List<String> lines =
                start < 0 ? List.of() : marked.substring(start).lines().toList();
        String packagePath = lines.isEmpty() ? "" : words(lines.getFirst())[1];
        Optional<String[]> main = lines.stream()
                .map(GoBuildInfo::words)
                .filter(words -> words[0].equals("mod") && words.length > 2)
                .findFirst();
        add(fields, Kind.GO_MODULE, main.map(words -> words[1]).orElse(packagePath));
        add(fields, Kind.GO_MODULE_VERSION, main.map(GoBuildInfo::version).orElse(""));
        return new Identity(fields, modules(lines));
    }

    /** Reads the lines of modules, each followed by that of its replacement if it has one. */
    private static List<GoModule> modules(List<String> lines) {
        List<GoModule> modules = new ArrayList<>();
        for (int i = 0; i < lines.size() && modules.size() < GoModule.MAX_MODULES; i++) {
            String[] words = words(lines.get(i));
            if ((words[0].equals("mod") || words[0].equals("dep")) && words.length > 2) {
                String[] next = i + 1 < lines.size() ? words(lines.get(i + 1)) : words;
                GoModule.Replacement replacement = next[0].equals("=>") && next.length > 2
                        ? new GoModule.Replacement(next[1], version(next))
                        : null;
                try {
                    modules.add(new GoModule(words[1], version(words), replacement));
                } catch (IllegalArgumentException malformed) {
                    // One malformed name does not hide the rest of the file.
                }
            }
        }
        return modules;
    }

    private static String version(String[] words) {
        return words[2].equals("(devel)") ? "" : words[2];
    }

    private static String[] words(String line) {
        return line.split("\t", -1);
    }

    private static void add(List<IdentityField> fields, Kind kind, String value) {
        fields.add(new IdentityField(kind, value, SOURCE, false));
    }
}
