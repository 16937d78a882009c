package dev.offsetd.extractor.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Type layouts and build-ids as {@code readelf} of GNU binutils prints them. Tested with version 2.40. */
public final class Readelf {

    private static final Pattern CONTENTS =
            Pattern.compile("Contents of the (\\.[\\w.]+) section(?: \\(loaded from (.*)\\))?:");
    private static final Pattern UNIT = Pattern.compile(" +Compilation Unit @ offset (?:0x)?([0-9a-f]+):");
    private static final Pattern FIELD = Pattern.compile(" +(Pointer Size|Signature|Type Offset): +(?:0x)?([0-9a-f]+)");
    private static final Pattern NUMBER = Pattern.compile("(-?[0-9]+|0x[0-9a-f]+)(?:\\s.*)?");

    /** An offset that is added, or one that stands alone, as GCC up to 4.3 wrote it for MIPS and Alpha. */
    private static final Pattern OFFSET = Pattern.compile(".*\\(DW_OP_(?:plus_uconst|constu): ([0-9]+)\\)");

    private static final Pattern BUILD_ID = Pattern.compile("(?s).*Build ID: ([0-9a-f]+).*");

    private Readelf() {}

    /** Returns every complete named struct, union, class and enumeration of the file, in DIE order. */
    public static List<ExpectedDefinition> definitions(Path file, ByteOrder order) throws IOException {
        return read(file, Optional.empty(), order).definitions();
    }

    /**
     * Returns every type DIE of the file.
     *
     * @param supplementary the file that its DIEs and names may refer to (DWARF 5 §7.3.6); it must be where the link
     *     points
     */
    public static RawDwarf read(Path file, Optional<Path> supplementary, ByteOrder order) throws IOException {
        RawDwarf dwarf = new RawDwarf(order);
        RequiredTool readelf = RequiredTool.require("readelf");
        // Names in the supplementary file are printed only with follow-links.
        String what = supplementary.isPresent() ? "--debug-dump=info,follow-links" : "--debug-dump=info";
        readelf.stream(out -> read(out, file, dwarf), "-W", what, file);
        if (supplementary.isPresent()) {
            dwarf.beginSupplementaryFile();
            Path other = supplementary.get();
            readelf.stream(out -> read(out, other, dwarf), "-W", "--debug-dump=info", other);
        }
        return dwarf.finish();
    }

    /** Returns the file's GNU build-id in lower-case hex. */
    public static String buildId(Path file) throws IOException {
        String notes = RequiredTool.require("readelf").output("-W", "-n", file);
        Matcher matcher = BUILD_ID.matcher(notes);
        if (!matcher.matches()) {
            throw new IOException("readelf prints no build-id of " + file + ": \"" + notes + '"');
        }
        return matcher.group(1);
    }

    public static ByteOrder byteOrder(Path file) throws IOException {
        return header(file).contains("big endian") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    }

    public static boolean isMips(Path file) throws IOException {
        return header(file).contains("MIPS");
    }

    /** Returns the size of a pointer in the file. */
    public static int pointerBytes(Path file) throws IOException {
        return header(file).contains("ELF64") ? 8 : 4;
    }

    private static String header(Path file) throws IOException {
        return RequiredTool.require("readelf").output("-W", "-h", file);
    }

    private static void read(InputStream out, Path file, RawDwarf dwarf) throws IOException {
        OutputLines line = new OutputLines(out);
        String section = ".debug_info";
        RawUnit unit = new RawUnit(section, 0);
        boolean kept = false;
        boolean ofFile = true;
        Set<String> seen = new HashSet<>();
        while (line.next()) {
            if (!ofFile && !line.has(0, "Contents")) {
                // With follow-links, readelf also prints other debug files of the same build-id; skip them.
                kept = false;
            } else if (line.has(0, "    <")) {
                if (kept) {
                    attribute(line, dwarf);
                }
            } else if (line.has(0, " <")) {
                kept = die(line, dwarf);
            } else {
                Matcher unitLine = UNIT.matcher(line.text());
                Matcher field = FIELD.matcher(line.text());
                Matcher contents = CONTENTS.matcher(line.text());
                if (unitLine.matches()) {
                    unit = dwarf.unit(section, hex(unitLine.group(1)));
                } else if (field.matches()) {
                    field(unit, field.group(1), hex(field.group(2)));
                } else if (contents.matches()) {
                    // Compressed as before Go 1.19: offsetd says what the section is.
                    section = contents.group(1).replace(".zdebug_", ".debug_");
                    // A debug file in its installed location is found as its own separate debug file and printed twice.
                    ofFile = seen.add(section)
                            && (contents.group(2) == null || contents.group(2).equals(file.toString()));
                }
            }
        }
    }

    private static void field(RawUnit unit, String name, long value) {
        switch (name) {
            case "Pointer Size" -> unit.addressSize = (int) value;
            case "Signature" -> unit.signature = value;
            default -> unit.typeOffset = value;
        }
    }

    /** Parses {@code  <1><2d>: Abbrev Number: 7 (DW_TAG_base_type)}; depth and offset are both hexadecimal. */
    private static boolean die(OutputLines line, RawDwarf dwarf) throws IOException {
        int offset = line.find('<', 2) + 1;
        int tag = line.find('(', offset) + 1;
        int end = line.find(')', tag);
        return end < line.length() && dwarf.die(line.hex(offset), line.text(tag, end), (int) line.hex(2));
    }

    /** Parses {@code     <2e>   DW_AT_byte_size   : (data1) 8}. */
    private static void attribute(OutputLines line, RawDwarf dwarf) throws IOException {
        int start = line.skipSpaces(line.find('>', 5) + 1);
        int end = line.endOfWord(start);
        RawAttribute attribute = RawAttribute.of(line.text(start, end));
        if (attribute == null) {
            return;
        }
        int form = line.find('(', end) + 1;
        while (line.has(form, "indirect)")) {
            form = line.find('(', form) + 1;
        }
        int endOfForm = line.find(')', form);
        if (endOfForm == line.length()) {
            throw new IOException("readelf names no form: " + line.text());
        }
        value(attribute, line.text(form, endOfForm), line, line.skipSpaces(endOfForm + 1), dwarf);
    }

    private static void value(RawAttribute attribute, String form, OutputLines line, int start, RawDwarf dwarf)
            throws IOException {
        if (attribute == RawAttribute.NAME) {
            // A name in a string section is preceded by its offset in parentheses.
            int text = form.equals("string") ? start : line.find(')', start) + 1;
            int name = line.skipSpaces(line.at(text) == ':' ? text + 1 : text);
            dwarf.name(line.text(name, line.length()).stripTrailing());
        } else if (form.equals("ref_sig8")) {
            dwarf.signature(attribute, line.hex(line.find('x', start) + 1));
        } else if (form.equals("GNU_ref_alt") || form.startsWith("ref_sup")) {
            dwarf.supplementaryReference(attribute, line.hex(line.find('x', start) + 1));
        } else if (attribute.isReference()) {
            dwarf.reference(attribute, line.hex(line.find('x', start) + 1));
        } else {
            dwarf.number(attribute, number(line.text(start, line.length())));
        }
    }

    private static long number(String value) {
        Matcher offset = OFFSET.matcher(value);
        if (offset.matches()) {
            return Long.parseLong(offset.group(1));
        }
        Matcher number = NUMBER.matcher(value);
        if (!number.matches() || value.contains("byte block")) {
            return RawDies.NOT_A_NUMBER;
        }
        String digits = number.group(1);
        if (digits.startsWith("0x")) {
            return hex(digits.substring(2));
        }
        return digits.startsWith("-") ? Long.parseLong(digits) : Long.parseUnsignedLong(digits);
    }

    private static long hex(String digits) {
        return Long.parseUnsignedLong(digits, 16);
    }
}
